# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""tools/check_docs.py on pages of its own, with a stub for the program; and what README.md lists."""
import json
import unittest

from stub_path import SOURCE, ScriptTest

TOOL = SOURCE / "tools/check_docs.py"


class DocsTest(ScriptTest):
    def setUp(self):
        super().setUp()
        (self.folder / "docs").mkdir()
        (self.folder / "models").mkdir()
        (self.folder / "README.md").write_text("# A page without blocks\n")
        # Takes any command but `fly`; `fail` fails when it is run, `zoo ... -o FILE` writes a file.
        self.stub("limber", 'if [ "$1" = --parse-only ]; then [ "$2" != fly ]; exit; fi', f'echo "$*" >> {self.folder}/ran',
                  '[ "$1" != fly ] || exit 2', '[ "$1" != fail ] || exit 1', 'while [ $# -gt 1 ]; do [ "$1" != -o ] || touch "$2"; shift; done')

    def page(self, text):
        (self.folder / "docs/page.md").write_text(text)

    def check(self, code=0):
        """Runs the shell lines of the page; returns what the tool says and the lines that the stub ran."""
        output = self.run_script(TOOL, "--root", self.folder, "run", self.folder / "bin/limber", code=code)
        ran = self.folder / "ran"
        return output, ran.read_text().splitlines() if ran.exists() else []

    def extract(self, code=0):
        output = self.run_script(TOOL, "--root", self.folder, "extract", self.folder / "out", code=code)
        return [(self.folder / "out" / name).read_text() for name in output.split()] if code == 0 else output


class Shell(DocsTest):
    def test_lines_are_run_in_order(self):
        self.page("```sh\nlimber a \\\n  b     # says something\nlimber c 'd e'\ncmake --build x\n```\n")
        output, ran = self.check()
        self.assertEqual(ran, ["a b", "c d e"])
        self.assertIn("2 lines run, 0 parsed only, 0 problems", output)

    def test_a_line_that_the_program_does_not_take_is_found(self):
        self.page("text\n```sh\nlimber a\nlimber fly\n```\n")
        self.assertIn("docs/page.md:4: exit code 2", self.check(code=1)[0])

    def test_a_line_that_fails_is_found(self):
        self.page("```sh\nlimber fail\n```\n")
        self.assertIn("docs/page.md:2: exit code 1", self.check(code=1)[0])

    def test_a_line_that_bash_does_not_take_is_found(self):
        self.page("```sh\nlimber 'a\n```\n")
        self.assertIn("docs/page.md:2", self.check(code=1)[0])

    def test_lines_with_a_reason_are_parsed_only(self):
        self.page("<!-- norun: needs a GPU -->\n```sh\nlimber fail\n```\n"
                  "<!-- norun limber fail 1: takes minutes -->\n```sh\nlimber fail 1\nlimber a\n```\n")
        output, ran = self.check()
        self.assertEqual(ran, ["a"])
        self.assertIn("1 lines run, 2 parsed only", output)
        self.page("<!-- norun: needs a GPU -->\n```sh\nlimber fly\n```\n")
        self.assertIn("docs/page.md:3: the program does not take: limber fly", self.check(code=1)[0])

    def test_a_mark_without_a_reason_or_for_no_line_is_found(self):
        for mark in ("<!-- norun -->", "<!-- norun: -->", "<!-- norun limber b: takes minutes -->"):
            self.page(mark + "\n```sh\nlimber a\n```\n")
            self.assertIn("docs/page.md:1: norun", self.check(code=1)[0])

    def test_files_that_pages_take_for_granted_are_made(self):
        self.page("```sh\nlimber a fox.glb\nlimber b fox.glb\n```\n")
        ran = self.check()[1]
        self.assertTrue(ran[0].startswith("zoo ") and ran[0].endswith(" -o fox.glb"), ran)
        self.assertEqual(ran[1:], ["a fox.glb", "b fox.glb"])

    def test_every_block_names_its_language(self):
        for language in ("", "c++", "bash"):
            self.page(f"text\n```{language}\nlimber a\n```\n")
            self.assertIn("docs/page.md:2: a block of", self.check(code=1)[0])
            self.extract(code=1)


