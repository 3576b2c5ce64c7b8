#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of docs/figures.json anew and writes docs/figures.md and the table of README.md from them.

  tools/update_figures.py --only kinematics,zoo,splat   runs these subjects of `limber-lab bench`; all other rows stay as they are
  tools/update_figures.py --only methods-sample         runs the command of this row alone (those for a GPU run only so)
  tools/update_figures.py                               runs nothing, writes docs/figures.md and the table

A row of figures.json says what is measured, by which command and of what ("input"), which rows of its --json output are
picked ("*" stands for anything) and how they are written. Rows without "pick" are measured by hand. Every figure carries the
commit and the machine that it was measured on, where they are known, and "error" where there is one; "not repeatable" says why
nobody can run it again. Rows of "readme" show one number of another row each: {key:1} is its second, brackets left out; those of "readme between" one beside
its floors and its ceiling. "tables" are those that only say something as a whole; they are measured by hand. Where
README.md or a page of docs/ says `<!-- {key:1} -->7 s<!-- -->`, the words between are written anew, too.

A figure misses its aim where one of its numbers, which semicolons and commas part, is beyond the one in that place of the aim.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "docs" / "figures.json"
PAGE = ROOT / "docs" / "figures.md"
README = ROOT / "README.md"
PAGES = sorted([README, *(ROOT / "docs").glob("*.md")])

HEAD = """# Figures

Every number that we state about speed and quality, in one place. Generated from [figures.json](figures.json) by
`tools/update_figures.py`, which also measures anew; do not edit. The last column says at which commit and on what, below the table. Where the
command makes creatures or draws at random, its default seeds are meant (7; `limber-lab bench animate`: creatures of seeds 970000 and on).

| what | figure | aim | command and input | measured |
|---|---|---|---|---|
"""


def subject_of(row):
    """The subject of `limber-lab bench` that measures a row; None where a person does."""
    words = row["command"].split()
    return words[2] if "pick" in row and words[:2] == ["limber-lab", "bench"] else None


def is_meant(row, names):
    """Whether a row is to be measured: by its key, or by its subject, if that needs no GPU."""
    subject = subject_of(row)
    return subject is not None and (row["key"] in names or (subject in names and "--device" not in row["command"]))


def figure(row, report):
    """A row's figure from the report of its command."""
    values = []
    for pattern in row["pick"]:
        found = [r["value"] for r in report["rows"] if fnmatch.fnmatchcase(r["name"], pattern)]
        if len(found) != 1:
            raise LookupError(f"{row['key']}: {len(found)} rows of `{row['command']}` are named '{pattern}'")
        values.append(found[0] * row.get("scale", 1))
    return row["format"].format(*values)


def remeasured(rows, names, measure, where):
    """The rows with those that are named measured anew. `measure` runs a command, `where` gives commit and machine."""
    reports = {}
    result = []
    for row in rows:
        if is_meant(row, names):
            command = row["command"]
            if command not in reports:
                reports[command] = measure(command)
            row = {**row, "figure": figure(row, reports[command]), **where(reports[command])}
            row.pop("error", None)  # was of the former figure
        result.append(row)
    return result


def parts_of(text):
    """What semicolons and commas part, without what is said in brackets: "21 s (36 core seconds); 3 s" is "21 s", "3 s"."""
    return re.split(r"[;,] ", re.sub(r" \([^)]*\)", "", text))


def number_of(text):
    """The first number of a text, "44 of 47" in per cent; None where there is none."""
    if share := re.match(r"(\d+) of (\d+)", text):
        return 100 * int(share.group(1)) / int(share.group(2))
    found = re.search(r"\d+(\.\d+)?(e-?\d+)?", text)
    return float(found.group()) if found else None


def misses(figure_text, aim):
    """Whether a figure misses its aim. An aim without <= or >= is for people to judge."""
    sign = None
    for part, bound in zip(parts_of(figure_text), parts_of(aim)):
        found = re.search(r"[<>]=", bound)
        sign = found.group() if found else sign
        value, limit = number_of(part), number_of(bound)
        if sign and value is not None and limit is not None and (value > limit if sign == "<=" else value < limit):
            return True
    return False


def judged(figure_text, aim):
    return f"{aim}: **missed**" if misses(figure_text, aim) else aim


