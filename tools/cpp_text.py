# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What the lints share: where C++ files are, where comments and literals are in them, and how a lint is run."""
import pathlib
import re
import sys

SUFFIXES = {".h", ".cpp", ".inl", ".cu", ".cuh"}
TOKEN = re.compile(r'''
    (?P<comment> //(?:[^\\\n]|\\\n|\\.)* | /\*.*?\*/ )
  | (?P<raw> R"(?P<delimiter>[^\s()\\]*)\((?P<raw_text>.*?)\)(?P=delimiter)" )
  | (?P<string> "(?P<text>(?:[^"\\\n]|\\.)*)" )
  | (?P<char> (?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)+' )  # not the ' of 1'000
  | (?P<directive> ^[ \t]*\#(?:[^\\\n]|\\\n|\\.)* )
''', re.S | re.M | re.X)


def code_only(text):
    """The text with comments, literals and preprocessor lines blanked: every character stays in its line and column."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def string_literals(text):
    """(line, literal) of every string literal that is not in a comment or a preprocessor line."""
    for match in TOKEN.finditer(text):
        if match["string"] or match["raw"]:
            yield text.count("\n", 0, match.start()) + 1, match["text"] if match["string"] else match["raw_text"]


def sources(root, folders, suffixes=SUFFIXES):
    """The source files below the folders that exist, in order."""
    for folder in folders:
        yield from sorted(file for file in (root / folder).rglob("*") if file.suffix in suffixes)


def run_lint(problems, subject):
    """What every lint does when it is run: prints the problems of the tree (its own, or the one that is named) and
    returns the exit code."""
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = list(problems(root))
    for line in found:
        print(line)
    print(f"{len(found)} problems" if found else f"{subject} are in order")
    return 1 if found else 0
