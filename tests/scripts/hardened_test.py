# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Programs are built so that a defect ends them rather than leads them: python3 hardened_test.py PROGRAM..."""
import re
import subprocess
import sys
import unittest

PROGRAMS = []


def told(option, program):
    return subprocess.run(["readelf", "-W", option, program], capture_output=True, text=True, check=True).stdout


class Hardened(unittest.TestCase):
    def check(self, look):
        self.assertTrue(PROGRAMS)
        for program in PROGRAMS:
            with self.subTest(program):
                look(program)

    def test_code_lies_at_random_places(self):
        self.check(lambda p: self.assertTrue(re.search(r"Type:\s+DYN", told("-h", p))))

    def test_tables_of_addresses_are_fixed_before_it_begins(self):
        def look(program):
            self.assertTrue("GNU_RELRO" in told("-l", program), "they are not")
            self.assertTrue(re.search(r"\(FLAGS_1\).*\bNOW\b", told("-d", program)), "some are, some are filled in later")
        self.check(look)

    def test_no_stack_is_run(self):
        self.check(lambda p: self.assertTrue(re.search(r"GNU_STACK.* RW  ", told("-l", p))))

    def test_stacks_are_guarded_and_copies_checked(self):
        def look(program):
            wanted = re.findall(r" UND (\w+)", told("--dyn-syms", program))
            self.assertTrue("__stack_chk_fail" in wanted, "no stack is guarded")
            self.assertTrue([name for name in wanted if re.fullmatch(r"__\w+_chk", name)], "nothing is fortified")
        self.check(look)


if __name__ == "__main__":
    PROGRAMS += [argument for argument in sys.argv[1:] if argument]
    unittest.main(argv=sys.argv[:1])
