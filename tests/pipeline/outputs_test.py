# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""No command writes over what it reads, or twice to one place."""
import os
import re
import unittest

from limber_program import ProgramTest

# What each command that writes needs at least, so that it can be asked about its other options. Words in capitals are
# files that are there.
NEEDED = {
    "animate": ["A.glb", "--prompt", "walk", "-o", "out.glb"],
    "convert": ["A.glb", "-o", "out.glb"],
    "render": ["A.glb", "-o", "out.png"],
    "zoo": ["-o", "out.glb"],
    "create": ["a dragon", "-o", "out.glb"],
    "rig": ["A.glb", "-o", "out.glb"],
    "physics": ["A.glb", "-o", "out.glb"],
    "mend": ["A.glb", "--all", "-o", "out.glb"],
    "retarget": ["A.glb", "A.glb", "-o", "out.glb"],
    "pose sample": ["A.glb", "-o", "out.glb"],
    "pose project": ["A.glb", "-o", "out.glb"],
    "pose between": ["A.glb", "A.glb", "-o", "out.glb"],
    "pose solve": ["A.glb", "--handle", "head=0,0,0", "-o", "out.glb"],
    "pose fit": ["A.glb", "A.glb", "-o", "out.glb"],
    "parts": ["A.glb", "-o", "out.json"],
    "splat": ["A.glb", "-o", "out.ply"],
    "prior sample": ["FOLDER", "--prompt", "walk", "-o", "out.mp4"],
    "prior score": ["FOLDER", "A.glb", "--prompt", "walk", "-o", "out.png"],
    "batch": ["A.glb", "-o", "out"],
    "train bake": ["--split", "A.glb", "-o", "out.bin"],
    "train clips": ["-o", "out.png"],
}
FILE = re.compile(r"^\s+(?:-\w,)?(--[\w-]+|\w+) (FILES?|FILE\[:TIMES\]|DIR|FOLDER|PATH)(?::| |$)", re.MULTILINE)
# What is read, and directions.
READ = {"--up", "--forward", "--source-up", "--source-forward", "--video", "--keyframes", "--prior", "--reader", "--skeleton", "--parts", "--cameras", "--model", "--characters",
        "--split", "--mocap", "--add", "--from", "--harvest", "--calibrated-by", "--text-cache", "--data", "--people",
        "--assets", "--vae", "--encoder", "--library"}


class Outputs(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "A.glb").write_bytes(b"kept")
        (self.folder / "B.mp4").write_bytes(b"kept")
        (self.folder / "FOLDER").mkdir()

    def tearDown(self):
        for name in ("A.glb", "B.mp4"):
            self.assertEqual((self.folder / name).read_bytes(), b"kept")
        super().tearDown()

    def refused(self, *arguments, words=()):
        self.run_limber(*arguments, code=2)
        self.assertIn("are the same", self.stderr)
        for word in words:
            self.assertIn(word, self.stderr)

    def test_animate_does_not_draw_over_its_video(self):
        (self.folder / "walk.mp4").write_bytes(b"kept")
        self.refused("animate", "A.glb", "--video", "walk.mp4", "-o", "walk.glb", words=("walk.mp4", "--video", "preview"))
        self.assertEqual((self.folder / "walk.mp4").read_bytes(), b"kept")
        self.run_limber("animate", "A.glb", "--video", "walk.mp4", "-o", "walk.glb", "--no-preview", "--parse-only")
        self.refused("animate", "A.glb", "--prompt", "walk", "-o", "a.glb", "--losses", "x.csv", "--report", "x.svg")

    def test_one_file_has_many_names(self):
        os.symlink("A.glb", self.folder / "link.glb")
        os.symlink(".", self.folder / "here")
        os.link(self.folder / "A.glb", self.folder / "twin.glb")
        for name in ("A.glb", "./A.glb", "FOLDER/../A.glb", "link.glb", "here/A.glb", "twin.glb", self.folder / "A.glb"):
            self.refused("convert", "A.glb", "-o", name, words=("A.glb", str(name), "--output", "input"))
        self.refused("rig", "A.glb", "-o", "new.glb", "--report", "here/new.glb", words=("--report", "--output"))
        self.run_limber("convert", "A.glb", "-o", "B.glb", "--parse-only")

    def test_what_cannot_be_written_is_said_before_the_work(self):
        (self.folder / "there.glb").mkdir()
        places = {"missing/out": "the folder is missing", "A.glb/out": "Not a directory", "/proc/out": "cannot write"}
        for command, arguments in NEEDED.items():
            if command == "batch":  # into a folder, which it makes at once
                continue
            ending = os.path.splitext(arguments[-1])[1]
            for place, words in places.items():
                # A.glb cannot be read, so an error that is not about it came before the work.
                self.run_limber(*command.split(), *arguments[:-1], place + ending, code=1)
                self.assertIn(place + ending, self.stderr, command)
                self.assertIn(words, self.stderr, command)
        self.run_limber("rig", "A.glb", "-o", "there.glb", code=1)
        self.assertIn("there is a folder of this name", self.stderr)
        self.run_limber("rig", "A.glb", "-o", "new.glb", "--report", "missing/report.json", code=1)
        self.assertIn("missing/report.json", self.stderr)
        self.run_limber("animate", "A.glb", "--prompt", "walk", "-o", "new.glb", "--preview", "missing/new.mp4", code=1)
        self.assertIn("missing/new.mp4", self.stderr)
        self.assertEqual(self.files(), ["A.glb", "B.mp4"])

    def test_outputs_that_are_folders_are_made(self):
        (self.folder / "set.glb").mkdir()
        self.run_limber("zoo", "--count", 2, "-o", "new/set")
        self.run_limber("zoo", "-o", "a.glb")
        self.run_limber("render", "a.glb", "-o", "pictures/%02d.png", "--size", "32x32", "--frames", 2)
        self.assertEqual(len(list((self.folder / "new" / "set").glob("*.glb"))), 2)
        self.assertTrue(list((self.folder / "pictures").glob("*.png")))

    def commands(self, *words):
        """Every command and subcommand, with its help."""
        text = self.run_limber(*words, "--help")
        listed = text.partition("Subcommands:")[2].partition("Examples:")[0]
        names = re.findall(r"^  ([\w-]+)  ", listed, re.MULTILINE)
        if words:
            yield " ".join(words), text
        for name in names:
            if name != "help":
                yield from self.commands(*words, name)

    def test_every_option_that_writes_is_watched(self):
        """Options that name files are read or written: whoever adds one to a command says which, here and in cli/outputs.cpp."""
        commands = [*self.commands(), *self.commands("train", "bake"), *self.commands("train", "clips")]
        self.assertGreater(len(commands), 15, commands)
        for command, text in commands:
            named = dict(FILE.findall(text.partition("OPTIONS:")[2] or text))
            written = [option for option in named if option.startswith("--") and option not in READ]
            if not written:
                continue
            with self.subTest(command):
                self.assertIn(command, NEEDED, f"{command} writes {written}")
                needed = NEEDED[command]
                source = next((word for word in needed if word in ("A.glb", "FOLDER")), None)
                for option in written:
                    arguments = [word for word in needed]
                    if option == "--output":
                        arguments[arguments.index("-o") + 1] = source or "B.mp4"
                    else:
                        arguments += [option, source or "out.glb"]
                    if source or option != "--output":
                        self.refused(*command.split(), *arguments, "--parse-only")


if __name__ == "__main__":
    unittest.main()
