# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber prior: tiny checkpoints looked at, sampled and scored."""
import json
import os
import pathlib
import shutil
import struct
import unittest

from limber_program import SHARED, SOURCE, ProgramTest


def checkpoint(test, name):
    """A tiny checkpoint; skips the test where there is none."""
    roots = [SHARED / "parity", SOURCE / "tests" / "data" / "parity"]
    if "LIMBER_PARITY_DIR" in os.environ:
        roots = [pathlib.Path(os.environ["LIMBER_PARITY_DIR"])]
    for root in roots:
        if (root / "video_models" / name).exists():
            return root / "video_models" / name
    return test.skipTest(f"{name} is not beside this checkout")


def tensors(path):
    """Names and shapes in a safetensors file."""
    data = path.read_bytes()
    header = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    return {name: entry["shape"] for name, entry in header.items() if name != "__metadata__"}


class Prior(ProgramTest):
    def test_inspects_a_checkpoint(self):
        report = self.run_json("prior", "inspect", checkpoint(self, "cogvideox-5b-tiny"))
        self.assertIn("CogVideoX", report["name"])
        self.assertTrue(report["complete"])
        self.assertEqual([report["frames"], report["height"], report["width"]], [9, 48, 64])
        self.assertGreater(report["memory"]["bfloat16"]["score"], report["memory"]["bfloat16"]["weights"])
        self.assertIn("complete", self.run_limber("prior", "inspect", checkpoint(self, "wan-t2v-tiny")))

    def test_says_what_is_missing(self):
        shutil.copytree(checkpoint(self, "cogvideox-2b-tiny"), self.folder / "model")
        (self.folder / "model" / "vae" / "diffusion_pytorch_model.safetensors").unlink()
        self.assertFalse(self.run_json("prior", "inspect", "model")["complete"])
        self.run_limber("prior", "sample", "model", "--prompt", "a fox", "-o", "a.safetensors", code=1)
        self.assertIn("vae", self.stderr)
        self.assertFalse((self.folder / "a.safetensors").exists())

    def test_refuses_other_models(self):
        (self.folder / "model_index.json").write_text('{"_class_name": "CogVideoXImageToVideoPipeline"}')
        self.run_limber("prior", "inspect", self.folder, code=1)
        self.assertIn("CogVideoXImageToVideoPipeline", self.stderr)
        self.run_limber("prior", "inspect", self.folder / "nowhere", code=1)
        self.run_limber("prior", "sample", self.folder, code=2)

    def test_samples_and_scores(self):
        model = checkpoint(self, "cogvideox-2b-tiny")
        common = ("--prompt", "The kangaroo hops", "--device", "cpu")
        for name in ("a", "b"):
            self.run_limber("prior", "sample", model, *common, "--steps", 2, "--seed", 4, "-o", f"{name}.safetensors")
        a, b = ((self.folder / f"{n}.safetensors").read_bytes() for n in "ab")
        self.assertEqual(a, b)
        self.assertEqual(tensors(self.folder / "a.safetensors"), {"frames": [1, 9, 3, 48, 64]})

        report = self.run_json("prior", "score", model, "a.safetensors", *common, "--draws", 2, "-o", "g.safetensors")
        self.assertEqual(len(report["draws"]), 2)
        self.assertGreater(report["gradient_norm"], 0)
        self.assertEqual(report["guidance"], 100)
        self.assertEqual(tensors(self.folder / "g.safetensors"), {"gradient": [1, 9, 3, 48, 64]})

    def test_names_a_bad_video(self):
        (self.folder / "bad.safetensors").write_bytes(b"not a video")
        self.run_limber("prior", "score", checkpoint(self, "cogvideox-2b-tiny"), "bad.safetensors", "--prompt", "x", code=1)
        self.assertIn("bad.safetensors", self.stderr)

    def test_benchmark_reports_its_parts(self):
        rows = {row["name"]: row["value"] for row in self.run_json("bench", "prior", "--device", "cpu", "--repetitions", 1)["rows"]}
        step = rows["recomputed encoder gradient/step"]
        self.assertGreater(step, rows["recomputed encoder gradient/denoiser pair"])
        self.assertGreater(rows["kept encoder gradient/peak memory"], 0)


if __name__ == "__main__":
    unittest.main()
