# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""FBX from every command that writes an asset."""
import math
import unittest

from gltf_oracle import obj_vertices
from limber_program import ProgramTest


class Fbx(ProgramTest):
    def poses(self, model, clip, time):
        self.run_limber("convert", model, "--clip", clip, "--time", time, "-o", "posed.obj")
        return sorted(set(obj_vertices(self.folder / "posed.obj")))

    def test_poses_come_back(self):
        self.run_limber("zoo", "--plan", "bird", "--action", "walk", "--resolution", 32, "-o", "a.glb")
        self.run_limber("convert", "a.glb", "-o", "a.fbx")
        expected, got = self.poses("a.glb", "walk", 0.31), self.poses("a.fbx", "walk", 0.31)
        self.assertEqual(len(got), len(expected))
        # Vertices are numbered anew: every one has one of the others near it.
        for p in expected[::17]:
            self.assertLess(min(math.dist(p, q) for q in got), 1e-4)

    def test_every_command_that_writes_an_asset_writes_fbx(self):
        self.run_limber("zoo", "--action", "walk", "--resolution", 32, "-o", "walk.fbx")
        self.assertEqual([c["name"] for c in self.run_json("inspect", "walk.fbx")["clips"]], ["walk"])
        self.run_limber("zoo", "--plan", "biped", "--no-rig", "--resolution", 32, "-o", "statue.glb")
        self.run_limber("rig", "statue.glb", "--names", "unity", "-o", "rigged.fbx")
        report = self.run_json("inspect", "rigged.fbx")
        self.assertGreater(report["rig"]["joints"], 10)
        self.assertEqual(report["rig"]["unweighted_vertices"], 0)
        self.run_limber("rig", "statue.glb", "--names", "unity", "-o", "rigged.glb")
        names = {n["name"] for n in self.run_json("inspect", "rigged.glb")["hierarchy"] if n.get("joint")}
        self.assertLessEqual(names, {n["name"] for n in report["hierarchy"]})

    def test_the_same_input_gives_the_same_bytes(self):
        self.run_limber("zoo", "--action", "walk", "--resolution", 32, "-o", "a.glb")
        for name in ("b.fbx", "c.fbx"):
            self.run_limber("convert", "a.glb", "-o", name)
        self.assertEqual((self.folder / "b.fbx").read_bytes(), (self.folder / "c.fbx").read_bytes())


if __name__ == "__main__":
    unittest.main()
