#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Which share of artists' clips passes each check of `limber score`, by kind of body: the table "score-clips" of docs/figures.json.

  tools/score_table.py build/bin/limber ../shared            the rigs of `test` and `test_more` of split.json
  tools/score_table.py build/bin/limber ../shared --each     and a row per rig

Every body counts alike within its kind, however many clips it has. What a check was not asked of does not count.
"""
import argparse
import collections
import json
import pathlib
import subprocess

CHECKS = ("loop", "contact", "floor", "drift", "flips", "skin", "weights", "leak")


def score(program, path):
    """What the program says of a file; None where it can say nothing."""
    done = subprocess.run([program, "score", str(path), "--json", "-q"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def shares(told):
    """Per check the share of a body's clips that pass, of those that were asked; of the model 0 or 1."""
    verdicts = collections.defaultdict(list)
    for clip in told["clips"]:
        for check, result in clip["checks"].items():
            if result["passed"] is not None:
                verdicts[check].append(result["passed"])
    for check, result in told["model"].items():
        if result["passed"] is not None:
            verdicts[check].append(result["passed"])
    return {check: sum(passed) / len(passed) for check, passed in verdicts.items()}


def row(name, bodies):
    """A line of the table: mean share over the bodies of which a check was asked, and how many those are."""
    cells = []
    for check in CHECKS:
        asked = [body[check] for body in bodies if check in body]
        cells.append(f"{100 * sum(asked) / len(asked):.0f} % ({len(asked)})" if asked else "-")
    return f"| {name} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--each", action="store_true")
    arguments = parser.parse_args()
    split = json.loads((arguments.shared / "split.json").read_text())
    kinds, clips = collections.defaultdict(list), 0
    for name in split["test"] + split["test_more"]:
        told = score(arguments.program, arguments.shared / name)
        if told is None:
            print(f"{name}: nothing could be measured")
            continue
        clips += len(told["clips"])
        kinds[pathlib.Path(name).parent.name].append((pathlib.Path(name).stem, shares(told)))
    bodies = [body for kind in kinds.values() for _, body in kind]
    print("| | " + " | ".join(CHECKS) + " |\n|---|" + "---|" * len(CHECKS))
    for kind in sorted(kinds):
        print(row(f"{kind} ({len(kinds[kind])})", [body for _, body in kinds[kind]]))
        for name, body in kinds[kind] if arguments.each else []:
            print(row(name, [body]))
    print(row(f"all {len(bodies)} bodies, {clips} clips", bodies))


if __name__ == "__main__":
    main()
