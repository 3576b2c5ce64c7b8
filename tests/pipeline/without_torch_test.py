# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""A program that lets bodies do what videos show needs no LibTorch, also where limber was built with it."""
import os
import subprocess
import unittest

from gltf_oracle import Glb
from limber_program import ProgramTest
from prior_test import needs_ffmpeg

FOLLOW_VIDEO = os.environ["FOLLOW_VIDEO"]


class WithoutTorch(ProgramTest):
    def test_a_video_is_followed_and_a_prompt_refused(self):
        needs_ffmpeg(self)
        body = ["zoo", "--plan", "quadruped", "--seed", 970007, "--resolution", 40]
        self.run_limber(*body, "-o", "body.glb")
        self.run_limber(*body, "--action", "walk", "--frames", 8, "--fps", 12, "--in-place", "-o", "film.glb")
        self.run_limber("render", "film.glb", "--fps", 12, "--azimuth", 70, "--no-ground", "--size", "192x192", "-o", "film.mp4")
        subprocess.run([FOLLOW_VIDEO, "body.glb", "film.mp4", "out.glb"], cwd=self.folder, check=True, timeout=280)
        self.assertGreater(len(Glb(self.folder / "out.glb").clip("film")["channels"]), 8)

    def test_nothing_of_libtorch_is_loaded(self):
        self.assertNotRegex(subprocess.run(["ldd", FOLLOW_VIDEO], check=True, capture_output=True, text=True).stdout, "torch|c10")


if __name__ == "__main__":
    unittest.main()
