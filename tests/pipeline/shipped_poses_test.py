# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber pose with the network that ships, without LibTorch: sheets, handles, ways between poses, scans, odd rigs."""
import base64
import json
import math
import struct
import unittest

from gltf_oracle import Glb
from limber_program import ProgramTest, shared


def reorder_nodes(source, target):
    """The same model, its nodes in the opposite order."""
    glb = Glb(source)
    last = len(glb.json["nodes"]) - 1
    glb.json["nodes"].reverse()
    for node in glb.json["nodes"]:
        if "children" in node:
            node["children"] = [last - child for child in reversed(node["children"])]
    for scene in glb.json["scenes"]:
        scene["nodes"] = [last - node for node in scene["nodes"]]
    for skin in glb.json["skins"]:
        skin["joints"] = [last - joint for joint in skin["joints"]]
        if "skeleton" in skin:
            skin["skeleton"] = last - skin["skeleton"]
    for clip in glb.json.get("animations", []):
        for channel in clip["channels"]:
            channel["target"]["node"] = last - channel["target"]["node"]
    glb.write(target)


def write_chain(path, joints):
    """A triangle on a chain of joints, upwards."""
    points = struct.pack("<9f", -0.1, 0, 0, 0.1, 0, 0, 0, 1, 0)
    bones, weights = struct.pack("<12H", *[0, 0, 0, 0] * 3), struct.pack("<12f", *[1, 0, 0, 0] * 3)
    data = points + bones + weights
    nodes = [{"name": f"joint{i}", "translation": [0, 1 / joints, 0], **({"children": [i + 1]} if i + 1 < joints else {})}
             for i in range(joints)]
    nodes.append({"name": "body", "mesh": 0, "skin": 0})
    views = [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in ((0, 36), (36, 24), (60, 48))]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [-0.1, 0, 0], "max": [0.1, 1, 0]},
                 {"bufferView": 1, "componentType": 5123, "count": 3, "type": "VEC4"},
                 {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4"}]
    mesh = {"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}
    path.write_text(json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, joints]}], "nodes": nodes, "meshes": [mesh],
        "skins": [{"joints": list(range(joints))}], "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}))


class ShippedPoses(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_limber("zoo", "--plan", "quadruped", "--seed", "970110", "--resolution", "32", "--action", "walk", "-o", "fox.glb")
        self.fox = Glb(self.folder / "fox.glb")
        ys = [p[1] for p in self.fox.posed(None, 0)]
        self.height = max(ys) - min(ys)

    def test_draws_a_sheet_and_a_clip(self):
        drawn = self.run_json("pose", "sample", "fox.glb", "--count", "3", "-o", "poses.webp", "--glb", "poses.glb")
        self.assertEqual(len(drawn["plausible"]), 3)
        self.assertEqual((self.folder / "poses.webp").read_bytes()[8:12], b"WEBP")
        self.assertEqual([clip["name"] for clip in self.run_json("inspect", "poses.glb")["clips"]], ["walk", "poses"])
        self.run_limber("pose", "sample", "fox.glb", "--count", "2", "-o", "poses.png")
        self.assertEqual(self.files(), ["fox.glb", "poses.glb", "poses.png", "poses.webp"])

    def test_says_that_a_clip_goes_beside_a_sheet_alone(self):
        self.run_limber("pose", "sample", "fox.glb", "--count", "2", "-o", "a.glb", "--glb", "b.glb", code=1)
        self.assertIn("--glb goes beside a sheet", self.stderr)
        self.assertEqual(self.files(), ["fox.glb"])

    def test_meets_a_handle_within_reach(self):
        x, y, z = self.fox.place("wrist.L")
        wanted = (x, y + 0.08 * self.height, z + 0.05 * self.height)
        solved = self.run_json("pose", "solve", "fox.glb", "--handle", "wrist.L={},{},{}".format(*wanted), "-o", "posed.glb")
        self.assertTrue(solved["handles"][0]["met"], solved)
        self.assertLess(solved["handles"][0]["error"], 1e-4)
        # In the file, too.
        there = Glb(self.folder / "posed.glb").place("wrist.L", "pose")
        self.assertLess(math.dist(there, wanted), 2e-4 * self.height)

    def test_goes_between_files_whose_nodes_are_in_another_order(self):
        reorder_nodes(self.folder / "fox.glb", self.folder / "other.glb")
        self.run_limber("pose", "between", "fox.glb", "other.glb", "--to-time", "0.4", "--frames", "3", "-o", "way.glb")
        way = Glb(self.folder / "way.glb")
        for name in ("ankle.L", "wrist.R", "tail.2"):
            for clip, time, wanted in (("between", 0, 0), ("between", 2 / 24, 0.4)):
                truth = self.fox.place(name, "walk", round(wanted * 24) / 24)
                self.assertLess(math.dist(way.place(name, clip, time), truth), 5e-3 * self.height, (name, time))

    def test_says_that_one_joint_has_no_poses_and_which_of_300_ride_along(self):
        write_chain(self.folder / "one.gltf", 1)
        self.run_limber("pose", "sample", "one.gltf", "-o", "poses.glb", code=1)
        self.assertIn("one joint", self.stderr)
        write_chain(self.folder / "many.gltf", 300)
        self.run_limber("pose", "sample", "many.gltf", "--count", "2", "-o", "poses.glb")
        self.assertIn("236 of 300 joints ride along", self.stderr)
        self.run_limber("pose", "solve", "many.gltf", "--handle", "nobody=0,1,0", "-o", "no.glb", code=1)
        self.assertIn("there is no such joint; there are joint0, joint1", self.stderr)

    def test_fits_scans_and_says_where_they_do_not_fit(self):
        self.run_limber("convert", "fox.glb", "-o", "scan.obj")
        fitted = self.run_json("pose", "fit", "fox.glb", "scan.obj", "scan.obj", "-o", "fit.glb")
        self.assertEqual((len(fitted["frames"]), fitted["doubts"]), (2, 0), fitted)
        self.assertLess(fitted["apart"], 0.01)
        self.run_limber("zoo", "--plan", "snake", "--seed", "4", "--resolution", "32", "-o", "snake.glb")
        self.run_limber("convert", "snake.glb", "-o", "snake.obj")
        self.assertGreater(self.run_json("pose", "fit", "fox.glb", "snake.obj", "-o", "fit.glb")["doubts"], 0)
        self.assertIn("% of the", self.stderr)
        self.run_limber("pose", "fit", "fox.glb", "nowhere.obj", "-o", "fit.glb", code=1)
        self.assertIn("nowhere.obj", self.stderr)

    def test_fits_a_person(self):
        sitting = shared(self, "assets/pose_space/man_standing_waving_quaternius.obj")
        standing = shared(self, "assets/pose_space/man_standing_quaternius.obj")
        self.run_limber("rig", standing, "-o", "man.glb")
        fitted = self.run_json("pose", "fit", "man.glb", sitting, "-o", "fit.glb", "--smooth", "0")
        self.assertLess(fitted["apart"], 0.03, fitted)


if __name__ == "__main__":
    unittest.main()
