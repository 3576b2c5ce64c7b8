# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber rig and limber evaluate, as a person uses them."""
import json
import struct
import unittest

from limber_program import ProgramTest, shared


def glb_json(path):
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length])


class KeepSkeleton(ProgramTest):
    def test_reskinning_changes_nothing_but_weights(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "-o", "creature.glb")
        report = self.run_json("rig", "creature.glb", "--keep-skeleton", "--report", "report.json", "-o", "out.glb")
        self.assertGreater(report["joints"], 5)
        self.assertEqual(json.loads((self.folder / "report.json").read_text()), report)
        self.assertTrue(all(piece["reason"] for piece in report["skin"]["pieces"]))
        before, after = glb_json(self.folder / "creature.glb"), glb_json(self.folder / "out.glb")
        for key in ("nodes", "materials", "skins", "scenes", "animations"):
            self.assertEqual(before.get(key), after.get(key), key)
        for old, new in zip(before["meshes"], after["meshes"]):
            for a, b in zip(old["primitives"], new["primitives"]):
                self.assertEqual(a.get("indices"), b.get("indices"))
                for name, accessor in a["attributes"].items():
                    if not name.startswith(("JOINTS", "WEIGHTS")):
                        self.assertEqual(accessor, b["attributes"][name])

    def test_every_method_makes_weights_near_the_creatures_own(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "-o", "creature.glb")
        for method in ("auto", "heat", "voxel", "parts"):
            self.run_limber("rig", "creature.glb", "--keep-skeleton", "--weights", method, "-o", f"{method}.glb")
            report = self.run_json("evaluate", "skin", f"{method}.glb", "creature.glb")
            self.assertLess(report["summary"]["truth_filtered"]["l1"], 0.8, method)

    def test_refuses_what_has_no_skeleton(self):
        (self.folder / "triangle.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.run_limber("rig", "triangle.obj", "--keep-skeleton", "-o", "out.glb", code=1)
        self.assertIn("no rig", self.stderr)
        self.assertEqual(self.files(), ["triangle.obj"])


class FindSkeleton(ProgramTest):
    def test_a_creature_gets_its_skeleton_back_and_keeps_everything_else(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "-o", "truth.glb")
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--no-rig", "-o", "creature.glb")
        self.run_limber("rig", "creature.glb", "--report", "report.json", "-o", "out.glb")
        report = json.loads((self.folder / "report.json").read_text())["skeleton"]
        self.assertEqual(report["template"], "quadruped")
        self.assertEqual(report["joints_outside"], 0)
        before, after = glb_json(self.folder / "creature.glb"), glb_json(self.folder / "out.glb")
        self.assertEqual(before["materials"], after["materials"])
        self.assertEqual(before["nodes"][0]["name"], after["nodes"][0]["name"])
        for name, accessor in before["meshes"][0]["primitives"][0]["attributes"].items():
            new = after["meshes"][0]["primitives"][0]["attributes"][name]
            self.assertEqual(before["accessors"][accessor], after["accessors"][new])
        judged = self.run_json("evaluate", "rig", "out.glb", "truth.glb")["pairs"][0]
        self.assertEqual(judged["facing"], {"head": True, "sides": True})
        self.assertLess(judged["chamfer_x100"]["j2j"], 5)

    def test_part_labels_make_a_joint_each(self):
        self.run_limber("zoo", "--plan", "biped", "--seed", 2, "--no-rig", "-o", "creature.glb")
        report = self.run_json("rig", "creature.glb", "--parts", "extras", "-o", "out.glb")
        self.assertIn("knee.L", report["skeleton"]["joints"])

    def test_refuses_politely(self):
        self.run_limber("zoo", "--plan", "snake", "--seed", 1, "--no-rig", "-o", "creature.glb")
        self.run_limber("rig", "creature.glb", "--names", "unity", "-o", "out.glb", code=1)
        self.assertIn("humanoid", self.stderr)
        self.run_limber("rig", "creature.glb", "--pin", "head=1,2", "-o", "out.glb", code=2)
        self.assertIn("NAME=X,Y,Z", self.stderr)
        for option in ("--forward", "--up"):
            self.run_limber("rig", "creature.glb", option, "sideways", "-o", "out.glb", code=2)
            self.assertIn(option, self.stderr)
        self.assertEqual(self.files(), ["creature.glb"])
        self.run_limber("zoo", "--plan", "snake", "--seed", 1, "-o", "rigged.glb")
        self.run_limber("rig", "rigged.glb", "-o", "out.glb", code=1)
        self.assertIn("--replace", self.stderr)

    def test_contradictory_options_are_wrong_usage_and_named(self):
        kept = [["--replace"], ["--template", "fish"], ["--skeleton", "s.json"], ["--parts", "extras"], ["--pin", "a=1,2,3"],
                ["--joints", 9], ["--root", "a"], ["--names", "vrm"], ["--up", "+z"], ["--forward", "-x"], ["--reader", "r"]]
        pairs = [(["--keep-skeleton"], other) for other in kept]
        pairs += [(["--parts", "extras"], other) for other in kept[1:3] + kept[4:6] + kept[7:8] + kept[10:]]
        pairs += [(["--template", "curve"], other) for other in (["--pin", "a=1,2,3"], ["--names", "vrm"], ["--reader", "r"])]
        pairs += [(["--template", "fish"], ["--skeleton", "s.json"]), (["--up", "Z"], ["--forward", "0,0,-2"])]
        for one, other in pairs:
            self.run_limber("rig", "a.glb", *one, *other, "-o", "out.glb", code=2)
            self.assertIn(one[0], self.stderr)
            self.assertIn(other[0], self.stderr)
        self.run_limber("rig", "a.glb", "--reader", "none", "--reader", "folder", "-o", "out.glb", code=2)
        self.assertIn("--reader", self.stderr)

    def test_directions_read_alike_in_either_case(self):
        # A creature that lies: +Z is up, and it looks along -Y.
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--no-rig", "--resolution", 24, "-o", "creature.glb")
        self.run_limber("convert", "creature.glb", "-o", "creature.obj")
        lines = (self.folder / "creature.obj").read_text().splitlines()
        turned = []
        for line in lines:
            words = line.split()
            if words and words[0] in ("v", "vn"):
                x, y, z = words[1:4]
                line = " ".join([words[0], x, z[1:] if z.startswith("-") else "-" + z, y])
            turned.append(line)
        (self.folder / "lying.obj").write_text("\n".join(turned) + "\n")
        reports = []
        for up, forward in (("+Z", "-Y"), ("z", "-y"), ("0,0,3", "0,-1,0")):
            report = self.run_json("rig", "lying.obj", "--up", up, "--forward", forward, "--reader", "none", "-o", "out.glb")
            reports.append((report["skeleton"]["facing"], (self.folder / "out.glb").read_bytes()))
        self.assertTrue(all(report == reports[0] for report in reports))
        facing = reports[0][0]
        self.assertEqual(facing["reason"], "as asked")
        self.assertEqual(facing["confidence"], 1)
        self.assertGreater(facing["up"][2], 0.99)
        self.assertLess(facing["forward"][1], -0.99)


class Evaluate(ProgramTest):
    def test_a_rig_agrees_with_itself(self):
        fox = shared(self, "assets/quadruped/fox_m2m.glb")
        rig = self.run_json("evaluate", "rig", fox, fox)["pairs"][0]
        self.assertEqual(rig["chamfer_x100"], {"j2j": 0, "j2b": 0, "b2b": 0})
        self.assertEqual(rig["joint_scores"]["iou"], 1)
        self.assertEqual(rig["tree_edits"], 0)
        self.assertEqual(rig["facing"], {"head": True, "sides": True})
        skin = self.run_json("evaluate", "skin", fox, fox)["pairs"][0]
        self.assertEqual(skin["truth_filtered"], {"precision": 100, "recall": 100, "l1": 0})
        self.assertLess(skin["deformation"]["max"], 1e-6)
        # Its limbs are plain meshes below joints that move a skin too: two bones of one joint.
        robot = shared(self, "assets/robot/robot_expressive_threejs.glb")
        skin = self.run_json("evaluate", "skin", robot, robot)["pairs"][0]
        self.assertLess(skin["deformation"]["max"], 1e-6)

    def test_counts_failures_and_reads_rig_texts(self):
        square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
        rig = "joints a 0 0 0\njoints b 1 1 0\nroot a\nhier a b\nskin 0 a 1\nskin 1 a 1\nskin 2 b 1\nskin 3 b 1\n"
        for folder in ("mine", "truth"):
            (self.folder / folder).mkdir()
            for name in ("one", "two", "three"):
                (self.folder / folder / f"{name}.obj").write_text(square)
                (self.folder / folder / f"{name}.txt").write_text(rig)
        (self.folder / "mine" / "two.txt").write_text(rig + "hier b a\n")
        (self.folder / "mine" / "three.txt").unlink()
        report = self.run_json("evaluate", "rig", "mine", "truth")
        self.assertEqual(report["summary"]["pairs"], 3)
        self.assertEqual(report["summary"]["valid"], 1)
        self.assertEqual(report["summary"]["chamfer_x100"]["j2j"], 0)
        cost = report["summary"]["chamfer_x100_failures_cost_the_diagonal"]["j2j"]
        self.assertAlmostEqual(cost, 100 * 2 / 3 * 2**0.5, places=6)
        reasons = {pair["truth"]: pair.get("reason", "") for pair in report["pairs"]}
        self.assertIn("two.txt:9", reasons["truth/two.txt"])
        skin = self.run_json("evaluate", "skin", "mine/one.txt", "truth/one.txt")
        self.assertEqual(skin["summary"]["puppeteer"]["l1"], 0)
        self.run_limber("evaluate", "rig", "mine/one.txt", code=2)


if __name__ == "__main__":
    unittest.main()
