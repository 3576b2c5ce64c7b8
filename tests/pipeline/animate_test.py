# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber animate: from a prompt or a video to a clip, and resumed where it was killed."""
import json
import math
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from gltf_oracle import Glb
from limber_program import PROGRAM, SOURCE, ProgramTest
from prior_test import needs_ffmpeg

BUILT_IN = SOURCE / "models" / "sketch_prior"


def small_prior(target, frames=8, size=32):
    """The built-in prior for shorter and smaller videos: quick, and good enough to see what the program does with them.

    All its weights stay but the embeddings of the places in a video, of which fewer are needed.
    """
    shutil.copytree(BUILT_IN, target)
    config = json.loads((target / "sketch_prior.json").read_text())
    side, new_side, step = config["size"] // config["patch"], size // config["patch"], config["patch_frames"]
    places = [(t * side + y * side // new_side) * side + x * side // new_side
              for t in range(frames // step) for y in range(new_side) for x in range(new_side)]
    config.update(frames=frames, size=size)
    (target / "sketch_prior.json").write_text(json.dumps(config))
    for shard in target.glob("*.safetensors"):
        data = shard.read_bytes()
        start = 8 + struct.unpack("<Q", data[:8])[0]
        header, body = json.loads(data[8:start]), b""
        tensors = [(name, entry) for name, entry in header.items() if name != "__metadata__"]
        for name, entry in sorted(tensors, key=lambda tensor: tensor[1]["data_offsets"]):
            first, last = entry["data_offsets"]
            values = data[start + first:start + last]
            if name == "places":
                row = len(values) // entry["shape"][0]
                values = b"".join(values[row * place:row * (place + 1)] for place in places)
                entry["shape"][0] = len(places)
            entry["data_offsets"] = [len(body), len(body) + len(values)]
            body += values
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        shard.write_bytes(struct.pack("<Q", len(text)) + text + body)


class Animate(ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="limber-test-")
        cls.addClassCleanup(folder.cleanup)
        shared = pathlib.Path(folder.name)
        cls.prior, cls.creature = shared / "prior", shared / "creature.glb"
        small_prior(cls.prior)
        subprocess.run([PROGRAM, "zoo", "--plan", "biped", "--seed", "3", "--resolution", "30", "-o", str(cls.creature)],
                       check=True, capture_output=True)

    def quick(self, *arguments, model=None, prompt="a man walks", output="out.glb", ground="lock"):
        """Arguments of a quick run."""
        return ["animate", model or self.creature, "--prior", self.prior, "--prompt", prompt, "--steps", 2, "--no-preview",
                "--ground", ground, "-o", output, *arguments]


class Prompt(Animate):
    def test_the_built_in_prior_moves_a_creature(self):
        self.run_limber("animate", self.creature, "--prompt", "a man walks", "--quality", "draft", "--steps", 3,
                        "--candidates", 1, "--no-preview", "-o", "walk.glb")
        self.assertEqual(self.files(), ["walk.glb", "walk.report.json"])
        glb = Glb(self.folder / "walk.glb")
        clip = glb.clip("a man walks")
        times = [t for (t,) in glb.accessor(clip["samplers"][0]["input"])]
        self.assertAlmostEqual(times[1] - times[0], 1 / 30, places=5)
        self.assertGreater(times[-1], 1.5)
        extras = clip["extras"]["limber"]
        self.assertEqual((extras["prompt"], extras["quality"], extras["seed"]), ("a man walks", "draft", 0))
        confidence = extras["confidence"]
        self.assertEqual(len(confidence["percent"]), 24)
        for row in confidence["percent"]:
            self.assertEqual(len(row), len(confidence["joints"]))
            self.assertTrue(all(0 <= percent <= 100 for percent in row))

        report = json.loads((self.folder / "walk.report.json").read_text())
        self.assertEqual(set(confidence["joints"]), set(report["confidence"]))
        self.assertFalse(report["rigged"])
        self.assertEqual(report["warnings"], [])
        self.assertTrue(report["candidates"][0]["fits"])
        for key in ("skate_per_second", "penetration", "float", "mean_jerk", "limit_excess_rad"):
            self.assertGreaterEqual(report["metrics"][key], 0, key)
        self.assertEqual(report["metrics"]["not_finite"], 0)
        self.assertGreater(report["motion"]["movement"], 0.02)
        self.assertGreater(report["motion"]["speed"], 0.1)
        self.assertTrue({"frequency_hz", "explained", "limbs"} <= set(report["motion"]))
        self.assertGreaterEqual(report["prior_score"], 0)
        self.assertGreater(report["timings"]["all"], 0)

    def test_every_candidate_becomes_a_clip(self):
        report = self.run_json(*self.quick("--quality", "draft", "--candidates", 2, "--name", "go", "--seed", 5, "--loop"))
        glb = Glb(self.folder / "out.glb")
        first, second = glb.clip("go"), glb.clip("go 2")
        seeds = [clip["extras"]["limber"]["seed"] for clip in (first, second)]
        self.assertEqual(seeds, [candidate["seed"] for candidate in report["candidates"]])
        self.assertEqual(len(set(seeds)), 2)
        self.assertLessEqual(report["candidates"][0]["score"], report["candidates"][1]["score"])

    def test_samples_are_written_as_soon_as_they_are_lifted(self):
        self.run_limber(*self.quick("--quality", "draft", "--candidates", 2, "--samples", "early.glb", "--progress", "json"))
        results = [e for e in map(json.loads, self.stderr.splitlines()) if e["event"] == "result"]
        self.assertEqual([(e["path"], e["label"]) for e in results[:2]], [("early-1.glb", "candidate 1"), ("early-2.glb", "candidate 2")])
        clips = [len(Glb(self.folder / e["path"]).json["animations"]) for e in results]
        self.assertEqual(clips[0], clips[1])
        self.assertEqual(clips[2], clips[0] + 1)

    def test_one_thing_after_the_other_for_as_long_as_is_asked(self):
        text = self.run_limber(*self.quick("--quality", "draft", "--candidates", 1, "--seconds", 1.5,
                                           prompt="a man walks, then juggles balls"))
        self.assertIn('understood: walk 0-0.75 s, "a man juggles balls" 0.75-1.5 s; not known: juggles, balls', text)
        report = json.loads((self.folder / "out.report.json").read_text())
        self.assertEqual([part["actions"] for part in report["understood"]], [["walk"], []])
        self.assertAlmostEqual(report["understood"][1]["to"], 1.5, places=5)
        self.assertGreater(len(report["seams"]["seconds"]), 1)
        self.assertGreater(report["seams"]["peak_jerk"], 0)  # elsewhere there is nothing: so short a motion is all seams
        glb = Glb(self.folder / "out.glb")
        times = [t for (t,) in glb.accessor(glb.clip("a man walks, then juggles balls")["samplers"][0]["input"])]
        self.assertAlmostEqual(times[-1], 1.5, places=2)

    def test_goes_on_from_a_clip_and_through_keyframes(self):
        self.run_limber(*self.quick("--quality", "draft", "--candidates", 1, "--name", "first"))
        (self.folder / "out.glb").rename(self.folder / "first.glb")
        report = self.run_json(*self.quick("--quality", "draft", "--candidates", 1, "--continue", "first",
                                           "--keyframes", "first.glb:0,0.3", ground="none", model="first.glb"))
        self.assertLess(report["keyframe_error_deg"], 0.01)
        names = [clip["name"] for clip in Glb(self.folder / "out.glb").json["animations"]]
        self.assertEqual(names, ["first", "a man walks"])
        self.run_limber(*self.quick("--continue", "nothing", model="first.glb"), code=1)
        self.assertIn("nothing", self.stderr)
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 24, "--action", "walk", "-o", "dog.glb")
        self.run_limber(*self.quick("--keyframes", "dog.glb"), code=1)
        self.assertIn("dog.glb: the keyframes are of another skeleton: it has ", self.stderr)

    def test_passes_through_poses_that_were_sampled(self):
        self.run_limber("pose", "sample", self.creature, "--count", 2, "--seed", 4, "-o", "poses.glb")
        report = self.run_json(*self.quick("--quality", "draft", "--candidates", 1, "--seconds", 1.2, "--keyframes", "poses.glb",
                                           "--pose-prior", "on", ground="none"))
        self.assertLess(report["keyframe_error_deg"], 0.01)
        self.assertIs(report["pose_prior"], True)
        # In the file, too: joints are where the poses have them, one a second.
        poses, out = Glb(self.folder / "poses.glb"), Glb(self.folder / "out.glb")
        height = max(p[1] for p in poses.posed(None, 0))
        apart = []
        for time in (0, 1):
            for joint in ("wrist.L", "ankle.R", "head"):
                there = out.place(joint, "a man walks", time)
                self.assertLess(math.dist(there, poses.place(joint, "poses", time)), 2e-3 * height, (joint, time))
                apart.append(math.dist(there, out.place(joint)))
        self.assertGreater(max(apart), 0.02 * height)

    def test_says_what_went_wrong_and_fails_when_told_to_be_strict(self):
        # Two steps of a prior that is cut to pieces: far from what a walk should be.
        arguments = self.quick("--quality", "draft", "--candidates", 1, "--strict", "--guidance", 0.01)
        self.run_limber(*arguments, code=1)
        report = json.loads((self.folder / "out.report.json").read_text())
        failed = [name for name, line in report["questions"].items() if line["passed"] is False]
        self.assertEqual(set(report["questions"]), {"moves", "travels", "as told", "followed", "whole", "stands", "limits"})
        self.assertIn("followed", failed)
        for line in report["questions"].values():
            self.assertEqual(set(line), {"passed", "value", "least", "most", "unit", "warning"})
            self.assertTrue(line["most"] is None or line["most"] < 1e6, "what is not bounded is null")
        self.assertIn(report["questions"]["travels"]["unit"], ("leg lengths per second", "sizes per second"))
        for name in failed:
            self.assertIn(report["questions"][name]["warning"], [warning["code"] for warning in report["warnings"]])
            self.assertIn(name, self.stderr)
        self.assertIn("out.glb", self.files())
        self.run_limber(*arguments[:-3])
        self.assertTrue(self.code == 0, "without --strict it is only said")

    def test_every_method_moves_a_creature(self):
        for method, more in (("sample", []), ("akd", ["--iterations", 2]), ("planar", [])):
            candidates = [] if method == "akd" else ["--candidates", 1, "--steps", 2]
            report = self.run_json("animate", self.creature, "--prior", self.prior, "--prompt", "a man walks", "--quality",
                                   "draft", "--method", method, "--no-preview", *candidates, *more, "-o", "out.glb")
            self.assertEqual(report["method"], method)
            self.assertGreater(report["seconds_of_motion"], 0.5)

    def test_names_known_actions_where_the_prompt_has_none(self):
        self.run_limber(*self.quick("--quality", "draft", "--candidates", 1, prompt="a man wallks"))
        self.assertIn("nearest: walk", self.stderr)

    def test_an_unknown_action_is_told_before_any_work_and_refused_when_strict(self):
        self.run_limber("animate", self.creature, "--prompt", "a man backflips", "--strict", "-o", "flip.glb", code=1)
        self.assertIn('"backflips" may mean somersault', self.stderr)
        self.assertIn("names no action that is known", self.stderr)
        self.assertEqual(self.files(), [])

    def test_the_zoos_rules_move_a_creature_without_a_network(self):
        walk = ["animate", self.creature, "--prompt", "a man walks slowly", "--method", "rule", "--quality", "draft",
                "--no-preview", "-o", "walk.glb"]
        printed = self.run_limber(*walk, "--loop")
        self.assertRegex(printed, r"\d s, goes [\d.]+ heights a second; feet hold; the loop closes")
        self.assertNotIn("skate", printed)
        self.assertIn("skate", self.run_limber(*walk, "--verbose"))
        report = json.loads((self.folder / "walk.report.json").read_text())
        self.assertEqual(report["method"], "rule")
        self.assertLess(report["metrics"]["skate_per_second"], 0.05)
        self.assertIn("a man walks slowly", [clip["name"] for clip in Glb(self.folder / "walk.glb").json["animations"]])
        self.run_limber("animate", self.creature, "--prompt", "a man flies", "--method", "rule", "-o", "no.glb", code=1)
        self.assertIn("takes other limbs than this body has", self.stderr)

    def test_a_clip_of_ones_own_folder_does_what_the_prompt_says(self):
        clips = self.folder / "clips"
        clips.mkdir()
        self.run_limber("zoo", "--plan", "biped", "--seed", 5, "--resolution", 30, "--action", "walk", "-o", clips / "Walking.glb")
        self.run_limber("zoo", "--plan", "bird", "--seed", 5, "--resolution", 30, "--action", "fly", "-o", clips / "gull.glb")
        arguments = ["animate", self.creature, "--library", clips, "--quality", "draft", "--no-preview", "-o", "walk.glb"]
        printed = self.run_limber(*arguments, "--prompt", "a man strolls", "--loop")
        self.assertIn('taken from "Walking" in', printed)
        report = json.loads((self.folder / "walk.report.json").read_text())
        self.assertEqual(report["method"], "library")
        self.assertEqual(pathlib.Path(report["taken_from"]["file"]).name, "Walking.glb")
        self.assertTrue(report["finished"]["loop"]["passed"], report["finished"]["loop"])
        self.assertIn("a man strolls", [clip["name"] for clip in Glb(self.folder / "walk.glb").json["animations"]])

        self.run_limber(*arguments, "--prompt", "a man dances", code=1)
        self.assertIn("no clip says 'a man dances'; there are: Walking, gull", self.stderr)
        self.run_limber(*arguments, "--prompt", "a man walks", "--seed", 3, code=2)
        self.assertIn("--seed and --library contradict each other", self.stderr)
        self.run_limber(*arguments[:2], "--library", "nowhere", "--prompt", "a man walks", "-o", "no.glb", code=1)
        self.assertIn("is no folder", self.stderr)

    def test_a_model_without_a_skeleton_gets_one(self):
        self.run_limber("zoo", "--plan", "quadruped", "--seed", 3, "--resolution", 30, "--no-rig", "-o", "bare.glb")
        report = self.run_json(*self.quick("--quality", "draft", "--candidates", 1, model="bare.glb"))
        self.assertTrue(report["rigged"])
        glb = Glb(self.folder / "out.glb")
        self.assertEqual(len(glb.json["skins"]), 1)
        self.assertGreater(len(glb.clip("a man walks")["channels"]), 8)


class Resume(Animate):
    def run_and_kill(self, arguments, writings):
        """Kills the program with its checkpoint written so often."""
        checkpoint = self.folder / "out.checkpoint"
        with subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as program:
            seen = set()
            deadline = time.monotonic() + 200
            while len(seen) < writings and program.poll() is None and time.monotonic() < deadline:
                if checkpoint.exists():
                    seen.add(checkpoint.stat().st_mtime_ns)
                time.sleep(0.01)
            program.send_signal(signal.SIGKILL)
        self.assertEqual(program.returncode, -signal.SIGKILL, "it was done before it could be killed")
        self.assertEqual(self.files(), ["out.checkpoint", "out.checkpoint-samples.safetensors"])

    def test_a_killed_run_resumes_bit_for_bit_and_draws_nothing_again(self):
        arguments = self.quick("--quality", "standard", "--iterations", 6, "--candidates", 1, "--checkpoint-seconds", 0)
        self.run_limber(*arguments, "--losses", "losses.csv")
        whole = (self.folder / "out.glb").read_bytes()
        self.assertEqual(self.files(), ["losses.csv", "losses.svg", "out.glb", "out.report.json"])
        self.assertEqual(len((self.folder / "losses.csv").read_text().splitlines()), 7)
        for path in self.files():
            (self.folder / path).unlink()

        self.run_and_kill(arguments, writings=3)
        self.run_limber(*self.quick("--quality", "standard", "--iterations", 6, "--candidates", 1, "--seed", 9), code=1)
        self.assertIn("another run", self.stderr)
        self.assertIn("--fresh", self.stderr)
        report = self.run_json(*arguments)
        self.assertGreater(report["distillation"]["resumed_from"], 0)
        self.assertEqual(report["distillation"]["iterations"], 6)
        self.assertEqual((report["candidates_resumed"], report["timings"]["sample"]), (1, 0))
        self.assertEqual((self.folder / "out.glb").read_bytes(), whole)
        self.assertEqual(self.files(), ["out.glb", "out.report.json"])

    def test_fresh_starts_anew(self):
        arguments = self.quick("--quality", "standard", "--iterations", 3, "--candidates", 1, "--checkpoint-seconds", 0)
        self.run_and_kill(arguments, writings=2)
        report = self.run_json(*arguments, "--fresh", "--seed", 9)
        self.assertEqual((report["candidates_resumed"], report["distillation"]["resumed_from"]), (0, None))


class Video(Animate):
    def test_a_video_of_the_body_itself_is_followed(self):
        needs_ffmpeg(self)
        # As docs/tour.md does it, but shorter.
        body = ["zoo", "--plan", "quadruped", "--seed", 970007]
        self.run_limber(*body, "-o", "body.glb")
        self.run_limber(*body, "--action", "walk", "--frames", 12, "--fps", 12, "--in-place", "-o", "film.glb")
        self.run_limber("render", "film.glb", "--fps", 12, "--azimuth", 70, "--no-ground", "--size", "256x256", "-o", "film.mp4")
        report = self.run_json("animate", "body.glb", "--video", "film.mp4", "--ground", "lock", "--no-preview", "--device", "cpu",
                               "-o", "out.glb")
        self.assertEqual(report["drawn_on"], "cpu")
        self.assertEqual((report["prompt"], report["video"], report["candidates"]), ("", "film.mp4", []))
        self.assertGreater(report["motion"]["movement"], 0.02)
        extras = Glb(self.folder / "out.glb").clip("film")["extras"]["limber"]
        self.assertEqual(set(report["confidence"]), set(extras["confidence"]["joints"]))
        self.assertEqual(self.files(), ["body.glb", "film.glb", "film.mp4", "out.glb", "out.report.json"])

    def test_an_unrelated_video_is_refused(self):
        needs_ffmpeg(self)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                        "nullsrc=s=96x64:r=12:d=1,geq=lum='random(1)*255':cb='random(2)*255':cr='random(3)*255'", "noise.mp4"],
                       cwd=self.folder, check=True)
        self.run_limber("animate", self.creature, "--video", "noise.mp4", "--no-preview", "-o", "out.glb", code=1)
        self.assertIn("noise.mp4: ", self.stderr)
        self.assertEqual(self.files(), ["noise.mp4"])

    def test_says_what_is_wrong_with_a_file(self):
        (self.folder / "bad.mp4").write_bytes(b"not a video")
        for name in ("bad.mp4", "missing.mp4"):
            self.run_limber("animate", self.creature, "--video", name, "--no-preview", "-o", "out.glb", code=1)
            self.assertIn(f"{name}: ", self.stderr)
        self.assertEqual(self.files(), ["bad.mp4"])


