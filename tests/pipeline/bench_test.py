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
                self.assertGreater(row["value"], 0, row)
                self.assertTrue(row["unit"])
            self.assertIn(report["title"], self.run_limber("bench", name, "--repetitions", 1))


if __name__ == "__main__":
    unittest.main()
