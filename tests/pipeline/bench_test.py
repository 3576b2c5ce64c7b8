# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber-lab bench runs and reports; how fast is not a test's business."""
import json
import re
import sys
import unittest

from limber_program import SHARED, SOURCE, ProgramTest

sys.path.insert(0, str(SOURCE / "tools"))
import update_figures  # noqa: E402


class BenchTest(ProgramTest):
    reports = {}

    def report(self, name):
        """What a subject reports, measured once for all tests."""
        if name not in self.reports:
            self.reports[name] = self.run_json("bench", name, "--repetitions", 1)
        return self.reports[name]


class Bench(BenchTest):
    def test_every_benchmark_reports_rows(self):
        for name in ("kinematics", "physics", "render", "splat", "zoo"):
            report = self.report(name)
            self.assertGreater(len(report["rows"]), 2)
            for row in report["rows"]:
                self.assertGreaterEqual(row["value"], 0, row)
                self.assertTrue(row["unit"])

    def test_the_same_table_is_printed_for_people_and_for_pages(self):
        report = self.report("zoo")
        text = self.run_limber("bench", "zoo", "--repetitions", 1)
        page = self.run_limber("bench", "zoo", "--repetitions", 1, "--markdown")
        for row in report["rows"]:
            self.assertIn(row["name"], text)
            self.assertIn(f"| {row['name']} |", page)
        self.assertIn(report["title"], text)
        self.run_limber("bench", "zoo", "--markdown", "--json", code=2)

    def test_help_lists_the_subjects_with_a_line_each(self):
        text = self.run_limber("bench", "--help")
        for name in ("acceptance", "kinematics", "lift", "physics", "poses", "render", "rig", "splat", "usual", "zoo"):
            self.assertRegex(text, rf"(?m)^  {name} +\w")

    def test_usual_tells_what_goes_and_what_stays(self):
        rows = {row["name"]: row["value"] for row in self.run_json("bench", "usual", "--bodies", 32)["rows"]}
        self.assertGreater(rows["walk/least"], 0.1)
        self.assertGreater(rows["walk/most of the zoo"], rows["idle/most of the zoo"])

    @unittest.skipUnless((SHARED / "split.json").exists(), "needs the shared rigs")
    def test_clips_that_were_simulated_are_not_simulated_again(self):
        command = ("bench", "physics", "--split", SHARED / "split.json", "--clips", 2, "--only", "sheep", "--seconds", 0.4,
                   "--outcomes", "clips.jsonl")
        first = self.run_json(*command)
        kept = (self.folder / "clips.jsonl").read_text()
        self.assertEqual(len(kept.splitlines()), 2)
        # A run that was cut off in its last line.
        (self.folder / "clips.jsonl").write_text(kept[:-20])
        self.assertEqual(self.run_json(*command)["rows"], first["rows"])
        self.assertEqual((self.folder / "clips.jsonl").read_text().splitlines()[-1], kept.splitlines()[-1])
        self.assertIn("all clips/joint distance", [row["name"] for row in first["rows"]])

    def test_an_option_of_another_subject_is_wrong_usage(self):
        self.run_limber("bench", "zoo", "--poses", 4, code=2)
        self.run_limber("bench", "kinematics", "--assets", self.folder, code=2)
        for subject in ("lift", "acceptance"):  # which measure no time
            self.run_limber("bench", subject, "--repetitions", 1, code=2)
        self.run_limber("bench", "rig", "--markdown", "--groups", "skeletons", "--assets", self.folder)

    def test_refuses_groups_and_readers_that_are_not_there(self):
        self.run_limber("bench", "rig", "--groups", "skin,skeleton", "--assets", self.folder, code=2)
        self.assertIn("'skeleton' is none of skin, skeletons, bodies", self.stderr)
        self.run_limber("bench", "rig", "--groups", "skeletons", "--assets", self.folder, "--reader", "nowhere", code=1)
        self.assertIn("nowhere", self.stderr)


