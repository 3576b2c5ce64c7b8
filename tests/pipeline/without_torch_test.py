# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The limber program needs neither LibTorch nor limber-lab; what does is in limber-torch, limber-lab and limber-lab-torch beside it, and
where these are missing it says so."""
import pathlib
import shutil
import subprocess
import unittest

from limber_program import LAB, PROGRAM, SOURCE, ProgramTest

LAB_TORCH = pathlib.Path(LAB).with_name("limber-lab-torch")


class WithoutTorch(ProgramTest):
    def alone(self, program=PROGRAM):
        """A copy of a program with nothing beside it but the models."""
        bin_folder = self.folder / "alone" / "bin"
        bin_folder.mkdir(parents=True)
        (self.folder / "alone" / "share" / "limber").mkdir(parents=True)
        (self.folder / "alone" / "share" / "limber" / "models").symlink_to(SOURCE / "models")
        return shutil.copy(program, bin_folder)

    def run_alone(self, program, *arguments, code):
        done = subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=280)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_nothing_of_libtorch_is_loaded(self):
        for program in (PROGRAM, LAB):
            loaded = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
            self.assertNotRegex(loaded, r"lib(torch|c10)")  # by names: the addresses beside them may hold "c10"

    def test_the_built_in_prior_draws_and_scores(self):
        program, model = self.alone(), SOURCE / "models" / "sketch_prior"
        self.run_alone(program, "prior", "sample", model, "--prompt", "a dog trots", "--steps", 1, "-o", "a.safetensors", code=0)
        self.run_alone(program, "prior", "score", model, "a.safetensors", "--prompt", "a dog trots", "-o", "g.safetensors", code=0)
        self.assertTrue((self.folder / "g.safetensors").exists())

    def test_says_what_is_missing(self):
        program = self.alone()
        (self.folder / "checkpoint").mkdir()
        for arguments in (("prior", "sample", SOURCE / "models" / "sketch_prior", "--prompt", "x", "--dtype", "bfloat16", "-o", "a.mp4"),
                          ("prior", "sample", "checkpoint", "--prompt", "x", "-o", "a.mp4")):
            error = self.run_alone(program, *arguments, code=1)
            self.assertIn("limber-torch", error)
            self.assertIn("LibTorch", error)

    def test_the_lab_says_what_is_missing(self):
        program = self.alone(LAB)
        for arguments in (("train", "prior", "-o", "model"), ("--threads", 1, "bench", "prior")):
            error = self.run_alone(program, *arguments, code=1)
            self.assertIn("limber-lab-torch", error)
            self.assertIn("LibTorch", error)
        self.assertFalse((self.folder / "model").exists())

    def test_says_where_the_lab_is_and_how_it_is_built(self):
        program = self.alone()
        for arguments in (("bench",), ("--threads", 1, "-q", "bench", "zoo"), ("--progress=json", "train", "--help")):
            error = self.run_alone(program, *arguments, code=1)
            self.assertIn("bin/limber-lab", error)
            self.assertIn("--target lab", error)
        # Names of files are no commands.
        self.run_alone(program, "zoo", "-o", "bench", "--plan", "train", code=2)

    def test_hands_over_to_the_lab(self):
        for arguments in (["bench", "--help"], ["--threads", "1", "train", "bake", "--help"]):
            asked = [subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout for program in (PROGRAM, LAB)]
            self.assertEqual(*asked)
        done = subprocess.run([PROGRAM, "bench", "nothing"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)

    def test_users_are_not_shown_what_only_the_lab_does(self):
        self.assertNotRegex(self.run_limber("--help"), r"(?m)^ +(bench|train) ")

    def test_helps_with_what_the_other_program_does(self):
        for group, names in (("train", ("prior", "reader", "poses", "parts")), ("bench", ("prior",))):
            page = self.run_limber(group, "--help")
            for name in names:
                self.assertRegex(page, rf"(?m)^ +{name} ")

    @unittest.skipUnless(LAB_TORCH.exists(), "this build has no LibTorch")
    def test_hands_over_arguments_and_exit_codes(self):
        self.assertIn("--learning-rate", self.run_limber("train", "prior", "--help"))
        self.run_limber("train", "prior", "--no-such-option", code=2)
        self.run_limber("train", "prior", "--from", "nowhere", "-o", "model", code=1)
        self.assertIn("nowhere", self.stderr)
        self.assertEqual(self.run_limber("train", "--help"),
                         subprocess.run([LAB_TORCH, "train", "--help"], check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main()
