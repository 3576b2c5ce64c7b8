# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The limber program needs no LibTorch; what does is in limber-torch beside it, and where that is missing it says so."""
import pathlib
import shutil
import subprocess
import unittest

from limber_program import PROGRAM, SOURCE, ProgramTest

TORCH_PROGRAM = pathlib.Path(PROGRAM).resolve().with_name("limber-torch")


class WithoutTorch(ProgramTest):
    def alone(self):
        """A copy of the program with nothing beside it but the models."""
        bin_folder = self.folder / "alone" / "bin"
        bin_folder.mkdir(parents=True)
        (self.folder / "alone" / "share" / "limber").mkdir(parents=True)
        (self.folder / "alone" / "share" / "limber" / "models").symlink_to(SOURCE / "models")
        return shutil.copy(PROGRAM, bin_folder / "limber")

    def run_alone(self, program, *arguments, code):
        done = subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=280)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_nothing_of_libtorch_is_loaded(self):
        loaded = subprocess.run(["ldd", PROGRAM], check=True, capture_output=True, text=True).stdout
        self.assertNotRegex(loaded, r"lib(torch|c10)")  # by names: the addresses beside them may hold "c10"

    def test_the_built_in_prior_draws_and_scores(self):
        program, model = self.alone(), SOURCE / "models" / "part_prior"
        self.run_alone(program, "prior", "sample", model, "--prompt", "a dog trots", "--steps", 1, "-o", "a.safetensors", code=0)
        self.run_alone(program, "prior", "score", model, "a.safetensors", "--prompt", "a dog trots", "-o", "g.safetensors", code=0)
        self.assertTrue((self.folder / "g.safetensors").exists())

    def test_says_what_is_missing(self):
        program = self.alone()
        (self.folder / "checkpoint").mkdir()
        for arguments in (("train", "prior", "-o", "model"), ("--threads", 1, "bench", "prior"),
                          ("prior", "sample", SOURCE / "models" / "part_prior", "--prompt", "x", "--dtype", "bfloat16", "-o", "a.mp4"),
                          ("prior", "sample", "checkpoint", "--prompt", "x", "-o", "a.mp4")):
            error = self.run_alone(program, *arguments, code=1)
            self.assertIn("limber-torch", error)
            self.assertIn("LibTorch", error)
        self.assertFalse((self.folder / "model").exists())

    def test_helps_with_what_the_other_program_does(self):
        for group, names in (("train", ("prior", "reader", "poses", "parts")), ("bench", ("prior",))):
            page = self.run_limber(group, "--help")
            for name in names:
                self.assertRegex(page, rf"(?m)^ +{name} ")

    @unittest.skipUnless(TORCH_PROGRAM.exists(), "this build has no LibTorch")
    def test_hands_over_arguments_and_exit_codes(self):
        self.assertIn("--learning-rate", self.run_limber("train", "prior", "--help"))
        self.run_limber("train", "prior", "--no-such-option", code=2)
        self.run_limber("train", "prior", "--from", "nowhere", "-o", "model", code=1)
        self.assertIn("nowhere", self.stderr)
        self.assertEqual(self.run_limber("train", "--help"),
                         subprocess.run([TORCH_PROGRAM, "train", "--help"], check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main()
