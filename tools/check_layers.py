#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: arrows point upstream only, third-party headers stay where they belong.

The table is that of the style guide. Tests may also include `testing`, `zoo` for something to work on and, to judge what
they made, `metrics`.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": "",
    "asset": "base",
    "rig": "base asset",
    "kinematics": "base asset rig",
    "zoo": "base asset rig kinematics",
    "splat": "base asset",
    "scene": "base asset rig splat kinematics",
    "nn": "base",
    "prior": "base nn",
    "lift": "base asset rig kinematics scene prior",
    "distill": "base asset rig kinematics scene prior",
    "parts": "base asset rig scene nn",
    "pose_space": "base rig kinematics nn",
    "physics": "base asset rig kinematics",
    "exporter": "base asset rig kinematics",
    "metrics": "base asset rig kinematics",
    "animate": "base asset zoo parts rig kinematics splat scene prior lift distill pose_space physics exporter metrics",
    "testing": "base asset rig kinematics",
}
# Which module may include which third-party headers, and only outside its public headers; those of EVERYWHERE
# are free in source files.
THIRD_PARTY = {
    "nlohmann/": "asset rig nn prior parts scene exporter testing",
    "png.h": "asset",
    "turbojpeg.h": "asset",
    "webp/": "asset",
    "mujoco/": "physics",
    "meshoptimizer.h": "asset",
    "draco/": "asset",
    "assimp/": "asset",
    "Eigen/": "rig physics parts",
    "embree3/": "rig",
    "torch/": "nn",  # and through nn/torch_api.h: prior parts pose_space
    "ATen/": "nn",
    "c10/": "nn",
}
EVERYWHERE = ("fmt/", "gtest/")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def problems(root):
    for module in sorted(p for p in (root / "limber").iterdir() if p.is_dir()):
        name = module.name
        if name not in ALLOWED:
            yield f"{module}: not a module of the style guide"
            continue
        allowed = set(ALLOWED[name].split()) | {name}
        for file in sorted(module.rglob("*")):
            if file.suffix not in {".h", ".cpp", ".inl", ".cu", ".cuh"}:
                continue
            is_test = re.search(r"(_test\.(cpp|cu)|_testing\.h)$", file.name)
            extra = {"testing", "metrics", "zoo"} if is_test else set()
            for header in INCLUDE.findall(file.read_text()):
                where = f"{file.relative_to(root)}: includes {header}"
                if header.startswith("limber/"):
                    if header.split("/")[1] not in allowed | extra:
                        yield f"{where}: {name} may include {' '.join(sorted(allowed))}"
                    if not (root / header).exists():
                        yield f"{where}: no such file"
                for prefix, modules in THIRD_PARTY.items():
                    if header.startswith(prefix):
                        if name not in modules.split() and not is_test:
                            yield f"{where}: only for {modules}"
                        elif file.suffix == ".h" and not is_private(file):
                            yield f"{where}: third-party types stay out of public headers"
                if header.startswith(EVERYWHERE) and file.suffix == ".h" and not is_private(file):
                    yield f"{where}: third-party types stay out of public headers"


def is_private(file):
    """A header that its module lists under PRIVATE_HEADERS is not installed."""
    text = (file.parent / "CMakeLists.txt").read_text()
    private = re.search(r"PRIVATE_HEADERS\s+((?:[\w./]+\s+)*?)(?=[A-Z_]+\b|\))", text)
    return private is not None and file.name in private.group(1).split()


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    found = list(problems(root))
    for line in found:
        print(line)
    print(f"{len(found)} problems" if found else "layers are in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
