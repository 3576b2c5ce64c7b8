# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The limits that SECURITY.md states are in the code, where it says."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
HOME = re.compile(r"`(\w+)` in `([\w/.]+)`")


class Limits(unittest.TestCase):
    def test_every_limit_has_its_home(self):
        table = (ROOT / "SECURITY.md").read_text().partition("## Limits")[2]
        rows = [line for line in table.splitlines() if line.startswith("| ") and "---" not in line][1:]
        self.assertGreater(len(rows), 15)
        for row in rows:
            homes = HOME.findall(row)
            self.assertTrue(homes, row)
            for name, path in homes:
                with self.subTest(name=name, path=path):
                    self.assertRegex((ROOT / path).read_text(), rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main()
