# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies whose file has another axis up: rigs, motions and gravity follow the body, and --stand-up turns the file."""
import json
import struct
import unittest

from animate_test import Animate
from gltf_oracle import Glb
from limber_program import ProgramTest


def lie(v):
    """+Z is up, and what looked along +Z looks along -Y."""
    return (v[0], -v[2], v[1])


def write_glb(glb, path):
    text = json.dumps(glb.json).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(glb.bin), b"BIN\0") + glb.bin
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def lay_vertices(path, target):
    """The same static model, its very vertices laid down."""
    glb = Glb(path)
    data = bytearray(glb.bin)
    for mesh in glb.json["meshes"]:
        for primitive in mesh["primitives"]:
            for name in ("POSITION", "NORMAL"):
                accessor = glb.json["accessors"][primitive["attributes"][name]]
                view = glb.json["bufferViews"][accessor["bufferView"]]
                start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
                for i in range(accessor["count"]):
                    at = start + i * view.get("byteStride", 12)
                    struct.pack_into("<3f", data, at, *lie(struct.unpack_from("<3f", data, at)))
                rows = [struct.unpack_from("<3f", data, start + i * view.get("byteStride", 12))
                        for i in range(accessor["count"])]
                accessor["min"], accessor["max"] = [list(map(f, zip(*rows))) for f in (min, max)]
    glb.bin = bytes(data)
    write_glb(glb, target)


def lay_scene(path, target):
    """A rigged model below a node that lays it down; nobody says how it stands."""
    glb = Glb(path)
    for skin in glb.json["skins"]:
        skin.pop("extras", None)
    scene = glb.json["scenes"][glb.json.get("scene", 0)]
    glb.json["nodes"].append({"name": "pivot", "rotation": [0.5 ** 0.5, 0, 0, 0.5 ** 0.5], "children": scene["nodes"]})
    scene["nodes"] = [len(glb.json["nodes"]) - 1]
    write_glb(glb, target)


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


class Rig(ProgramTest):
    def test_the_same_rig_lying_and_a_node_that_stands_it_up(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 4, "--resolution", 30, "--no-rig", "-o", "bare.glb")
        lay_vertices(self.folder / "bare.glb", self.folder / "lying.glb")
        self.run_limber("rig", "bare.glb", "-o", "usual.glb")
        report = self.run_json("rig", "lying.glb", "-o", "rigged.glb")["skeleton"]
        self.assertEqual(report["warnings"], [])
        self.assertFalse(report["facing"]["doubtful"])
        for found, expected in ((report["facing"]["up"], (0, 0, 1)), (report["facing"]["forward"], (0, -1, 0))):
            self.assertLess(distance(found, expected), 0.1)
        usual, lying = Glb(self.folder / "usual.glb"), Glb(self.folder / "rigged.glb")
        self.assertEqual([n["name"] for n in usual.json["nodes"]], [n["name"] for n in lying.json["nodes"]])
        positions = [glb.accessor(glb.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
                     for glb in (Glb(self.folder / "lying.glb"), lying)]
        self.assertEqual(positions[0], positions[1], "vertices stay as they are")
        self.run_limber("rig", "lying.glb", "--stand-up", "-o", "standing.glb")
        standing = Glb(self.folder / "standing.glb")
        self.assertEqual(len(standing.json["nodes"]), len(lying.json["nodes"]) + 1)
        for a, b in zip(usual.posed(None, 0), standing.posed(None, 0)):
            self.assertLess(distance(a, b), 1e-4)
        again = self.run_json("inspect", "standing.glb")
        self.assertLess(distance(again["up"]["axis"], (0, 1, 0)), 1e-3)

    def test_says_what_was_assumed(self):
        (self.folder / "ball.obj").write_text(
            "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n" + "".join(
                f"f {a} {b} {c}\n" for a, b, c in ((1, 3, 5), (3, 2, 5), (2, 4, 5), (4, 1, 5),
                                                   (3, 1, 6), (2, 3, 6), (4, 2, 6), (1, 4, 6))))
        self.run_limber("rig", "ball.obj", "--report", "why.json", "-o", "ball.glb")
        self.assertIn("--up and --forward", self.stderr)
        self.assertIn("--template", self.stderr)
        report = json.loads((self.folder / "why.json").read_text())["skeleton"]
        self.assertTrue(report["facing"]["doubtful"])
        self.assertEqual(report["doubts"], ["front", "unknown kind"])
        front, kind = report["warnings"]
        self.assertEqual((front["code"], kind["code"]), ("facing_assumed", "unknown_kind"))
        self.assertEqual([hint["field"] for hint in front["fields"]], ["up", "forward"])
        self.assertEqual(front["numbers"]["up_y"], 1)
        self.assertIn("--up and --forward", front["text"])
        told = self.run_json("rig", "ball.obj", "--template", "curve", "--up", "+y", "--forward", "+z", "-o", "told.glb")
        self.assertEqual(told["skeleton"]["doubts"], [])
        self.assertEqual(told["skeleton"]["warnings"], [])


class Gravity(ProgramTest):
    def test_follows_the_up_that_was_found(self):
        self.run_limber("zoo", "--plan", "biped", "--seed", 3, "--action", "walk", "-o", "walk.glb")
        lay_scene(self.folder / "walk.glb", self.folder / "lying.glb")
        usual = self.run_json("physics", "walk.glb", "-o", "a.glb", "--iterations", 3)
        lying = self.run_json("physics", "lying.glb", "-o", "b.glb", "--iterations", 3)
        self.assertLess(distance(lying["facing"]["up"], (0, 0, 1)), 0.1)
        self.assertEqual(lying["habitat"], usual["habitat"])
        for key in ("penetration", "float"):
            self.assertAlmostEqual(lying["after"][key], usual["after"][key], delta=0.01)
        clip = Glb(self.folder / "b.glb").clip("walk grounded")
        for time in (0.2, 0.5):
            heights = [p[2] for p in Glb(self.folder / "b.glb").posed(clip, time)]
            self.assertLess(abs(min(heights)), 0.02 * (max(heights) - min(heights)), "along +Z, it stands on zero")


class Motion(Animate):
    def test_is_the_same_in_the_bodys_own_frame(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 30, "--no-rig", "-o", "bare.glb")
        lay_vertices(self.folder / "bare.glb", self.folder / "lying.glb")
        quick = ("--quality", "draft", "--candidates", 1)
        self.run_limber(*self.quick(*quick, model="bare.glb", output="a.glb"))
        self.run_limber(*self.quick(*quick, "--stand-up", model="lying.glb", output="b.glb"))
        usual, standing, lying = (Glb(self.folder / f"{name}.glb") for name in "abb")
        pivot, = (node for node in lying.json["nodes"] if node.get("name") == "stand up")
        del pivot["rotation"]
        for time in (0.0, 0.2, 0.4):
            a, b, c = (glb.posed(glb.clip("a man walks"), time) for glb in (usual, lying, standing))
            height = max(p[1] for p in a) - min(p[1] for p in a)
            for p, q, r in zip(a, b, c):
                self.assertLess(distance(lie(p), q), 1e-4 * height)
                self.assertLess(distance(p, r), 1e-4 * height)


if __name__ == "__main__":
    unittest.main()
