#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps README.md and docs/*.md true: C++ blocks compile, shell lines are taken by the program, and run, links lead somewhere.

    tools/check_docs.py extract FOLDER       writes each C++ block as FOLDER/PAGE_N.cpp, for the build, and prints the names
    tools/check_docs.py run LIMBER [PAGE...]  parses and runs the shell lines, all or those of some pages (docs/rig.md); beside LIMBER
                                             lies limber-lab
    tools/check_docs.py links                finds links to files and headings that are not there, and pictures that no page shows

Every block names its language: cpp and sh are checked, the others (OTHER_LANGUAGES) are not. What a block needs stands in
HTML comments right before it, where readers do not see it.

C++. A block that is a whole source file needs nothing. Others say what stands around them; `...` alone in its line is the
block. #include lines of the block move to the top. "torch" after the colon: only where LibTorch is.

    <!-- compile:
    #include "limber/rig/subject.h"
    limber::Status example(const limber::asset::Asset& wolf) {
      ...
      return limber::Done{};
    }
    -->

Shell. Lines that start with `limber` or `limber-lab` are parsed by that program, and run in order in a scratch folder of the page that
holds models/ and, when a line names them, the files of FIXTURES. Others (cmake, ./check) are only read by bash. A line that
cannot be run here is marked, and says why; "norun" alone is for the whole block, with words for lines that start with them:

    <!-- norun: needs a GPU -->
    <!-- norun limber prior sample: needs weights that are too large to ship -->
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

# Files that pages take for granted, and the line that makes each. Small and quick to work on.
FIXTURES = {
    "fox.glb": "limber zoo --plan quadruped --seed 7 --action all -o fox.glb",
    "walk.glb": "limber zoo --plan biped --seed 3 --action walk -o walk.glb",
    "statue.glb": "limber zoo --plan quadruped --seed 9 --no-rig -o statue.glb",
    "truth.glb": "limber zoo --plan quadruped --seed 9 -o truth.glb",
    "man.obj": "limber zoo --plan biped --seed 5 --no-rig -o man.obj",
    "cow.glb": "limber zoo --plan quadruped --seed 11 --no-rig -o cow.glb",
    "my_cow.glb": "limber zoo --plan quadruped --seed 12 -o my_cow.glb",
    "squid.glb": "limber zoo --plan octopod --seed 1 --no-rig -o squid.glb",
    "mine.glb": "limber zoo --plan quadruped --seed 9 -o mine.glb",
    "artist.glb": "limber zoo --plan quadruped --seed 9 -o artist.glb",
    "labels.json": "limber zoo --plan quadruped --seed 9 --no-rig -o statue.glb && limber parts statue.glb --steps 1 -o labels.json",
}
PROGRAMS = ("limber", "limber-lab")
OTHER_LANGUAGES = {"text", "json", "cmake", "python", "js"}
SECONDS = 120  # for one line

FENCE = re.compile(r"^```(.*)$")
COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->$", re.S)
COMPILE = re.compile(r"compile:[ \t]*(torch)?[ \t]*\n(.*)", re.S)
NORUN = re.compile(r"norun((?:\s+\S+?)*):\s*(.*)", re.S)


LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


class Problem(Exception):
    pass


@dataclasses.dataclass
class Block:
    page: str             # README.md, docs/rig.md
    line: int             # of its first line in the page, from 1
    language: str
    lines: list
    comments: list = dataclasses.field(default_factory=list)  # (line, text) of the HTML comments right before it

    def problem(self, text, line=0):
        return Problem(f"{self.page}:{self.line + line}: {text}")


def read_blocks(root, page):
    """The fenced blocks of a page with the comments before them."""
    lines = (root / page).read_text().splitlines()
    blocks, comments, i = [], [], 0
    while i < len(lines):
        start = i
        if lines[i].startswith("<!--"):
            while not lines[i].endswith("-->"):
                i += 1
                if i == len(lines):
                    raise Problem(f"{page}:{start + 1}: a comment without an end")
            comments.append((start + 1, COMMENT.match("\n".join(lines[start:i + 1])).group(1)))
        elif fence := FENCE.match(lines[i].strip()):
            i += 1
            while i < len(lines) and lines[i].strip() != "```":
                i += 1
            if i == len(lines):
                raise Problem(f"{page}:{start + 1}: a block without an end")
            blocks.append(Block(page, start + 2, fence.group(1), lines[start + 1:i], comments))
            comments = []
        elif lines[i].strip():
            comments = []
        i += 1
    for block in blocks:
        if block.language not in {"cpp", "sh"} | OTHER_LANGUAGES:
            raise block.problem(f"a block of '{block.language}': it must be one of cpp, sh, {', '.join(sorted(OTHER_LANGUAGES))}", -1)
    return blocks


