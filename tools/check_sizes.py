#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""No function over 60 lines that is not a table, no source file over 600. Usage: tools/check_sizes.py [root]

Counted is what stands between the braces of a function. A function that is one table of data (a list of options, of names,
of cases) may be longer: it says so in a comment right above it or in its first line, with a word why:
    // table: one case per body plan
"""
import ast
import re
import sys

import cpp_text

FOLDERS = ("limber", "cli", "python", "studio/server", "bench", "tests", "examples", "tools")
MOST_FUNCTION_LINES = 60
MOST_FILE_LINES = 600
TABLE = re.compile(r"(//|#) table: \S")

TYPE = re.compile(r"(template\s*<.*>\s*)?(typedef\s+)?(class|struct|union|enum)\b", re.S)
SCOPE = re.compile(r"(inline\s+)?namespace\b|extern$")
# What may stand between the parameters and the body of a function.
FUNCTION = re.compile(r"\)\s*((const|noexcept|override|final|mutable|try|&&?)\s*|->.*|requires\b.*|:[^:].*)*$", re.S)
INITIALISERS = re.compile(r"\)[\w\s]*:[^:].*[\w>]$", re.S)


def kind_of(header, inside_parentheses):
    """What a brace at the scope of a file, a namespace or a type opens, by the text before it."""
    if inside_parentheses or INITIALISERS.search(header):
        return "value"  # f(Settings settings = {}); Type() : member_{1} {...}
    if SCOPE.match(header):
        return "scope"
    if TYPE.match(header) and not re.search(r"\)\s*(const|noexcept|override)?$", header):
        return "scope"
    return "function" if FUNCTION.search(header) else "other"


def cpp_functions(text):
    """(name, first line with its return type, line of the opening brace, line of the closing brace) of every function."""
    code = cpp_text.code_only(text)
    line_of = lambda position: code.count("\n", 0, position) + 1
    start, parentheses = 0, 0  # where the text before the next brace starts; how many are open in it
    open_braces = []           # (kind, header's start, brace)
    for match in re.finditer(r"[{}();]", code):
        token, position = match.group(), match.start()
        inside = any(kind in ("function", "other") for kind, _, _ in open_braces)
        if token in "()" and not inside:
            parentheses += 1 if token == "(" else -1
        elif token == "{":
            header = code[start:position].strip()
            kind = "inner" if inside else kind_of(header, parentheses > 0)
            open_braces.append((kind, start, position))
            if kind != "value":
                start = position + 1
        elif token == "}":
            if not open_braces:
                raise ValueError(f"line {line_of(position)}: a brace closes that was not opened")
            kind, header_start, brace = open_braces.pop()
            if kind == "function":
                header = code[header_start:brace]
                first = header_start + len(header) - len(header.lstrip())
                yield " ".join(header.split())[:100], line_of(first), line_of(brace), line_of(position)
            if kind != "value":
                start = position + 1
        elif token == ";" and parentheses == 0:
            start = position + 1
    if open_braces:
        raise ValueError(f"line {line_of(open_braces[-1][2])}: a brace opens that is not closed")


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.body[0].lineno - 1, node.end_lineno + 1


def is_table(lines, first, brace):
    """Whether the comment above line `first`, the header, or the first line of the body says so."""
    above = first - 1
    while above > 0 and re.match(r"\s*(//|#)", lines[above - 1]):
        above -= 1
    return any(TABLE.search(line) for line in lines[above:brace + 1])


def problems(root):
    for file in cpp_text.sources(root, FOLDERS, cpp_text.SUFFIXES | {".py"}):
        text, where = file.read_text(), file.relative_to(root)
        lines = text.splitlines()
        if len(lines) > MOST_FILE_LINES:
            yield f"{where}: {len(lines)} lines, more than {MOST_FILE_LINES}"
        try:
            functions = list((python_functions if file.suffix == ".py" else cpp_functions)(text))
        except (ValueError, SyntaxError) as error:
            yield f"{where}: {error}"
            continue
        for name, first, brace, end in functions:
            if end - brace - 1 > MOST_FUNCTION_LINES and not is_table(lines, first, brace):
                yield f"{where}:{first}: a function of {end - brace - 1} lines, more than {MOST_FUNCTION_LINES}: {name}"


if __name__ == "__main__":
    sys.exit(cpp_text.run_lint(problems, "sizes"))
