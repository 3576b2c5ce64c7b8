#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what `limber-lab bench acceptance` measures with tests/acceptance/record.json: results may only improve.

  tools/acceptance.py                     every row; exit code 1 where one is worse than recorded
  tools/acceptance.py --groups rig,lift   only these
  tools/acceptance.py --update            record what was measured now, and show the difference

Every row of the record states which way is better and how far it may be worse, since CPUs differ. A row that is better by
more than that is told; recording it raises the bar.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "acceptance" / "record.json"
UPDATE = "tools/acceptance.py --update"


@dataclasses.dataclass
class Rule:
    """How rows of one kind are judged: the tolerance is the larger of the two, in the row's unit."""
    better: str
    absolute: float
    relative: float = 0


# By the end of a row's name, for rows that enter the record; what stands there already is kept.
RULES = {
    "CD-J2J": Rule("lower", 0.1, 0.05),
    "skin L1": Rule("lower", 0.005, 0.03),
    "kinds right": Rule("higher", 100 / 24),  # one of the 24 bodies
    "fronts right": Rule("higher", 100 / 24),
    "head and sides right": Rule("higher", 0),
    "video overlap": Rule("higher", 0.02),
    "video angle error": Rule("lower", 1.0),
    "videos trusted": Rule("higher", 0),
    "phase error": Rule("lower", 0.01),
    "skate": Rule("lower", 0.5, 0.25),
    "skate, feet locked": Rule("lower", 0.5, 0.25),
    "penetration": Rule("lower", 0.2, 0.25),
    "joint error": Rule("lower", 0.3, 0.15),
    "recognised": Rule("higher", 0),
    "loop passed": Rule("higher", 1),
    "contact passed": Rule("higher", 1),
    "floor passed": Rule("higher", 1),
    "drift passed": Rule("higher", 1),
    "flips passed": Rule("higher", 1),
    "duty error": Rule("lower", 0.03),
    "activity factor": Rule("lower", 0.05, 0.05),
    "image error": Rule("lower", 0.5, 0.5),  # roundings differ between SIMD levels
    "gradient error": Rule("lower", 1, 0.5),
}


@dataclasses.dataclass
class Verdict:
    name: str
    unit: str
    recorded: object  # a number, or None for a row that the record does not know
    now: object  # a number, or None for a row that was not measured or is not finite
    tolerance: float
    word: str  # "same", "better", "WORSE", "MISSING", "NEW"

    @property
    def passes(self):
        return self.word in ("same", "better")


def group_of(name):
    return name.split("/")[0]


def judge(name, entry, value):
    """One recorded row against what was measured."""
    sign = {"lower": 1, "higher": -1}[entry["better"]]
    tolerance = entry["tolerance"]
    if value is None:
        word = "MISSING"
    # Written so that what is not a number fails.
    elif not sign * (value - entry["value"]) <= tolerance + 1e-9:
        word = "WORSE"
    else:
        word = "better" if sign * (entry["value"] - value) > tolerance + 1e-9 else "same"
    return Verdict(name, entry["unit"], entry["value"], value, tolerance, word)


def compare(record, rows, groups):
    """A verdict for every row of the groups that is recorded, measured or both."""
    measured = {row["name"]: row for row in rows}
    verdicts = [judge(name, entry, measured[name]["value"] if name in measured else None)
                for name, entry in record["rows"].items() if group_of(name) in groups]
    verdicts += [Verdict(name, row["unit"], None, row["value"], 0, "NEW") for name, row in measured.items()
                 if name not in record["rows"]]
    return verdicts


def updated(record, rows, groups):
    """The record with the rows of the groups as they were measured now; tolerances are kept."""
    result = {name: entry for name, entry in record["rows"].items() if group_of(name) not in groups}
    for row in rows:
        name, value = row["name"], row["value"]
        if value is None:
            raise ValueError(f"{name} is not a number: nothing is recorded")
        entry = {"value": float(f"{value:.5g}"), "unit": row["unit"]}
        known = record["rows"].get(name)
        if known:
            entry |= {"better": known["better"], "tolerance": known["tolerance"]}
        else:
            rule = RULES[name.split("/")[-1]]
            tolerance = max(rule.absolute, rule.relative * abs(value))
            entry |= {"better": rule.better, "tolerance": float(f"{tolerance:.3g}")}
        result[name] = entry
    return {**record, "rows": dict(sorted(result.items()))}


def table(verdicts):
    def number(value):
        return "-" if value is None else f"{value:.4g}"

    lines = [f"{'row':<44} {'recorded':>9} {'now':>9} {'tolerance':>10}  unit"]
    for v in verdicts:
        lines.append(f"{v.name:<44} {number(v.recorded):>9} {number(v.now):>9} {number(v.tolerance):>10}  "
                     f"{v.unit:<11} {'' if v.word == 'same' else v.word}".rstrip())
    return "\n".join(lines)


def measure(program, groups):
    done = subprocess.run([program, "--quiet", "bench", "acceptance", "--json", "--groups", ",".join(groups),
                           "--data", ROOT / "tests" / "data"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"limber-lab bench acceptance failed with exit code {done.returncode}")
    return json.loads(done.stdout)["rows"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", default="rig,lift,ground,splat,animate,finished", help="names with commas between")
    parser.add_argument("--program", default=os.environ.get("LIMBER", ROOT / "build" / "bin" / "limber-lab"))
    parser.add_argument("--update", action="store_true", help="record what was measured now")
    options = parser.parse_args()
    groups = options.groups.split(",")
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"update": UPDATE, "rows": {}}
    rows = measure(options.program, groups)
    verdicts = compare(record, rows, groups)
    print(table(verdicts))
    if options.update:
        RECORD.write_text(json.dumps(updated(record, rows, groups), indent=2) + "\n")
        print(f"recorded in {RECORD.relative_to(ROOT)}")
        return 0
    failed = [v for v in verdicts if not v.passes]
    if any(v.word == "better" for v in verdicts):
        print(f"better than recorded: update the record with {UPDATE} --groups {options.groups}")
    if failed:
        print(f"{len(failed)} of {len(verdicts)} rows fail; if that is meant, say why and record it with {UPDATE}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
