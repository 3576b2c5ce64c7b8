# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber animate --method native: a network on joints, without pictures. A tiny one with random weights moves bodies badly, but by the same code."""
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest
import unittest.mock

from gltf_oracle import Glb
from limber_program import PROGRAM, SOURCE, ProgramTest

SHIPPED = SOURCE / "models" / "motion_space"
ACTIONS = ["walk", "idle", "sit", "run", "wave"]
WIDTH, LAYERS, HEADS, FEATURES, RELATIONS = 16, 2, 2, 52, 34


def tensors(features, width=WIDTH, layers=LAYERS, heads=HEADS):
    """Names and shapes of the network of motions (limber/motion_space/motion_denoiser.cpp)."""
    tokens, pose, state, sway, body, known = 16, 40, 9, 16, 4, 44
    shapes = {"body": [width], "moments": [tokens, width], "actions": [len(ACTIONS) + 1, width], "choices": [16, width],
              "relations": [RELATIONS, layers * heads], "norm.weight": [width], "norm.bias": [width]}

    def linear(name, inputs, outputs):
        shapes[name + ".weight"], shapes[name + ".bias"] = [outputs, inputs], [outputs]
    for name, inputs, outputs in (("joint_1", features, width), ("joint_2", width, width), ("poses", pose, width),
                                  ("mean", state, width), ("sway", sway, width), ("steady", body, width),
                                  ("known_poses", known, width), ("known_sway", sway + 4, width), ("asked", width, width),
                                  ("time_1", width, width), ("time_2", width, width), ("modulation", width, 9 * width),
                                  ("say_poses", width, pose), ("say_mean", width, state), ("say_sway", width, sway),
                                  ("say_steady", width, body)):
        linear(name, inputs, outputs)
    for i in range(layers):
        for name, inputs, outputs in (("qkv", width, 3 * width), ("out", width, width), ("time_qkv", width, 3 * width),
                                      ("time_out", width, width), ("up", width, 4 * width), ("down", 4 * width, width)):
            linear(f"blocks.{i}.{name}", inputs, outputs)
        shapes[f"blocks.{i}.modulation"], shapes[f"blocks.{i}.times"] = [9 * width], [heads * tokens, tokens]
    return shapes


def write_network(folder, loudness):
    """motions.json and motions.safetensors; `loudness` 0: what it draws is the body at rest."""
    folder.mkdir(parents=True)
    draw = random.Random(3)
    header, body = {}, bytearray()
    for name, shape in sorted(tensors(FEATURES).items()):
        count = math.prod(shape)
        scale = (1 / math.sqrt(shape[-1]) if len(shape) > 1 else 0.1) * (loudness if name.startswith("say_") else 1)
        base = 1.0 if name == "norm.weight" else 0.0
        values = struct.pack(f"<{count}f", *(base + scale * draw.gauss(0, 1) for _ in range(count)))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + len(values)]}
        body += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "motions.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(body))
    (folder / "motions.json").write_text(json.dumps({"format": "limber motion space 1", "width": WIDTH, "layers": LAYERS,
                                                     "heads": HEADS, "features": FEATURES, "judges": 0, "actions": ACTIONS}))


class Native(ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="limber-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.shared = pathlib.Path(folder.name)
        write_network(cls.shared / "lively" / "motion_space", 0.3)
        write_network(cls.shared / "dull" / "motion_space", 0)
        cls.creature = cls.shared / "creature.glb"
        subprocess.run([PROGRAM, "zoo", "--plan", "quadruped", "--seed", "3", "--resolution", "30", "-o", str(cls.creature)],
                       check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        self.take("lively")

    def take(self, network):
        chosen = unittest.mock.patch.dict(os.environ, LIMBER_MODELS=str(self.shared / network))
        chosen.start()
        self.addCleanup(chosen.stop)

    def draw(self, *arguments, prompt="a dog walks", model=None, output="out.glb"):
        return ["animate", model or self.creature, "--method", "native", "--prompt", prompt, "--quality", "draft", "--steps", 2,
                "--no-fallback", "--no-preview", "-o", output, *arguments]

    def test_moves_a_creature_the_same_way_each_time(self):
        report = self.run_json(*self.draw("--seed", 4))
        self.assertEqual((report["method"], report["drawn_by"]["method"]), ("native", "native"))
        self.assertEqual(report["metrics"]["not_finite"], 0)
        self.assertAlmostEqual(report["seconds_of_motion"], 2, places=5)
        first = (self.folder / "out.glb").read_bytes()
        self.run_json(*self.draw("--seed", 4))
        self.assertEqual((self.folder / "out.glb").read_bytes(), first)
        self.run_json(*self.draw("--seed", 5))
        self.assertNotEqual((self.folder / "out.glb").read_bytes(), first)

    def test_every_candidate_becomes_a_clip(self):
        report = self.run_json(*self.draw("--candidates", 2, "--name", "go"))
        glb = Glb(self.folder / "out.glb")
        seeds = [glb.clip(name)["extras"]["limber"]["seed"] for name in ("go", "go 2")]
        self.assertEqual(seeds, [candidate["seed"] for candidate in report["candidates"]])
        self.assertLessEqual(report["candidates"][0]["score"], report["candidates"][1]["score"])

    def test_does_one_thing_after_the_other_and_goes_on_from_there(self):
        text = self.run_limber(*self.draw("--seconds", 5, "--name", "both", prompt="a dog walks, then sits"))
        self.assertIn("understood: walk 0-2.5 s, sit 2.5-5 s", text)
        (self.folder / "out.glb").rename(self.folder / "both.glb")
        report = self.run_json(*self.draw("--continue", "both", "--ground", "none", model="both.glb"))
        self.assertLess(report["keyframe_error_deg"], 0.01)
        report = self.run_json(*self.draw("--keyframes", "both.glb:0,1,1.5", "--ground", "none", model="both.glb"))
        self.assertLess(report["keyframe_error_deg"], 0.01)

    def test_closes_loops(self):
        report = self.run_json(*self.draw("--loop", "--seconds", 3))
        self.assertAlmostEqual(report["seconds_of_motion"], 3, places=1)
        self.assertTrue(report["finished"]["loop"]["passed"])

    def test_falls_back_on_another_method_in_words(self):
        self.take("dull")
        self.run_limber(*[a for a in self.draw("--ground", "lock") if a != "--no-fallback"])
        report = json.loads((self.folder / "out.report.json").read_text())
        self.assertIn(report["drawn_by"]["method"], ("sample", "rule"))
        self.assertEqual(len(report["drawn_by"]["rejected"]), 4)
        self.assertIn("--no-fallback", self.stderr)

    def test_names_both_options_that_contradict_each_other(self):
        for more in (["--negative", "a bird"], ["--iterations", 3], ["--device", "cuda"], ["--prior", "nowhere"], ["--samples", "s.glb"]):
            self.run_limber(*self.draw(*more), code=2)
            self.assertIn(more[0], self.stderr)
            self.assertIn("--method", self.stderr)


# There from the day on which the network is.
if SHIPPED.is_dir():
    class Shipped(ProgramTest):
        def test_the_network_that_ships_trots(self):
            self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 30, "-o", "dog.glb")
            report = self.run_json("animate", "dog.glb", "--method", "native", "--prompt", "a dog trots", "--quality", "draft",
                                   "--no-preview", "-o", "out.glb")
            self.assertEqual((report["drawn_by"]["method"], report["drawn_by"]["rejected"]), ("native", []))
            for question in ("moves", "travels", "stands"):
                self.assertIsNot(report["questions"][question]["passed"], False, question)


if __name__ == "__main__":
    unittest.main()
