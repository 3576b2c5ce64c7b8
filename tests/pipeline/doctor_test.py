# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber doctor: what a person and a program learn of a model that is odd."""
import unittest

from limber_program import ProgramTest


class Doctor(ProgramTest):
    def test_a_creature_of_the_zoo_is_well(self):
        self.run_limber("zoo", "--seed", 7, "--action", "walk", "--resolution", 32, "-o", "a.glb")
        self.assertEqual(self.run_json("doctor", "a.glb")["findings"], [])
        self.assertIn("nothing odd", self.run_limber("doctor", "a.glb", "--strict"))

    def test_findings_say_what_helps(self):
        (self.folder / "tiny.obj").write_text("v 0 0 0\nv 0.001 0 0\nv 0 0.001 0\nv 0 0 0.001\nf 1 2 3\nf 1 4 2\nf 1 3 4\n")
        findings = self.run_json("doctor", "tiny.obj")["findings"]
        topics = {f["topic"] for f in findings}
        self.assertLessEqual({"scale", "holes"}, topics)
        for finding in findings:
            self.assertIn(finding["severity"], ("note", "warning", "error"))
            self.assertTrue(finding["what"] and finding["help"], finding)
        text = self.run_limber("doctor", "tiny.obj")
        self.assertIn("help", text)
        self.run_limber("doctor", "tiny.obj", "--strict", code=1)
        self.assertIn("findings", self.stderr)

    def test_what_cannot_be_read_is_an_error(self):
        (self.folder / "broken.glb").write_bytes(b"glTF")
        self.run_limber("doctor", "broken.glb", code=1)
        self.run_limber("doctor", "missing.glb", code=1)


if __name__ == "__main__":
    unittest.main()
