# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""tools/package.sh makes a tarball that runs where it is unpacked. Takes a minute, and a build: ./check --long runs it.

LIMBER_BUILD says which build is packed; `build` by default.
"""
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LIMBER_BUILD", SOURCE / "build")).resolve()


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (BUILD / "bin" / "limber").exists():
            raise unittest.SkipTest(f"there is no build in {BUILD}")
        scratch = tempfile.TemporaryDirectory(prefix="limber-test-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.tarball = cls.pack("first")
        with tarfile.open(cls.tarball) as packed:
            cls.names = packed.getnames()
            packed.extractall(cls.folder / "some where else")
        cls.root = next((cls.folder / "some where else").iterdir())

    @classmethod
    def pack(cls, name):
        (cls.folder / name).mkdir()
        made = subprocess.run([SOURCE / "tools" / "package.sh", "--build", BUILD, "--dirty", cls.folder / name], text=True,
                              capture_output=True, check=True)
        return pathlib.Path(made.stdout.splitlines()[-1])

    def run_limber(self, *arguments):
        """The unpacked program in a folder of its own, with nothing of this tree in its environment."""
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        done = subprocess.run([self.root / "bin" / "limber", *arguments], cwd=work, env={"PATH": "/usr/bin:/bin"}, text=True,
                              capture_output=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_has_all_that_it_takes_in_one_folder(self):
        top = {name.split("/")[0] for name in self.names}
        self.assertEqual(len(top), 1)
        for file in ("bin/limber", "LICENSE", "README.md", "INSTALL.txt", "docs/index.md", "share/limber/models/sketch_prior/sketch_prior.json"):
            self.assertTrue((self.root / file).is_file(), file)
        self.assertTrue(list((self.root / "share" / "limber" / "licences").glob("*.txt")))
        self.assertIn("apt-get install", (self.root / "INSTALL.txt").read_text())
        self.assertNotIn(str(SOURCE), (self.root / "INSTALL.txt").read_text())

    def test_runs_where_it_is_unpacked_with_the_networks_that_it_brings(self):
        self.assertIn("limber", self.run_limber("--version"))
        self.run_limber("create", "a dog", "--resolution", "30", "--no-rig", "-o", "dog.glb")
        self.run_limber("rig", "dog.glb", "-o", "rigged.glb")
        self.run_limber("animate", "rigged.glb", "walk", "--quality", "draft", "--steps", "2", "--candidates", "1", "--no-preview", "-o", "walk.glb")
        self.assertTrue((self.folder / "work" / "walk.glb").is_file())
        self.assertTrue((self.folder / "work" / "walk.report.json").is_file())

    def test_is_the_same_bytes_each_time(self):
        self.assertEqual(self.pack("second").read_bytes(), self.tarball.read_bytes())

    def test_refuses_what_nobody_can_see(self):
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=SOURCE, capture_output=True, text=True).stdout
        if not changed:
            self.skipTest("the tree has no changes")
        refused = subprocess.run([SOURCE / "tools" / "package.sh", "--build", BUILD, self.folder], text=True, capture_output=True)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("not committed", refused.stderr)


if __name__ == "__main__":
    unittest.main()
