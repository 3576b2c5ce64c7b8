# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What is kept of fuzzing is small and whole, and long runs count and keep: with stubs for the fuzzers."""
import json
import re
import shutil
import tarfile
import unittest

from stub_path import SOURCE, ScriptTest

# As libFuzzer answers: counts, a new input, a corpus without what is there twice, functions with their edges.
FUZZER = r"""
for word in "$@"; do case "$word" in
  -max_total_time=*) mode=fuzz ;;
  -merge=1) mode=merge ;;
  -print_coverage=1) mode=coverage ;;
  -artifact_prefix=*) findings="${word#-artifact_prefix=}" ;;
  -*) ;;
  *) [ -n "$first" ] && second="$word" || first="$word" ;;
esac; done
case "$mode" in
  fuzz)
    printf 'new' > "$first/new"; head -c 40000 /dev/zero > "$first/large"
    sleep 1.2
    echo "stat::number_of_executed_units: 1000" >&2
    if [ -e stumbles ]; then rm stumbles; printf bad > "${findings}bad"; exit 1; fi ;;
  merge) cp "$second"/* "$first" ;;
  coverage)
    if [ -e blind ]; then exit 0; fi
    echo "COVERED_FUNC: hits: 3 edges: 5/8 limber::asset::read_bvh(...) /somewhere/limber/asset/bvh_read.cpp:10"
    echo "UNCOVERED_FUNC: hits: 0 edges: 0/2 limber::asset::other(...) /somewhere/limber/asset/bvh_read.cpp:90"
    echo "COVERED_FUNC: hits: 1 edges: 7/7 limber::asset::else(...) /somewhere/limber/asset/gltf_read.cpp:10" ;;
esac
"""


class Runs(ScriptTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(SOURCE / "tools", self.folder / "tools")
        for folder in ("build-asan/bin", "tests/fuzz/seeds/bvh", "docs"):
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "tests/fuzz/seeds/bvh/arm.bvh").write_text("HIERARCHY")
        (self.folder / "docs/fuzzing.md").write_text("before\n<!-- fuzzed -->\n<!-- end of fuzzed -->\nafter\n")
        self.stub("cmake")
        self.stub("fuzzer", FUZZER)
        (self.folder / "bin/fuzzer").rename(self.folder / "build-asan/bin/bvh_fuzz")

    def record(self):
        return json.loads((self.folder / "tests/fuzz/record.json").read_text())["bvh"]

    def test_counts_are_added_and_the_page_says_so(self):
        for runs in (1, 2):
            self.run_script("tools/fuzz.sh", "--all", "--seconds", "2", "--keep", "bvh")
            self.assertEqual(self.record()["inputs"], 1000 * runs)
            self.assertEqual((self.record()["edges"], self.record()["of"]), (5, 8))
        page = (self.folder / "docs/fuzzing.md").read_text()
        self.assertRegex(page, r"(?s)^before\n.*\| bvh \| BVH \| 2,000 \| 0.00 \| 0 \| 5 of 8 \(62 %\) \|.*after\n$")
        self.run_script("tools/fuzz.sh", "--all", "--check")
        (self.folder / "docs/fuzzing.md").write_text(page.replace("2,000", "3,000"))
        self.run_script("tools/fuzz.sh", "--all", "--check", code=1)

    def test_keeps_what_is_new_and_small(self):
        self.run_script("tools/fuzz.sh", "--all", "--seconds", "2", "--keep", "bvh")
        archive = self.folder / "tests/fuzz/kept/bvh.tar.xz"
        with tarfile.open(archive) as kept:
            self.assertEqual(kept.getnames(), ["new"], "neither seeds, which are there, nor what is too large")
        before = archive.read_bytes()
        self.run_script("tools/fuzz.sh", "--all", "--seconds", "2", "--keep", "bvh")
        self.assertEqual(archive.read_bytes(), before, "the same inputs give the same archive")

    def test_a_finding_fails_and_is_counted_and_not_kept(self):
        (self.folder / "stumbles").write_text("")
        output = self.run_script("tools/fuzz.sh", "--all", "--seconds", "4", "--keep", "bvh", code=1)
        self.assertIn("a finding", output)
        self.assertEqual(self.record()["findings"], 1)
        self.assertGreater(self.record()["inputs"], 1000, "the rest of the time is used")
        with tarfile.open(self.folder / "tests/fuzz/kept/bvh.tar.xz") as kept:
            self.assertEqual(kept.getnames(), ["new"])

    def test_who_sees_no_edge_of_the_reader_is_not_counted(self):
        (self.folder / "blind").write_text("")
        self.assertIn("blindly", self.run_script("tools/fuzz.sh", "--all", "--seconds", "2", "--keep", "bvh", code=1))
        self.assertFalse((self.folder / "tests/fuzz/record.json").exists())

    def test_without_keep_nothing_changes(self):
        self.run_script("tools/fuzz.sh", "--all", "--seconds", "2", "bvh")
        self.assertFalse((self.folder / "tests/fuzz/kept").exists())
        self.run_script("tools/fuzz.sh", "--all", "bvh", code=2)
        self.run_script("tools/fuzz.sh", "--all", "--seconds", "2", "nothing", code=2)

    def test_what_was_kept_is_looked_at_once(self):
        (self.folder / "tests/fuzz/kept").mkdir()
        (self.folder / "old").write_text("old")
        with tarfile.open(self.folder / "tests/fuzz/kept/bvh.tar.xz", "w:xz") as kept:
            kept.add(self.folder / "old", "old")
        self.run_script("tools/fuzz.sh", "build-asan/bin/bvh_fuzz", "0")
        self.assertEqual((self.folder / "build-asan/fuzz/bvh.kept/inputs/old").read_text(), "old")
        self.run_script("tools/fuzz.sh", "build-asan/bin/not_built_fuzz", "0", code=77)


class Corpora(unittest.TestCase):
    def test_all_are_below_three_megabytes(self):
        folder = SOURCE / "tests/fuzz"
        sizes = [file.stat().st_size for kind in ("seeds", "kept") for file in (folder / kind).rglob("*") if file.is_file()]
        self.assertLess(sum(sizes), 3_000_000)

    def test_every_target_has_a_row_and_something_to_begin_with(self):
        built = set(re.findall(r"limber_fuzz\((\w+) ", (SOURCE / "tests/fuzz/CMakeLists.txt").read_text())) - {"name"}
        rows = set(re.findall(r'^    "(\w+)": \("', (SOURCE / "tools/fuzz_all.py").read_text(), re.M))
        self.assertEqual(built, rows)
        self.assertEqual(built, {file.name.removesuffix("_fuzz.cpp") for file in (SOURCE / "tests/fuzz").glob("*_fuzz.cpp")})
        for name in built:
            self.assertTrue(any((SOURCE / "tests/fuzz/seeds" / name).glob("*")), name)


if __name__ == "__main__":
    unittest.main()
