# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""tools/setup.sh beside another apt: it waits, says so, and gives up in the end."""
import fcntl
import shutil
import subprocess
import unittest

from stub_path import SOURCE, ScriptTest

SETUP = SOURCE / "tools/setup.sh"
TAKEN = "echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)' >&2"


class Setup(ScriptTest):
    def setUp(self):
        super().setUp()
        self.stub("dpkg-query", "exit 1")
        self.stub("sudo", 'exec "$@"')
        self.stub("sleep", f"echo sleep >> {self.folder}/calls")

    def calls(self):
        return (self.folder / "calls").read_text().splitlines()

    def stub_apt(self, *lines):
        """An apt-get that notes its command ("update", "install") and then runs `lines`."""
        self.stub("apt-get", 'for word; do case "$word" in update|install) command=$word ;; esac; done',
                  f"echo $command >> {self.folder}/calls", *lines)

    def test_installs_what_is_missing(self):
        self.stub_apt()
        self.assertIn("installing build-essential", self.run_script(SETUP))
        self.assertEqual(self.calls(), ["update", "install"])

    def test_installs_libtorch_for_the_tests_alone(self):
        self.stub_apt()
        self.assertNotIn("libtorch", self.run_script(SETUP))
        self.assertIn("libtorch", self.run_script(SETUP, "--check"))

    def test_does_nothing_when_all_is_there(self):
        self.stub("dpkg-query", "printf installed")
        self.stub_apt()
        self.assertEqual(self.run_script(SETUP), "")
        self.assertFalse((self.folder / "calls").exists())

    def test_waits_for_another_apt(self):
        self.stub_apt(f"[ $(wc -l < {self.folder}/calls) -gt 4 ] || {{ {TAKEN}; exit 100; }}")
        self.assertIn("another apt is at work", self.run_script(SETUP))
        self.assertEqual(self.calls(), ["update", "sleep", "update", "sleep", "update", "install"])

    def test_gives_up_in_the_end(self):
        self.stub_apt(TAKEN, "exit 100")
        self.run_script(SETUP, code=1)
        self.assertEqual(self.calls().count("update"), 120)
        self.assertNotIn("install", self.calls())

    def test_fails_at_once_for_another_reason(self):
        self.stub_apt("echo 'E: Unable to locate package' >&2", "exit 100")
        self.assertIn("Unable to locate", self.run_script(SETUP, code=1))
        self.assertEqual(self.calls(), ["update"])

    @unittest.skipUnless(shutil.which("apt-get"), "there is no apt")
    def test_knows_what_the_real_apt_says_of_a_lock(self):
        lists = self.folder / "lists"
        lists.mkdir()
        options = [f"-o Dir::State::Lists={lists}", f"-o Dir::Cache={self.folder}/cache", "-o Dir::Etc::SourceList=/dev/null",
                   "-o Dir::Etc::SourceParts=/dev/null", "-o APT::Sandbox::User=root"]
        self.stub_apt(f'[ $command = install ] || exec {shutil.which("apt-get")} {" ".join(options)} "$@"')
        with open(lists / "lock", "w") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            self.stub("sleep", "exec /bin/sleep 0.1")
            with subprocess.Popen([SETUP], env=self.environment(), text=True, stdout=subprocess.PIPE) as setup:
                self.assertTrue(any("another apt is at work" in line for line in setup.stdout), "it did not wait")
                fcntl.lockf(lock, fcntl.LOCK_UN)
                setup.stdout.read()
        self.assertEqual(setup.returncode, 0)
        self.assertGreaterEqual(self.calls().count("update"), 2)
        self.assertEqual(self.calls()[-1], "install")


if __name__ == "__main__":
    unittest.main()
