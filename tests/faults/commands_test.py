# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber convert, rig, animate and batch with faults on purpose (faults.py). Whatever fails: inputs stay as they are, outputs are whole,
absent or what they were before, the exit code is not 0 and words say why, nothing is left behind, and the same command then does its
work. A fault that the program makes good is none: then it exits with 0 and its outputs are whole.

LIMBER=build/bin/limber LIMBER_FAULT_SHIM=build/lib/liblimber_fault_shim.so python3 tests/faults/commands_test.py Convert"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import faults

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "studio"))
from storm_test import processes_in  # noqa: E402

PROGRAM = str(pathlib.Path(os.environ.get("LIMBER", "build/bin/limber")).resolve())
OLD = b"what was here before"
TIMES = "seconds", "timings", "cpu_seconds"  # in reports
SECONDS = 120  # a run that takes longer hangs


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def timeless(name, data):
    """What should be the same in each run: a report tells how long things took, too."""
    if not name.endswith(".json"):
        return hashlib.sha256(data).hexdigest()

    def without(value, key=""):
        if isinstance(value, dict):
            return {k: without(v, key if key in TIMES else k) for k, v in value.items()}
        return 0 if key in TIMES and isinstance(value, float) else value
    return json.dumps(without(json.loads(data)))


class Faults(unittest.TestCase):
    """What all commands have in common. A class of a command says what it makes of what."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="limber-faults-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.control = faults.Control(self.scratch / "control")
        self.environment = self.control.environment(self.scratch / "bin")
        self.template = self.scratch / "template"
        self.template.mkdir()

    def limber(self, *words, folder=None):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=folder or self.template, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)

    # --- a run

    def fresh(self):
        """A folder with the inputs, and old files where outputs will be."""
        folder = self.scratch / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template, folder)
        return folder

    def run_in(self, folder, command):
        process = subprocess.run([PROGRAM, *command], cwd=folder, env=self.environment, capture_output=True, timeout=SECONDS)
        process.said = process.stderr.decode(errors="replace")
        return process

    def left_behind(self, folder):
        """Processes that go on after the program's end; they have a moment to notice it."""
        deadline = time.monotonic() + 5
        while (found := processes_in(folder)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    # --- what may be there afterwards

    def judge(self, before, after, made, outputs, together, done, hint):
        """`made`: what a run without faults makes. `together`: outputs that belong to each other."""
        self.assertGreaterEqual(done.returncode, 0, f"was killed by a signal: {hint}")
        self.assertEqual(set(after) - set(outputs), set(before) - set(outputs), f"files are left, or lost: {hint}")
        for name in set(before) - set(outputs):
            self.assertTrue(after[name] == before[name], f"{name} is not what it was: {hint}")
        states = {}
        for name in outputs:
            now, whole = after.get(name), made[name]
            if now == before.get(name):
                states[name] = "old"
            else:
                self.assertIsNotNone(now, f"{name} was lost: {hint}")
                self.assertEqual(timeless(name, now), timeless(name, whole), f"{name} is neither old nor new: {hint}")
                states[name] = "new"
        for group in together:
            self.assertEqual(len({states[name] for name in group}), 1, f"{states} do not belong together: {hint}")
        if done.returncode == 0:
            self.assertEqual(set(states.values()), {"new"}, f"exit code 0, and outputs are missing: {hint}")

    def check_words(self, family, done, hint):
        self.assertIn("error: ", done.said, f"no error in words: {hint}")
        error = done.said[done.said.index("error: "):]  # some have several lines
        self.assertTrue(any(word in error for word in family.words), f"does not say what: {hint}")

    def try_family(self, name, command, outputs, together=()):
        """All n of a family. Tells how many there were and what became of them."""
        family = faults.FAMILIES[name]
        folder = self.fresh()
        before = contents(folder)
        self.control.arm(family, 0)
        done = self.run_in(folder, command)
        self.control.disarm()
        self.assertEqual(done.returncode, 0, done.said)
        made = contents(folder)
        self.assertEqual(set(made), set(before) | set(outputs))
        count = self.control.seen()[0]
        ended = [0, 0]  # with 0, and with another code
        chosen = faults.numbers(family, count)
        for nth in chosen:
            with self.subTest(nth=nth):
                again = nth == chosen[len(chosen) // 2] or faults.ALL and not family.spread
                ended[self.try_one(name, nth, count, command, outputs, together, before, made, again) != 0] += 1
        print(f"{type(self).__name__} {' '.join(command)}: {name}: {count} calls, {len(chosen)} tried, {ended[1]} failed in words, "
              f"{ended[0]} made good", flush=True)
        return count

    def try_one(self, name, nth, count, command, outputs, together, before, made, again):
        """The exit code of a run whose n-th call fails. `again`: whether it is then run without."""
        family = faults.FAMILIES[name]
        folder = self.fresh()
        self.control.arm(family, nth)
        done = self.run_in(folder, command)
        self.control.disarm()
        _, struck, call = self.control.seen()
        hint = f"{name} {nth} of {count} ({call}), {' '.join(command)}: exit code {done.returncode}\n{done.said}{self.control.where()}"
        self.judge(before, contents(folder), made, outputs, together, done, hint)
        if done.returncode != 0:
            self.check_words(family, done, hint)
            self.assertGreater(struck, 0, hint)
            self.assertNotEqual(family.code, 0, f"half of the work is no failure: {hint}")
        self.assertEqual(self.left_behind(folder), [], f"processes are left: {hint}")
        if again:
            second = self.run_in(folder, command)
            self.assertEqual(second.returncode, 0, f"cannot be run again: {hint}\n{second.said}")
            self.judge(before, contents(folder), made, outputs, together, second, hint)
        return done.returncode

    def try_all(self, command, outputs, together=(), least=("write", "fsync", "rename", "read", "open", "memory")):
        for name in faults.FAMILIES:
            with self.subTest(family=name):
                count = self.try_family(name, command, outputs, together)
                # A shim that sees nothing finds nothing.
                self.assertGreater(count, 0 if name in least else -1, f"{name} was never called")


class Convert(Faults):
    def setUp(self):
        super().setUp()
        self.limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 24, "--action", "walk", "-o", "fox.glb")

    def test_files_that_belong_together(self):
        self.limber("zoo", "--plan", "quadruped", "--seed", 4, "--resolution", 24, "-o", "other.glb")
        self.limber("convert", "other.glb", "-o", "out.gltf")  # which is replaced
        names = [n for n in contents(self.template) if n.startswith("out.")]
        self.assertGreater(len(names), 1)
        self.try_all(["convert", "fox.glb", "-o", "out.gltf"], names, together=[names])

    def test_a_decoder_in_a_child(self):
        self.limber("convert", "fox.glb", "-o", "fox.fbx")
        (self.template / "out.glb").write_bytes(OLD)
        self.try_all(["convert", "fox.fbx", "-o", "out.glb"], ["out.glb"], least=("write", "fsync", "rename", "fork", "read", "open", "memory"))

    def test_a_model_of_two_files(self):
        (self.template / "box.mtl").write_text("newmtl red\nKd 1 0 0\n")
        (self.template / "box.obj").write_text("mtllib box.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        for name in ("read", "half a read", "open", "memory"):  # what writes is the same for all
            with self.subTest(family=name):
                self.try_family(name, ["convert", "box.obj", "-o", "out.glb"], ["out.glb"])

    def test_text(self):
        self.try_all(["convert", "fox.glb", "-o", "out.bvh"], ["out.bvh"])


class Rig(Faults):
    def test_rig(self):
        self.limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 24, "--no-rig", "-o", "fox.glb")
        (self.template / "out.glb").write_bytes(OLD)
        self.try_all(["rig", "fox.glb", "--template", "quadruped", "--report", "report.json", "-o", "out.glb"], ["out.glb", "report.json"])


class Animate(Faults):
    def setUp(self):
        super().setUp()
        self.limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 24, "-o", "fox.glb")

    WALK = ["animate", "fox.glb", "--prompt", "a fox walks", "--method", "rule", "--quality", "draft", "--seconds", "0.5"]

    def test_a_motion(self):
        (self.template / "out.glb").write_bytes(OLD)
        self.try_all([*self.WALK, "--no-preview", "--report", "report.json", "-o", "out.glb"], ["out.glb", "report.json"])

    def test_its_preview(self):
        (self.template / "out.mp4").write_bytes(OLD)
        for name in ("write", "write from then on", "half a write", "fsync", "rename", "fork", "thread", "read", "open"):
            with self.subTest(family=name):
                self.try_family(name, [*self.WALK, "--preview", "out.mp4", "-o", "out.glb"], ["out.glb", "out.mp4", "out.report.json"])