class Usage(Animate):
    def test_wants_a_prompt_or_a_video(self):
        self.run_limber("animate", self.creature, "-o", "out.glb", code=2)
        self.assertIn("either --prompt", self.stderr)
        self.run_limber("animate", self.creature, "--prompt", "a man walks", code=2)
        self.assertIn("--output", self.stderr)

    def test_names_both_options_that_contradict_each_other(self):
        video, prompt = ["--video", "walk.mp4"], ["--prompt", "a man walks"]
        for one, other in ((prompt, video), (["--prior", "nowhere"], video), (["--iterations", 3], video),
                           (["--device", "cuda:1"], video),
                           (["--seed", 0], video), (["--fresh"], video), (["--anyway"], prompt),
                           (["--up", "z"], ["--forward", "-Z", *prompt]), (["--seconds", 3], video),
                           (["--continue", "walk"], video), (["--keyframes", "a.glb"], video),
                           (["--method", "planar"], video), (["--method", "akd"], ["--seconds", 3, *prompt]),
                           (["--method", "akd"], ["--candidates", 3, *prompt]), (["--method", "video"], prompt),
                           (["--method", "planar"], ["--iterations", 3, *prompt]),
                           (["--continue", "walk"], ["--loop", *prompt]),
                           (["--quality", "draft"], ["--smooth-weight", 3, *prompt]), (["--quality", "draft"], ["--losses", "l.csv", *prompt]),
                           (["--quality", "draft"], ["--preview-every", 2, *prompt]), (["--iterations", 0], ["--ground-weight", 2, *prompt]),
                           (["--method", "akd"], ["--samples", "s.glb", *prompt]), (["--method", "sample"], ["--from", "sample", *prompt]),
                           (["--no-preview"], ["--preview", "walk.mp4", *prompt])):
            self.run_limber("animate", self.creature, "-o", "out.glb", *one, *other, code=2)
            self.assertIn(one[0], self.stderr)
            self.assertIn(other[0], self.stderr)
        self.run_limber("animate", self.creature, "-o", "out.glb", *prompt, "--forward", "+y", code=2)
        self.assertIn("--forward and --up", self.stderr)
        self.run_limber("animate", self.creature, "-o", "out.glb", *prompt, "--up", "+z", code=2)
        self.assertIn("--forward", self.stderr)
        self.assertEqual(self.files(), [])

    def test_names_what_is_missing(self):
        self.run_limber("animate", "none.glb", "--prompt", "a man walks", "-o", "out.glb", code=1)
        self.assertIn("none.glb: ", self.stderr)
        self.run_limber("animate", self.creature, "--prompt", "a man walks", "--prior", "nowhere", "-o", "out.glb", code=1)
        self.assertIn("nowhere", self.stderr)
        self.run_limber("animate", self.creature, "--prompt", "a man walks", "-o", "folder/out.glb", code=1)
        self.assertIn("folder/out.glb: the folder is missing", self.stderr)
        self.run_limber("animate", self.creature, "--prompt", "a man walks", "-o", "out.obj", code=1)
        self.assertIn(".glb", self.stderr)
        self.assertEqual(self.files(), [])

    def test_refuses_options_that_make_no_sense(self):
        for option in (["--quality", "superb"], ["--candidates", 0], ["--fps", 0], ["--forward", "up"], ["--up", "1,2"],
                       ["--iterations", -3], ["--ground", "off"], ["--seconds", 0], ["--method", "magic"], ["--guidance", 0], ["--steps", 0]):
            self.run_limber(*self.quick(*option), code=2)
            self.assertIn(option[0], self.stderr)


if __name__ == "__main__":
    unittest.main()
