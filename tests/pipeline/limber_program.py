# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the limber program for the pipeline tests."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("LIMBER", "build/bin/limber")
SOURCE = pathlib.Path(os.environ.get("LIMBER_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
SHARED = pathlib.Path(os.environ.get("LIMBER_SHARED_DIR", SOURCE.parent / "shared"))


class ProgramTest(unittest.TestCase):
    """A test with a scratch folder that is the program's working directory."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limber-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_limber(self, *arguments, code=0):
        """Runs the program, checks its exit code (or that it is one of some), returns stdout and keeps stderr in self.stderr."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=280)
        self.stderr = done.stderr
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.returncode, codes, f"limber {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        self.code = done.returncode
        return done.stdout

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
