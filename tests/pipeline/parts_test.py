# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber parts, rig --from parts and evaluate parts: from files to files. How good parts are is for `limber bench parts`."""
import json
import struct
import unittest
import zlib

from gltf_oracle import Glb
from limber_program import ProgramTest

QUICK = ("--steps", 1)


def write_png(path, size, color):
    """A picture whose pixels are color(x, y)."""
    rows = b"".join(b"\0" + bytes(c for x in range(size) for c in color(x, y)) for y in range(size))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Parts(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 24, "--action", "walk", "-o", "beast.glb")

    def test_every_triangle_of_a_mesh_gets_a_label_which_evaluate_takes(self):
        report = self.run_json("parts", "beast.glb", *QUICK, "-o", "labels.json", "--preview", "sheet.png")
        labels = json.loads((self.folder / "labels.json").read_text())
        glb = Glb(self.folder / "beast.glb")
        triangles = sum(len(glb.accessor(p["indices"])) // 3 for m in glb.json["meshes"] for p in m["primitives"])
        self.assertEqual(len(labels["face_labels"]), triangles)
        self.assertEqual(sorted(set(labels["face_labels"])), list(range(report["parts"])))
        self.assertLessEqual(report["agreement"], 1)
        self.assertTrue((self.folder / "sheet.png").stat().st_size > 1000)
        scores = self.run_json("evaluate", "parts", "labels.json", "beast.glb")
        self.assertEqual(scores["found_parts"], report["parts"])
        self.assertGreater(scores["ari"], 0.1)  # no guess
        self.draw_labels(labels)

    def draw_labels(self, labels):
        """Instead of the skeleton's own parts."""
        self.run_limber("render", "beast.glb", "--clip", "rest", "--layers", "parts", "--parts", "labels.json", "-o", "parts.png")
        self.run_limber("render", "beast.glb", "--clip", "rest", "--layers", "parts", "-o", "rig.png")
        self.assertNotEqual((self.folder / "parts.png").read_bytes(), (self.folder / "rig.png").read_bytes())
        (self.folder / "few.json").write_text(json.dumps(labels["face_labels"][1:]))
        self.run_limber("render", "beast.glb", "--clip", "rest", "--layers", "parts", "--parts", "few.json", "-o", "no.png", code=1)
        self.assertIn("labels", self.stderr)
        self.assertFalse((self.folder / "no.png").exists())

    def test_a_rig_from_parts_has_a_joint_for_each(self):
        self.run_limber("rig", "beast.glb", "--replace", "--from", "parts", "-o", "rigged.glb", "--report", "report.json")
        report = json.loads((self.folder / "report.json").read_text())["skeleton"]
        self.assertEqual(report["template"], "parts")
        self.assertEqual(len(Glb(self.folder / "rigged.glb").json["skins"][0]["joints"]), len(report["joints"]))

    def test_pictures_without_a_subject_are_refused_in_words(self):
        write_png(self.folder / "sky.png", 48, lambda x, y: (90, 120, 200 - y))
        self.run_limber("parts", "sky.png", *QUICK, "-o", "map.png", code=1)
        self.assertIn("sky.png", self.stderr)
        self.assertIn("shows", self.stderr)
        self.assertFalse((self.folder / "map.png").exists())
        (self.folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nno more")
        self.run_limber("parts", "broken.png", "-o", "map.png", code=1)


if __name__ == "__main__":
    unittest.main()
