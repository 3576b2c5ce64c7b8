#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""No public header names a type of CUDA. Usage: tools/check_seams.py [root]

Whoever uses limber as a library need not know where the GPU is: what runs there stands behind headers that a room lists under
PRIVATE_HEADERS, or behind a pointer to what only they know. Free are the rooms whose business it is (base, splat, nn), and the one
seam of scenes (scene/scene.h).
"""
import re
import sys

import cpp_text

FREE_ROOMS = {"base", "splat", "nn"}
FREE_FILES = {"limber/scene/scene.h"}
CUDA = re.compile(r"\b(Cuda[A-Z]\w*|cuda[A-Z]\w*|CU[a-z]\w*|Device(Prior|Frames|Steps|Scene|Motion))\b|<cuda\w*\.h>")
# Somebody else's class may be named ahead of its private header, and handed out by pointer.
OPAQUE = re.compile(r"^(class|struct) \w+;|^\s*virtual \w+\* \w+\(\)")


def public_headers(room):
    """Those that a room's CMakeLists.txt lists under HEADERS."""
    text = re.sub(r"#.*", "", (room / "CMakeLists.txt").read_text())
    section = None
    for word in re.findall(r"[^\s()]+", text):
        if re.fullmatch(r"[A-Z_]+", word):
            section = word
        elif section == "HEADERS" and word.endswith(".h"):
            yield room / word


def problems(root):
    for listing in sorted((root / "limber").glob("*/CMakeLists.txt")):
        room = listing.parent
        if room.name in FREE_ROOMS:
            continue
        for header in public_headers(room):
            where = header.relative_to(root).as_posix()
            if where in FREE_FILES or not header.exists():
                continue
            text = header.read_text()
            code = cpp_text.code_only(text).splitlines()
            for number, line in enumerate(text.splitlines(), 1):
                shown = line if line.lstrip().startswith("#") else code[number - 1]
                if (found := CUDA.search(shown)) and not OPAQUE.search(shown):
                    yield f"{where}:{number}: a public header names {found.group()}"


if __name__ == "__main__":
    sys.exit(cpp_text.run_lint(problems, "seams"))
