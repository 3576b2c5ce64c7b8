#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Other people's joint names are read in one file. Usage: tools/check_joint_names.py [root]

The words that limber/anatomy/joint_names.cpp looks for ("thigh", "hips", "shoulder") may not stand as string literals in
code elsewhere: whoever wants to know what a joint is asks its role. Free are those who make names (the zoo, templates, name
profiles) and tests. A word that means something else says so in its line:
    weights.root() / "head"  // not a joint: the last layer of the network
"""
import re
import sys

import cpp_text

READER = "limber/anatomy/joint_names.cpp"
FOLDERS = ("limber", "cli", "bench", "python", "studio", "examples")
# limber/rig/role.cpp has our own words for limbs.
FREE = re.compile(r"limber/(anatomy|zoo|testing|skeleton/templates)/|limber/(skeleton/name_profiles|rig/role)\.cpp$"
                  r"|_test\.(cpp|cu)$|_testing\.h$")
# Words that joints share with pictures, files and options.
GENERAL = {"left", "right", "front", "back", "upper", "lower", "up", "down", "root", "joint", "bone", "node", "end",
           "body", "middle", "index", "target", "control", "roll", "camera", "light", "sword"}
ELSE = re.compile(r"// not a joint: \S")


def words_of(text):
    """The literals of the reader that are one word of three letters or more: shorter ones are sides and axes."""
    literals = {literal.lower() for _, literal in cpp_text.string_literals(text)}
    return {literal for literal in literals if re.fullmatch(r"[a-z_]{3,}", literal)} - GENERAL


def problems(root):
    reader = root / READER
    words = words_of(reader.read_text()) if reader.exists() else set()
    if not words:
        yield f"{READER}: there are no words to look for"
    for file in cpp_text.sources(root, FOLDERS):
        where = file.relative_to(root).as_posix()
        if FREE.search(where):
            continue
        text = file.read_text()
        lines = text.splitlines()
        for line, literal in cpp_text.string_literals(text):
            if literal.lower() in words and not ELSE.search(lines[line - 1]):
                yield f'{where}:{line}: "{literal}" is a joint\'s name: {READER} reads those'


if __name__ == "__main__":
    sys.exit(cpp_text.run_lint(problems, "joint names"))
