# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The gate of tools/acceptance.py can fail: measured rows against a record that was tampered with."""
import copy
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import acceptance  # noqa: E402

RECORD = {"rows": {
    "rig/mean/CD-J2J": {"value": 3.0, "unit": "x1e-2", "better": "lower", "tolerance": 0.1},
    "rig/turned bodies/kinds right": {"value": 95.0, "unit": "%", "better": "higher", "tolerance": 5},
    "lift/biped/phase error": {"value": 0.01, "unit": "cycle", "better": "lower", "tolerance": 0.01},
}}


def rows_of(record, **changes):
    """What a run would measure that gives just what was recorded, but for some rows."""
    return [{"name": name, "value": changes.get(name, entry["value"]), "unit": entry["unit"]}
            for name, entry in record["rows"].items()]


def words(record, rows, groups=("rig", "lift")):
    return {v.name: v.word for v in acceptance.compare(record, rows, groups)}


class Gate(unittest.TestCase):
    def test_what_was_recorded_passes(self):
        self.assertEqual(set(words(RECORD, rows_of(RECORD)).values()), {"same"})

    def test_a_little_worse_passes_and_much_worse_fails(self):
        for name, little, much in (("rig/mean/CD-J2J", 3.09, 3.11), ("rig/turned bodies/kinds right", 90, 89)):
            self.assertEqual(words(RECORD, rows_of(RECORD, **{name: little}))[name], "same")
            self.assertEqual(words(RECORD, rows_of(RECORD, **{name: much}))[name], "WORSE")

    def test_better_passes_and_is_told(self):
        verdicts = acceptance.compare(RECORD, rows_of(RECORD, **{"rig/mean/CD-J2J": 2.0}), ["rig"])
        self.assertEqual(verdicts[0].word, "better")
        self.assertTrue(all(v.passes for v in verdicts))

    def test_rows_that_are_gone_new_or_no_numbers_fail(self):
        rows = rows_of(RECORD)
        self.assertEqual(words(RECORD, rows[1:])["rig/mean/CD-J2J"], "MISSING")
        for value in (None, float("nan")):
            self.assertNotIn(words(RECORD, rows_of(RECORD, **{"rig/mean/CD-J2J": value}))["rig/mean/CD-J2J"],
                             ("same", "better"))
        extra = {"name": "rig/mean/skin L1", "value": 0.2, "unit": ""}
        verdicts = acceptance.compare(RECORD, rows + [extra], ["rig", "lift"])
        self.assertEqual([v.name for v in verdicts if not v.passes], ["rig/mean/skin L1"])

    def test_groups_that_were_not_measured_do_not_count(self):
        self.assertEqual(words(RECORD, rows_of(RECORD)[:2], ["rig"]),
                         {"rig/mean/CD-J2J": "same", "rig/turned bodies/kinds right": "same"})

    def test_updating_keeps_other_groups_and_tolerances_and_raises_the_bar(self):
        better = rows_of(RECORD, **{"rig/mean/CD-J2J": 2.0})[:2]
        better.append({"name": "rig/mean/skin L1", "value": 0.2, "unit": ""})
        record = acceptance.updated(copy.deepcopy(RECORD), better, ["rig"])
        self.assertEqual(record["rows"]["lift/biped/phase error"], RECORD["rows"]["lift/biped/phase error"])
        self.assertEqual(record["rows"]["rig/mean/CD-J2J"]["tolerance"], 0.1)
        self.assertEqual(record["rows"]["rig/mean/skin L1"]["better"], "lower")
        self.assertEqual(words(record, rows_of(RECORD), ["rig"])["rig/mean/CD-J2J"], "WORSE")

    def test_the_shipped_record_fails_when_any_row_of_it_is_doctored(self):
        record = json.loads(acceptance.RECORD.read_text())
        groups = {acceptance.group_of(name) for name in record["rows"]}
        rows = rows_of(record)
        self.assertTrue(all(v.passes for v in acceptance.compare(record, rows, groups)))
        for name, entry in record["rows"].items():
            doctored = copy.deepcopy(record)
            better = 1 if entry["better"] == "higher" else -1
            doctored["rows"][name]["value"] += 1.01 * better * (entry["tolerance"] + 1e-6)
            self.assertEqual([v.name for v in acceptance.compare(doctored, rows, groups) if not v.passes], [name])


if __name__ == "__main__":
    unittest.main()
