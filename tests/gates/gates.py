# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: other people's readers, from npm, beside the build."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "pipeline"))
from limber_program import ProgramTest  # noqa: E402

# Where packages are installed, and where the pipeline tests leave copies of the files that limber wrote for them.
FOLDER = pathlib.Path(os.environ.get("LIMBER_GATES", HERE.parents[1] / "build" / "gates"))


class GateTest(ProgramTest):
    """A test that asks a script of this folder, run by node."""

    @classmethod
    def setUpClass(cls):
        cls.why_not = cls.install()

    @staticmethod
    def install():
        """Installs what the lock file names, once; says why not where that cannot be done."""
        if shutil.which("node") is None or shutil.which("npm") is None:
            return "node and npm are not installed (tools/setup.sh --check installs them)"
        FOLDER.mkdir(parents=True, exist_ok=True)
        lock, done = HERE / "package-lock.json", FOLDER / "installed-lock.json"
        if not done.exists() or done.read_bytes() != lock.read_bytes():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, FOLDER)
            got = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=FOLDER, capture_output=True, text=True)
            if got.returncode != 0:
                return "npm cannot fetch the packages of tests/gates: " + got.stderr.strip()[-300:]
            shutil.copy(lock, done)
        for script in HERE.glob("*.mjs"):  # modules are looked for beside the script
            shutil.copy(script, FOLDER)
        return ""

    def setUp(self):
        super().setUp()
        if self.why_not:
            self.skipTest(self.why_not)

    def ask(self, script, *arguments):
        done = subprocess.run(["node", FOLDER / script, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(done.stdout)
