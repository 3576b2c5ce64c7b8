# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber bench runs and reports; how fast is not a test's business."""
import unittest

from limber_program import ProgramTest


class Bench(ProgramTest):
    def test_every_benchmark_reports_rows(self):
        for name in ("kinematics", "physics", "render", "splat", "zoo"):
            report = self.run_json("bench", name, "--repetitions", 1)
            self.assertGreater(len(report["rows"]), 2)
            for row in report["rows"]:
                self.assertGreaterEqual(row["value"], 0, row)
                self.assertTrue(row["unit"])
            self.assertIn(report["title"], self.run_limber("bench", name, "--repetitions", 1))

    def test_refuses_stages_and_readers_that_are_not_there(self):
        self.run_limber("bench", "rig", "--stages", "skin,skeleton", "--assets", self.folder, code=2)
        self.assertIn("'skeleton' is none of skin, skeletons, bodies", self.stderr)
        self.run_limber("bench", "rig", "--stages", "skeletons", "--assets", self.folder, "--reader", "nowhere", code=1)
        self.assertIn("nowhere", self.stderr)


if __name__ == "__main__":
    unittest.main()