# --- C++ ---------------------------------------------------------------------------------------------------------------

def source_of(block):
    """The block as a source file, and whether it needs LibTorch. #line lets the compiler speak of the page."""
    def at(line):
        return f'#line {line} "{block.page}"'

    before, after, torch = [], [], False
    for line, comment in block.comments:
        if match := COMPILE.fullmatch(comment):
            torch = match.group(1) is not None
            around = match.group(2).splitlines()
            places = [i for i, text in enumerate(around) if text.strip() == "..."]
            if len(places) != 1:
                raise block.problem("what stands around it must have one line with ... where the block goes")
            before, after = around[:places[0]], around[places[0] + 1:]
            before = [at(line + 1), *before]
            after = [at(line + 2 + places[0]), *after]
    includes = [line for line in block.lines if line.startswith("#include")]
    code = ["" if line.startswith("#include") else line for line in block.lines]
    return "\n".join([at(block.line), *includes, *before, at(block.line), *code, *after, ""]), torch


def extract(root, pages, folder):
    """Writes what changed, removes what is no longer there, prints the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    for page in pages:
        for number, block in enumerate((b for b in read_blocks(root, page) if b.language == "cpp"), start=1):
            text, torch = source_of(block)
            file = folder / f"{pathlib.Path(page).stem}_{number}{'_torch' if torch else ''}.cpp"
            if not file.exists() or file.read_text() != text:
                file.write_text(text)
            written.add(file)
    for stale in set(folder.glob("*.cpp")) - written:
        stale.unlink()
    print("\n".join(sorted(map(str, written))))


# --- shell -------------------------------------------------------------------------------------------------------------

def commands_of(block):
    """(line in the block, command) with continued lines joined."""
    commands, start, text = [], 0, ""
    for i, line in enumerate(block.lines):
        start, text = (start, text + "\n" + line) if text else (i, line)
        if not line.endswith("\\"):
            commands.append((start, text))
            text = ""
    return [(line, command) for line, command in commands if command.strip() and not command.lstrip().startswith("#")]


def words_of(command):
    return shlex.split(command.replace("\\\n", " "), comments=True)


def reasons_of(block, commands):
    """Why a command of the block is not run, by its line; those not in it are run."""
    reasons = {}
    for line, comment in block.comments:
        if not comment.startswith("norun"):
            continue
        match = NORUN.fullmatch(comment)
        if not match or not match.group(2):
            raise Problem(f"{block.page}:{line}: norun without a reason: <!-- norun: why -->")
        start = match.group(1).split()
        meant = [at for at, command in commands if words_of(command)[:len(start)] == start]
        if not meant:
            raise Problem(f"{block.page}:{line}: norun is for no line of the block")
        reasons.update({at: match.group(2) for at in meant})
    return reasons


class ShellChecker:
    def __init__(self, root, program):
        self.root = root
        self.programs = {name: program.resolve().with_name(name) for name in PROGRAMS}
        self.scratch = tempfile.TemporaryDirectory(prefix="limber-docs-")
        folder = pathlib.Path(self.scratch.name)
        (folder / "bin").mkdir()
        for name, program in self.programs.items():
            (folder / "bin" / name).symlink_to(program)
        self.environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        self.fixtures = folder / "fixtures"
        self.fixtures.mkdir()
        self.folder = None
        self.parsed = self.ran = 0

    def run(self, command, folder):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)

    def start_page(self, page):
        self.folder = pathlib.Path(self.scratch.name) / pathlib.Path(page).stem
        self.folder.mkdir()
        (self.folder / "models").symlink_to(self.root / "models")

    def add_fixtures(self, words):
        for name in FIXTURES.keys() & set(words):
            if not (self.fixtures / name).exists():
                made = self.run(FIXTURES[name], self.fixtures)
                if made.returncode != 0:
                    raise Problem(f"{name} of FIXTURES: {FIXTURES[name]}\n{made.stdout}")
            if not (self.folder / name).exists():
                for file in self.fixtures.glob(pathlib.Path(name).stem + ".*"):
                    shutil.copy(file, self.folder)

    def check(self, block):
        """The problems of a block: what bash or the program does not take, and what fails when it is run."""
        commands = commands_of(block)
        whole = "\n".join(block.lines)
        read = subprocess.run(["bash", "-n", "-c", whole], capture_output=True, text=True)
        if read.returncode != 0:
            yield block.problem(read.stderr.strip())
            return
        reasons = reasons_of(block, commands)
        for line, command in commands:
            words = words_of(command)
            if words[0] not in PROGRAMS:
                continue
            if line in reasons:
                yield from self.check_parse(block, line, command, words)
            else:
                yield from self.check_run(block, line, command, words)

    def check_parse(self, block, line, command, words):
        """Lines that run are parsed on the way."""
        arguments = words[1:next((i for i, word in enumerate(words) if word in ("|", ">", "&&", "||", ";")), None)]
        parse = subprocess.run([self.programs[words[0]], "--parse-only", *arguments], capture_output=True, text=True, timeout=SECONDS)
        self.parsed += 1
        if parse.returncode != 0:
            yield block.problem(f"the program does not take: {command}\n{parse.stderr}", line)

    def check_run(self, block, line, command, words):
        self.add_fixtures(words)
        start = time.monotonic()
        try:
            done = self.run(command, self.folder)
        except subprocess.TimeoutExpired:
            yield block.problem(f"took more than {SECONDS} s: {command}", line)
            return
        self.ran += 1
        print(f"{time.monotonic() - start:6.1f} s  {block.page}:{block.line + line}: {' '.join(words)}", flush=True)
        if done.returncode != 0:
            yield block.problem(f"exit code {done.returncode}: {command}\n{done.stdout[-2000:]}", line)


def run(root, pages, program):
    checker = ShellChecker(root, program)
    found = []
    for page in pages:
        checker.start_page(page)
        for block in read_blocks(root, page):
            if block.language == "sh":
                found += checker.check(block)
    for problem in found:
        print(problem)
    print(f"{checker.ran} lines run, {checker.parsed} parsed only, {len(found)} problems")
    return 1 if found else 0


# --- links -------------------------------------------------------------------------------------------------------------

def prose_of(text):
    """The page without blocks and code, line for line: what looks like a link there is none."""
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", lambda code: "`" * len(code.group()), text)


def anchors_of(text):
    """The names that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    headings = re.findall(r"^#+ +(.+?) *$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(root):
    """Relative links only: nothing is fetched."""
    pages = sorted({*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("models/*/README.md")})
    problems, linked = [], set()
    for page in pages:
        for number, line in enumerate(prose_of(page.read_text()).splitlines(), start=1):
            for link in LINK.findall(line):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                linked.add(target)
                if not target.exists():
                    problems.append(f"{page.relative_to(root)}:{number}: there is no {link}")
                elif anchor and anchor not in anchors_of(target.read_text()):
                    problems.append(f"{page.relative_to(root)}:{number}: no heading of {target.name} is #{anchor}")
    problems += [f"{picture.relative_to(root)}: no page shows it"
                 for picture in sorted(root.glob("docs/images/*")) if picture.resolve() not in linked]
    print("\n".join([*problems, f"{len(linked)} places linked to, {len(problems)} problems"]))
    return 1 if problems else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    commands = arguments.add_subparsers(dest="command", required=True)
    commands.add_parser("extract").add_argument("folder", type=pathlib.Path)
    commands.add_parser("links")
    shell = commands.add_parser("run")
    shell.add_argument("limber", type=pathlib.Path)
    shell.add_argument("pages", nargs="*")
    given = arguments.parse_args()
    every_page = ["README.md", *sorted(str(p.relative_to(given.root)) for p in (given.root / "docs").glob("*.md"))]
    try:
        if given.command == "links":
            return links(given.root.resolve())
        if given.command == "extract":
            return extract(given.root, every_page, given.folder)
        return run(given.root, given.pages or every_page, given.limber)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
