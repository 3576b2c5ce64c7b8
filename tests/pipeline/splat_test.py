# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber splat: a model as Gaussians, read by an independent reader."""
import json
import math
import struct
import unittest

from limber_program import ProgramTest, shared


def read_ply(path):
    """Names and rows of a binary little-endian PLY of float properties, as splat viewers read it."""
    header, body = path.read_bytes().split(b"end_header\n", 1)
    lines = header.decode("ascii").splitlines()
    assert lines[0] == "ply" and lines[1] == "format binary_little_endian 1.0", lines[:2]
    count = next(int(line.split()[2]) for line in lines if line.startswith("element vertex"))
    names = [line.split()[2] for line in lines if line.startswith("property float")]
    assert len(names) == sum(line.startswith("property") for line in lines)
    rows = list(struct.iter_unpack(f"<{len(names)}f", body))
    assert len(rows) == count
    return names, rows


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    meta = header.pop("__metadata__", {})
    return meta, {name: (entry["dtype"], entry["shape"], data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]])
                  for name, entry in header.items()}


class Splat(ProgramTest):
    QUICK = ("--count", 600, "--views", 12, "--size", 48, "--steps", 25)

    def setUp(self):
        super().setUp()
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 7, "--resolution", 32, "-o", "a.glb")

    def test_writes_what_splat_viewers_read(self):
        self.run_limber("splat", "a.glb", "-o", "a.ply", "--no-refine", "--count", 500)
        names, rows = read_ply(self.folder / "a.ply")
        self.assertEqual(names, ["x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2", "opacity",
                                 "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"])
        self.assertEqual(len(rows), 500)
        for row in rows:
            self.assertTrue(all(math.isfinite(v) for v in row))
            self.assertAlmostEqual(sum(v * v for v in row[13:17]), 1, places=4)
            self.assertLess(max(row[10:13]), 0)  # logarithms of small scales
        # It stands where the model stands.
        self.assertGreater(min(row[1] for row in rows), -0.05)

    def test_refinement_brings_it_nearer_and_tells_by_how_much(self):
        report = self.run_json("splat", "a.glb", "-o", "a.ply", "--report", "r.json", *self.QUICK)
        self.assertGreater(report["refined"]["psnr"], report["sampled"]["psnr"])
        self.assertEqual(report["steps"], 25)
        self.assertEqual(json.loads((self.folder / "r.json").read_text()), report)

    def test_harmonics_of_every_degree(self):
        for degree, rest in ((1, 9), (3, 45)):
            self.run_limber("splat", "a.glb", "-o", "a.ply", "--degree", degree, *self.QUICK)
            names, _ = read_ply(self.folder / "a.ply")
            self.assertEqual([n for n in names if n.startswith("f_rest_")], [f"f_rest_{i}" for i in range(rest)])

    def test_the_skin_goes_beside_it(self):
        self.run_limber("splat", "a.glb", "-o", "a.ply", "--skin", "a.safetensors", "--no-refine", "--count", 300)
        meta, tensors = read_safetensors(self.folder / "a.safetensors")
        names = json.loads(meta["joint_names"])
        self.assertIn("head", " ".join(names))
        dtype, shape, data = tensors["weights"]
        self.assertEqual((dtype, shape), ("F32", [300, 4]))
        for row in struct.iter_unpack("<4f", data):
            self.assertAlmostEqual(sum(row), 1, places=4)
        dtype, shape, data = tensors["joints"]
        self.assertEqual((dtype, shape), ("I32", [300, 4]))
        self.assertLess(max(max(row) for row in struct.iter_unpack("<4i", data)), len(names))

    def test_same_seed_same_bytes_for_any_thread_count(self):
        for name, threads, seed in (("1.ply", 1, 5), ("2.ply", 3, 5), ("3.ply", 1, 6)):
            self.run_limber("splat", "a.glb", "-o", name, "--threads", threads, "--seed", seed, *self.QUICK)
        one, two, three = ((self.folder / f"{i}.ply").read_bytes() for i in (1, 2, 3))
        self.assertTrue(one == two)
        self.assertTrue(one != three)

    def test_options_of_the_refinement_contradict_none(self):
        for option in ("--degree", "--views", "--steps", "--seconds"):
            self.run_limber("splat", "a.glb", "-o", "a.ply", "--no-refine", option, 1, code=2)
            self.assertIn(f"--no-refine and {option}", self.stderr)

    def test_static_models_in_their_own_units(self):
        source = shared(self, "assets/static/spot.obj")
        self.run_limber("splat", source, "-o", "spot.ply", "--no-refine", "--count", 400)
        _, rows = read_ply(self.folder / "spot.ply")
        points = [tuple(map(float, line.split()[1:4])) for line in source.read_text().splitlines() if line.startswith("v ")]
        for axis in range(3):
            self.assertAlmostEqual(min(r[axis] for r in rows), min(p[axis] for p in points), delta=0.1)
            self.assertAlmostEqual(max(r[axis] for r in rows), max(p[axis] for p in points), delta=0.1)

    def test_says_what_is_wrong(self):
        def fails(*arguments):
            self.run_limber("splat", *arguments, code=1)
            return self.stderr
        self.assertIn("missing.glb", fails("missing.glb", "-o", "b.ply"))
        self.assertIn(".ply", fails("a.glb", "-o", "b.glb"))
        self.assertIn(".safetensors", fails("a.glb", "-o", "b.ply", "--skin", "b.json"))
        (self.folder / "junk.glb").write_bytes(b"glTF" + bytes(40))
        self.assertIn("junk.glb", fails("junk.glb", "-o", "b.ply"))
        # A skeleton without a surface, and a surface without a skeleton.
        (self.folder / "bones.bvh").write_text(
            "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
            "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n")
        self.assertIn("no surface", fails("bones.bvh", "-o", "b.ply"))
        (self.folder / "one.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIn("rigged", fails("one.obj", "-o", "b.ply", "--skin", "b.safetensors"))
        self.assertEqual([f for f in self.files() if f.startswith("b.")], [])
        for arguments in (("--degree", 4), ("--count", 0), ("--size", 5)):
            self.run_limber("splat", "a.glb", "-o", "b.ply", *arguments, code=2)


if __name__ == "__main__":
    unittest.main()
