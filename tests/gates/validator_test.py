# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The Khronos validator about GLB files that limber writes: nothing that the input did not have."""
import unittest

from gates import FOLDER, GateTest
from limber_program import shared


def kinds(messages):
    return {message["code"] for message in messages}


class Validator(GateTest):
    def check(self, *files):
        for file, messages in self.ask("validate.mjs", *files).items():
            self.assertEqual(kinds(messages), set(), f"{file}: {messages}")

    def test_creatures_and_what_is_made_of_them_are_without_fault(self):
        self.run_limber("zoo", "--action", "all", "--resolution", 32, "-o", "zoo.glb")
        self.run_limber("zoo", "--no-rig", "--resolution", 32, "-o", "statue.obj")
        self.run_limber("rig", "statue.obj", "-o", "rigged.glb")
        self.run_limber("convert", "zoo.glb", "--clip", "trot", "--time", 0.2, "-o", "posed.glb")
        self.run_limber("convert", "zoo.glb", "-o", "zoo.fbx")
        self.run_limber("convert", "zoo.fbx", "-o", "back.glb")
        self.check("zoo.glb", "rigged.glb", "posed.glb")
        # The tree of an FBX file stays as it is, with its meshes below its root.
        report = self.ask("validate.mjs", "back.glb")
        self.assertLessEqual(kinds(report["back.glb"]), {"NODE_SKINNED_MESH_NON_ROOT"}, report)

    def test_artists_files_get_no_new_faults(self):
        for name in ("assets/quadruped/fox_khronos.glb", "assets/humanoid/cesium_man_khronos.glb", "assets/robot/robot_expressive_threejs.glb"):
            source = shared(self, name)
            self.run_limber("rig", source, "--keep-skeleton", "-o", "again.glb")
            report = self.ask("validate.mjs", source, "again.glb")
            self.assertLessEqual(kinds(report["again.glb"]), kinds(report[str(source)]), name)

    def test_files_of_the_other_tests_are_without_new_faults(self):
        """Those that limber_program.py kept, each beside what it was made from."""
        written = sorted((FOLDER / "written").glob("*.out.glb"))
        if not written:
            self.skipTest("no test has written anything yet")
        for start in range(0, len(written), 50):
            some = written[start:start + 50]
            sources = [p.with_name(p.name.replace(".out.glb", ".in.glb")) for p in some]
            report = self.ask("validate.mjs", *some, *[s for s in sources if s.exists()])
            for file, source in zip(some, sources):
                new = [m for m in report[str(file)] if m["code"] not in kinds(report.get(str(source), []))]
                self.assertEqual(new, [], file.name)


if __name__ == "__main__":
    unittest.main()
