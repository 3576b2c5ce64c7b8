#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of docs/figures.json anew and writes docs/figures.md and the table of README.md from them.

  tools/update_figures.py --only kinematics,zoo,splat   runs these subjects of `limber bench`; all other rows stay as they are
  tools/update_figures.py                               runs nothing, writes docs/figures.md and the table

A row of figures.json says what is measured, by which command, which rows of its --json output are picked ("*" stands for
anything) and how they are written. Rows without "pick" are measured by hand. Every figure carries the commit and the machine
that it was measured on. Rows of "readme" are made of others' figures: {key} is all of one, {key:1} its second part without
what is said in brackets.
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

HEAD = """# Figures

Every number that we state about speed and quality, in one place. Generated from [figures.json](figures.json) by
`tools/update_figures.py`, which also measures anew; do not edit. The last column says where and when, below the table.

| what | command | figure | aim | measured |
|---|---|---|---|---|
"""


def subject_of(row):
    """The subject of `limber bench` that measures a row; None where a person does."""
    words = row["command"].split()
    return words[2] if "pick" in row and words[:2] == ["limber", "bench"] else None


def figure(row, report):
    """A row's figure from the report of its command."""
    values = []
    for pattern in row["pick"]:
        found = [r["value"] for r in report["rows"] if fnmatch.fnmatchcase(r["name"], pattern)]
        if len(found) != 1:
            raise LookupError(f"{row['key']}: {len(found)} rows of `{row['command']}` are named '{pattern}'")
        values.append(found[0] * row.get("scale", 1))
    return row["format"].format(*values)


def remeasured(rows, subjects, measure, where):
    """The rows with those of the subjects measured anew. `measure` runs a command, `where` describes the machine."""
    reports = {}
    result = []
    for row in rows:
        if subject_of(row) in subjects:
            command = row["command"]
            if command not in reports:
                reports[command] = measure(command)
            row = {**row, "figure": figure(row, reports[command]), "measured": where(reports[command])}
        result.append(row)
    return result


def page(rows):
    places = list(dict.fromkeys(row["measured"] for row in rows))
    text = HEAD
    for row in rows:
        text += (f"| {row['what']} | `{row['command']}` | {row['figure']} | {row['aim']} | "
                 f"[{places.index(row['measured']) + 1}] |\n")
    text += "\n" + "".join(f"{i + 1}. {place}\n" for i, place in enumerate(places))
    return text


def readme_figure(template, rows):
    figures = {row["key"]: row["figure"] for row in rows}

    def part(found):
        key, _, index = found.group(1).partition(":")
        return figures[key].split("; ")[int(index)].split(" (")[0] if index else figures[key]
    return re.sub(r"\{([^}]+)\}", part, template)


def readme(text, shown, rows):
    """README's text with its table written anew."""
    table = "".join(f"| {row['what']} | {readme_figure(row['figure'], rows)} | {row['aim']} |\n" for row in shown)
    return re.sub(r"(\| what \| figure \| aim \|\n\|---\|---\|---\|\n)(\|.*\n)+", lambda found: found.group(1) + table, text)


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
    parser.add_argument("--only", default="", help="subjects of `limber bench` to measure, with commas between")
    parser.add_argument("--program", default=os.environ.get("LIMBER", ROOT / "build" / "bin" / "limber"))
    parser.add_argument("--note", default="", help="what else is to be said of the machine: 'other work beside'")
    options = parser.parse_args()
    source = json.loads(SOURCE.read_text())
    subjects = {name for name in options.only.split(",") if name}
    unknown = subjects - {subject_of(row) for row in source["rows"]}
    if unknown:
        sys.exit(f"no row of {SOURCE.relative_to(ROOT)} is measured by: {' '.join(sorted(unknown))}")

    def measure(command):
        print(command, flush=True)
        arguments = [options.program, *shlex.split(command)[1:], "--json"]
        return json.loads(subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)

    at = commit()

    def where(report):
        return f"{at}: {cpu_name()}, {report['threads']} threads{', ' + options.note if options.note else ''}"

    rows = remeasured(source["rows"], subjects, measure, where)
    for before, after in zip(source["rows"], rows):
        if before["figure"] != after["figure"]:
            print(f"{after['key']}: {before['figure']} -> {after['figure']} (aim {after['aim']})")
    SOURCE.write_text(json.dumps({**source, "rows": rows}, indent=2, ensure_ascii=False) + "\n")
    PAGE.write_text(page(rows))
    README.write_text(readme(README.read_text(), source["readme"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