class Figures(BenchTest):
    """docs/figures.md and the table of README.md, which tools/update_figures.py writes."""

    def setUp(self):
        super().setUp()
        self.source = json.loads(update_figures.SOURCE.read_text())
        self.rows = self.source["rows"]

    def test_the_page_is_what_its_source_says(self):
        self.assertEqual(update_figures.PAGE.read_text(), update_figures.page(self.rows, self.source["tables"]))
        self.assertEqual(len({row["key"] for row in self.rows}), len(self.rows))

    def test_the_readme_shows_the_same_figures(self):
        text = update_figures.README.read_text()
        self.assertEqual(update_figures.readme(text, self.source, self.rows), text)
        others = [{**row, "figure": "5 s (of one core); 6 s; 7 s; 8 s"} for row in self.rows]
        self.assertIn("| 5 s | <= 10 s |", update_figures.readme(text, self.source, others))
        others = [{**row, "figure": "1 %; 2 %; 3 %; 4 %"} if row["key"] == "stages-taken" else row for row in self.rows]
        self.assertIn("| 1 % | 2 % | 3 % | 4 % |", update_figures.readme(text, self.source, others))

    def test_the_readme_shows_one_number_a_row(self):
        for row in self.source["readme"]:
            self.assertRegex(row["figure"], r"^\{[^:}]+:\d+\}$")
            self.assertRegex(update_figures.numbers_in(row["figure"], self.rows), r"^\d+(\.\d+)?( \S+)?$")
        self.assertEqual(len(self.source["readme between"]), 4)  # three measures; rhythm by either way to draw
        for row in self.source["readme between"]:
            for column in update_figures.BETWEEN:
                self.assertRegex(update_figures.numbers_in(row[column], self.rows), r"^\d+(\.\d+)?( \S+)?$")

    def test_sentences_of_pages_state_the_same_figures(self):
        stated = 0
        for path in update_figures.PAGES:
            text = path.read_text()
            self.assertEqual(update_figures.filled(text, self.rows), text, path.name)
            stated += text.count("<!-- -->")
            # What begins a line is HTML to viewers, and a comment of its own to check_docs.py.
            self.assertNotRegex(text, r"(?m)^\s*<!-- \{", path.name)
        self.assertGreater(stated, 5)
        rows = [{"key": "draft", "figure": "5 s; 6 s (busy)"}]
        self.assertEqual(update_figures.filled("takes <!-- {draft:1} -->9 s<!-- --> here", rows), "takes <!-- {draft:1} -->6 s<!-- --> here")

    def test_a_missed_aim_is_said(self):
        for figure, aim in [("12 s", "<= 10 s"), ("1 s; 12 s (busy)", "<= 10 s; 10 s"), ("84 %", ">= 90 %"), ("44 of 47", ">= 95 %"),
                            ("0.3; 0.51", "-; <= 0.4")]:
            self.assertTrue(update_figures.misses(figure, aim), (figure, aim))
            self.assertIn("missed", update_figures.judged(figure, aim))
        for figure, aim in [("8 s", "<= 10 s"), ("1 s (12 s busy); 9 s", "<= 10 s; 10 s"), ("97 %", ">= 90 %"), ("46 of 47", ">= 95 %"),
                            ("5 s", ""), ("none", "none"), ("5 s; 80 s", "<= 10 s")]:
            self.assertFalse(update_figures.misses(figure, aim), (figure, aim))
        self.assertIn("missed", update_figures.page(self.rows, self.source["tables"]))

    def test_every_row_says_where_it_was_measured(self):
        for row in self.rows:
            self.assertTrue(row["machine"], row["key"])
            self.assertLessEqual(set(row), {"key", "what", "command", "input", "pick", "format", "scale", "figure", "error", "aim",
                                            "commit", "machine", "not repeatable"}, row["key"])

    def test_measuring_some_keeps_the_others(self):
        report = self.report("zoo")
        rows = update_figures.remeasured(self.rows, {"zoo"}, lambda command: report, lambda report: {"machine": "here"})
        changed = [after["key"] for before, after in zip(self.rows, rows) if before != after]
        self.assertEqual(changed, ["zoo"])
        row = next(row for row in rows if row["key"] == "zoo")
        self.assertRegex(row["figure"], r"^\d+ a second$")
        self.assertEqual(row["machine"], "here")
        self.assertRegex(update_figures.page(rows, self.source["tables"]), re.escape(row["figure"]) + r".*\[\d+\]")

    def test_every_row_that_a_quick_subject_measures_is_found(self):
        reports = {name: self.report(name) for name in ("kinematics", "splat")}
        update_figures.remeasured(self.rows, set(reports), lambda command: reports[command.split()[2]], lambda report: {})

    def test_rows_for_a_gpu_are_measured_by_their_key_alone(self):
        row = next(row for row in self.rows if row["key"] == "methods-sample")
        self.assertFalse(update_figures.is_meant(row, {"animate"}))
        self.assertTrue(update_figures.is_meant(row, {"methods-sample"}))

    def test_figures_are_written_as_their_formats_say(self):
        for row in self.rows:
            if "pick" in row:
                number = re.sub(r"\\{\d*:\\\.\d+f\\}", r"-?\\d+(\\.\\d+)?", re.escape(row["format"]))
                self.assertRegex(row["figure"], f"^{number}$", row["key"])
                self.assertEqual(len(row["pick"]), row["format"].count("{"), row["key"])

    def test_a_row_that_nothing_measures_is_an_error(self):
        row = {"key": "k", "command": "limber-lab bench zoo", "pick": ["nothing*"], "format": "{0}"}
        with self.assertRaises(LookupError):
            update_figures.figure(row, {"rows": [{"name": "something", "value": 1}]})


if __name__ == "__main__":
    unittest.main()
