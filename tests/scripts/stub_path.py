# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""A scratch folder with programs that stand in for those of the system, first on PATH."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class ScriptTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="limber-scripts-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "bin").mkdir()

    def stub(self, name, *lines):
        """A shell script called `name` that the scripts under test find before the real program."""
        program = self.folder / "bin" / name
        program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        program.chmod(0o755)

    def environment(self):
        return os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def run_script(self, *command, code=0):
        """Runs in the scratch folder, checks the exit code, returns stdout and stderr together."""
        done = subprocess.run([str(part) for part in command], cwd=self.folder, env=self.environment(), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}")
        return done.stdout
