#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""How far apart two motions of one skeleton are: the angles of two BVH files, in degrees.

    tools/motion_distance.py cpu.bvh cuda.bvh [--most 2]     exit code 1 where more than 5 % of the angles differ by more
"""
import argparse
import pathlib
import sys


def angles(path):
    """Per frame the turns of all joints; places of the root are left out."""
    head, _, tail = pathlib.Path(path).read_text().partition("MOTION")
    names = [name for line in head.splitlines() if "CHANNELS" in line for name in line.split()[2:]]
    rows = [line.split() for line in tail.splitlines() if line.strip() and ":" not in line]
    return names, [[float(v) for v, name in zip(row, names) if name.endswith("rotation")] for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--most", type=float, default=2, help="degrees")
    asked = parser.parse_args()
    (names, one), (others, other) = angles(asked.one), angles(asked.other)
    if names != others or len(one) != len(other) or not one:
        sys.exit(f"other joints, or {len(one)} and {len(other)} frames")
    off = sorted(abs((a - b + 180) % 360 - 180) for x, y in zip(one, other) for a, b in zip(x, y))
    reach = off[int(0.95 * (len(off) - 1))]
    print(f"{len(one)} frames, {len(one[0])} angles: median {off[len(off) // 2]:.3f}, 95 % within {reach:.3f}, "
          f"largest {off[-1]:.3f} degrees")
    sys.exit(0 if reach <= asked.most else 1)


main()
