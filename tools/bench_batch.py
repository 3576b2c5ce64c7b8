#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What an item of a batch costs over the bare command: the same commands one after the other by themselves and as a batch.

    tools/bench_batch.py [--limber build/bin/limber] [--do rig|inspect|animate] [--items N] [--bare N] [--jobs N] [--no-thumbnails]

Half of the bare commands run before the batch and half after it, so that what else the machine does meets both alike; `--bare`
runs fewer of them than there are items, evenly chosen. Besides the clock it counts processor time, which a busy machine changes
little. Items of `animate` are rigged creatures of all kinds, every one another.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time


KINDS = (("quadruped", "a fox trots"), ("biped", "a man walks"), ("bird", "a bird flies"), ("hexapod", "an ant walks"),
         ("octopod", "a spider walks"), ("fish", "a fish swims"), ("snake", "a snake slithers"), ("theropod", "a dinosaur runs"))


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
        if verb == "animate":
            plan, line["prompt"] = KINDS[number % len(KINDS)]
            line["input"] = f"creature{number}.glb"
            self.run("zoo", "--plan", plan, "--seed", 1000 + number, "-o", line["input"])
        return line

    def run(self, *words):
        return subprocess.run([self.limber, *map(str, words), "--threads", "1"], cwd=self.folder, check=True, capture_output=True)

    def bare(self, lines):
        for line in lines:
            words = [line["do"], line["input"], *(f"--{key}={value}" for key, value in line["options"].items())]
            words += [f"--prompt={line['prompt']}"] if "prompt" in line else []
            words += ["--json"] if line["do"] == "inspect" else ["-o", "bare.glb", "--report", "bare.json"]
            self.run(*words)

    def batch(self):
        self.run("batch", "manifest.jsonl", "-o", "out", "--jobs", self.arguments.jobs, *(["--no-thumbnails"] if self.arguments.no_thumbnails else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limber", default="build/bin/limber")
    parser.add_argument("--do", choices=("rig", "inspect", "animate"), default="rig")
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--bare", type=int, help="bare commands; default: as many as items")
    parser.add_argument("--jobs", type=int, default=1, help="items at the same time")
    parser.add_argument("--no-thumbnails", action="store_true")
    arguments = parser.parse_args()
    bare_count = min(arguments.bare or arguments.items, arguments.items)
    with tempfile.TemporaryDirectory(prefix="limber-bench-") as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        bare = [bench.lines[k * arguments.items // bare_count] for k in range(bare_count)]
        half = bare_count // 2
        first, batch, second = (measured(work) for work in (lambda: bench.bare(bare[:half]), bench.batch, lambda: bench.bare(bare[half:])))
        statuses = [json.loads(file.read_text()) for file in pathlib.Path(folder).glob("out/*/status.json")]
    for name, alone, batched in (("clock", first[0] + second[0], batch[0]), ("processor", first[1] + second[1], batch[1])):
        alone, batched = alone / bare_count, batched / arguments.items
        print(f"{arguments.do}, {arguments.items} items, {arguments.jobs} at a time, {name}: bare ({bare_count} of them) {1000 * alone:.1f} ms, "
              f"as an item {1000 * batched:.1f} ms, {100 * (batched / alone - 1):+.1f} %")
    print_items(statuses)


def print_items(statuses):
    """How items ended, and how much the slow ones differ from the usual."""
    states = [status["state"] for status in statuses]
    seconds = sorted(status["cpu_seconds"] for status in statuses)
    memory = max(status["most_bytes"] for status in statuses) / 1e6
    print(f"{', '.join(f'{states.count(state)} {state}' for state in sorted(set(states)))}; core seconds of an item: median "
          f"{seconds[len(seconds) // 2]:.1f}, 95th percentile {seconds[len(seconds) * 95 // 100]:.1f}, most {seconds[-1]:.1f}; most memory {memory:.0f} MB")


if __name__ == "__main__":
    main()
