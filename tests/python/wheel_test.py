# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""pip builds a wheel that is whole, small, and works in an environment with nothing else in it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# In an environment without NumPy, away from the source.
CLEAN = """
import importlib.util, pathlib, limber
assert importlib.util.find_spec("numpy") is None, "the environment is not clean"
folder = pathlib.Path(limber.__file__).parent
assert "site-packages" in str(folder), folder
rigged = limber.rig(limber.zoo("quadruped", 7, resolution=24, rigged=False))
assert rigged.report["skeleton"]["read_as"], "the body reader is not in the wheel"
assert memoryview(rigged.vertices).shape == (len(rigged.vertices), 3)
assert limber.pose_space(rigged).sample(1).joint_angles.shape[1] == len(rigged.rig)
print(limber.__version__)
"""


def run(*command, **settings):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **settings)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", cls.folder, SOURCE)
        cls.wheel, = cls.folder.glob("*.whl")

    def test_is_smaller_than_60_megabytes(self):
        self.assertLess(self.wheel.stat().st_size, 60e6)

    def test_holds_what_is_needed_at_run_time_and_no_more(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = [name for name in wheel.namelist() if name.startswith("limber/")]
        for name in ("__init__.py", "errors.py", "_limber.pyi", "py.typed", "models/body_reader/reader.safetensors",
                     "models/sketch_prior/sketch_prior.safetensors", "models/sketch_prior/few_steps.safetensors",
                     "models/parts/parts.json", "models/pose_space/poses.safetensors",
                     "models/motion_space/motions.safetensors", "models/judge_choosing/motions.safetensors"):
            self.assertIn(f"limber/{name}", names)
        self.assertEqual([name for name in names if name.endswith(("README.md", "training.json", ".a", ".h"))], [])
        self.assertEqual(len([name for name in names if name.endswith(".so")]), 1)

    def test_works_in_a_clean_environment(self):
        environment = self.folder / "environment"
        python = environment / "bin" / "python"
        run(sys.executable, "-m", "venv", "--without-pip", environment)
        run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", self.wheel)
        variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LIMBER_MODELS")}
        self.assertRegex(run(python, "-I", "-c", CLEAN, cwd=self.folder, env=variables), r"^\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
