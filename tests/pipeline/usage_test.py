# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Help, exit codes, progress for programs, and what happens on Ctrl-C."""
import json
import signal
import subprocess
import time
import unittest

from limber_program import PROGRAM, ProgramTest


class Usage(ProgramTest):
    def test_help_shows_every_command_and_examples(self):
        text = self.run_limber("--help")
        for command in ("inspect", "convert", "zoo", "animate"):
            self.assertIn(command, text)
            self.assertIn("Examples:", self.run_limber(command, "--help"))

    def test_version(self):
        self.assertRegex(self.run_limber("--version"), r"limber \d+\.\d+\.\d+")

    def test_wrong_usage_is_exit_code_2(self):
        for arguments in ([], ["fly"], ["zoo", "--plan", "unicorn", "-o", "a.glb"], ["inspect"], ["bench", "nothing"], ["train"],
                          ["zoo", "--action", "moonwalk", "-o", "a.glb"], ["inspect", "a.glb", "--threads", "many"],
                          ["zoo", "--log-level", "loud", "-o", "a.glb"], ["zoo"]):
            self.run_limber(*arguments, code=2)
        self.assertEqual(self.files(), [])

    def test_alone_it_lists_its_commands_and_help_is_a_word_too(self):
        self.run_limber(code=2)
        for command in ("inspect", "rig", "animate", "studio"):
            self.assertRegex(self.stderr, rf"(?m)^  {command} +\w")
        self.assertEqual(self.run_limber("help"), self.run_limber("--help"))
        self.assertEqual(self.run_limber("help", "rig"), self.run_limber("rig", "--help"))

    def test_what_nobody_knows_is_told_with_what_may_be_meant(self):
        for arguments, told in ((["anmate", "a.glb"], 'there is no command "anmate"; did you mean animate?'),
                                (["help", "retaget"], 'there is no command "retaget"; did you mean retarget?'),
                                (["xyzzy"], 'there is no command "xyzzy"\n'),
                                (["animate", "a.glb", "--promt", "it walks", "-o", "b.glb"], "there is no --promt; did you mean --prompt?"),
                                (["animate", "a.glb", "--qualty=draft", "-o", "b.glb"], "there is no --qualty; did you mean --quality?"),
                                (["zoo", "--sed", 3, "-o", "a.glb"], "there is no --sed; did you mean --seed?"),
                                (["zoo", "--magic", "-o", "a.glb"], "there is no --magic\n")):
            self.run_limber(*arguments, code=2)
            self.assertIn(told, self.stderr)
        self.assertIn("`limber zoo --help` tells more", self.stderr)
        error = self.events("zoo", "--sed", 3, "-o", "a.glb", code=2)
        self.assertEqual(error[0]["what"], "there is no --sed; did you mean --seed?")

    def test_words_behind_the_model_are_the_prompt(self):
        self.run_limber("zoo", "--plan", "biped", "--seed", 5, "--resolution", 30, "-o", "a.glb")
        for words in (["a man walks"], ["a", "man", "walks"]):
            report = self.run_json("animate", "a.glb", *words, "--method", "rule", "--quality", "draft", "--no-preview", "-o", "b.glb")
            self.assertEqual(report["prompt"], "a man walks")
        self.run_limber("animate", "a.glb", "it", "sits", "--prompt", "it walks", "-o", "c.glb", code=2)
        self.assertIn('--prompt and the words "it sits" both say what it should do', self.stderr)
        self.run_limber("animate", "a.glb", "b.glb", "--prompt", "it walks", "-o", "c.glb", code=2)
        self.assertIn('"b.glb" is a second file', self.stderr)

    def test_a_wrong_world_is_exit_code_1_and_says_where(self):
        self.run_limber("inspect", "missing.glb", code=1)
        self.assertIn("missing.glb", self.stderr)
        (self.folder / "bad.glb").write_bytes(b"glTF\2\0\0\0\xff\xff\xff\xff")
        self.run_limber("convert", "bad.glb", "-o", "out.glb", code=1)
        self.assertIn("bad.glb", self.stderr)
        self.run_limber("zoo", "-o", "no/such/folder/a.glb", code=1)
        self.run_limber("zoo", "--plan", "fish", "--action", "walk", "-o", "a.glb", code=1)
        self.assertIn("swim", self.stderr)
        self.assertEqual(self.files(), ["bad.glb"])

    def test_parse_only_does_nothing_else(self):
        self.run_limber("--parse-only", "zoo", "-o", "a.glb")
        self.run_limber("inspect", "missing.glb", "--parse-only")
        self.run_limber("--parse-only", "zoo", "--plan", "unicorn", "-o", "a.glb", code=2)
        self.assertEqual(self.files(), [])

    def events(self, *arguments, code=0):
        """What a program is told: every line of stderr is a JSON object."""
        self.run_limber(*arguments, "--progress", "json", code=code)
        return [json.loads(line) for line in self.stderr.splitlines()]

    def test_programs_are_told_progress_results_and_errors(self):
        events = self.events("zoo", "--seed", 3, "--action", "walk", "-o", "a.glb")
        self.assertEqual([e["path"] for e in events if e["event"] == "result"], ["a.glb"])
        self.assertTrue(all(e["event"] in ("progress", "result", "note", "warning") for e in events), events)
        progress = [e for e in self.events("convert", "a.glb", "-o", "b.glb") if e["event"] == "progress"]
        self.assertEqual((progress[0]["stage"], progress[0]["fraction"]), ("reading a.glb", None))
        error = self.events("inspect", "missing.glb", code=1)[-1]
        self.assertEqual((error["event"], error["where"], error["kind"]), ("error", "missing.glb", "missing"))
        error = self.events("zoo", "--plan", "unicorn", "-o", "a.glb", code=2)
        self.assertEqual([(e["event"], e["kind"]) for e in error], [("error", "usage")])

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.run_limber("zoo", "--quiet", "-o", "a.glb"), "")
        self.assertEqual(self.stderr, "")

    def test_a_result_that_went_to_a_full_disk_is_a_failure(self):
        self.run_limber("zoo", "--action", "walk", "-o", "a.glb")
        for arguments in (["inspect", "a.glb"], ["inspect", "a.glb", "--json"], ["--help"], ["--version"], ["zoo", "--list"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output: cannot be written: No space left on device", done.stderr)

    def test_nohup_outlives_its_terminal(self):
        for ignored, code in ((signal.SIG_IGN, None), (signal.SIG_DFL, 128 + signal.SIGHUP)):
            with subprocess.Popen([PROGRAM, "zoo", "--count", "100000", "-o", "many"], cwd=self.folder, stderr=subprocess.DEVNULL,
                                  preexec_fn=lambda: signal.signal(signal.SIGHUP, ignored)) as process:
                while not any(f.endswith(".glb") for f in self.files()):
                    time.sleep(0.02)
                process.send_signal(signal.SIGHUP)
                try:
                    self.assertEqual(process.wait(timeout=10 if code else 0.5), code)
                except subprocess.TimeoutExpired:
                    self.assertIsNone(code)
                process.kill()
            for file in (self.folder / "many").iterdir():
                file.unlink()

    def test_a_batch_outlives_its_terminal_too(self):
        self.run_limber("zoo", "-o", "a.obj")
        text = (self.folder / "a.obj").read_text()
        for i in range(100):
            (self.folder / f"{i}.obj").write_text(f"# {i}\n{text}")
        (self.folder / "items.jsonl").write_text("".join(json.dumps({"do": "rig", "input": f"{i}.obj"}) + "\n" for i in range(100)))
        with subprocess.Popen([PROGRAM, "batch", "items.jsonl", "-o", "out", "--jobs", "1"], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            self.addCleanup(process.kill)
            while process.poll() is None and not any("status.json" in f for f in self.files()):
                time.sleep(0.02)
            process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            self.assertIsNone(process.poll())
            process.terminate()
            self.assertEqual(process.wait(timeout=20), 128 + signal.SIGTERM)

    def test_interrupt_stops_soon_and_leaves_only_whole_files(self):
        with subprocess.Popen([PROGRAM, "zoo", "--count", "100000", "--action", "walk", "-o", "many"], cwd=self.folder,
                              stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 60
            while len([f for f in self.files() if f.endswith('.glb')]) < 3 and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            start = time.monotonic()
            self.assertEqual(process.wait(timeout=30), 130)
            self.assertLess(time.monotonic() - start, 1.0)
        files = self.files()
        self.assertGreaterEqual(len(files), 3)
        self.assertEqual([f for f in files if not f.endswith(".glb")], [])
        for file in files[-3:]:
            self.run_limber("inspect", file)


if __name__ == "__main__":
    unittest.main()
