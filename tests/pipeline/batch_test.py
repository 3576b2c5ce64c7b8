# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber batch: here and on a real Slurm, with items that crash, hang or are greedy, and with what works on them killed."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import local_slurm
from limber_program import PROGRAM, ProgramTest

# Instead of limber: some inputs are fatal, all others are limber's. Every start is noted.
PROXY = """#!/bin/sh
echo "$2" >> {folder}/starts
case "$2" in
  */crash*) kill -SEGV $$ ;;
  */hang*) sleep 600 ;;
  */greedy*) exec {python} -c 'x = bytearray(16 << 30)' ;;
  */slow*) sleep 1 ;;
esac
exec {program} "$@"
"""


class BatchTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.proxy = self.folder / "proxy.sh"
        self.proxy.write_text(PROXY.format(folder=self.folder, python=sys.executable, program=pathlib.Path(PROGRAM).resolve()))
        self.proxy.chmod(0o755)
        self.environment = dict(os.environ)

    def write_model(self, name):
        """A tetrahedron; its bytes differ with its name."""
        (self.folder / name).write_text(f"# {name}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")

    def write_manifest(self, *lines, name="manifest.jsonl"):
        (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))

    def inspections(self, *names):
        for name in names:
            self.write_model(f"{name}.obj")
        return [{"do": "inspect", "input": f"{name}.obj"} for name in names]

    def batch(self, *arguments, code=0):
        """Runs `limber batch` through the proxy, answers its counts."""
        done = subprocess.run([PROGRAM, "batch", *map(str, arguments), "--program", self.proxy, "--json"], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, timeout=240)
        self.stderr = done.stderr
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout) if done.stdout else None

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "batch", *map(str, arguments), "--program", self.proxy], cwd=self.folder,
                                env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def starts(self):
        path = self.folder / "starts"
        stems = [pathlib.Path(line).stem for line in path.read_text().split()] if path.exists() else []
        return [stem for stem in stems if stem != "result"]  # of which only thumbnails are drawn

    def index(self, out="out"):
        return [json.loads(line) for line in (self.folder / out / "index.jsonl").read_text().splitlines()]

    def wait_until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)


