# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber score and limber mend: what a person and a program learn of clips, and what becomes of them."""
import json
import struct
import unittest

from limber_program import ProgramTest


def patched(glb, change):
    """A GLB with its JSON changed."""
    length = struct.unpack("<I", glb[12:16])[0]
    document, rest = json.loads(glb[20:20 + length]), glb[20 + length:]
    change(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + rest
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


class Score(ProgramTest):
    def test_clean_clips_are_finished_and_stay_as_they_are(self):
        self.run_limber("zoo", "--seed", 5, "--action", "walk", "--in-place", "--resolution", 40, "-o", "a.glb")
        told = self.run_json("score", "a.glb")
        self.assertTrue(told["passed"], told)
        self.assertEqual(set(told["clips"][0]["checks"]), {"loop", "contact", "floor", "drift", "flips", "skin"})
        self.assertIn("1 of 1 clips finished", self.run_limber("score", "a.glb", "--strict"))
        self.assertIn("nothing to repair", self.run_limber("mend", "a.glb", "--all", "-o", "b.glb"))
        self.assertEqual((self.folder / "a.glb").read_bytes(), (self.folder / "b.glb").read_bytes())

    def test_faults_are_told_with_what_repairs_them(self):
        self.run_limber("zoo", "--seed", 5, "--action", "walk", "--in-place", "--resolution", 40, "-o", "a.glb")

        def cut(document):
            samplers = document["animations"][0]["samplers"]
            for accessor in {sampler[key] for sampler in samplers for key in ("input", "output")}:
                document["accessors"][accessor]["count"] -= 1

        (self.folder / "open.glb").write_bytes(patched((self.folder / "a.glb").read_bytes(), cut))
        text = self.run_limber("score", "open.glb")
        self.assertIn("its last frame is one step before the first", text)
        self.assertIn("limber mend --loop", text)
        self.assertEqual(self.run_json("score", "open.glb")["clips"][0]["checks"]["loop"]["mend"], "loop")
        self.run_limber("score", "open.glb", "--strict", code=1)
        done = self.run_json("mend", "open.glb", "--loop", "-o", "closed.glb")
        self.assertEqual(done["clips"][0]["repaired"], ["loop"])
        self.assertTrue(self.run_json("score", "closed.glb", "--clip", "walk")["passed"])

    def test_other_formats_are_measured_as_far_as_can_be(self):
        self.run_limber("zoo", "--seed", 5, "--action", "walk", "--resolution", 40, "-o", "a.glb")
        self.run_limber("convert", "a.glb", "-o", "a.bvh")
        told = self.run_json("score", "a.bvh")
        self.assertIsNone(told["clips"][0]["checks"]["floor"]["passed"])
        self.assertEqual(told["points"], 0)
        self.assertIn("without a skin", self.run_limber("score", "a.bvh"))

    def test_what_has_nothing_to_measure_is_an_error_in_words(self):
        self.run_limber("zoo", "--seed", 5, "--no-rig", "--resolution", 32, "-o", "statue.glb")
        self.run_limber("score", "statue.glb", code=1)
        self.assertIn("no clip", self.stderr)
        (self.folder / "broken.glb").write_bytes(b"glTF")
        self.run_limber("score", "broken.glb", code=1)
        self.run_limber("mend", "missing.glb", "--all", "-o", "b.glb", code=1)
        self.run_limber("mend", "statue.glb", "-o", "b.glb", code=2)
        self.run_limber("mend", "missing.glb", "--all", "-o", "b.obj", code=1)  # before any work
        self.assertIn("a motion can be written as", self.stderr)
        self.run_limber("evaluate", "motion", "statue.glb", code=1)
        self.assertIn("limber score", self.stderr)


if __name__ == "__main__":
    unittest.main()
