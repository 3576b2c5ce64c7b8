# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber create: words to a body, by limber or by another program; and limber animate --create."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from gltf_oracle import Glb
from limber_program import PROGRAM, ProgramTest


def is_alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Create(ProgramTest):
    def test_makes_a_body_with_a_skeleton(self):
        report = self.run_json("create", "a small red dragon with a long tail", "--resolution", 24, "-o", "dragon.glb")
        self.assertEqual((report["noun"], report["unknown"]), ("dragon", []))
        self.assertIn("tail:1/thick/long", report["body"])
        self.assertEqual(len(Glb(self.folder / "dragon.glb").json["skins"]), 1)
        self.run_limber("create", "a small red dragon with a long tail", "--resolution", 24, "-o", "again.glb")
        self.assertEqual((self.folder / "dragon.glb").read_bytes(), (self.folder / "again.glb").read_bytes())
        self.run_limber("create", "a dog", "--resolution", 24, "--no-rig", "-o", "bare.glb")
        self.assertNotIn("skins", Glb(self.folder / "bare.glb").json)

    def test_words_need_no_quotes_and_what_is_unknown_is_said(self):
        self.run_limber("create", "a", "fluffy", "dog", "--resolution", 24, "-o", "dog.glb")
        self.assertIn("fluffy", self.stderr)
        self.run_limber("create", "a dragn", "-o", "d.glb", code=1)
        self.assertIn("dragon", self.stderr)
        self.assertIn("--list", self.stderr)
        self.run_limber("create", "a dog with three legs", "-o", "d.glb", code=1)
        self.assertIn("pairs", self.stderr)
        self.assertEqual(self.files(), ["dog.glb"])

    def test_lists_what_it_knows(self):
        known = self.run_json("create", "--list")
        self.assertGreater(len(known["nouns"]), 200)
        self.assertIn("red", known["colors"])
        self.run_limber("create", code=2)
        self.run_limber("create", "a dog", code=2)

    def test_another_program_may_make_it(self):
        self.run_limber("create", "a dog", "--resolution", 24, "--no-rig", "-o", "made.glb")
        self.run_limber("create", "a teapot; touch broken", "--text-to-3d", f"cp {self.folder}/made.glb {{output}}", "-o", "pot.glb")
        self.run_limber("create", "a teapot", "--text-to-3d", "sh -c 'echo no luck >&2; exit 3'", "-o", "none.glb", code=1)
        self.assertIn("exit code 3: no luck", self.stderr)
        self.run_limber("create", "a teapot", "--text-to-3d", "true", "-o", "none.glb", code=1)
        self.assertIn("wrote no model", self.stderr)
        self.assertEqual(self.files(), ["made.glb", "pot.glb"])


    def test_interrupted_it_leaves_neither_a_folder_nor_what_the_program_started(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for command in ("create", "a teapot"), ("animate", "walks", "--create", "a teapot"):
                with self.subTest(number=number, command=command[0]):
                    self.interrupt(number, *command)

    def interrupt(self, number, *command):
        """Of a program that starts another and waits for it: both have ended once limber has, and its folder is gone."""
        folder, children = self.folder / "tmp", self.folder / "children"
        folder.mkdir(exist_ok=True)
        children.write_text("")
        generator = f"sh -c 'sleep 300 & echo $$ $! > {children}; wait'"
        with subprocess.Popen([PROGRAM, *command, "--text-to-3d", generator, "-o", "pot.glb"], cwd=self.folder,
                              stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(folder)}) as process:
            self.addCleanup(process.kill)
            deadline = time.monotonic() + 30
            while not children.read_text().endswith("\n") and time.monotonic() < deadline:
                time.sleep(0.02)
            started = [int(word) for word in children.read_text().split()]
            self.assertEqual(len(started), 2)
            self.assertEqual(len(list(folder.iterdir())), 1)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=20), 128 + number)
        self.assertEqual(list(folder.iterdir()), [])
        self.assertFalse((self.folder / "pot.glb").exists())
        deadline = time.monotonic() + 2  # whoever inherits them reaps them
        while any(map(is_alive, started)) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual([child for child in started if is_alive(child)], [])


class AnimateCreated(ProgramTest):
    def test_words_become_a_body_that_moves(self):
        report = self.run_json("animate", "--create", "a small dragon", "walks", "--method", "rule", "--no-preview", "-o", "d.glb")
        self.assertEqual(report["created"], "a small dragon")
        self.assertEqual([c["name"] for c in Glb(self.folder / "d.glb").json["animations"]], ["walks"])
        self.assertEqual(json.loads((self.folder / "d.report.json").read_text())["prompt"], "walks")

    def test_says_what_is_missing_or_too_much(self):
        self.run_limber("create", "a dog", "--resolution", 24, "-o", "dog.glb")
        self.run_limber("animate", "dog.glb", "walks", "--create", "a dragon", "-o", "d.glb", code=2)
        self.assertIn("--create", self.stderr)
        self.run_limber("animate", "-o", "d.glb", code=2)
        self.assertIn("--create", self.stderr)
        self.run_limber("animate", "dog.glb", "walks", "--text-to-3d", "gen", "-o", "d.glb", code=2)
        self.assertIn("--create", self.stderr)


if __name__ == "__main__":
    unittest.main()
