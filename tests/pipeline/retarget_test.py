# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber retarget: clips on other bodies, checked by an independent reader."""
import unittest

from gltf_oracle import Glb
from limber_program import ProgramTest


class Retarget(ProgramTest):
    def test_a_walk_on_another_animal_stands_on_the_ground(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--action", "all", "-o", "fox.glb")
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 8, "-o", "cow.glb")
        report = self.run_json("retarget", "fox.glb", "cow.glb", "--clip", "walk", "-o", "out.glb")
        clip = report["clips"][0]
        self.assertEqual((clip["name"], clip["loops"]), ("walk", True))
        self.assertLess(clip["skate_per_second"], 0.02)
        self.assertGreater(clip["standing"], 0.5)
        self.assertIn({"target": "leg.1.L", "source": "leg.1.L", "how": "same limb"}, clip["map"]["limbs"])
        glb = Glb(self.folder / "out.glb")
        moving = glb.clip("walk")
        duration = max(t for s in moving["samplers"] for (t,) in glb.accessor(s["input"]))
        poses = [glb.posed(moving, duration * i / 8) for i in range(9)]
        height = max(p[1] for p in poses[0]) - min(p[1] for p in poses[0])
        for pose in poses:
            self.assertGreater(min(p[1] for p in pose), -0.01 * height)
            self.assertLess(min(p[1] for p in pose), 0.05 * height)
        ahead = [sum(p[2] for p in pose) / len(pose) for pose in poses]
        self.assertGreater(ahead[-1] - ahead[0], 0.1 * height)

    def test_a_recording_without_a_mesh_moves_a_body(self):
        self.run_limber("zoo", "--plan", "biped", "--seed", 3, "--action", "walk", "-o", "person.glb")
        self.run_limber("convert", "person.glb", "-o", "person.bvh")
        self.run_limber("zoo", "--plan", "theropod", "--seed", 2, "-o", "rex.glb")
        report = self.run_json("retarget", "person.bvh", "rex.glb", "-o", "out.glb", "--in-place", "--name", "stroll")
        self.assertEqual(report["clips"][0]["name"], "stroll")
        self.assertLess(report["clips"][0]["skate_per_second"], 0.03)
        led = {pair["target"]: pair["source"] for pair in report["clips"][0]["map"]["limbs"]}
        self.assertEqual(led["leg.L"], "leg.L")

    def test_the_map_is_shown_and_corrected(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--action", "walk", "-o", "fox.glb")
        self.run_limber("zoo", "--plan", "hexapod", "--seed", 2, "-o", "ant.glb")
        text = self.run_limber("retarget", "fox.glb", "ant.glb", "--map", "leg.1.L=leg.2.L", "--show-map", "-o", "out.glb")
        self.assertRegex(text, r"leg\.2\.L\s+leg\.1\.L\s+as asked")
        self.assertRegex(text, r"leg\.2\.R\s+leg\.2\.L\s+other side, mirrored")
        self.run_limber("retarget", "fox.glb", "ant.glb", "--map", "leg.1.L=wing.L", "-o", "no.glb", code=1)
        self.assertIn("wing.L", self.stderr)
        self.assertIn("--map: ", self.stderr)
        self.assertFalse((self.folder / "no.glb").exists())

    def test_several_clips_and_those_that_do_not_fit(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--action", "all", "-o", "fox.glb")
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 8, "-o", "cow.glb")
        report = self.run_json("retarget", "fox.glb", "cow.glb", "--all-clips", "-o", "out.glb")
        self.assertEqual([clip["name"] for clip in report["clips"]], [c["name"] for c in Glb(self.folder / "fox.glb").json["animations"]])
        self.run_limber("retarget", "fox.glb", "cow.glb", "-o", "out.glb")
        self.assertIn("--all-clips", self.stderr)
        self.run_limber("zoo", "--plan", "fish", "-o", "fish.glb")
        self.run_limber("retarget", "fox.glb", "fish.glb", "--clip", "walk", "-o", "no.glb", code=1)
        self.assertIn("leg", self.stderr)
        self.run_limber("zoo", "--no-rig", "-o", "statue.glb")
        self.run_limber("retarget", "fox.glb", "statue.glb", "-o", "no.glb", code=1)
        self.assertIn("limber rig", self.stderr)

    def test_what_cannot_hold_the_clips_is_refused_before_any_work(self):
        self.run_limber("retarget", "missing.glb", "missing.glb", "-o", "no.obj", code=1)
        self.assertIn("a motion can be written as", self.stderr)
        self.run_limber("retarget", "missing.glb", "missing.glb", "--all-clips", "-o", "no.bvh", code=1)
        self.assertIn("several motions can be written as .glb, .gltf or .fbx", self.stderr)

    def test_same_bytes_for_any_thread_count(self):
        self.run_limber("zoo", "--plan", "biped", "--seed", 3, "--action", "walk", "-o", "person.glb")
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 8, "-o", "cow.glb")
        for threads in (1, 3):
            self.run_limber("retarget", "person.glb", "cow.glb", "-o", f"out{threads}.glb", "--threads", threads)
        self.assertEqual((self.folder / "out1.glb").read_bytes(), (self.folder / "out3.glb").read_bytes())


if __name__ == "__main__":
    unittest.main()
