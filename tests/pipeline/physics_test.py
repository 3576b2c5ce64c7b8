# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber physics: clips put on the ground, checked by an independent reader."""
import json
import unittest

from gltf_oracle import Glb
from limber_program import ProgramTest


class Physics(ProgramTest):
    def test_adds_a_grounded_clip_and_reports(self):
        self.run_limber("zoo", "--seed", 7, "--action", "walk", "-o", "walk.glb")
        self.run_limber("physics", "walk.glb", "-o", "grounded.glb", "--report", "report.json", "--mjcf", "walk.xml",
                        "--iterations", 15)
        glb = Glb(self.folder / "grounded.glb")
        self.assertEqual([c["name"] for c in glb.json["animations"]], ["walk", "walk grounded"])
        clip = glb.clip("walk grounded")
        duration = max(t for s in clip["samplers"] for (t,) in glb.accessor(s["input"]))
        heights = [[p[1] for p in glb.posed(clip, duration * i / 6)] for i in range(7)]
        height = max(max(h) - min(h) for h in heights)
        for ys in heights:
            self.assertGreater(min(ys), -0.006 * height)
            self.assertLess(min(ys), 0.02 * height)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["habitat"]["kind"], "ground")
        self.assertLess(report["tracking"]["joint_error_deg"], 8)
        self.assertEqual(report["tracking"]["iterations"], 15)
        for key in ("skate_per_second", "penetration", "float"):
            self.assertIn(key, report["before"])
            self.assertIn(key, report["after"])
        self.assertIn("<mujoco", (self.folder / "walk.xml").read_text())

    def test_knows_a_fish(self):
        self.run_limber("zoo", "--plan", "fish", "--action", "swim", "-o", "fish.glb")
        report = self.run_json("physics", "fish.glb", "-o", "out.glb", "--iterations", 3)
        self.assertEqual(report["habitat"]["kind"], "free")

    def test_same_bytes_for_any_thread_count(self):
        self.run_limber("zoo", "--plan", "biped", "--action", "walk", "-o", "walk.glb")
        for name, threads in (("a.glb", 1), ("b.glb", 2)):
            self.run_limber("physics", "walk.glb", "-o", name, "--iterations", 3, "--threads", threads)
        self.assertTrue((self.folder / "a.glb").read_bytes() == (self.folder / "b.glb").read_bytes())

    def test_says_what_is_missing(self):
        self.run_limber("zoo", "--no-rig", "-o", "bare.glb")
        self.run_limber("physics", "bare.glb", "-o", "out.glb", code=1)
        self.assertIn("no clip", self.stderr)
        self.run_limber("zoo", "--action", "walk", "-o", "walk.glb")
        self.run_limber("physics", "walk.glb", "--clip", "run", "-o", "out.glb", code=1)
        self.assertIn("no clip 'run'", self.stderr)
        self.assertFalse((self.folder / "out.glb").exists())


if __name__ == "__main__":
    unittest.main()
