# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber-lab train bake and limber-lab train clips: what a prior is taught with."""
import json
import unittest

from limber_program import ProgramTest


class TrainingData(ProgramTest):
    def make_split(self, train, test):
        (self.folder / "split.json").write_text(json.dumps({"train": train, "test": test}))

    def test_bakes_characters_and_draws_them(self):
        self.run_limber("zoo", "--plan", "quadruped", "--action", "walk", "--in-place", "--seed", 3, "-o", "dog.glb")
        self.run_limber("zoo", "--plan", "biped", "--action", "all", "--seed", 3, "-o", "human.glb")
        self.make_split(["dog.glb", "human.glb"], ["other.glb"])
        report = self.run_json("train", "bake", "--split", "split.json", "-o", "characters.bin")
        self.assertEqual([c["noun"] for c in report["characters"]], ["dog", "human"])
        self.assertEqual((self.folder / "characters.bin").stat().st_size, report["bytes"])
        self.assertEqual(json.loads((self.folder / "characters.bin.json").read_text()), report)
        self.assertEqual(report["families"], [["dog.glb"], ["human.glb"]])
        self.assertEqual(report["missing_tests"], ["other.glb"])
        self.assertGreater(report["actions"]["walk"], 1)
        drawn = self.run_json("train", "clips", "--characters", "characters.bin", "--character-share", "1", "--only", "dog",
                              "--count", "3", "-o", "sheet.png")
        self.assertEqual(len(drawn["captions"]), 3)
        self.assertTrue((self.folder / "sheet.png").exists())

    def test_finds_the_speed_that_a_treadmill_took_away(self):
        for action in ("walk", "run"):
            self.run_limber("zoo", "--plan", "biped", "--action", action, "--seed", 5, "--in-place", "--report", "report.json",
                            "-o", "body.glb")
            truth = json.loads((self.folder / "report.json").read_text())["clips"][0]
            self.make_split(["body.glb"], [])
            clip = self.run_json("train", "bake", "--split", "split.json", "-o", "a.bin")["characters"][0]["clips"][0]
            speed = truth["stride"] * truth["fps"] / truth["frames"]
            self.assertTrue(clip["loops"])
            self.assertAlmostEqual(clip["velocity"][2] / speed, 1, delta=0.05, msg=action)
            self.assertLess(abs(clip["velocity"][0]), 0.05)

    def test_refuses_a_split_that_trains_with_its_tests(self):
        self.run_limber("zoo", "--action", "walk", "-o", "dog.glb")
        self.make_split(["dog.glb"], ["./x/../dog.glb"])
        self.run_limber("train", "bake", "--split", "split.json", "-o", "a.bin", code=1)
        self.assertIn("both for training and for testing", self.stderr)
        self.assertFalse((self.folder / "a.bin").exists())

    def test_refuses_a_test_file_from_any_folder(self):
        self.run_limber("zoo", "--action", "walk", "-o", "dog.glb")
        self.run_limber("zoo", "--action", "walk", "--seed", 2, "-o", "cat.glb")
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "mouse.glb").write_bytes((self.folder / "cat.glb").read_bytes())
        self.make_split(["dog.glb"], ["cat.glb"])
        self.run_limber("train", "bake", "--split", "split.json", "--add", "mine", "-o", "a.bin", code=1)
        self.assertIn("mine/mouse.glb: is 'cat.glb', which is for testing", self.stderr)
        self.assertFalse((self.folder / "a.bin").exists())

    def test_carries_credits_to_pictures(self):
        self.run_limber("zoo", "--plan", "quadruped", "--action", "walk", "--in-place", "--seed", 3, "-o", "dog.glb")
        (self.folder / "page.md").write_text("# Pack\n\n## Attribution owed\n\n- dog.glb: by somebody\n- cat.glb: by another\n")
        self.make_split(["dog.glb"], [])
        report = self.run_json("train", "bake", "--split", "split.json", "-o", "a.bin")
        self.assertEqual(report["credits"], ["dog.glb: by somebody"])
        drawn = self.run_json("train", "clips", "--characters", "a.bin", "--character-share", "1", "--count", "1")
        self.assertEqual(drawn["credits"], ["dog.glb: by somebody"])

    def test_refuses_what_is_no_split_and_no_characters(self):
        (self.folder / "split.json").write_text("[1, 2")
        self.run_limber("train", "bake", "--split", "split.json", "-o", "a.bin", code=1)
        self.run_limber("train", "clips", "--characters", "split.json", "--count", "1", code=1)
        self.assertIn("split.json", self.stderr)


if __name__ == "__main__":
    unittest.main()
