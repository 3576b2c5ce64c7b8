# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The Python of the pages and the notebook runs, in order, from top to bottom: pages_test.py PAGE.md|NOTEBOOK.ipynb"""
import json
import os
import pathlib
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import check_docs  # noqa: E402

import limber  # noqa: E402

# What pages take for granted, in the folder where they run.
FIXTURES = {
    "fox.glb": lambda: limber.zoo("quadruped", 7, actions=["walk", "idle"], resolution=30),
    "statue.glb": lambda: limber.zoo("quadruped", 9, rigged=False, resolution=30),
}


def page_blocks(page):
    """Each block of Python as its place and its lines, but for those marked `norun`."""
    for block in check_docs.read_blocks(SOURCE, page):
        if block.language == "python" and not any(text.startswith("norun") for _, text in block.comments):
            yield f"{page}:{block.line}", block.line, block.lines


def notebook_cells(path):
    notebook = json.loads((SOURCE / path).read_text())
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        if cell["outputs"] or cell["execution_count"] is not None:
            sys.exit(f"{path}: cell {number} has outputs; strip them")
        yield f"{path}, cell {number}", 1, "".join(cell["source"]).splitlines()


def main(page):
    blocks = list(notebook_cells(page) if page.endswith(".ipynb") else page_blocks(page))
    if not blocks:
        sys.exit(f"{page} has no Python")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, make in FIXTURES.items():
            make().save(name)
        names = {"__name__": "__main__"}
        for place, line, lines in blocks:
            # Empty lines before it, so that errors tell the line of the page.
            exec(compile("\n" * (line - 1) + "\n".join(lines), place, "exec"), names)
        os.chdir(SOURCE)


if __name__ == "__main__":
    main(sys.argv[1])
