# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Every function on a small creature; what it says agrees with the program."""
import json
import math
import pathlib
import tempfile
import unittest

import limber
from creatures import farthest, flat, fox, program, statue


class Stages(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def saved(self, asset, name):
        path = self.folder / name
        asset.save(path)
        return path

    def test_read_gives_back_what_was_written(self):
        path = self.saved(fox(), "fox.glb")
        for back in (limber.read(path), limber.read(str(path)), limber.read(path.read_bytes()), limber.read(fox().to_glb())):
            self.assertLess(farthest(back.vertices, fox().vertices), 1e-6)
            self.assertEqual([clip.name for clip in back.clips], ["walk"])
            self.assertEqual(back.rig.names, fox().rig.names)
            self.assertEqual(back.warnings, [])

    def test_inspect_says_what_the_program_says(self):
        path = self.saved(fox(), "fox.glb")
        self.assertEqual(limber.inspect(path), program("inspect", path))

    def test_doctor_says_what_the_program_says(self):
        path = self.saved(statue(), "statue.glb")
        self.assertEqual(limber.doctor(path), program("doctor", path)["findings"])

    def test_rig_gives_a_skeleton_and_says_why(self):
        rigged = limber.rig(statue())
        self.assertGreater(len(rigged.rig), 10)
        self.assertEqual(rigged.report["skeleton"]["template"], "quadruped")
        self.assertTrue(rigged.report["skeleton"]["read_as"], "the body reader that ships was not found")
        for row in rigged.rig.skin_weights.tolist():
            self.assertAlmostEqual(sum(row), 1, 4)
        self.assertLess(max(flat(rigged.rig.skin_joints)), len(rigged.rig))
        with self.assertRaises(limber.Error):
            limber.rig(rigged)
        self.assertEqual(limber.rig(rigged, keep_skeleton=True).rig.names, rigged.rig.names)
        self.assertEqual(limber.read(self.saved(rigged, "rigged.glb")).rig.names, rigged.rig.names)

    def test_motions_move_the_skin_as_viewers_do(self):
        clip = fox().clips[0]
        motion = clip.motion(fps=20)
        self.assertEqual(motion.joint_angles.shape, (len(motion), len(motion.rig), 3))
        for frame in (0, len(motion) // 2):
            self.assertLess(farthest(motion.vertices(frame), fox().vertices_at("walk", frame / 20)), 1e-4)
        self.assertGreater(farthest(fox().vertices_at(0, clip.seconds / 2), fox().vertices), 0.01)

    def test_motions_know_quaternions_and_matrices_that_act_on_columns(self):
        motion = fox().clips[0].motion(fps=12)
        rig = motion.rig
        self.assertEqual(motion.rotations.shape, (len(motion), len(rig), 4))
        frame = len(motion) // 3
        for joint in range(1, len(rig)):
            x, y, z, w = motion.rotations[frame][joint].tolist()
            matrix = motion.matrices[frame][joint].tolist()
            self.assertEqual(matrix[3], [0, 0, 0, 1])
            self.assertAlmostEqual(x * x + y * y + z * z + w * w, 1, 5)
            # Joints of the zoo have no rest rotation, and frames that do not turn: the parent's matrix times the quaternion's.
            above = motion.matrices[frame][rig.parents[joint]].tolist()
            first_column = (1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w))
            for row in range(3):
                expected = sum(above[row][k] * first_column[k] for k in range(3))
                self.assertAlmostEqual(matrix[row][0], expected, 4)

    def test_a_motion_of_ones_own_becomes_a_clip(self):
        rig = fox().rig
        angles = [[[0.0, 0.0, 0.0] for _ in rig.names] for _ in range(3)]
        angles[1][3][0], angles[2][3][0] = 0.5, 0.3
        asset = fox().with_clip(limber.Motion(rig, angles, [[0, 0, 0.1 * f] for f in range(3)], fps=10), "nod")
        self.assertEqual([clip.name for clip in asset.clips], ["walk", "nod"])
        self.assertEqual(len(fox().clips), 1)  # which has not changed
        back = asset.clips[1].motion(fps=10)
        self.assertLess(farthest(back.joint_angles, limber.Motion(rig, angles).joint_angles), 1e-4)
        with self.assertRaises(limber.InputError):
            limber.Motion(rig, [[[0, 0, 0]]])
        with self.assertRaises(limber.ConflictError):
            limber.zoo("biped", 1, resolution=24).with_clip(back)

    def test_animate_follows_a_prompt(self):
        stages = set()
        trot = limber.animate(fox(), prompt="a fox trots", quality="draft", candidates=1, steps=4, seed=3,
                              progress=lambda stage, fraction: stages.add(stage))
        self.assertGreater(len(trot.motion), 20)
        self.assertEqual(trot.motion.fps, 30)
        self.assertTrue(all(map(math.isfinite, flat(trot.motion.joint_angles))))
        self.assertEqual(trot.report["prompt"], "a fox trots")
        self.assertEqual(trot.report["skate"], trot.report["metrics"]["skate_per_second"])
        self.assertTrue(stages)
        trot.save(self.folder / "trot.glb")
        written = limber.read(self.folder / "trot.glb")
        self.assertEqual([clip.name for clip in written.clips], ["walk", trot.clip.name])
        trot.save(self.folder / "trot.bvh")
        self.assertAlmostEqual(limber.read(self.folder / "trot.bvh").clips[0].seconds, trot.clip.seconds, 1)

    def test_animate_makes_packs(self):
        pack = limber.animate(fox(), clips=["walk", "it turns, slowly"], method="rule", ground="lock")
        self.assertEqual([clip.name for clip in pack.clips], ["walk 2", "it turns, slowly"], "the fox has a walk of its own")
        self.assertEqual([clip["loops"] for clip in pack.report["clips"]], [True, False])
        self.assertEqual(pack.clip.name, "walk 2")
        self.assertEqual({step["from"] for step in pack.report["transitions"]}, {"walk 2", "it turns, slowly"})
        text = limber.animate(fox(), clips="walk, it turns", method="rule", ground="lock")
        self.assertEqual(len(text.clips), 2)
        with self.assertRaisesRegex(limber.ConflictError, "clips= and prompt="):
            limber.animate(fox(), "it sits", clips=["walk"])
        with self.assertRaisesRegex(TypeError, "clips= should be a text"):
            limber.animate(fox(), clips=[1])

    def test_create_makes_a_body_from_words(self):
        dragon = limber.create("a small red dragon with fur", seed=3, resolution=24)
        self.assertEqual(dragon.report["noun"], "dragon")
        self.assertIn("fur", dragon.report["warnings"][0]["text"])
        self.assertGreater(len(dragon.rig.names), 10)
        self.assertIsNone(limber.create("a dog", resolution=24, rigged=False).rig)
        with self.assertRaisesRegex(limber.InputError, "dragon"):
            limber.create("a dragn")
        for wish in ({"seed": 1}, {"resolution": 24}, {"rigged": False}):
            with self.assertRaisesRegex(ValueError, next(iter(wish))):
                limber.create("a pot", text_to_3d="true", **wish)

    def test_physics_puts_a_clip_on_the_ground(self):
        rig = fox().rig
        walk = fox().clips[0].motion(fps=12)
        sunk = [[x, y - 0.05, z] for x, y, z in walk.root_translations.tolist()]
        asset = fox().with_clip(limber.Motion(rig, walk.joint_angles, sunk, fps=12, loops=walk.loops), "sunk")
        grounded = limber.physics(asset, "sunk", ground="lock", fps=12)
        self.assertEqual(grounded.clip.name, "sunk grounded")
        self.assertGreater(grounded.report["before"]["penetration"], 0.03)
        self.assertLess(grounded.report["after"]["penetration"], 0.01)
        simulated = limber.physics(fox(), iterations=2, fps=12)
        self.assertGreater(simulated.report["tracking"]["iterations"], 0)

    def test_retarget_carries_a_clip_over_to_another_body(self):
        cow = limber.zoo("quadruped", 12, resolution=24)
        walk = limber.retarget(fox(), cow, "walk")
        self.assertEqual(walk.clip.name, "walk")
        self.assertEqual(walk.motion.rig.names, cow.rig.names)
        self.assertLess(walk.report["clips"][0]["skate_per_second"], 0.05)
        led = limber.retarget(fox(), cow, map={"tail": "none", "leg.1.L": "leg.1.R"}).report["clips"][0]["map"]["limbs"]
        self.assertIn({"target": "leg.1.L", "source": "leg.1.R", "how": "as asked"}, led)
        with self.assertRaises(limber.InputError):
            limber.retarget(fox(), cow, map={"wing.L": "leg.1.R"})
        with self.assertRaises(limber.ConflictError):
            limber.retarget(fox(), limber.zoo("fish", 1, resolution=24))

    def test_parts_labels_every_face(self):
        found = limber.parts(statue())
        self.assertEqual(found.labels.shape, (len(statue().faces),))
        self.assertEqual(set(found.labels.tolist()), set(range(len(found))))
        self.assertEqual(found.colors.shape, (len(found), 3))
        self.assertTrue(0 <= found.agreement <= 1)
        rigged = limber.rig(statue(), parts=found)
        self.assertEqual(rigged.report["skeleton"]["template"], "parts")
        self.assertEqual(limber.rig(statue(), from_="parts").rig.names, rigged.rig.names)
        with self.assertRaises(limber.ConflictError):
            limber.rig(statue(), parts=found, template="quadruped")

    def test_pose_space_draws_judges_mends_and_solves(self):
        space = limber.pose_space(fox())
        drawn = space.sample(2, seed=5)
        self.assertEqual(len(drawn), 2)
        self.assertEqual(drawn.joint_angles.tolist(), space.sample(2, seed=5).joint_angles.tolist())
        self.assertTrue(all(0 <= score <= 1 for score in space.score(drawn)))
        self.assertEqual(len(space.project(drawn)), 2)
        name = space.joints[-1]
        index = fox().rig.names.index(name)
        rest = [row[3] for row in fox().rig.world_from_rest[index].tolist()[:3]]
        scale, offset = fox().rig.asset_scale, fox().rig.asset_offset
        place = [scale * r + o for r, o in zip(rest, offset)]
        place[1] += 0.02 * scale
        solved = space.solve({name: place})
        self.assertLess(solved.errors[name], 1e-3)
        matrix = solved.motion.matrices[0][index].tolist()
        for axis in range(3):
            self.assertAlmostEqual(scale * matrix[axis][3] + offset[axis], place[axis], 2)
        self.assertEqual(len(fox().with_clip(solved.motion, "pose").clips), 2)

    def test_render_draws_what_is_there(self):
        one = limber.render(fox(), time=0.3, size=(64, 48), layer="mask")
        self.assertEqual(one.pixels.shape, (1, 48, 64, 3))
        self.assertEqual(set(flat(one.pixels)) & {0, 255}, {0, 255})
        clip = limber.render(fox(), clip="walk", frames=3, size=(64, 48))
        self.assertEqual(clip.pixels.shape, (3, 48, 64, 3))
        self.assertNotEqual(clip.pixels[0].tolist(), clip.pixels[2].tolist())
        self.assertEqual(limber.render(statue(), views=2, size=(32, 24)).pixels.shape, (1, 2, 24, 32, 3))
        one.save(self.folder / "fox.png")
        self.assertEqual((self.folder / "fox.png").read_bytes()[:4], b"\x89PNG")
        clip.save(self.folder / "walk.gif")
        self.assertTrue((self.folder / "walk.gif").stat().st_size > 100)
        with self.assertRaises(limber.ConflictError):
            clip.save(self.folder / "walk.png")

    def test_evaluate_says_what_the_program_says(self):
        mine, truth = self.saved(limber.rig(statue(), template="curve"), "mine.glb"), self.saved(fox(), "truth.glb")
        told = limber.evaluate(mine, truth)
        pair = program("evaluate", "rig", mine, truth)["pairs"][0]
        files = ("predicted", "truth")
        self.assertEqual(told["rig"], {key: pair[key] for key in pair if key not in files})
        pair = program("evaluate", "skin", mine, truth)["pairs"][0]
        self.assertEqual(told["skin"], {key: pair[key] for key in pair if key not in files})
        self.assertLess(limber.evaluate(fox(), fox())["rig"]["chamfer_x100"]["j2j"], 1e-6)

    def test_score_and_mend_say_what_the_program_says(self):
        truth = self.saved(fox(), "truth.glb")
        told = program("score", truth)
        self.assertEqual(limber.score(truth), {key: told[key] for key in told if key != "input"})
        name = told["clips"][0]["clip"]
        self.assertEqual([clip["clip"] for clip in limber.score(truth, name)["clips"]], [name])
        mended = limber.mend(truth, ["loop", "floor"])
        done = program("mend", truth, "--loop", "--floor", "-o", self.folder / "mended.glb")
        self.assertEqual(mended.report, {key: done[key] for key in done if key not in ("input", "output")})
        with self.assertRaises(limber.InputError):
            limber.mend(truth, ["everything"])

    def test_reports_are_plain_json(self):
        json.dumps([limber.inspect(fox()), limber.rig(statue()).report])


if __name__ == "__main__":
    unittest.main()
