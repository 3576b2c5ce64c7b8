#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: arrows point upstream only, third-party headers stay where they belong.

The table is the one in HACKING.md, "Who may include whom", read from there. Tests may also include `testing`, `zoo` for
something to work on and, to judge what they made, `metrics`.
"""
import re
import sys

import cpp_text

# Which module may include which third-party headers, and only outside its public headers; those of EVERYWHERE
# are free in source files.
THIRD_PARTY = {
    "nlohmann/": "actions asset batch rig skeleton nn prior anatomy scene exporter animate autorig report mend testing training zoo",
    "png.h": "asset",
    "zlib.h": "asset",
    "turbojpeg.h": "asset",
    "webp/": "asset",
    "mujoco/": "physics",
    "meshoptimizer.h": "asset",
    "draco/": "asset",
    "assimp/": "asset",
    "Eigen/": "body nn skeleton skin physics pose_space motion_space",
    "torch/": "nn",  # and through nn/torch_api.h: prior anatomy pose_space
    "ATen/": "nn",
    "c10/": "nn",
}
EVERYWHERE = ("fmt/", "gtest/")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def read_table(root):
    """The rows `| module | may include |` of HACKING.md: module -> the modules it may include."""
    text = (root / "HACKING.md").read_text()
    section = re.search(r"^## Who may include whom\n(.*?)^## ", text, re.M | re.S)
    if section is None:
        sys.exit("HACKING.md has no section 'Who may include whom'")
    table = {}
    for row in re.findall(r"^\| `(\w+)` \|([^|]*)\|", section.group(1), re.M):
        table[row[0]] = set(re.findall(r"`(\w+)`", row[1]))
    for name, allowed in table.items():
        unknown = allowed - set(table)
        if unknown:
            sys.exit(f"HACKING.md lets {name} include {' '.join(sorted(unknown))}, which has no row")
    return table


def problems(root):
    table = read_table(root)
    for module in sorted(p for p in (root / "limber").iterdir() if p.is_dir()):
        name = module.name
        if name not in table:
            yield f"{module}: has no row in HACKING.md"
            continue
        allowed = table[name] | {name}
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


if __name__ == "__main__":
    sys.exit(cpp_text.run_lint(problems, "layers"))
