# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the limber program for the pipeline tests."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import uuid

PROGRAM = os.environ.get("LIMBER", "build/bin/limber")
LAB = str(pathlib.Path(PROGRAM).resolve().with_name("limber-lab"))
SOURCE = pathlib.Path(os.environ.get("LIMBER_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
SHARED = pathlib.Path(os.environ.get("LIMBER_SHARED_DIR", SOURCE.parent / "shared"))


class ProgramTest(unittest.TestCase):
    """A test with a scratch folder that is the program's working directory."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limber-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_limber(self, *arguments, code=0):
        """Runs the program (`bench` and `train`: limber-lab), checks its exit code (or that it is one of some), returns stdout and keeps
        stderr in self.stderr."""
        program = LAB if arguments and arguments[0] in ("bench", "train") else PROGRAM
        done = subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=280)
        self.stderr = done.stderr
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.returncode, codes, f"{pathlib.Path(program).name} {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        self.code = done.returncode
        if done.returncode == 0:
            self.keep([str(a) for a in arguments])
        return done.stdout

    def keep(self, arguments):
        """Keeps a GLB that the program wrote, and the one that it was made from, for tests/gates/validator_test.py."""
        folder = os.environ.get("LIMBER_KEEP_GLB")
        output = arguments[arguments.index("-o") + 1] if "-o" in arguments[:-1] else ""
        if not folder or not output.endswith(".glb") or not (self.folder / output).is_file():
            return
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        name = pathlib.Path(folder) / f"{type(self).__name__}-{uuid.uuid4().hex[:8]}"
        shutil.copy(self.folder / output, f"{name}.out.glb")
        if len(arguments) > 1 and arguments[1].endswith(".glb") and arguments[1] != output and (self.folder / arguments[1]).is_file():
            shutil.copy(self.folder / arguments[1], f"{name}.in.glb")

    def run_json(self, *arguments):
        return json.loads(self.run_limber(*arguments, "--json"))

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())


def shared(test, relative):
    """Path of a shared file; skips the test where it is missing."""
    path = SHARED / relative
    if not path.exists():
        test.skipTest(f"{relative} is not beside this checkout")
    return path
