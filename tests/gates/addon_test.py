# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The Blender add-on in Debian's Blender, in background mode: installed, its operators at work, their results imported."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from gates import ProgramTest
from limber_program import PROGRAM, SOURCE

SCRIPT = pathlib.Path(__file__).with_name("blender_addon.py")
ADDON = SOURCE / "python" / "blender" / "limber_addon.py"


class Addon(ProgramTest):
    def test_is_installed_and_its_operators_bring_back_what_limber_made(self):
        blender = shutil.which("blender")
        if blender is None:
            self.skipTest("blender is not installed (tools/setup.sh --check installs it)")
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 7, "--resolution", 30, "-o", "fox.glb")
        done = subprocess.run([blender, "-b", "--factory-startup", "-noaudio", "--python-exit-code", "3", "--python", SCRIPT, "--", ADDON,
                               pathlib.Path(PROGRAM).resolve(), "fox.glb", "out.json"], cwd=self.folder, capture_output=True, text=True, timeout=280,
                              # Installed here, and not among a user's add-ons; modules as in blender_test.py.
                              env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"], "BLENDER_USER_SCRIPTS": str(self.folder / "scripts")})
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        told = json.loads((self.folder / "out.json").read_text())
        self.assertTrue(told["panel"])
        self.assertEqual((told["animate"], told["create"]), (["FINISHED"], ["FINISHED"]))
        self.assertEqual(told["armatures"], 2, "the model's own, and that of the result")
        walk = [seconds for name, seconds in told["one clip"].items() if name.startswith("walk")]
        self.assertEqual(len(walk), 1, told["one clip"])
        self.assertGreater(walk[0], 0.5)
        self.assertEqual(sorted(name.split("_")[0] for name in told["pack"]), ["it turns", "walk"])
        self.assertIn("choose a model", told["nothing chosen"])
        self.assertIn("/nowhere/limber", told["no program"])
        self.assertIn("yodels", told["not known"])
        self.assertIn("dog", told["no such noun"])
        # Blender's up is +Z: it stands on the ground.
        self.assertGreater(told["stands"][0], -0.05)
        self.assertGreater(told["stands"][1], 0.2)
        self.assertTrue(told["gone"])


if __name__ == "__main__":
    unittest.main()