class Local(BatchTest):
    def test_what_is_done_is_not_done_again(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--no-rig", "--resolution", 24, "-o", "fox.glb")
        rig = {"do": "rig", "input": "fox.glb", "options": {"template": "quadruped", "reader": "none"}, "output": "rigged/fox.glb"}
        self.write_manifest(*self.inspections("a", "b"), rig)
        self.assertEqual(self.batch("manifest.jsonl", "-o", "out")["done"], 3)
        rows = self.index()
        self.assertEqual([row["state"] for row in rows], ["done"] * 3)
        folder = self.folder / "out" / rows[2]["id"]
        self.assertLessEqual({"result.glb", "report.json", "log.txt", "status.json", "thumbnail.png"}, {p.name for p in folder.iterdir()})
        self.assertEqual((self.folder / "out/rigged/fox.glb").read_bytes(), (folder / "result.glb").read_bytes())
        self.assertEqual(json.loads((folder / "report.json").read_text())["skeleton"]["template"], "quadruped")
        self.assertEqual(json.loads((self.folder / "out" / rows[0]["result"]).read_text())["mesh"]["triangles"], 4)
        self.assertIn("thumbnail.png", (self.folder / "out/index.html").read_text())

        starts = self.starts()
        self.assertEqual(self.batch("manifest.jsonl", "-o", "out")["done"], 3)
        self.assertIn("3 of 3 items need nothing", self.stderr)
        self.assertEqual(self.starts(), starts)
        # Another option, another item; what is no longer asked for stays.
        self.write_manifest({"do": "inspect", "input": "a.obj", "options": {"hierarchy": True}})
        self.assertEqual(self.batch("manifest.jsonl", "-o", "out")["done"], 1)
        self.assertEqual([row.get("asked", True) for row in self.index()], [True, False, False, False])

    def test_items_that_crash_hang_or_are_greedy_fail_alone(self):
        self.write_manifest(*self.inspections("a", "crash", "hang", "greedy", "b"), {"do": "inspect", "input": "proxy.sh"})
        counts = self.batch("manifest.jsonl", "-o", "out", "--timeout", 5, "--memory", 4, "--retry", 1, code=1)
        self.assertEqual((counts["done"], counts["failed"]), (2, 4))
        reasons = {pathlib.Path(row["input"]).name: row.get("reason") for row in self.index()}
        self.assertIn("signal 11", reasons["crash.obj"])
        self.assertEqual(reasons["hang.obj"], "took longer than 5 s")
        self.assertEqual(reasons["greedy.obj"], "needs more memory than 4 GB")
        self.assertIn("proxy.sh", reasons["proxy.sh"])
        failures = (self.folder / "out/failures.md").read_text()
        for name in ("crash", "hang", "greedy"):
            self.assertIn(f"inspect {name}.obj", failures)
            self.assertEqual(self.starts().count(name), 2)
        # Only those that failed, and only when asked for.
        self.batch("manifest.jsonl", "-o", "out", code=1)
        self.assertEqual(self.starts().count("crash"), 2)
        self.batch("manifest.jsonl", "-o", "out", "--retry-failed", "--timeout", 1, "--memory", 4, code=1)
        self.assertEqual((self.starts().count("crash"), self.starts().count("a")), (3, 1))

    def test_a_bad_manifest_is_refused_before_anything_starts(self):
        self.write_model("a.obj")
        (self.folder / "manifest.jsonl").write_text(
            '{"do": "inspect", "input": "a.obj"}\n'
            '{"do": "inspect", "input": "a.obj"\n'
            '{"do": "rig", "input": "missing.glb"}\n\n'
            '{"do": "rig", "input": "a.obj", "options": {"colour": "blue"}}\n'
            '{"do": "animate", "input": "a.obj", "prompt": "it sits", "options": {"quality": "perfect"}}\n'
            '{"do": "animate", "input": "a.obj"}\n'
            '{"do": "rig", "input": "a.obj", "output": "a.glb"}\n'
            '{"do": "rig", "input": "a.obj", "output": "a.glb", "options": {"joints": 5}}\n'
            '{"do": "rig", "input": "a.obj", "outptu": "b.glb"}\n')
        self.batch("manifest.jsonl", "-o", "out", code=1)
        for words in ("7 lines are wrong", "line 2: is no JSON: column 35", 'line 3: input "missing.glb" is not there', 'line 5: option "colour"',
                      "line 6: ", "perfect", "line 7: ", "--prompt", 'line 9: output "a.glb" is that of line 8, too',
                      'line 10: unknown key "outptu"'):
            self.assertIn(words, self.stderr)
        self.assertNotIn("line 1:", self.stderr)
        self.assertFalse((self.folder / "out").exists())
        self.batch("missing.jsonl", "-o", "out", code=1)
        self.run_limber("batch", "manifest.jsonl", code=2)
        self.run_limber("batch", "-o", "out", code=2)
        self.run_limber("batch", "status", "out", code=1)

    def test_a_dry_run_only_tells(self):
        self.write_manifest(*self.inspections("a", "b", "c"))
        text = self.run_limber("batch", "manifest.jsonl", "-o", "out", "--dry-run")
        self.assertEqual(len(text.splitlines()), 3)
        script = self.run_limber("batch", "manifest.jsonl", "-o", "out", "--on", "slurm", "--dry-run", "--chunk", 2, "--throttle", 9,
                                 "--sbatch=--partition=night", "--sbatch=--mem=4G")
        for words in ("#SBATCH --array=0-1%9\n", "#SBATCH --requeue\n", "#SBATCH --partition=night\n", "#SBATCH --mem=4G\n", "run-chunk"):
            self.assertIn(words, script)
        self.assertFalse((self.folder / "out").exists())

    def test_interrupted_it_loses_nothing_that_was_finished(self):
        self.write_manifest(*self.inspections("a", "hang", "b"))
        run = self.start("manifest.jsonl", "-o", "out", "--jobs", 1)
        self.wait_until(lambda: "hang" in self.starts(), "the second item")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, out + err)
        self.assertEqual([row["state"] for row in self.index()], ["done", "pending", "pending"])
        counts = self.batch("manifest.jsonl", "-o", "out", "--timeout", 2, code=1)
        self.assertEqual((counts["done"], counts["failed"]), (2, 1))
        self.assertEqual(sorted(self.starts()), ["a", "b", "hang", "hang"])

    def test_two_runs_at_once_of_which_one_is_killed_do_nothing_twice(self):
        names = [f"slow{k}" for k in range(6)]
        self.write_manifest(*self.inspections(*names))
        runs = [self.start("manifest.jsonl", "-o", "out", "--jobs", 2) for _ in range(2)]
        self.wait_until(lambda: len(self.starts()) >= 4, "both at work")
        runs[0].kill()
        runs[0].communicate()
        out, err = runs[1].communicate(timeout=120)
        self.assertEqual(runs[1].returncode, 0, out + err)
        self.assertEqual([row["state"] for row in self.index()], ["done"] * 6)
        # What the one that was killed had in its hands, two at most, was done once more, and no other.
        self.assertEqual(set(self.starts()), set(names))
        self.assertLessEqual(len(self.starts()), 8)
        self.assertEqual([row["attempts"] for row in self.index()], [1] * 6)


