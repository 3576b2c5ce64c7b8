#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Every warning has its text, and every text its warning. Usage: tools/check_warnings.py [root]

Warnings are data (base/warning.h): a code, numbers, names and fields. The texts are rows of base/warning_texts.cpp; a code without
one would be shown as it is, and nobody sees that before somebody is warned.
"""
import re
import sys

import cpp_text

TABLE = "limber/base/warning_texts.cpp"
MAKERS = re.compile(r"limber/(?!base/).*(?<!_test)\.cpp$")


def problems(root):
    table = root / TABLE
    if not table.exists():
        return
    codes = re.findall(r'^    \{"(\w+)",', table.read_text(), re.M)
    used = set()
    for file in cpp_text.sources(root, ("limber",)):
        where = file.relative_to(root).as_posix()
        if not MAKERS.search(where):
            continue
        literals = list(cpp_text.string_literals(file.read_text()))
        used.update(literal for _, literal in literals)
        for line, literal in literals:
            text = file.read_text().splitlines()[line - 1]
            if re.search(r'Warning\w*\s*\w*\{"' + re.escape(literal) + '"', text) and literal not in codes:
                yield f'{where}:{line}: the warning "{literal}" has no text in {TABLE}'
    for code in codes:
        if code not in used:
            yield f"{TABLE}: nobody warns of \"{code}\""


if __name__ == "__main__":
    sys.exit(cpp_text.run_lint(problems, "warnings"))
