# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What Blender makes of the GLB and FBX files that limber writes: every vertex of every pose, to 1e-4 of the height."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import unittest

from gates import ProgramTest
from gltf_oracle import obj_vertices
from limber_program import shared

SCRIPT = pathlib.Path(__file__).with_name("blender_vertices.py")


class Blender(ProgramTest):
    def setUp(self):
        super().setUp()
        self.blender = shutil.which("blender")
        if self.blender is None:
            self.skipTest("blender is not installed (tools/setup.sh --check installs it)")

    def in_blender(self, model, clip, times):
        done = subprocess.run([self.blender, "-b", "--factory-startup", "-noaudio", "--python-exit-code", "3", "--python", SCRIPT,
                               "--", model, clip, ",".join(map(str, times)), "out.json"],
                              cwd=self.folder, capture_output=True, text=True, timeout=280,
                              # Blender takes its modules from beside the python3 that it meets first: the system's, not one of a user's.
                              env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return json.loads((self.folder / "out.json").read_text())

    def expected(self, model, clip, time):
        self.run_limber("convert", model, "--clip", clip, "--time", time, "-o", "posed.obj")
        return obj_vertices(self.folder / "posed.obj")

    def check(self, source, clip, model, times):
        """The poses of `source` (a GLB) in `model`, which was made from it. Of one mesh, whose vertices keep their order."""
        answer = self.in_blender(model, clip, times)
        for time, pose in zip(times, answer["poses"]):
            expected = self.expected(source, clip, time)
            self.assertEqual(len(pose), 1)
            got = next(iter(pose.values()))
            self.assertEqual(len(got), len(expected), (str(model), clip))
            height = max(p[1] for p in expected) - min(p[1] for p in expected)
            worst = max(math.dist(a, b) for a, b in zip(expected, got)) / height
            self.assertLess(worst, 1e-4, (str(model), clip, time))
        return answer

    def test_creatures_move_in_fbx_as_in_limber(self):
        for plan, action in (("quadruped", "gallop"), ("biped", "dance"), ("snake", "slither")):
            with self.subTest(plan):
                self.run_limber("zoo", "--plan", plan, "--action", action, "--resolution", 32, "-o", "a.glb")
                self.run_limber("convert", "a.glb", "-o", "a.fbx")
                answer = self.check("a.glb", action, "a.fbx", (0, 0.3, 0.5))
                names = {n["name"] for n in self.run_json("inspect", "a.glb")["hierarchy"] if n.get("joint")}
                self.assertLessEqual(names, set(answer["joints"]))

    def test_creatures_move_in_glb_as_in_limber(self):
        self.run_limber("zoo", "--plan", "bird", "--action", "fly", "--resolution", 32, "-o", "a.glb")
        self.check("a.glb", "fly", "a.glb", (0, 0.3, 0.5))

    def test_an_artists_rig_moves_in_fbx_as_in_limber(self):
        fox = shared(self, "assets/quadruped/fox_khronos.glb")
        self.run_limber("convert", fox, "-o", "fox.fbx")
        answer = self.check(fox, "Run", "fox.fbx", (0, 0.2, 0.7))
        self.assertTrue(any(width > 0 for width, _ in answer["images"]))  # the texture came along


if __name__ == "__main__":
    unittest.main()
