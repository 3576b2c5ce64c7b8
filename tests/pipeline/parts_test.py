# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber parts, rig --from parts and evaluate parts: from files to files. How good parts are is for `limber-lab bench parts`."""
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


def write_jack(path, reach=12):
    """Six arms from one middle, made of cubes: no template has them."""
    cells = {cell for a in range(-reach, reach + 1) for b in (-1, 0, 1) for c in (-1, 0, 1) for cell in ((a, b, c), (b, a, c), (b, c, a))}
    points, lines = {}, []
    for cell in sorted(cells):
        for axis in range(3):
            for side in (0, 1):
                if tuple(v + (2 * side - 1 if k == axis else 0) for k, v in enumerate(cell)) in cells:
                    continue
                around = [(0, 0), (1, 0), (1, 1), (0, 1)] if side else [(0, 0), (0, 1), (1, 1), (1, 0)]
                square = []
                for u, v in around:
                    corner = list(cell)
                    corner[axis] += side
                    corner[(axis + 1) % 3] += u
                    corner[(axis + 2) % 3] += v
                    square.append(points.setdefault(tuple(corner), len(points) + 1))
                lines += [f"f {square[0]} {square[1]} {square[2]}", f"f {square[0]} {square[2]} {square[3]}"]
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in points) + "\n".join(lines) + "\n")


def read_png(path):
    """Width and rows of an RGB picture of 8 bits."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I", data[at:at + 4])[0], data[at + 4:at + 8]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, rows, last = zlib.decompress(packed), [], bytearray(3 * width)
    for y in range(height):
        start = y * (3 * width + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + 3 * width])
        for i in range(3 * width):
            left, up, corner = row[i - 3] if i > 2 else 0, last[i], last[i - 3] if i > 2 else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda v: abs(guess - v))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
        rows.append(row)
        last = row
    return width, rows


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

    def test_auto_takes_parts_where_no_template_is_believed_and_views_agree(self):
        def skeleton(name, *options):
            self.run_limber("rig", name, *options, "--from", "auto", "-o", "rigged.glb", "--report", "report.json")
            return json.loads((self.folder / "report.json").read_text())["skeleton"]

        report = skeleton("beast.glb", "--replace")
        self.assertEqual(report["template"], "quadruped")
        self.assertNotIn("parts", " ".join(report["notes"]))

        write_jack(self.folder / "jack.obj")
        report = skeleton("jack.obj", "--least-agreement=-1")
        self.assertEqual(report["template"], "parts")
        self.assertRegex(report["reason"], r"not believed.*of its \d+ parts views agree by")
        self.assertIn("rigged_from_parts", [warning["code"] for warning in report["warnings"]])

        report = skeleton("jack.obj", "--least-agreement", 1)
        self.assertNotEqual(report["template"], "parts")
        self.assertRegex(" ".join(report["notes"]), r"its parts are not believed either: views agree about them by")
        self.run_limber("rig", "jack.obj", "--least-agreement", 1, "-o", "no.glb", code=2)  # of nothing

    def test_a_small_subject_is_found_where_it_is(self):
        """A lying figure of two colours in the upper right of a large picture; what is painted stays there."""
        def color(x, y):
            body = 150 <= x < 190 and 20 <= y < 36
            leg = y in range(36, 50) and x in (*range(152, 158), *range(182, 188))
            return (200, 120, 60) if body else (90, 60, 40) if leg else (0, 0, 0)

        write_png(self.folder / "small.png", 240, color)
        self.run_limber("parts", "small.png", *QUICK, "-o", "map.png", "--preview", "views.png", code=(0, 1))
        if self.code == 1:  # one step of drawing may be too little to see a body in it
            self.assertIn("shows", self.stderr)
            return
        width, rows = read_png(self.folder / "map.png")
        painted = [(x, y) for y, row in enumerate(rows) for x in range(width) if any(row[3 * x:3 * x + 3])]
        self.assertTrue(painted)
        self.assertTrue(all(x > 120 and y < 80 for x, y in painted))

    def test_pictures_without_a_subject_are_refused_in_words(self):
        write_png(self.folder / "sky.png", 48, lambda x, y: (90, 120, 200 - y))
        self.run_limber("parts", "sky.png", *QUICK, "-o", "map.png", code=1)
        self.assertIn("sky.png", self.stderr)
        self.assertIn("shows", self.stderr)
        self.assertFalse((self.folder / "map.png").exists())
        (self.folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nno more")
        self.run_limber("parts", "broken.png", "-o", "map.png", code=1)

    def test_options_of_meshes_are_refused_for_pictures(self):
        for option in (["--view-sets", 7], ["--up", "+z"], ["--forward", "-z"]):
            for name in ("c.png", "c.mp4"):
                self.run_limber("parts", name, *option, "-o", "map.png", code=2)
                self.assertIn(f"{option[0]} and {name}", self.stderr)


if __name__ == "__main__":
    unittest.main()
