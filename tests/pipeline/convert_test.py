# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber convert: formats, baked poses against the independent reader, hostile files."""
import json
import math
import random
import struct
import unittest

from gltf_oracle import Glb, obj_vertices
from limber_program import ProgramTest, shared


class Convert(ProgramTest):
    def check_poses(self, path, clips, fractions, tolerance=1e-4):
        glb = Glb(path)
        for clip in clips:
            duration = max(t for s in clip["samplers"] for (t,) in glb.accessor(s["input"]))
            index = glb.json["animations"].index(clip)
            for fraction in fractions:
                time = duration * fraction
                self.run_limber("convert", path, "--clip", f"#{index}", "--time", time, "-o", "posed.obj")
                expected, got = glb.posed(clip, time), obj_vertices(self.folder / "posed.obj")
                self.assertEqual(len(got), len(expected))
                low = [min(p[k] for p in expected) for k in range(3)]
                high = [max(p[k] for p in expected) for k in range(3)]
                worst = max(math.dist(a, b) for a, b in zip(expected, got))
                self.assertLess(worst, tolerance * math.dist(low, high), (str(path), clip.get("name"), time))

    def test_baked_poses_equal_an_independent_reader_s(self):
        self.run_limber("zoo", "--plan", "theropod", "--action", "run", "-o", "a.glb")
        self.check_poses(self.folder / "a.glb", Glb(self.folder / "a.glb").json["animations"], (0, 0.31, 1))

    def test_baked_poses_of_real_assets(self):
        for name in ("quadruped/fox_khronos.glb", "quadruped/wolf_quaternius.glb", "humanoid/cesium_man_khronos.glb"):
            path = shared(self, "assets/" + name)
            self.check_poses(path, Glb(path).json["animations"][:2], (0.37,))

    def test_an_unchanged_glb_stays_byte_for_byte(self):
        self.run_limber("zoo", "--action", "walk", "-o", "a.glb")
        self.run_limber("convert", "a.glb", "-o", "b.glb")
        a, b = Glb(self.folder / "a.glb"), Glb(self.folder / "b.glb")
        self.assertEqual(a.json, b.json)
        self.assertTrue(a.bin == b.bin)

    def test_glb_to_gltf_and_back(self):
        self.run_limber("zoo", "--action", "walk", "-o", "a.glb")
        self.run_limber("convert", "a.glb", "-o", "b.gltf")
        self.assertIn("b.gltf", self.files())
        self.run_limber("convert", "b.gltf", "-o", "c.glb")
        a, c = Glb(self.folder / "a.glb"), Glb(self.folder / "c.glb")
        for i in range(len(a.json["accessors"])):
            self.assertEqual(a.accessor(i), c.accessor(i))

    def test_bvh_there_and_back(self):
        self.run_limber("zoo", "--plan", "biped", "--action", "walk", "-o", "a.glb")
        self.run_limber("convert", "a.glb", "--clip", "walk", "--fps", 24, "-o", "walk.bvh")
        self.run_limber("convert", "a.glb", "--fps", 24, "-o", "b.glb", code=2)
        self.assertIn("--fps and --output b.glb", self.stderr)
        self.assertTrue((self.folder / "walk.bvh").read_text().startswith("HIERARCHY"))
        self.run_limber("convert", "walk.bvh", "-o", "walk.glb")
        self.assertEqual(len(Glb(self.folder / "walk.glb").json["animations"]), 1)

    def test_clips_are_trimmed_mirrored_looped_and_put_in_place(self):
        self.run_limber("zoo", "--plan", "quadruped", "--action", "all", "-o", "a.glb")
        before = self.run_json("inspect", "a.glb")["clips"]
        self.run_limber("convert", "a.glb", "--clip", "walk", "--trim", "0.2:0.7", "--in-place", "--mirror", "--name", "step", "-o", "b.glb")
        after = self.run_json("inspect", "b.glb")["clips"]
        index = [clip["name"] for clip in before].index("walk")
        self.assertEqual([c["name"] for c in after], [c["name"] if i != index else "step" for i, c in enumerate(before)])
        self.assertAlmostEqual(after[index]["seconds"], 0.5, places=2)
        self.run_limber("zoo", "--plan", "quadruped", "--action", "run", "--frames", 60, "-o", "long.glb")
        self.run_limber("convert", "long.glb", "--loop", "-o", "c.glb")
        self.assertLess(self.run_json("inspect", "c.glb")["clips"][0]["seconds"], 2.5)
        self.run_limber("convert", "a.glb", "--trim", "3:1", "-o", "d.glb", code=1)
        self.assertIn("nothing left", self.stderr)
        for trim in ("x", "1", "1:x", "-1:2"):
            self.run_limber("convert", "a.glb", f"--trim={trim}", "-o", "d.glb", code=2)
        self.run_limber("convert", "a.glb", "--mirror", "--time", "1", "-o", "d.glb", code=2)
        self.assertNotIn("d.glb", self.files())

    def test_a_clip_is_found_by_name_and_missing_ones_are_listed(self):
        self.run_limber("zoo", "--action", "walk", "-o", "a.glb")
        self.run_limber("convert", "a.glb", "--clip", "WALK", "-o", "posed.obj")
        self.run_limber("convert", "a.glb", "--clip", "dance", "-o", "dance.obj", code=1)
        self.assertIn("walk", self.stderr)
        self.assertNotIn("dance.obj", self.files())

    def test_mutated_files_never_crash(self):
        self.run_limber("zoo", "--plan", "snake", "--resolution", 24, "--action", "slither", "-o", "a.glb")
        original = (self.folder / "a.glb").read_bytes()
        rng, refused = random.Random(1), 0
        for _ in range(24):  # the fuzzers try millions; this is about what the program says
            data = bytearray(original)
            for _ in range(rng.choice((1, 4, 40))):
                data[rng.randrange(min(len(data), rng.choice((40, 4000, len(data)))))] = rng.randrange(256)
            if rng.random() < 0.3:
                del data[rng.randrange(len(data)):]
            (self.folder / "m.glb").write_bytes(data)
            self.run_limber("convert", "m.glb", "-o", "out.glb", code=(0, 1))
            if self.code == 1:
                self.assertIn("m.glb", self.stderr)
                refused += 1
        self.assertGreater(refused, 0)

    def test_a_number_that_is_not_finite_is_told_and_its_bytes_are_kept(self):
        self.run_limber("zoo", "--action", "walk", "-o", "a.glb")
        whole, glb = (self.folder / "a.glb").read_bytes(), Glb(self.folder / "a.glb")
        index = glb.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
        accessor = glb.json["accessors"][index]
        view = glb.json["bufferViews"][accessor["bufferView"]]
        self.assertEqual((accessor["componentType"], view.get("byteStride", 12)), (5126, 12))
        start = len(whole) - len(glb.bin) + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        broken = bytearray(whole)
        struct.pack_into("<f", broken, start + 5 * 12 + 4, math.nan)
        (self.folder / "nan.glb").write_bytes(broken)
        warnings = [f"nan.glb#/accessors/{index}: element 5 is not finite; the element before stands in"]
        self.assertEqual(self.run_json("convert", "nan.glb", "-o", "b.glb")["warnings"], warnings)
        self.assertTrue(Glb(self.folder / "b.glb").bin == Glb(self.folder / "nan.glb").bin)
        self.assertEqual(self.run_json("inspect", "nan.glb")["warnings"], warnings)
        self.run_limber("convert", "nan.glb", "--clip", "walk", "-o", "posed.obj")
        self.assertIn(warnings[0], self.stderr)
        self.assertTrue(all(map(math.isfinite, (x for p in obj_vertices(self.folder / "posed.obj") for x in p))))

    def test_report_is_json(self):
        self.run_limber("zoo", "-o", "a.glb")
        self.assertEqual(self.run_json("convert", "a.glb", "-o", "b.gltf")["output"], "b.gltf")
        json.loads((self.folder / "b.gltf").read_text())


if __name__ == "__main__":
    unittest.main()
