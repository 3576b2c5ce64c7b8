# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber animate --clips: several clips of one body in one run and one file, and what a game has to know of them."""
import json
import pathlib
import subprocess
import tempfile

from animate_test import small_prior
from gltf_oracle import Glb
from limber_program import PROGRAM, ProgramTest


class Pack(ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="limber-test-")
        cls.addClassCleanup(folder.cleanup)
        shared = pathlib.Path(folder.name)
        cls.fox, cls.prior = shared / "fox.glb", shared / "prior"
        small_prior(cls.prior)
        subprocess.run([PROGRAM, "zoo", "--plan", "quadruped", "--seed", "7", "--resolution", "30", "-o", str(cls.fox)],
                       check=True, capture_output=True)

    def by_rule(self, *arguments, output="pack.glb"):
        return ["animate", self.fox, "--method", "rule", "--ground", "lock", "--no-preview", "-o", output, *arguments]

    def test_makes_all_clips_in_one_file_and_says_what_a_game_has_to_know(self):
        report = self.run_json(*self.by_rule("--clips", "walk,run,idle,jump"))
        self.assertEqual(self.files(), ["pack.clips.json", "pack.glb", "pack.report.json"])
        glb = Glb(self.folder / "pack.glb")
        self.assertEqual([clip["name"] for clip in glb.json["animations"]], ["walk", "run", "idle", "jump"])
        beside = json.loads((self.folder / "pack.clips.json").read_text())
        self.assertEqual([clip["loops"] for clip in beside["clips"]], [True, True, True, False])
        walk, run, idle, _ = beside["clips"]
        self.assertGreater(run["speed_heights_per_s"], walk["speed_heights_per_s"])
        self.assertLess(idle["speed_heights_per_s"], 0.05)
        self.assertEqual(len({fall["joint"] for fall in walk["footfalls"]}), 4)
        self.assertEqual(walk["root"], "root motion")
        self.assertIn("metres", beside["units"])
        # From each to each, and of what is done once to itself.
        self.assertEqual(len(beside["transitions"]), 4 * 3 + 1)
        self.assertEqual(beside["transitions"], report["transitions"])
        self.assertNotIn("report", walk)
        self.assertIn("questions", report["clips"][0]["report"])

    def test_a_clip_has_the_bits_that_it_has_alone(self):
        quick = ["animate", self.fox, "--prior", self.prior, "--steps", 2, "--no-preview", "--quality", "draft", "--seed", 3]
        self.run_limber(*quick, "--clips", "a fox walks;a fox sits", "-o", "pack.glb")
        pack = Glb(self.folder / "pack.glb")
        for prompt, loop in (("a fox walks", ["--loop"]), ("a fox sits", [])):
            self.run_limber(*quick, "--prompt", prompt, *loop, "-o", "one.glb")
            one = Glb(self.folder / "one.glb")
            packed, single = pack.clip(prompt), one.clip(prompt)
            self.assertEqual(len(packed["channels"]), len(single["channels"]))
            for mine, other in zip(packed["samplers"], single["samplers"]):
                self.assertEqual(pack.accessor(mine["input"]), one.accessor(other["input"]))
                self.assertEqual(pack.accessor(mine["output"]), one.accessor(other["output"]))
            self.assertEqual(packed["extras"], single["extras"])

    def test_two_prompts_are_two_clips(self):
        out = self.run_limber(*self.by_rule("--prompt", "walk", "--prompt", "it turns"))
        self.assertIn("walk: ", out)
        self.assertEqual([c["name"] for c in Glb(self.folder / "pack.glb").json["animations"]], ["walk", "it turns"])

    def test_one_that_fails_does_not_lose_the_others(self):
        out = self.run_limber(*self.by_rule("--clips", "walk,it yodels"))
        self.assertIn("it yodels: not made", out)
        self.assertIn('the clip "it yodels" could not be made', self.stderr)
        self.assertEqual([c["name"] for c in Glb(self.folder / "pack.glb").json["animations"]], ["walk"])
        self.run_limber(*self.by_rule("--clips", "walk,it yodels", "--strict"), code=1)
        self.run_limber(*self.by_rule("--clips", "it yodels", output="none.glb"), code=1)
        self.assertFalse((self.folder / "none.glb").exists())

    def test_names_both_options_that_contradict_each_other(self):
        for other in (["--prompt", "it sits"], ["--video", "a.mp4"], ["--continue", "walk"], ["--keyframes", "p.glb"], ["--name", "go"],
                      ["--loop"], ["--samples", "s.glb"]):
            self.run_limber("animate", self.fox, "--clips", "walk,run", *other, "-o", "pack.glb", code=2)
            self.assertIn("--clips", self.stderr)
            self.assertIn(other[0], self.stderr)
        self.run_limber("animate", self.fox, "a fox sits", "--clips", "walk", "-o", "pack.glb", code=2)
        self.assertIn("--clips", self.stderr)
        self.run_limber(*self.by_rule("--clips", "walk,run", output="pack.bvh"), code=1)
        self.assertIn("several motions", self.stderr)

    def test_the_json_beside_it_is_no_input(self):
        (self.folder / "pack.clips.json").symlink_to(self.fox)
        self.run_limber(*self.by_rule("--clips", "walk"), code=2)
        self.assertIn("pack.clips.json", self.stderr)

    def test_the_model_may_stand_behind_the_clips(self):
        self.run_limber("animate", "--method", "rule", "--no-preview", "--clips", "walk", self.fox, "-o", "pack.glb")

    def test_a_batch_makes_packs(self):
        line = {"do": "animate", "input": str(self.fox), "options": {"clips": ["walk", "walks, then sits"], "method": "rule", "no-preview": True}}
        (self.folder / "m.jsonl").write_text(json.dumps(line) + "\n")
        self.run_limber("batch", "m.jsonl", "-o", "out")
        result = next((self.folder / "out").glob("*/result.glb"))
        # A rule does one thing at a time, so the second one is a warning.
        self.assertEqual([c["name"] for c in Glb(result).json["animations"]], ["walk"])
        clips = json.loads(result.with_name("result.clips.json").read_text())["clips"]
        self.assertEqual([c["prompt"] for c in clips], ["walk", "walks, then sits"])


if __name__ == "__main__":
    import unittest
    unittest.main()
