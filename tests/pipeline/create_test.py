# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber create: words to a body, by limber or by another program; and limber animate --create."""
import json
import unittest

from gltf_oracle import Glb
from limber_program import ProgramTest


class Create(ProgramTest):
    def test_makes_a_body_with_a_skeleton(self):
        report = self.run_json("create", "a small red dragon with a long tail", "--resolution", 24, "-o", "dragon.glb")
        self.assertEqual((report["noun"], report["unknown"]), ("dragon", []))
        self.assertIn("tail:1/thick/long", report["body"])
        self.assertEqual(len(Glb(self.folder / "dragon.glb").json["skins"]), 1)
        self.run_limber("create", "a small red dragon with a long tail", "--resolution", 24, "-o", "again.glb")
        self.assertEqual((self.folder / "dragon.glb").read_bytes(), (self.folder / "again.glb").read_bytes())
        self.run_limber("create", "a dog", "--resolution", 24, "--no-rig", "-o", "bare.glb")
        self.assertNotIn("skins", Glb(self.folder / "bare.glb").json)

    def test_words_need_no_quotes_and_what_is_unknown_is_said(self):
        self.run_limber("create", "a", "fluffy", "dog", "--resolution", 24, "-o", "dog.glb")
        self.assertIn("fluffy", self.stderr)
        self.run_limber("create", "a dragn", "-o", "d.glb", code=1)
        self.assertIn("dragon", self.stderr)
        self.assertIn("--list", self.stderr)
        self.run_limber("create", "a dog with three legs", "-o", "d.glb", code=1)
        self.assertIn("pairs", self.stderr)
        self.assertEqual(self.files(), ["dog.glb"])

    def test_lists_what_it_knows(self):
        known = self.run_json("create", "--list")
        self.assertGreater(len(known["nouns"]), 200)
        self.assertIn("red", known["colors"])
        self.run_limber("create", code=2)
        self.run_limber("create", "a dog", code=2)

    def test_another_program_may_make_it(self):
        self.run_limber("create", "a dog", "--resolution", 24, "--no-rig", "-o", "made.glb")
        self.run_limber("create", "a teapot; touch broken", "--text-to-3d", f"cp {self.folder}/made.glb {{output}}", "-o", "pot.glb")
        self.run_limber("create", "a teapot", "--text-to-3d", "sh -c 'echo no luck >&2; exit 3'", "-o", "none.glb", code=1)
        self.assertIn("exit code 3: no luck", self.stderr)
        self.run_limber("create", "a teapot", "--text-to-3d", "true", "-o", "none.glb", code=1)
        self.assertIn("wrote no model", self.stderr)
        self.assertEqual(self.files(), ["made.glb", "pot.glb"])


class AnimateCreated(ProgramTest):
    def test_words_become_a_body_that_moves(self):
        report = self.run_json("animate", "--create", "a small dragon", "walks", "--method", "rule", "--no-preview", "-o", "d.glb")
        self.assertEqual(report["created"], "a small dragon")
        self.assertEqual([c["name"] for c in Glb(self.folder / "d.glb").json["animations"]], ["walks"])
        self.assertEqual(json.loads((self.folder / "d.report.json").read_text())["prompt"], "walks")

    def test_says_what_is_missing_or_too_much(self):
        self.run_limber("create", "a dog", "--resolution", 24, "-o", "dog.glb")
        self.run_limber("animate", "dog.glb", "walks", "--create", "a dragon", "-o", "d.glb", code=2)
        self.assertIn("--create", self.stderr)
        self.run_limber("animate", "-o", "d.glb", code=2)
        self.assertIn("--create", self.stderr)
        self.run_limber("animate", "dog.glb", "walks", "--text-to-3d", "gen", "-o", "d.glb", code=2)
        self.assertIn("--create", self.stderr)


if __name__ == "__main__":
    unittest.main()
