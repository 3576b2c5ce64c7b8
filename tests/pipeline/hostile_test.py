# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Files that want too much memory, too much of the terminal, or another's files."""
import json
import os
import pathlib
import subprocess
import unittest

from limber_program import PROGRAM, ProgramTest

MEGABYTE = 1 << 20


class Hostile(ProgramTest):
    def peak(self, *arguments):
        """Bytes of memory that the program had at most, and how it ended."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_maxrss << 10, process.returncode

    def save(self, name, document):
        (self.folder / name).write_text(document if isinstance(document, str) else json.dumps(document))
        return name

    def zeros(self, count):
        """A model whose vertices are zeros that are nowhere in the file, and a meg of spaces to allow for them."""
        document = {"asset": {"version": "2.0"}, "accessors": [{"componentType": 5126, "type": "VEC3", "count": count}],
                    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}
        return self.save("zeros.gltf", json.dumps(document) + " " * MEGABYTE)

    def test_memory_is_bounded_and_the_person_told_how_to_allow_more(self):
        zeros = self.zeros(20_000_000)
        self.run_limber("inspect", zeros, "--max-memory", 0.1, code=1)
        for words in ("zeros.gltf#/accessors/0", "229 MB", "102 MB", "(--max-memory allows more)"):
            self.assertIn(words, self.stderr)
        usual, _ = self.peak("inspect", self.save("none.gltf", {"asset": {"version": "2.0"}}))
        refused, code = self.peak("inspect", zeros, "--max-memory", "0.1")
        self.assertEqual(code, 1)
        self.assertLess(refused - usual, 60 * MEGABYTE)

    def test_what_is_computed_is_bounded_too(self):
        cache = pathlib.Path(PROGRAM).resolve().parents[1] / "CMakeCache.txt"
        if cache.exists() and "LIMBER_CUDA:BOOL=ON" in cache.read_text():
            self.skipTest("programs with CUDA have no such bound")
        # One small mesh in many places: 19 million vertices of two megabytes that are read.
        count, places = 200_000, 95
        many = self.save("many.gltf", json.dumps({
            "asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "accessors": [{"componentType": 5126, "type": "VEC3", "count": count}, {"componentType": 5125, "type": "SCALAR", "count": count}],
            "nodes": [{"mesh": 0}] * places, "scene": 0, "scenes": [{"nodes": list(range(places))}]}) + " " * MEGABYTE)
        peak, code = self.peak("inspect", many, "--max-memory", "0.02")  # 1.08 GB of all
        self.assertEqual(code, 1)
        self.assertLess(peak, 1150 * MEGABYTE)
        self.run_limber("inspect", many, "--max-memory", 0.02, code=1)
        self.assertIn("there is not enough memory (--max-memory allows more)", self.stderr)

    def test_one_buffer_under_many_names_is_read_and_written_once(self):
        (self.folder / "data.bin").write_bytes(bytes(4 * MEGABYTE))
        names = ["".join("./" if i >> bit & 1 else ".//" for bit in range(9)) + "data.bin" for i in range(500)]
        many = self.save("many.gltf", {"asset": {"version": "2.0"},
                                       "buffers": [{"byteLength": 4 * MEGABYTE, "uri": name} for name in names]})
        usual, _ = self.peak("inspect", self.save("none.gltf", {"asset": {"version": "2.0"}}))
        peak, code = self.peak("convert", many, "-o", "one.glb")
        self.assertEqual(code, 0)
        self.assertLess(peak - usual, 100 * MEGABYTE)
        self.assertLess((self.folder / "one.glb").stat().st_size, 5 * MEGABYTE)

    def test_an_item_of_a_batch_has_the_same_bound(self):
        self.zeros(20_000_000)
        manifest = self.save("items.jsonl", '{"do": "inspect", "input": "zeros.gltf"}\n')
        self.run_limber("batch", manifest, "-o", "out", "--max-memory", 0.1, code=1)
        self.assertIn("102 MB", (self.folder / "out" / "failures.md").read_text())

    def test_a_manifest_writes_nowhere_else_and_may_be_nested_as_deep_as_it_likes(self):
        model = self.save("none.gltf", {"asset": {"version": "2.0"}})
        line = {"do": "animate", "input": model, "prompt": "walk", "options": {"timeline": "/tmp/elsewhere.json"}}
        self.run_limber("batch", self.save("items.jsonl", line), "-o", "out", code=1)
        self.assertIn('option "timeline"', self.stderr)
        deep = '{"do": "inspect", "input": "none.gltf", "options": {"clip": ' + "[" * 100_000 + "]" * 100_000 + "}}"
        self.run_limber("batch", self.save("items.jsonl", deep), "-o", "out", code=1)
        self.assertIn("nested too deep", self.stderr)

    def test_a_model_replaces_nothing_beside_what_it_is_written_to(self):
        for folder in ("evil", "home"):
            (self.folder / folder).mkdir()
        for name in (".bashrc", "notes.txt"):
            (self.folder / "evil" / name).write_text("evil")
            (self.folder / "home" / name).write_text("mine")
            model = self.save("evil/x.gltf", {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": name}]})
            self.run_limber("convert", model, "-o", "home/y.gltf", code=1)
            self.assertIn(f'"{name}"', self.stderr)
            self.assertEqual((self.folder / "home" / name).read_text(), "mine")
            self.run_limber("convert", model, "-o", "home/y.glb")

    def test_messages_are_short_and_fit_for_a_terminal(self):
        self.run_limber("inspect", self.save("long.gltf", '{"' + "x" * 8 * MEGABYTE), code=1)
        self.assertLess(len(self.stderr), 3000)
        evil = "\x1b]0;evil\x07\x1b[31m"
        model = self.save("evil.gltf", {"asset": {"version": "2.0"}, "extensionsRequired": [evil]})
        for how in ("text", "json"):
            self.run_limber("inspect", model, "--progress", how, code=1)
            self.assertNotIn("\x1b", self.stderr)
        self.run_limber("convert", evil + ".glb", "-o", "a.glb", code=1)
        self.assertNotIn("\x1b", self.stderr)
        # What a library's warning says, too.
        text = f"newmtl a\nmap_Kd {evil}missing.png\n"
        self.save("evil.mtl", text)
        self.save("evil.obj", "mtllib evil.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.run_limber("convert", "evil.obj", "-o", "a.glb", code=(0, 1))
        self.assertNotIn("\x1b", self.stderr)


if __name__ == "__main__":
    unittest.main()