@unittest.skipIf(local_slurm.why_not(), local_slurm.why_not())
class OnSlurm(BatchTest):
    def setUp(self):
        super().setUp()
        self.slurm = local_slurm.LocalSlurm(self.folder / "slurm", max_array_size=4)
        self.slurm.__enter__()
        self.addCleanup(self.slurm.__exit__)
        self.environment = self.slurm.environment

    def creatures(self, count):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--no-rig", "--resolution", 24, "--count", count, "-o", "zoo/")
        inputs = sorted(p.relative_to(self.folder) for p in (self.folder / "zoo").glob("*.glb"))
        self.assertEqual(len(inputs), count)
        return [{"do": "rig", "input": str(p), "options": {"template": "quadruped", "reader": "none"}} for p in inputs]

    def finished(self):
        return len(list((self.folder / "out").glob("*/status.json")))

    def content(self, out, row):
        """What an item made, without the times it took."""
        folder = self.folder / out / row["id"]
        report = json.loads((folder / "report.json").read_text())
        report.get("skeleton", {}).pop("seconds", None)
        model = folder / "result.glb"
        return report, model.read_bytes() if model.exists() else b""

    def test_what_comes_back_is_what_comes_here_though_slurmd_is_killed(self):
        good = [*self.inspections(*(f"model{k}" for k in range(15))), *self.creatures(6)]
        # What hangs is killed soon, and what only waits for a busy machine is not.
        begin = time.monotonic()
        self.run_limber("rig", good[-1]["input"], "--template", "quadruped", "--reader", "none", "-o", "rigged.glb")
        limit = round(8 + 12 * (time.monotonic() - begin))
        bad = self.inspections("crash", "hang", "greedy")
        mixed = [*good[:4], bad[0], *good[4:9], bad[1], *good[9:17], bad[2], *good[17:]]
        self.write_manifest(*mixed)
        run = self.start("manifest.jsonl", "-o", "out", "--on", "slurm", "--wait", "--chunk", 4, "--timeout", limit, "--memory", 4,
                         "--throttle", 2)
        self.wait_until(lambda: self.finished() >= 3, "the first items")
        self.slurm.kill_slurmd()
        time.sleep(0.5)
        self.slurm.start_slurmd()
        out, err = run.communicate(timeout=250)
        self.assertEqual(run.returncode, 1, out + err + self.slurm.words())
        self.assertIn("21 of 24 done, 3 failed, 0 running, 0 pending", out)
        # Six chunks in two arrays, since this cluster allows four tasks.
        self.assertEqual(len((self.folder / "out/.batch/plans/jobs.jsonl").read_text().splitlines()), 2)
        self.assertEqual({pathlib.Path(row["input"]).stem for row in self.index() if row["state"] == "failed"}, {"crash", "hang", "greedy"})
        self.assertEqual(len(self.starts()), 24, "each was started once")

        self.write_manifest(*good, name="good.jsonl")
        self.assertEqual(self.batch("good.jsonl", "-o", "here")["done"], 21)
        there = {row["id"]: row for row in self.index() if row["state"] == "done"}
        for row in self.index("here"):
            self.assertEqual(self.content("here", row), self.content("out", there[row["id"]]), row["input"])

    def test_what_a_killed_task_left_is_handed_over_again(self):
        self.write_manifest(*self.inspections("a", "hang", "b", "c"))
        arguments = ("manifest.jsonl", "-o", "out", "--on", "slurm", "--chunk", 3)
        first = self.batch(*arguments)
        self.assertEqual((first["items"], len(first["jobs"])), (4, 1))
        self.wait_until(lambda: "hang" in self.starts() and self.finished() == 2, "all but what hangs")
        # Meanwhile nobody hands over the same again.
        self.assertEqual(self.batch(*arguments)["items"], 0)
        self.assertEqual(self.batch("status", "out")["running"], 1)
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if b"run-chunk" in command and str(self.folder).encode() in command:
                os.kill(int(process.name), signal.SIGKILL)
        self.wait_until(lambda: not self.slurm.ask("squeue", "--noheader").strip(), "an empty queue")
        self.assertEqual(self.batch("status", "out"), {"done": 2, "failed": 0, "running": 0, "pending": 2, **self.cpu()})
        counts = self.batch(*arguments, "--wait", "--timeout", 2, code=1)
        self.assertEqual((counts["done"], counts["failed"]), (3, 1))
        self.assertEqual(sorted(self.starts()), ["a", "b", "c", "hang", "hang"])

    def cpu(self):
        return {"cpu_seconds": self.batch("status", "out")["cpu_seconds"]}


if __name__ == "__main__":
    unittest.main()
