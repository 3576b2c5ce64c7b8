#!/usr/bin/env python3
"""How well warnings of `limber animate` tell what viewers saw: hits and false alarms, by bench/data/viewers.json.

    tools/fit_warnings.py             the bounds that ship (limber/metrics/usual_movement.h)
    tools/fit_warnings.py --fit       others beside them; the best is chosen on all bodies but one, and tried on that one
"""
import argparse
import json
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARES = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2]


def shipped(name):
    """A constant of the library, where it has its home."""
    text = (ROOT / "limber/metrics/usual_movement.h").read_text()
    return float(re.search(rf"\b{name} = ([\d.]+)", text)[1])


def moved(clip):
    """Movement against the middle of what is usual."""
    return clip["movement"] / math.sqrt(clip["usual"][0] * clip["usual"][1])


def counts(clips, is_bad, is_warned):
    """Bad ones, those of them that are found, good ones, those of them that are warned of."""
    bad = [clip for clip in clips if is_bad(clip)]
    good = [clip for clip in clips if not is_bad(clip)]
    return len(bad), sum(map(is_warned, bad)), len(good), sum(map(is_warned, good))


def hardly(share):
    return lambda clip: moved(clip) < share


def is_hardly(clip):
    return clip["moves"] == "hardly"


def rightness(found):
    """Mean share that is right, of bad and of good ones."""
    bad, hits, good, alarms = found
    return (hits / max(bad, 1) + 1 - alarms / max(good, 1)) / 2


def left_out(clips):
    """Hits and false alarms where the bound was fitted without the body that it is tried on."""
    total = [0, 0, 0, 0]
    for body in sorted({clip["body"] for clip in clips}):
        others = [clip for clip in clips if clip["body"] != body]
        best = max(SHARES, key=lambda share: rightness(counts(others, is_hardly, hardly(share))))
        mine = counts([clip for clip in clips if clip["body"] == body], is_hardly, hardly(best))
        total = [a + b for a, b in zip(total, mine)]
    return total


def row(name, found):
    bad, hits, good, alarms = found
    print(f"| {name} | {hits} of {bad} | {alarms} of {good} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="other bounds, too")
    arguments = parser.parse_args()
    clips = json.loads((ROOT / "bench/data/viewers.json").read_text())["clips"]
    still, wild = shipped("kStillShare"), shipped("kWildShare")
    print(f"{len(clips)} clips of {len({clip['body'] for clip in clips})} bodies\n\n| warning | found | false alarms |\n|---|---|---|")
    row("hardly moves", counts(clips, is_hardly, hardly(still)))
    row("moves wildly", counts(clips, lambda c: c["moves"] == "wildly", lambda c: c["movement"] > wild * c["usual"][1]))
    row("looks like another", counts([c for c in clips if c["told_ratio"] is not None], lambda c: not c["told"], lambda c: "looks_like_another" in c["warned"]))
    row("feet slide", counts([c for c in clips if c["stands"] is not None], lambda c: c["feet"] == "slide", lambda c: "feet_slide" in c["warned"]))
    others = {"looks_like_another", "feet_slide"}
    row("any of these, of clips that score 1 or 2", counts(clips, lambda c: c["score"] <= 2, lambda c: hardly(still)(c) or not others.isdisjoint(c["warned"])))
    if not arguments.fit:
        return
    for share in SHARES:
        row(f"hardly moves, {share}", counts(clips, is_hardly, hardly(share)))
    row("hardly moves, fitted without the body", left_out(clips))


if __name__ == "__main__":
    main()
