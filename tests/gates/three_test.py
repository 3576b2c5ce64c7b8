# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Skin and clips in three.js: every vertex where limber has it, to 1e-4 of the height."""
import math
import unittest

from gates import GateTest
from gltf_oracle import obj_vertices
from limber_program import shared

FRACTIONS = (0, 0.31, 0.77)


class Three(GateTest):
    def check(self, model, clip):
        seconds = next(c["seconds"] for c in self.run_json("inspect", model)["clips"] if c["name"] == clip)
        times = [fraction * seconds for fraction in FRACTIONS]
        for time, got in zip(times, self.ask("three_vertices.mjs", model, clip, *times)):
            self.run_limber("convert", model, "--clip", clip, "--time", time, "-o", "posed.obj")
            expected = obj_vertices(self.folder / "posed.obj")
            self.assertEqual(len(got), len(expected), (str(model), clip))
            height = max(p[1] for p in expected) - min(p[1] for p in expected)
            self.assertLess(max(map(math.dist, expected, got)) / height, 1e-4, (str(model), clip, time))

    def test_creatures_move_as_in_limber(self):
        for plan, action in (("quadruped", "gallop"), ("bird", "fly"), ("octopod", "walk")):
            self.run_limber("zoo", "--plan", plan, "--action", action, "--resolution", 32, "-o", "a.glb")
            self.check("a.glb", action)

    def test_what_came_through_fbx_moves_as_in_limber(self):
        self.run_limber("zoo", "--plan", "biped", "--action", "dance", "--resolution", 32, "-o", "a.fbx")
        self.run_limber("convert", "a.fbx", "-o", "a.glb")
        self.check("a.glb", "dance")

    def test_artists_rigs_move_as_in_limber(self):
        self.check(shared(self, "assets/quadruped/fox_khronos.glb"), "Run")
        self.check(shared(self, "assets/quadruped/wolf_quaternius.glb"), "Gallop")


if __name__ == "__main__":
    unittest.main()
