# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber-lab train poses, and limber pose with the tiny network that it makes: what is asked for is met whatever it knows."""
import math
import unittest

from animate_test import small_prior
from gltf_oracle import Glb
from limber_program import ProgramTest

SMALL = ["--batch", "2", "--pool", "4", "--first", "4", "--validation", "4", "--creatures", "2", "--layers", "1", "--width", "12",
         "--heads", "2", "--device", "cpu"]


class Pose(ProgramTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "poses"
        self.trained = self.run_json("train", "poses", "-o", self.model, "--steps", "2", *SMALL)
        self.run_limber("zoo", "--plan", "quadruped", "--seed", "7", "--action", "walk", "-o", "fox.glb")

    def pose(self, command, *arguments):
        return self.run_json("pose", command, *arguments, "--model", self.model)

    def test_is_trained_and_resumed(self):
        self.assertEqual((self.trained["steps"], self.trained["output"]), (2, "poses"))
        again = self.run_json("train", "poses", "-o", self.model, "--steps", "1", "--resume", *SMALL)
        self.assertEqual(again["parameters"], self.trained["parameters"])

    def test_an_autoencoder_is_trained_to_compare_with(self):
        vae = self.folder / "vae"
        trained = self.run_json("train", "poses", "--vae", "-o", vae, "--steps", "2", *SMALL)
        self.assertTrue(trained["vae"])
        self.assertTrue((vae / "encoder" / "poses.json").exists() and (vae / "decoder" / "poses.safetensors").exists())
        rows = self.run_json("bench", "poses", "--groups", "completion", "--model", self.model, "--vae", vae, "--creatures", "1",
                             "--known", "1", "--cases", "1", "--split", "nowhere.json")["rows"]
        self.assertIn("zoo/completion/autoencoder", [row["name"] for row in rows])

    def test_poses_are_harvested_from_the_video_prior_and_the_harvest_resumes(self):
        small_prior(self.folder / "prior")
        harvest = ["train", "harvest", "-o", "harvest.bin", "--samples", "1", "--steps", "2", "--prior", "prior", "--device", "cpu"]
        first = self.run_json(*harvest, "--bodies", "1")
        self.assertEqual((first["of"], len(first["samples"])), (1, 1))
        # Two steps of a prior that is cut to pieces are kept by chance alone; what was wrong with the others is said.
        self.assertEqual(first["kept"], sum(sample["kept"] for sample in first["samples"]))
        self.assertEqual(first["samples"][0]["kept"], first["samples"][0]["failed"] == [])
        more = self.run_json(*harvest, "--bodies", "2", "--resume")
        self.assertEqual((more["of"], more["samples"][0]), (2, first["samples"][0]))
        self.run_limber(*harvest, "--bodies", "2", "--resume", "--seed", "9", code=1)
        self.assertIn("another harvest", self.stderr)

    def test_sources_are_chosen_by_name(self):
        self.run_limber("train", "poses", "-o", "no", "--sources", "birds", *SMALL, code=1)
        self.assertIn("zoo, artists, people and video", self.stderr)
        self.run_limber("train", "poses", "-o", "no", "--sources", "video", *SMALL, code=1)
        self.assertIn("--harvest", self.stderr)

    def test_draws_and_scores_poses(self):
        drawn = self.pose("sample", "fox.glb", "--count", "3", "-o", "poses.glb")
        self.assertEqual(len(drawn["plausible"]), 3)
        clips = [clip["name"] for clip in self.run_json("inspect", "poses.glb")["clips"]]
        self.assertEqual(clips, ["walk", "poses"])
        scored = self.pose("score", "poses.glb", "--clip", "poses", "--fps", "1")
        self.assertEqual(len(scored["frames"]), 3)
        for frame, plausible in zip(scored["frames"], drawn["plausible"]):
            self.assertAlmostEqual(frame["plausible"], plausible, delta=1e-3)
        self.assertIn(scored["worst_joint"], scored["frames"][0]["joints"])

    def test_mends_and_joins(self):
        self.assertEqual(self.pose("project", "fox.glb", "--strength", "0.1", "-o", "mended.glb")["clip"], "walk mended")
        way = self.pose("between", "fox.glb", "fox.glb", "--to-time", "0.4", "--frames", "5", "-o", "way.glb")
        self.assertEqual(way["frames"], 5)
        names = [clip["name"] for clip in self.run_json("inspect", "way.glb")["clips"]]
        self.assertEqual(names, ["walk", "between"])
        self.run_limber("zoo", "--plan", "biped", "--seed", "7", "-o", "man.glb")
        self.run_limber("pose", "between", "fox.glb", "man.glb", "-o", "no.glb", "--model", self.model, code=1)
        self.assertIn("another skeleton", self.stderr)

    def test_says_what_is_missing_of_a_handle(self):
        far = self.pose("solve", "fox.glb", "--handle", "wrist.L=0,9,0", "-o", "posed.glb")
        self.assertFalse(far["handles"][0]["met"])
        self.assertIn("out of reach", self.stderr)
        # What is said to be missing is missing.
        missing = far["handles"][0]["error"] * self.height()
        self.assertAlmostEqual(math.dist(Glb(self.folder / "posed.glb").place("wrist.L", "pose"), (0, 9, 0)), missing, delta=1e-3)
        self.run_limber("pose", "solve", "fox.glb", "--handle", "Wrist=0,1,0", "-o", "no.glb", "--model", self.model, code=1)
        self.assertIn("wrist.L", self.stderr)
        self.run_limber("pose", "solve", "fox.glb", "--handle", "wrist.L=0,1", "-o", "no.glb", "--model", self.model, code=1)
        self.assertIn("expected a joint and a place", self.stderr)

    def height(self):
        """Of the model in the file, which is one inside."""
        ys = [p[1] for p in Glb(self.folder / "fox.glb").posed(None, 0)]
        return max(ys) - min(ys)

    def test_needs_a_network(self):
        self.run_limber("pose", "sample", "fox.glb", "-o", "poses.glb", "--model", self.folder, code=1)
        self.assertIn("poses.json", self.stderr)


if __name__ == "__main__":
    unittest.main()