class Batch(Faults):
    """Its folder of results is whole where each item is finished, as its status says, or is not there; what failed is done by the next run."""

    COMMAND = ["batch", "manifest.jsonl", "-o", "out", "--jobs", "1", "--no-thumbnails"]
    OUTPUTS = ["named/rigged.glb"]

    def setUp(self):
        super().setUp()
        self.limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 24, "--no-rig", "-o", "fox.glb")
        lines = [{"do": "rig", "input": "fox.glb", "options": {"template": "quadruped", "reader": "none"}, "output": self.OUTPUTS[0]},
                 {"do": "inspect", "input": "fox.glb"}]
        (self.template / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        folder = self.fresh()
        self.run_in(folder, self.COMMAND)
        self.whole = contents(folder / "out")

    def check_items(self, folder, hint):
        """Of all that the folder holds; answers how many items are done."""
        done = 0
        for path in (folder / "out").glob("*/status.json"):
            status = json.loads(path.read_text())
            result = path.parent / ("result.glb" if status["item"]["do"] == "rig" else "report.json")
            if status["state"] == "done":
                name = str(result.relative_to(folder / "out"))
                self.assertEqual(timeless(name, result.read_bytes()), timeless(name, self.whole[name]), f"{name} is not whole: {hint}")
                done += 1
            else:
                self.assertTrue(status["reason"], hint)
                self.assertFalse(result.exists(), f"{result} of what failed: {hint}")
        for name in self.OUTPUTS:
            path = folder / "out" / name
            if path.exists():
                self.assertTrue(path.read_bytes() == self.whole[name], f"{name} is not whole: {hint}")
        return done

    def try_one(self, name, nth, count, command, outputs, together, before, made, again):
        family = faults.FAMILIES[name]
        folder = self.fresh()
        self.control.arm(family, nth)
        done = self.run_in(folder, command)
        self.control.disarm()
        hint = f"{name} {nth} of {count} ({self.control.seen()[2]}), {' '.join(command)}: exit code {done.returncode}\n{done.said}{self.control.where()}"
        self.assertGreaterEqual(done.returncode, 0, f"was killed by a signal: {hint}")
        after = contents(folder)
        for name in before:
            self.assertTrue(after[name] == before[name], f"{name} is not what it was: {hint}")
        self.assertEqual([n for n in after if ".tmp-" in n], [], f"files are left: {hint}")
        finished = self.check_items(folder, hint)
        if done.returncode == 0:
            self.assertEqual(finished, 2, f"exit code 0, and results are missing: {hint}")
        else:
            self.assertNotEqual(family.code, 0, f"half of the work is no failure: {hint}")
            why = folder / "out/failures.md"
            done.said += "error: " + why.read_text().replace("\n", " ") if why.exists() else ""
            self.check_words(family, done, hint)
        self.assertEqual(self.left_behind(folder), [], f"processes are left: {hint}")
        second = self.run_in(folder, [*command, "--retry-failed"])
        self.assertEqual(second.returncode, 0, f"cannot be run again: {hint}\n{second.said}")
        self.assertEqual(self.check_items(folder, hint), 2, hint)
        self.assertEqual(sorted(n for n in contents(folder / "out") if not n.endswith("log.txt")),
                         sorted(n for n in self.whole if not n.endswith("log.txt")), f"the next run left files: {hint}")
        return done.returncode

    def test_batch(self):
        self.try_all(self.COMMAND, [f"out/{name}" for name in self.whole], least=("write", "fsync", "rename", "fork", "thread", "read", "open", "memory"))


if __name__ == "__main__":
    unittest.main()
