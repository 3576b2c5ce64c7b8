# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber zoo: creatures as files, checked by an independent reader."""
import json
import math
import unittest

from gltf_oracle import Glb
from limber_program import ProgramTest


class Zoo(ProgramTest):
    def test_lists_plans_with_their_actions(self):
        plans = self.run_json("zoo", "--list")["plans"]
        self.assertEqual(len(plans), 8)
        self.assertIn("trot", plans["quadruped"])
        self.assertIn("fly", plans["bird"])
        self.assertNotIn("walk", plans["fish"])

    def test_every_plan_becomes_a_rigged_animated_glb(self):
        for plan, actions in self.run_json("zoo", "--list")["plans"].items():
            self.run_limber("zoo", "--plan", plan, "--seed", 3, "--action", "all", "-o", f"{plan}.glb")
            glb = Glb(self.folder / f"{plan}.glb")
            self.assertEqual([c["name"] for c in glb.json["animations"]], actions)
            self.assertEqual(len(glb.json["skins"]), 1)
            points = glb.posed(None, 0)
            self.assertTrue(all(math.isfinite(x) for p in points for x in p))
            # At rest the skin moves nothing: what a viewer shows is the mesh itself.
            plain = [v for m in glb.json["meshes"] for p in m["primitives"] for v in glb.accessor(p["attributes"]["POSITION"])]
            self.assertLess(max(math.dist(a, b) for a, b in zip(points, plain)), 1e-5)

    def test_makes_any_body_in_words_and_random_ones(self):
        self.run_limber("zoo", "--body", "legs:2,wings:1,neck:long,tail:1", "--seed", 7, "-o", "dragon.glb", "--report", "dragon.json")
        self.assertEqual(len(Glb(self.folder / "dragon.glb").json["skins"]), 1)
        report = json.loads((self.folder / "dragon.json").read_text())
        self.assertIsNone(report["plan"])
        self.assertIn("wings:1", report["body"])
        self.run_limber("zoo", "--random", "--count", 3, "--resolution", 24, "-o", "some")
        self.assertEqual(len(list((self.folder / "some").glob("creature-*.glb"))), 3)

    def test_nonsense_bodies_are_answered_with_what_is_possible(self):
        for body, possible in (("legs:99", "0..20"), ("wheels:4", "tentacles"), ("wings:1/paper", "membrane")):
            self.run_limber("zoo", "--body", body, "-o", "x.glb", code=2)
            self.assertIn(possible, self.stderr)

    def test_same_seed_same_bytes_for_any_thread_count(self):
        for name, threads in (("a.glb", 1), ("b.glb", 2), ("c.glb", 3)):
            self.run_limber("zoo", "--plan", "bird", "--seed", 11, "--action", "fly", "--threads", threads, "-o", name)
        a, b, c = ((self.folder / n).read_bytes() for n in ("a.glb", "b.glb", "c.glb"))
        self.assertTrue(a == b)
        self.assertTrue(a == c)
        self.run_limber("zoo", "--plan", "bird", "--seed", 12, "--action", "fly", "-o", "d.glb")
        self.assertTrue(a != (self.folder / "d.glb").read_bytes())

    def test_feet_stay_planted_as_an_outsider_sees_it(self):
        self.run_limber("zoo", "--seed", 7, "--action", "walk", "-o", "a.glb", "--report", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        glb = Glb(self.folder / "a.glb")
        clip = glb.clip("walk")
        duration = max(t for s in clip["samplers"] for (t,) in glb.accessor(s["input"]))
        height = 0.0
        lowest = []
        for i in range(9):
            ys = [p[1] for p in glb.posed(clip, duration * i / 8)]
            height = max(height, max(ys) - min(ys))
            lowest.append(min(ys))
        self.assertGreater(min(lowest), -0.005 * height)
        self.assertLess(max(lowest), 0.02 * height)
        self.assertEqual(report["seed"], 7)

    def test_options_have_an_effect(self):
        def size(name, *options):
            self.run_limber("zoo", "--seed", 1, "--action", "walk", *options, "-o", name)
            return (self.folder / name).read_bytes()
        plain = size("plain.glb")
        for number, options in enumerate((["--speed", 2], ["--amplitude", 0.5], ["--style", 1], ["--noise", 1], ["--in-place"],
                                          ["--fps", 60], ["--frames", 96], ["--resolution", 64], ["--no-rig"])):
            self.assertTrue(size(f"{number}.glb", *options) != plain, options)

    def test_count_fills_a_folder(self):
        self.run_limber("zoo", "--plan", "snake", "--seed", 5, "--count", 3, "--action", "slither", "-o", "snakes")
        self.assertEqual(self.files(), ["snakes/snake-5.glb", "snakes/snake-6.glb", "snakes/snake-7.glb"])


if __name__ == "__main__":
    unittest.main()