def place(row):
    return f"{row.get('commit', 'commit not noted')}: {row['machine']}"


def page_table(table):
    """A table that only says something as a whole: what pages of rooms refer to."""
    measured = f"`{table['command']}`; {table['input']}. {table['commit']}: {table['machine']}."
    text = f"\n## {table['title']}\n{measured}" + (f" {table['note']}." if "note" in table else "") + "\n\n"
    lines = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    return text + "".join("|" + "|".join(f" {cell} " if cell != "---" else cell for cell in line) + "|\n" for line in lines)


def page(rows, tables):
    places = list(dict.fromkeys(place(row) for row in rows))
    text = HEAD
    for row in rows:
        shown = row["figure"] + (f" (standard error {row['error']})" if "error" in row else "")
        how = f"`{row['command']}`" + (f"; {row['input']}" if "input" in row else "")
        how += f"; not repeatable: {row['not repeatable']}" if "not repeatable" in row else ""
        text += f"| {row['what']} | {shown} | {judged(row['figure'], row['aim'])} | {how} | [{places.index(place(row)) + 1}] |\n"
    text += "\n" + "".join(f"{i + 1}. {where}\n" for i, where in enumerate(places))
    return text + "".join(page_table(table) for table in tables)


def numbers_in(template, rows):
    """A template with the numbers that it names."""
    figures = {row["key"]: row["figure"] for row in rows}
    return re.sub(r"\{([^:}]+):(\d+)\}", lambda found: parts_of(figures[found.group(1)])[int(found.group(2))], template)


def filled(text, rows):
    """A page with the figures that it states in its sentences written anew."""
    return re.sub(r"(<!-- (\{[^}]+\}) -->)[^<]*(<!-- -->)", lambda found: found.group(1) + numbers_in(found.group(2), rows) + found.group(3),
                  text)


BETWEEN = ("ours", "still", "another action", "another take")


def with_table(text, first_column, table):
    """A text in which the table whose head begins so has other lines."""
    head = r"(\| " + re.escape(first_column) + r" \|.*\n\|(?:---\|)+\n)(\|.*\n)+"
    return re.sub(head, lambda found: found.group(1) + table, text)


def readme(text, source, rows):
    """README's text with its tables written anew."""
    table = ""
    for row in source["readme"]:
        number = numbers_in(row["figure"], rows)
        table += f"| {row['what']} | {number} | {judged(number, row['aim'])} |\n"
    between = ""
    for row in source["readme between"]:
        between += f"| {row['what']} | " + " | ".join(numbers_in(row[column], rows) for column in BETWEEN) + " |\n"
    return with_table(with_table(text, "what | figure", table), "motions by words", between)


def cpu_name():
    found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return found.group(1) if found else "an unnamed CPU"


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no")
    return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="subjects of `limber-lab bench`, or keys of rows, to measure, with commas between")
    parser.add_argument("--program", default=ROOT / "build" / "bin" / "limber-lab")
    parser.add_argument("--note", default="", help="what else is to be said of the machine: 'other work beside'")
    options = parser.parse_args()
    source = json.loads(SOURCE.read_text())
    names = {name for name in options.only.split(",") if name}
    measured = [row for row in source["rows"] if subject_of(row)]
    unknown = names - {subject_of(row) for row in measured} - {row["key"] for row in measured}
    if unknown:
        sys.exit(f"no row of {SOURCE.relative_to(ROOT)} is measured by: {' '.join(sorted(unknown))}")

    def measure(command):
        print(command, flush=True)
        arguments = [options.program, *shlex.split(command)[1:], "--json"]
        return json.loads(subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)

    at = commit()

    def where(report):
        machine = f"{cpu_name()}, {report['threads']} threads{', ' + options.note if options.note else ''}"
        return {"commit": at, "machine": machine}

    rows = remeasured(source["rows"], names, measure, where)
    for before, after in zip(source["rows"], rows):
        if before["figure"] != after["figure"]:
            print(f"{after['key']}: {before['figure']} -> {after['figure']} (aim {after['aim']})")
    SOURCE.write_text(json.dumps({**source, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
    PAGE.write_text(page(rows, source["tables"]))
    README.write_text(readme(README.read_text(), source, rows))
    for path in PAGES:
        path.write_text(filled(path.read_text(), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
