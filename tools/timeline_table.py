#!/usr/bin/env python3
"""Rows of the table in docs/scene.md ("What the GPU does when") from what `limber animate --timeline FILE` wrote."""
import argparse
import json

# What there is for a GPU to do.
FOR_THE_GPU = ("sample", "lift", "distil", "assess")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--title", default="stage")
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        totals = json.load(file)["totals"]
    print(f"| {arguments.title} | seconds | GPU |")
    print("|---|---|---|")
    for stage in totals:
        print(f"| {stage['name']} | {stage['seconds']:.3f} | {100 * stage['gpu_share']:.0f} % |")
    together = [stage for stage in totals if stage["name"] in FOR_THE_GPU]
    seconds = sum(stage["seconds"] for stage in together)
    if seconds > 0:
        share = sum(stage["gpu_seconds"] for stage in together) / seconds
        print(f"| {' + '.join(stage['name'] for stage in together)} | {seconds:.3f} | {100 * share:.0f} % |")


if __name__ == "__main__":
    main()
