#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes every reader of foreign bytes, counts inputs and findings, and keeps what was found worth keeping.

    tools/fuzz.sh --all --hours 8 --keep     all targets one after the other, an equal share of the time each
    tools/fuzz.sh --all --seconds 600 gltf   one of them

Builds the targets first (preset asan), which is not counted. Every target begins with tests/fuzz/seeds/NAME (written by hand, and
findings), tests/fuzz/kept/NAME.tar.xz (what former runs kept) and what is left of them in the build folder; a finding is a file
crash-* in build-asan/fuzz/NAME, and the program fails in the end.

With --keep each corpus is minimised: the smallest inputs that reach all edges, as an archive of at most CAP bytes; counts are added to
tests/fuzz/record.json, and the table of docs/fuzzing.md says what that says. --check only says whether it does.
"""
import argparse
import datetime
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, START, END = ROOT / "docs/fuzzing.md", "<!-- fuzzed -->\n", "<!-- end of fuzzed -->\n"
RECORD, SEEDS, KEPT = ROOT / "tests/fuzz/record.json", ROOT / "tests/fuzz/seeds", ROOT / "tests/fuzz/kept"
BUILD = ROOT / "build-asan"
CAP = 120_000        # bytes of an archive: all together stay below 3 MB
LARGEST = 32_768     # of one input that is kept
MOST_FINDINGS = 5    # of a target in a run: then somebody should look at them

# What is read, and the files of the reader, whose edges are counted.
TARGETS = {
    "gltf": ("glTF and GLB, written and read again", ["limber/asset/gltf_"]),
    "bvh": ("BVH", ["limber/asset/bvh_read"]),
    "import": ("FBX (text and binary), STL (likewise), PLY, OBJ, DAE", ["limber/asset/assimp_"]),
    "picture": ("PNG, JPEG, WebP", ["limber/asset/picture"]),
    "ply": ("PLY of splats", ["limber/asset/ply"]),
    "safetensors": ("networks, and whatever else is kept so", ["limber/nn/safetensors", "limber/nn/json"]),
    "tokenizer": ("tokenizers of text encoders", ["limber/prior/tokenizer_model", "limber/prior/prompt_text"]),
    "manifest": ("manifests of batches, and plans made from them", ["limber/batch/manifest", "limber/batch/item"]),
    "results": ("folders of results; what models name", ["limber/batch/results", "limber/batch/content_checksum"]),
    "prompt": ("prompts and names of clips", ["limber/animate/prompt_segments", "limber/actions/words", "limber/actions/catalogue"]),
    "rig": ("skeletons and skins of models, with what limber keeps in their extras", ["limber/rig/"]),
    "rig_text": ("rig texts of RigNet, and the OBJ beside them", ["limber/rig/rig_text"]),
    "template": ("templates of skeletons", ["limber/skeleton/template"]),
    "labels": ("part labels", ["limber/skeleton/from_parts"]),
    "cameras": ("cameras", ["limber/scene/cameras"]),
    "creature": ("words for bodies", ["limber/zoo/describe", "limber/zoo/features", "limber/zoo/body_spec"]),
    "distill": ("checkpoints of distillations", ["limber/distill/checkpoint", "limber/distill/run_state"]),
    "samples": ("kept samples", ["limber/animate/kept_samples"]),
    "characters": ("characters that networks are taught with", ["limber/training/character_file"]),
    "request": ("what a page asks of the studio", ["studio/server/job_plan"]),
    "http": ("requests over a connection to the studio", ["studio/server/calls", "studio/server/request_check", "studio/server/guarded_stream",
                                                           "studio/server/server"]),
}


# --- one target -----------------------------------------------------------------------------------------------------------------

def unpack(name, folder):
    """What former runs kept."""
    archive = KEPT / f"{name}.tar.xz"
    if archive.exists():
        with tarfile.open(archive) as kept:
            kept.extractall(folder)


def write_words(name, file):
    """What the reader's own files have in quotes, for the fuzzer to try."""
    words = set()
    for prefix in TARGETS[name][1]:
        for source in sorted(ROOT.glob(f"{prefix}*")):
            if source.is_file() and not source.stem.endswith("_test"):
                words |= set(re.findall(r'"([\w.\-/ ]{2,32})"', source.read_text()))
    file.write_text("".join(f'"{word}"\n' for word in sorted(words)))


