#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The library names no options of the command line. Usage: tools/check_option_names.py [root]

Python and the studio show what the library says, and call things otherwise: a text says `in_place`, in backticks, and each front
end makes its own of it (base/fields.h, with_words). Free are those who run the program (batch) or
write scripts that do, and tests.
"""
import re
import sys

import cpp_text

FREE = re.compile(r"limber/(batch/(manifest|run|slurm)\.cpp|testing/)|_test\.(cpp|cu)$|_testing\.h$")
OPTION = re.compile(r"(^|[\s(\"'])--[a-z]")


def problems(root):
    for file in cpp_text.sources(root, ("limber",)):
        where = file.relative_to(root).as_posix()
        if FREE.search(where):
            continue
        for line, literal in cpp_text.string_literals(file.read_text()):
            if OPTION.search(literal):
                yield f'{where}:{line}: "{literal}" names an option of the command line'


if __name__ == "__main__":
    sys.exit(cpp_text.run_lint(problems, "option names"))
