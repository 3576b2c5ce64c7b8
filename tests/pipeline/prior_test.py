# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber prior: tiny checkpoints looked at, sampled and scored."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
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


def needs_ffmpeg(test):
    if not shutil.which("ffmpeg"):
        test.skipTest("the program ffmpeg is not installed")


def probe(path):
    """Width, height and frames of a video, as ffprobe counts them."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                           "stream=width,height,nb_read_frames,avg_frame_rate", "-of", "json", str(path)],
                          capture_output=True, text=True, check=True)
    stream = json.loads(done.stdout)["streams"][0]
    return stream["width"], stream["height"], int(stream["nb_read_frames"]), stream["avg_frame_rate"]


def rewrite(path, change):
    """Applies `change` to the header of a safetensors file."""
    data = path.read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.dumps(change(json.loads(data[8:end]))).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + data[end:])


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

    def test_samples_a_video_and_scores_it(self):
        needs_ffmpeg(self)
        for model, fps, frames in (("cogvideox-2b-tiny", "8/1", 9), ("wan-t2v-tiny", "16/1", 5)):
            model = checkpoint(self, model)
            common = ("--prompt", "The kangaroo hops", "--device", "cpu")
            size = ("--height", 48, "--width", 64, "--frames", frames)
            self.run_limber("prior", "sample", model, *common, *size, "--steps", 1, "-o", "a.mp4")
            self.assertEqual(probe(self.folder / "a.mp4"), (64, 48, frames, fps))
            report = self.run_json("prior", "score", model, "a.mp4", *common, "--size", "keep", "-o", "g.safetensors")
            self.assertGreater(report["gradient_norm"], 0)
            self.assertEqual(tensors(self.folder / "g.safetensors"), {"gradient": [1, frames, 3, 48, 64]})
        self.assertEqual(self.files(), ["a.mp4", "g.safetensors"])

    def test_samples_to_pictures_and_loops(self):
        needs_ffmpeg(self)
        model = checkpoint(self, "cogvideox-2b-tiny")
        common = ("prior", "sample", model, "--prompt", "x", "--device", "cpu", "--steps", 1)
        self.run_limber(*common, "-o", "frames", "--frames", 9)
        self.assertEqual(self.files(), [f"frames/{i:05}.png" for i in range(9)])
        self.run_limber(*common, "-o", "a.gif", "--fps", 10)
        self.assertEqual(probe(self.folder / "a.gif")[:3], (64, 48, 9))
        self.run_limber(*common, "-o", "a.webp")
        self.assertEqual((self.folder / "a.webp").read_bytes().count(b"ANMF"), 9)

    def test_fits_any_video_to_the_model(self):
        needs_ffmpeg(self)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=123x77:r=30:d=1", "wide.mkv"],
                       cwd=self.folder, check=True)
        for model, expected in (("cogvideox-2b-tiny", [1, 9, 3, 48, 64]), ("wan-t2v-tiny", [1, 13, 3, 32, 48])):
            model = checkpoint(self, model)
            options = ("--size", "48x32", "--frames", 15, "--step", 2) if "wan" in model.name else ()
            score = ("prior", "score", model, "wide.mkv", "--prompt", "x", "--device", "cpu", "-o", "g.safetensors")
            self.run_limber(*score, *options)
            self.assertIn("scaled and cropped from 123 x 77", self.stderr)
            self.assertEqual(tensors(self.folder / "g.safetensors"), {"gradient": expected})
        self.run_limber(*score, "--size", "50x32", code=1)
        self.assertIn("multiples of 16", self.stderr)
        self.run_limber(*score, "--start", 1000, code=1)
        self.assertIn("wide.mkv: has no frame 1000, only 30", self.stderr)
        self.run_limber(*score, "--size", "large", code=2)

    def test_tells_of_bad_videos_and_outputs_before_loading(self):
        model = checkpoint(self, "cogvideox-2b-tiny")
        (self.folder / "bad.mp4").write_bytes(b"not a video")
        self.run_limber("prior", "score", model, "bad.mp4", "--prompt", "x", code=1)
        self.assertIn("bad.mp4: ", self.stderr)
        self.run_limber("prior", "sample", model, "--prompt", "x", "-o", "a.avi", code=1)
        self.assertIn(".mp4, .gif, .webp", self.stderr)
        self.run_limber("prior", "sample", model, "--prompt", "x", "-o", "none/a.mp4", code=1)
        self.assertIn("folder is missing", self.stderr)
        path = os.environ["PATH"]
        os.environ["PATH"] = str(self.folder)
        try:
            self.run_limber("prior", "sample", model, "--prompt", "x", "-o", "a.mp4", code=1)
            self.assertIn("install the package ffmpeg", self.stderr)
        finally:
            os.environ["PATH"] = path
        self.assertEqual(self.files(), ["bad.mp4"])

    def broken(self, model, change):
        """What `sample` and `inspect` say about a checkpoint of which `change` has altered a file of weights."""
        shutil.rmtree(self.folder / "model", ignore_errors=True)
        shutil.copytree(checkpoint(self, model), self.folder / "model", copy_function=shutil.copyfile)
        change(sorted((self.folder / "model" / "transformer").glob("*.safetensors"))[0])
        self.run_limber("prior", "sample", "model", "--prompt", "x", "--steps", 1, "-o", "a.safetensors", code=1)
        self.assertNotIn("internal error", self.stderr)
        self.assertFalse((self.folder / "a.safetensors").exists())
        sampled = self.stderr
        report = self.run_json("prior", "inspect", "model")
        self.assertFalse(report["complete"])
        return sampled, "\n".join(p for c in report["components"] for p in c["problems"])

    def test_names_the_tensor_that_is_wrong(self):
        for model in ("cogvideox-5b-tiny", "cogvideox-2b-tiny"):
            renamed = []

            def rename(path):
                renamed.append(sorted(tensors(path))[0])
                rewrite(path, lambda header: {("other" if k == renamed[0] else k): v for k, v in header.items()})

            for message in self.broken(model, rename):
                self.assertIn(renamed[0], message)

    def test_names_the_file_that_is_cut(self):
        for keep in (-100, 20, 0):
            for message in self.broken("cogvideox-5b-tiny", lambda path: path.write_bytes(path.read_bytes()[:keep])):
                self.assertIn("diffusion_pytorch_model", message)

    def test_names_the_shard_that_is_missing(self):
        original = checkpoint(self, "cogvideox-5b-tiny")
        shutil.copytree(original, self.folder / "model", copy_function=shutil.copyfile)
        folder = self.folder / "model" / "transformer"
        weights = next(folder.glob("*.safetensors"))
        if list(folder.glob("*.index.json")):
            sharded = sorted(folder.glob("*.safetensors"))[-1]
        else:
            # An index that spreads the tensors over the file that is there and one that is not.
            names = sorted(tensors(weights))
            sharded = folder / "diffusion_pytorch_model-00002-of-00002.safetensors"
            one = weights.rename(folder / "diffusion_pytorch_model-00001-of-00002.safetensors")
            (folder / "diffusion_pytorch_model.safetensors.index.json").write_text(
                json.dumps({"weight_map": {n: (one if i else sharded).name for i, n in enumerate(names)}}))
        sharded.unlink(missing_ok=True)
        self.run_limber("prior", "sample", "model", "--prompt", "x", "--steps", 1, "-o", "a.safetensors", code=1)
        self.assertIn(sharded.name, self.stderr)

    def test_reads_long_prompts_and_other_scripts(self):
        model = checkpoint(self, "wan-t2v-tiny")
        words = " ".join(f"word{i} runs" for i in range(250))
        frames = set()
        for prompt in (words, "狐狸在草地上小跑", "الثعلب يركض", "лиса бежит", "🦊 ट्रॉट", "", words + " and more"):
            self.run_limber("prior", "sample", model, "--prompt", prompt, "--steps", 1, "--frames", 5, "--height", 32,
                            "--width", 32, "--device", "cpu", "-o", "a.safetensors")
            frames.add((self.folder / "a.safetensors").read_bytes())
            self.assertEqual("left out" in self.stderr, prompt.startswith(words), self.stderr)
        self.assertGreaterEqual(len(frames), 2)

    def test_takes_a_text_length(self):
        size = ("--steps", 1, "--frames", 5, "--height", 32, "--width", 32, "--device", "cpu", "-o", "a.safetensors")
        outputs = set()
        for length in ((), ("--text-length", 8), ("--text-length", 64)):
            self.run_limber("prior", "sample", checkpoint(self, "wan-t2v-tiny"), "--prompt", "a fox trots", *size, *length)
            outputs.add((self.folder / "a.safetensors").read_bytes())
        self.assertGreaterEqual(len(outputs), 2)
        self.run_limber("prior", "sample", checkpoint(self, "cogvideox-2b-tiny"), "--prompt", "a fox", *size,
                        "--text-length", 7, code=1)
        self.assertIn("no other length", self.stderr)

    def test_benchmark_reports_its_parts(self):
        rows = {row["name"]: row["value"] for row in self.run_json("bench", "prior", "--device", "cpu", "--repetitions", 1)["rows"]}
        step = rows["recomputed encoder gradient/step"]
        self.assertGreater(step, rows["recomputed encoder gradient/denoiser pair"])
        self.assertGreater(rows["kept encoder gradient/peak memory"], 0)


if __name__ == "__main__":
    unittest.main()
