#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Draws how often the body reader is right beside how often it says so, from tables of `limber-lab bench bodies --json`:

    limber --json bench bodies --reader fold1 --characters characters.bin --fold 1/3 > fold1.json
    tools/plot_reliability.py fold1.json fold2.json fold3.json -o reliability.svg
"""
import argparse
import json
import re

SUBJECTS = {"kind": ("#1f77b4", "kind"), "front": ("#d62728", "up and front")}
SIZE, LEFT, TOP = 300, 60, 20


def bins_of(tables):
    """Per subject: (bodies, said, right) of every bin, summed over the tables."""
    bins = {}
    for table in tables:
        for row in table["rows"]:
            found = re.fullmatch(r"(\w+)/said ([\d.]+) to [\d.]+", row["name"])
            if not found or found[1] not in SUBJECTS:
                continue
            count, said = re.fullmatch(r"(\d+) bodies, ([\d.]+) % said", row["note"]).groups()
            entry = bins.setdefault(found[1], {}).setdefault(found[2], [0, 0.0, 0.0])
            entry[0] += int(count)
            entry[1] += int(count) * float(said) / 100
            entry[2] += int(count) * row["value"] / 100
    return bins


def place(said, right):
    return LEFT + SIZE * said, TOP + SIZE * (1 - right)


def drawing_of(bins):
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIZE + 180}" height="{SIZE + 70}" font-family="sans-serif" font-size="12">',
             f'<rect x="0" y="0" width="{SIZE + 180}" height="{SIZE + 70}" fill="white"/>',
             f'<path d="M{LEFT} {TOP}V{TOP + SIZE}H{LEFT + SIZE}" fill="none" stroke="black"/>',
             f'<path d="M{LEFT} {TOP + SIZE}L{LEFT + SIZE} {TOP}" stroke="#999" stroke-dasharray="4 4"/>']
    for k in range(0, 11, 2):
        lines.append(f'<text x="{LEFT + SIZE * k / 10}" y="{TOP + SIZE + 18}" text-anchor="middle">{10 * k}</text>')
        lines.append(f'<text x="{LEFT - 8}" y="{TOP + SIZE * (1 - k / 10) + 4}" text-anchor="end">{10 * k}</text>')
    lines.append(f'<text x="{LEFT + SIZE / 2}" y="{TOP + SIZE + 40}" text-anchor="middle">said to be right, %</text>')
    lines.append(f'<text x="16" y="{TOP + SIZE / 2}" text-anchor="middle" transform="rotate(-90 16 {TOP + SIZE / 2})">right, %</text>')
    for row, (subject, (colour, name)) in enumerate(SUBJECTS.items()):
        entries = [value for _, value in sorted(bins.get(subject, {}).items())]
        points = [place(said / count, right / count) for count, said, right in entries]
        lines.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{colour}"/>')
        for (x, y), (count, _, _) in zip(points, entries):
            lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.5 + count ** 0.5 / 1.5:.1f}" fill="{colour}" fill-opacity="0.6"/>')
        lines.append(f'<text x="{LEFT + SIZE + 16}" y="{TOP + 20 + 18 * row}" fill="{colour}">{name}, {sum(e[0] for e in entries)} bodies</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    tables = []
    for path in arguments.tables:
        with open(path, encoding="utf-8") as file:
            tables.append(json.load(file))
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(drawing_of(bins_of(tables)))


if __name__ == "__main__":
    main()
