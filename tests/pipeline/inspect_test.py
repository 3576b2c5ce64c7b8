# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber inspect: what a person and a program learn about an asset."""
import unittest

from limber_program import ProgramTest, shared


class Inspect(ProgramTest):
    def test_a_creature_of_the_zoo_is_healthy(self):
        self.run_limber("zoo", "--seed", 7, "--action", "walk", "-o", "a.glb")
        report = self.run_json("inspect", "a.glb")
        self.assertTrue(report["mesh"]["closed_manifold"])
        self.assertEqual(report["mesh"]["components"], 1)
        self.assertEqual(report["rig"]["roots"], 1)
        self.assertEqual(report["rig"]["unweighted_vertices"], 0)
        self.assertEqual(report["rig"]["bad_weight_sums"], 0)
        self.assertEqual([c["name"] for c in report["clips"]], ["walk"])
        self.assertEqual(report["up"]["axis"], [0, 1, 0])
        self.assertEqual(report["forward"]["axis"], [0, 0, 1])
        text = self.run_limber("inspect", "a.glb", "--hierarchy")
        for word in ("closed manifold", "walk", "knee.L", "1 root"):
            self.assertIn(word, text)

    def test_contacts_tell_when_feet_stand(self):
        self.run_limber("zoo", "--seed", 7, "--action", "walk", "-o", "a.glb")
        contacts = self.run_json("inspect", "a.glb", "--contacts", "--clip", "walk")["contacts"]
        self.assertEqual(contacts["clip"], "walk")
        self.assertGreaterEqual(len(contacts["joints"]), 4)
        for joint in contacts["joints"]:
            for begin, end in joint["spans"]:
                self.assertTrue(0 <= begin < end <= contacts["seconds"] + 0.1)
        self.assertIn(contacts["joints"][0]["name"], self.run_limber("inspect", "a.glb", "--contacts"))
        self.run_limber("inspect", "a.glb", "--clip", "walk", code=2)

    def test_real_rigs_and_their_flaws(self):
        # Figures of the shared set's index.
        wolf = self.run_json("inspect", shared(self, "assets/quadruped/wolf_quaternius.glb"))
        self.assertEqual((wolf["rig"]["roots"], wolf["rig"]["joints"], len(wolf["clips"])), (5, 51, 12))
        hand = self.run_json("inspect", shared(self, "assets/hand/hand_left_webxr.glb"))
        self.assertEqual((hand["rig"]["roots"], hand["rig"]["joints"]), (25, 25))
        robot = self.run_json("inspect", shared(self, "assets/robot/robot_expressive_threejs.glb"))
        self.assertEqual(robot["rig"]["bad_weight_sums"], 734)
        self.assertAlmostEqual(robot["rig"]["worst_weight_sum_error"], 0.76, places=2)
        stag = self.run_json("inspect", shared(self, "assets/quadruped/stag_quaternius.glb"))
        self.assertEqual((stag["mesh"]["boundary_edges"], stag["mesh"]["nonmanifold_edges"], stag["mesh"]["duplicate_triangles"]),
                         (18, 7, 2))

    def test_other_formats(self):
        for name in ("assets/static/spot_quads.obj", "assets/bird/chick_quaternius.fbx", "assets/mocap/cmu_02_01.bvh"):
            self.run_json("inspect", shared(self, name))


if __name__ == "__main__":
    unittest.main()