def fuzz(program, name, seconds, work):
    """Runs until the time is over, over findings too. How many inputs, seconds and findings."""
    inputs, findings, began = 0, 0, time.monotonic()
    corpora = [work] + [folder for folder in (SEEDS / name,) if folder.is_dir()]
    unpack(name, work)
    words = work.parent / f"{name}.words"
    write_words(name, words)
    while True:
        left = int(seconds - (time.monotonic() - began))
        if left < 1 or findings == MOST_FINDINGS:
            return inputs, round(time.monotonic() - began), findings
        done = subprocess.run([program, f"-max_total_time={left}", "-rss_limit_mb=4096", "-timeout=20", "-print_final_stats=1", "-verbosity=0",
                               f"-artifact_prefix={work}/crash-", *([f"-dict={words}"] if words.stat().st_size > 0 else []), *corpora], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace")
        counted = re.findall(r"stat::number_of_executed_units:\s+(\d+)", done.stderr)
        inputs += int(counted[-1]) if counted else 0
        if done.returncode == 0:
            continue
        findings += 1
        log = work.parent / f"{name}.finding-{findings}.log"
        log.write_text(done.stderr[-100_000:])
        print(f"{name}: a finding, see {log}", flush=True)


def clean(work, folder):
    """Inputs alone, without findings and what is too large to keep."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in work.iterdir():
        if file.is_file() and not file.name.startswith("crash-") and file.stat().st_size <= LARGEST:
            shutil.copy(file, folder / file.name)


def minimise(program, name, work, folder):
    """The smallest inputs that reach what all reach, beyond what the seeds do."""
    with tempfile.TemporaryDirectory() as scratch:
        everything = pathlib.Path(scratch) / "all"
        clean(work, everything)
        unpack(name, everything)
        smallest = pathlib.Path(scratch) / "smallest"
        smallest.mkdir()
        if (SEEDS / name).is_dir():
            for seed in (SEEDS / name).iterdir():
                shutil.copy(seed, smallest / f"seed-{seed.name}")
        subprocess.run([program, "-merge=1", "-rss_limit_mb=4096", "-timeout=20", "-verbosity=0", smallest, everything], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for file in smallest.iterdir():
            if not file.name.startswith("seed-"):
                shutil.copy(file, folder / file.name)


def pack(folder, archive):
    """The smallest first, until the archive is full. Same inputs, same bytes."""
    archive.parent.mkdir(exist_ok=True)
    files = sorted(folder.iterdir(), key=lambda file: (file.stat().st_size, file.name))
    while True:
        with tarfile.open(archive, "w:xz", preset=9) as kept:
            for file in files:
                entry = tarfile.TarInfo(file.name[:16])
                entry.size = file.stat().st_size
                kept.addfile(entry, io.BytesIO(file.read_bytes()))
        size = archive.stat().st_size
        if size <= CAP or not files:
            break
        files = files[:len(files) * CAP // size if len(files) * CAP // size < len(files) else len(files) - 1]
    if not files:
        archive.unlink()
    return len(files)


def coverage(program, name, folders):
    """Edges that are reached in the reader's own files, and those of all functions there that some input enters."""
    done = subprocess.run([program, "-runs=0", "-print_coverage=1", "-rss_limit_mb=4096", *folders], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", env=os.environ | {"ASAN_OPTIONS": "symbolize=1"})
    reached = there = 0
    for line in done.stdout.splitlines():
        found = re.match(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) .* (\S+?):\d+", line)
        if found and any(f"/{prefix}" in found[3] for prefix in TARGETS[name][1]):
            reached, there = reached + int(found[1]), there + int(found[2])
    if reached == 0:
        sys.exit(f"{name}: libFuzzer saw no edge of {', '.join(TARGETS[name][1])}, so that it is fuzzed blindly: was it compiled with counters?")
    return reached, there


# --- all of them ----------------------------------------------------------------------------------------------------------------

def read_record():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def add_to_record(name, inputs, seconds, findings, edges, kept):
    record = read_record()
    entry = record.setdefault(name, {"inputs": 0, "seconds": 0, "findings": 0})
    entry["inputs"] += inputs
    entry["seconds"] += seconds
    entry["findings"] += findings
    entry.update(last=datetime.date.today().isoformat(), edges=edges[0], of=edges[1], kept=kept)
    RECORD.write_text(json.dumps({key: record[key] for key in TARGETS if key in record}, indent=1) + "\n")


def table():
    rows = ["| target | reads | inputs | hours | findings | edges of the reader | last run |\n", "|---|---|--:|--:|--:|--:|---|\n"]
    record = read_record()
    for name, entry in record.items():
        share = f" ({100 * entry['edges'] // entry['of']} %)"
        rows.append(f"| {name} | {TARGETS[name][0]} | {entry['inputs']:,} | {entry['seconds'] / 3600:.2f} | {entry['findings']} | "
                    f"{entry['edges']} of {entry['of']}{share} | {entry['last']} |\n")
    total = {key: sum(entry[key] for entry in record.values()) for key in ("inputs", "seconds", "findings")}
    rows.append(f"| **all** | | **{total['inputs']:,}** | {total['seconds'] / 3600:.2f} | {total['findings']} | | |\n")
    return "".join(rows)


def page_is_fresh(write):
    text = PAGE.read_text()
    before, rest = text.split(START)
    fresh = before + START + table() + END + rest.split(END)[1]
    if write:
        PAGE.write_text(fresh)
    return fresh == text


def keep(program, name, counts):
    work = BUILD / "fuzz" / name
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        minimise(program, name, work, folder)
        kept = pack(folder, KEPT / f"{name}.tar.xz")
    with tempfile.TemporaryDirectory() as scratch:
        unpack(name, scratch)
        edges = coverage(program, name, [scratch] + [folder for folder in (SEEDS / name,) if folder.is_dir()])
    add_to_record(name, *counts, edges, kept)
    print(f"{name}: kept {kept} inputs, which reach {edges[0]} of {edges[1]} edges", flush=True)


def scratch():
    """Where targets put files for readers that want some: in memory, if possible, and gone in the end."""
    memory = pathlib.Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="limber-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)


def build(names):
    subprocess.run(["cmake", "--preset", "asan"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "asan", "--target", *[f"{name}_fuzz" for name in names]], cwd=ROOT, check=True)


def run(names, seconds, keeps):
    total = 0
    print(f"{'target':12} {'inputs':>12} {'seconds':>8} {'findings':>8}", flush=True)
    for name in names:
        program, work = BUILD / "bin" / f"{name}_fuzz", BUILD / "fuzz" / name
        work.mkdir(parents=True, exist_ok=True)
        counts = fuzz(program, name, seconds, work)
        print(f"{name:12} {counts[0]:12,} {counts[1]:8} {counts[2]:8}", flush=True)
        total += counts[2]
        if keeps:
            keep(program, name, counts)
    if keeps:
        page_is_fresh(write=True)
    return total


def main():
    parser = argparse.ArgumentParser(prog="tools/fuzz.sh --all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, help="for all targets together")
    parser.add_argument("--seconds", type=float, help="likewise")
    parser.add_argument("--keep", action="store_true", help="minimised corpora and counts go into the repository")
    parser.add_argument("--built", action="store_true", help="take the targets as they are")
    parser.add_argument("--check", action="store_true", help="only say whether docs/fuzzing.md has what was counted")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(TARGETS)}")
    options = parser.parse_args()
    if options.check:
        sys.exit(None if page_is_fresh(write=False) else "docs/fuzzing.md does not say what tests/fuzz/record.json says: see tools/fuzz_all.py")
    unknown = set(options.names) - set(TARGETS)
    if unknown or (options.hours is None) == (options.seconds is None):
        parser.error(f"there is no target {', '.join(sorted(unknown))}" if unknown else "say --hours or --seconds")
    names = options.names or list(TARGETS)
    seconds = options.hours * 3600 if options.hours is not None else options.seconds
    if not options.built:
        build(names)
    with scratch() as folder:
        os.environ["TMPDIR"] = folder
        tempfile.tempdir = None  # is looked up again
        findings = run(names, seconds / len(names), options.keep)
    sys.exit(f"{findings} findings: see {BUILD / 'fuzz'}" if findings else None)


if __name__ == "__main__":
    main()
