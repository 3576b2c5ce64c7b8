#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/actions.md from limber/actions/actions.json; with --check only says whether it is up to date."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, START, END = ROOT / "docs/actions.md", "<!-- actions -->\n", "<!-- end of actions -->\n"
TRAVELS = {"feet": "on its feet", "freely": "without feet"}


def forms(verb):
    return verb if isinstance(verb, list) else verb["forms"]


def taught(verb):
    return isinstance(verb, list) or verb.get("taught", True)


def row(action):
    said = ", ".join(forms(verb)[0] for verb in action["verbs"] if taught(verb))
    often = "over and over" if action.get("cyclic") else "once"
    cells = (action["name"], said, often, TRAVELS.get(action.get("travels"), ""), action.get("habitat", ""),
             action.get("limbs", {}).get("called", ""))
    return "| " + " | ".join(cells) + " |\n"


def table():
    actions = json.loads((ROOT / "limber/actions/actions.json").read_text())["actions"]
    head = "| action | said so | how often | gets on | habitat | takes |\n|---|---|---|---|---|---|\n"
    return head + "".join(row(action) for action in actions)


def main():
    text = PAGE.read_text()
    before, rest = text.split(START)
    _, after = rest.split(END)
    fresh = before + START + table() + END + after
    if sys.argv[1:] == ["--check"]:
        if fresh != text:
            sys.exit("docs/actions.md does not say what actions.json says: run tools/actions_table.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(fresh)


if __name__ == "__main__":
    main()