class Cpp(DocsTest):
    def test_a_whole_file_stays_as_it_is(self):
        self.page("# Title\n```cpp\n#include <cstdio>\nint f();\n```\n")
        self.assertEqual(self.extract(), ['#line 3 "docs/page.md"\n#include <cstdio>\n#line 3 "docs/page.md"\n\nint f();\n'])

    def test_others_say_what_stands_around_them(self):
        self.page("<!-- compile: torch\nvoid f() {\n  ...\n}\n-->\n```cpp\n#include <cstdio>\ng();\n```\n")
        (text,) = self.extract()
        code = [line for line in text.splitlines() if line and not line.startswith("#line")]
        self.assertEqual(code, ["#include <cstdio>", "void f() {", "g();", "}"])
        self.assertTrue((self.folder / "out/page_1_torch.cpp").exists())

    def test_errors_are_reported_at_the_line_of_the_page(self):
        self.page("text\n<!-- compile:\nvoid f() {\n  ...\n  wrong_after;\n}\n-->\n```cpp\nint a;\nwrong_here;\n```\n")
        self.extract()
        output = self.run_script("c++", "-fsyntax-only", self.folder / "out/page_1.cpp", code=1)
        self.assertIn("docs/page.md:10:", output)
        self.assertIn("docs/page.md:5:", output)

    def test_what_stands_around_has_one_place_for_the_block(self):
        self.page("<!-- compile:\nvoid f() {\n}\n-->\n```cpp\ng();\n```\n")
        self.assertIn("docs/page.md:6:", self.extract(code=1))

    def test_files_of_blocks_that_are_gone_are_removed(self):
        self.page("```cpp\nint f();\n```\n```cpp\nint g();\n```\n")
        self.assertEqual(len(self.extract()), 2)
        self.page("```cpp\nint f();\n```\n")
        self.extract()
        self.assertEqual([file.name for file in (self.folder / "out").iterdir()], ["page_1.cpp"])


class Links(DocsTest):
    def links(self, code=0):
        return self.run_script(TOOL, "--root", self.folder, "links", code=code)

    def test_links_to_files_and_headings_that_are_there_are_fine(self):
        (self.folder / "docs/other.md").write_text("# Title\n## How it works, really\n")
        self.page("[a](other.md) [b](other.md#how-it-works-really) [c](../README.md) [d](https://example.org/x)\n# Here\n[e](#here)\n")
        self.assertIn("0 problems", self.links())

    def test_links_to_nothing_are_found(self):
        self.page("text\n[a](other.md)\n[b](../README.md#nowhere)\n")
        output = self.links(code=1)
        self.assertIn("docs/page.md:2: there is no other.md", output)
        self.assertIn("docs/page.md:3: no heading of README.md is #nowhere", output)

    def test_code_has_no_links(self):
        self.page("`a[0](none)`\n```cpp\n[f](x);\n# no heading\n```\n")
        self.assertIn("0 problems", self.links())

    def test_pictures_that_no_page_shows_are_found(self):
        (self.folder / "docs/images").mkdir()
        (self.folder / "docs/images/a.png").touch()
        self.page("nothing\n")
        self.assertIn("docs/images/a.png: no page shows it", self.links(code=1))
        self.page("![a](images/a.png)\n")
        self.links()


class Readme(unittest.TestCase):
    def test_the_actions_that_it_lists_are_known_to_the_prior_that_ships(self):
        known = json.loads((SOURCE / "models/sketch_prior/sketch_prior.json").read_text())["actions"]
        phrases = {phrase for action in known.values() for phrase in action}
        text = (SOURCE / "README.md").read_text()
        for row in ("going somewhere", "in one place", "fights and games"):
            listed = text.partition(f"| {row} | ")[2].partition(" |")[0].split(", ")
            self.assertGreater(len(listed), 10, row)
            self.assertEqual([word for word in listed if word not in phrases], [], row)


if __name__ == "__main__":
    unittest.main()
