#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What an item of a batch costs over the bare command: the same commands one after the other by themselves and as a batch.

    tools/bench_batch.py [--limber build/bin/limber] [--do rig|inspect|animate] [--items N] [--no-thumbnails]

Half of the bare commands run before the batch and half after it, so that what else the machine does meets both alike. Besides
the clock it counts processor time, which a busy machine changes little.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time


def options_of(verb, number):
    """Options that make every item another one and cost the same."""
    return {"animate": {"quality": "draft", "seed": number},
            "rig": {"template": "quadruped", "stiffness": 1 + number * 1e-6},
            "inspect": {}}[verb]


def measured(work):
    """Seconds of the clock and of the processor that something takes with all that it starts."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    clock, cpu = time.perf_counter(), used()
    work()
    return time.perf_counter() - clock, used() - cpu


class Bench:
    def __init__(self, arguments, folder):
        self.limber, self.folder, self.arguments = str(pathlib.Path(arguments.limber).resolve()), folder, arguments
        self.run("zoo", "--plan", "quadruped", "--seed", 7, "--no-rig", "-o", "creature.glb")
        self.run("convert", "creature.glb", "-o", "creature.obj")
        self.lines = [self.line(k) for k in range(arguments.items)]
        (folder / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in self.lines))

    def line(self, number):
        verb, name = self.arguments.do, "creature.glb"
        if verb == "inspect":  # which has no option that changes nothing
            name = f"creature{number}.obj"
            (self.folder / name).write_text(f"# {number}\n" + (self.folder / "creature.obj").read_text())
        line = {"do": verb, "input": name, "options": options_of(verb, number)}
        return {**line, "prompt": "a fox trots"} if verb == "animate" else line

    def run(self, *words):
        return subprocess.run([self.limber, *map(str, words), "--threads", "1"], cwd=self.folder, check=True, capture_output=True)

    def bare(self, lines):
        for line in lines:
            words = [line["do"], line["input"], *(f"--{key}={value}" for key, value in line["options"].items())]
            words += [f"--prompt={line['prompt']}"] if "prompt" in line else []
            words += ["--json"] if line["do"] == "inspect" else ["-o", "bare.glb", "--report", "bare.json"]
            self.run(*words)

    def batch(self):
        self.run("batch", "manifest.jsonl", "-o", "out", "--jobs", 1, *(["--no-thumbnails"] if self.arguments.no_thumbnails else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limber", default="build/bin/limber")
    parser.add_argument("--do", choices=("rig", "inspect", "animate"), default="rig")
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--no-thumbnails", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="limber-bench-") as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        half = arguments.items // 2
        first, batch, second = (measured(work) for work in (lambda: bench.bare(bench.lines[:half]), bench.batch,
                                                            lambda: bench.bare(bench.lines[half:])))
    for name, bare, batched in (("clock", first[0] + second[0], batch[0]), ("processor", first[1] + second[1], batch[1])):
        print(f"{arguments.do}, {arguments.items} items, {name}: bare {1000 * bare / arguments.items:.1f} ms, as an item "
              f"{1000 * batched / arguments.items:.1f} ms, {100 * (batched / bare - 1):+.1f} %")


if __name__ == "__main__":
    main()
