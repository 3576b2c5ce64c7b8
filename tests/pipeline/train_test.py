# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber-lab train, and limber prior on the built-in prior that ships."""
import json
import unittest

from limber_program import SOURCE, ProgramTest
from prior_test import tensors

BUILT_IN = SOURCE / "models" / "sketch_prior"
SMALL = ["--batch", "2", "--pool", "6", "--clips", "4", "--first-clips", "100", "--creatures", "2", "--layers", "1",
         "--width", "16", "--heads", "2", "--device", "cpu"]
SMALL_READER = ["--batch", "2", "--pool", "4", "--first", "4", "--validation", "4", "--creatures", "2", "--layers", "1", "--width", "12",
                "--heads", "2", "--device", "cpu"]


class BuiltInPrior(ProgramTest):
    def test_says_what_it_is(self):
        report = self.run_json("prior", "inspect", BUILT_IN)
        self.assertEqual((report["views"], report["frames"], report["size"]), (2, 24, 64))
        self.assertLess(report["gflop_per_guided_step"], 60)
        self.assertIn("trot", report["actions"])

    def test_lists_its_actions(self):
        self.assertIn("galloping", self.run_json("prior", "actions", BUILT_IN)["gallop"])
        self.assertIn("galloping", self.run_json("prior", "actions")["gallop"])
        self.run_limber("prior", "actions", self.folder, code=1)
        self.assertIn("sketch_prior.json", self.stderr)

    def test_draws_both_views_alike_for_one_seed(self):
        videos = []
        for name in ("a.safetensors", "b.safetensors"):
            self.run_limber("prior", "sample", BUILT_IN, "--prompt", "a fox trots", "--steps", "1", "-o", self.folder / name)
            videos.append((self.folder / name).read_bytes())
        self.assertEqual(tensors(self.folder / "a.safetensors"), {"frames": [2, 24, 3, 64, 64]})
        self.assertEqual(videos[0], videos[1])

    def test_warns_of_an_action_that_it_does_not_know(self):
        self.run_limber("prior", "sample", BUILT_IN, "--prompt", "a fox trottles", "--steps", "1", "-o", "a.safetensors")
        self.assertRegex(self.stderr, r"nearest: .*\btrot\b")


class Train(ProgramTest):
    def test_trains_writes_and_resumes(self):
        model = self.folder / "model"
        first = self.run_json("train", "prior", "-o", model, "--steps", "2", "--csv", self.folder / "loss.csv", *SMALL)
        self.assertEqual((first["steps"], first["clips"]), (2, 4))
        self.assertTrue((model / "training_state.safetensors").exists())
        header, row = (self.folder / "loss.csv").read_text().splitlines()
        self.assertEqual(header, "step,seconds,loss,validation_loss,continued_loss,learning_rate,gradient_norm,examples")
        self.assertEqual(len(row.split(",")), 8)
        self.assertEqual(json.loads((model / "training.json").read_text()), first)
        again = self.run_json("train", "prior", "-o", model, "--steps", "1", "--resume", *SMALL)
        self.assertEqual(again["steps"], 1)
        self.assertEqual(self.run_json("prior", "inspect", model)["layers"], 1)

    def test_copies_credits_into_every_card(self):
        self.run_limber("zoo", "--action", "walk", "--in-place", "-o", self.folder / "dog.glb")
        (self.folder / "page.md").write_text("## Attribution owed\n- dog.glb: by somebody\n")
        (self.folder / "split.json").write_text('{"train": ["dog.glb"], "test": []}')
        self.run_limber("train", "bake", "--split", self.folder / "split.json", "-o", self.folder / "a.bin")
        first, second = self.folder / "first", self.folder / "second"
        report = self.run_json("train", "prior", "-o", first, "--steps", "1", "--characters", self.folder / "a.bin", *SMALL)
        self.assertEqual(report["credits"], ["dog.glb: by somebody"])
        # Weights that go on from these owe the same.
        self.run_limber("train", "prior", "-o", second, "--from", first, "--steps", "1", *SMALL)
        for model in (first, second):
            self.assertIn("## Credits\n- dog.glb: by somebody\n", (model / "README.md").read_text())

    def test_refuses_weights_of_another_model(self):
        self.run_limber("train", "prior", "-o", "m", "--from", BUILT_IN, "--steps", "1", *SMALL, code=1)
        self.assertIn("do not fit", self.stderr)

    def test_trains_a_reader_of_bodies_and_resumes_it(self):
        model = self.folder / "reader"
        first = self.run_json("train", "reader", "-o", model, "--steps", "2", "--csv", self.folder / "scores.csv", *SMALL_READER)
        self.assertEqual((first["steps"], first["output"]), (2, "reader"))
        header, row = (self.folder / "scores.csv").read_text().splitlines()
        self.assertEqual(len(row.split(",")), len(header.split(",")))
        self.assertIn("forward", header.split(","))
        again = self.run_json("train", "reader", "-o", model, "--steps", "1", "--resume", *SMALL_READER)
        self.assertEqual(again["parameters"], first["parameters"])
        self.run_limber("train", "reader", "-o", self.folder / "other", "--from", model, "--steps", "1", *SMALL_READER)
        self.run_limber("train", "reader", "-o", "m", "--device", "tpu", "--steps", "1", *SMALL_READER[:-2], code=1)
        self.assertIn("no device 'tpu'", self.stderr)


if __name__ == "__main__":
    unittest.main()
