# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The lints find what they are there to find, and nothing else."""
import unittest

from stub_path import SOURCE, ScriptTest


class LintTest(ScriptTest):
    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def found(self, tool, count):
        """What the tool says of the scratch tree, which must be `count` problems."""
        output = self.run_script(SOURCE / "tools" / tool, self.folder, code=1 if count else 0).splitlines()
        self.assertEqual(len(output) - 1, count, "\n".join(output))
        self.assertRegex(output[-1], f"{count} problems" if count else "in order")
        return output[:-1]


def body(lines):
    return "{\n" + "  go();\n" * lines + "}\n"


class Sizes(LintTest):
    def test_a_long_function_is_found_and_a_table_is_not(self):
        self.write("limber/a/a.cpp", "int f()" + body(60) + "int g()" + body(61) + "// table: one line each\nint h()" + body(61) +
                   "int i() {  // table: one line each\n" + "  go();\n" * 61 + "}\n")
        self.assertIn("limber/a/a.cpp:63: a function of 61 lines", self.found("check_sizes.py", 1)[0])

    def test_a_table_says_why(self):
        self.write("cli/a.cpp", "// table:\nint f()" + body(61))
        self.found("check_sizes.py", 1)

    def test_functions_of_every_form_are_found(self):
        forms = ["template <class T>\nauto f(T a) -> std::vector<T> ", "A::A(int a) : a_(a), b_{1}, c_{a} ", "TEST(A, B) ",
                 "void f(Settings settings = {}, int b = 1) ", "bool operator==(const A& a) const noexcept ",
                 "const auto f = [](int a) ", 'extern "C" void f(int) ', "struct A f() "]
        for form in forms:
            self.write("limber/a/a.cpp", "namespace a {\nstruct B {\nint c{1};\n" + form + body(61) + "};\n}\n")
            self.found("check_sizes.py", 1)

    def test_what_is_no_function_may_be_long(self):
        self.write("limber/a/a.h", "struct alignas(16) A : B<int> " + body(70) + "const int k[] = " + body(70) +
                   "namespace n " + body(70))
        self.found("check_sizes.py", 0)

    def test_braces_in_comments_and_literals_do_not_count(self):
        self.write("limber/a/a.cpp", 'int f() {\n  // }\n  /* } */ a("}{{"); b(\'{\'); c(R"x(}")}}}x)x"); d(1\'000);\n#define X {\n}\nint g()' +
                   body(61))
        self.found("check_sizes.py", 1)

    def test_a_long_file_is_found(self):
        self.write("tests/a_test.cpp", "int a;\n" * 600)
        self.found("check_sizes.py", 0)
        self.write("tests/a_test.cpp", "int a;\n" * 601)
        self.assertIn("601 lines", self.found("check_sizes.py", 1)[0])

    def test_python_counts_too(self):
        self.write("tools/a.py", "def f():\n" + "    g()\n" * 61)
        self.found("check_sizes.py", 1)


class JointNames(LintTest):
    def setUp(self):
        super().setUp()
        self.write("limber/anatomy/joint_names.cpp", 'bool leg(Words w) { return has(w, {"thigh", "l", "left", "upper_leg"}); }\n')

    def test_a_name_in_code_is_found(self):
        self.write("limber/physics/a.cpp", 'a();\nb("Thigh");\n')
        self.write("cli/b.cpp", 'c(R"(upper_leg)");\n')
        first, second = self.found("check_joint_names.py", 2)
        self.assertIn('limber/physics/a.cpp:2: "Thigh"', first)
        self.assertIn("cli/b.cpp:1", second)

    def test_names_where_they_belong_are_not(self):
        for path in ("limber/zoo/a.cpp", "limber/physics/a_test.cpp", "limber/physics/a_testing.h", "limber/testing/a.cpp",
                     "limber/skeleton/templates/a.h", "limber/skeleton/name_profiles.cpp", "limber/rig/role.cpp", "tests/physics/a.cpp"):
            self.write(path, 'b("thigh");\n')
        self.found("check_joint_names.py", 0)

    def test_other_words_and_comments_are_not(self):
        self.write("limber/physics/a.cpp", '// "thigh"\n#include "thigh"\nb("the thigh", "left", "l");\n'
                   'c("thigh");  // not a joint: a part of the network\n')
        self.found("check_joint_names.py", 0)

    def test_a_tree_without_the_reader_fails(self):
        (self.folder / "limber/anatomy/joint_names.cpp").unlink()
        self.found("check_joint_names.py", 1)


class OptionNames(LintTest):
    def test_an_option_in_a_text_of_the_library_is_found(self):
        self.write("limber/animate/a.cpp", 'a("another --seed may help");\nb("--ground lock");\nc("`seed`, a -- b");  // --seed\n')
        first, second = self.found("check_option_names.py", 2)
        self.assertIn("limber/animate/a.cpp:1", first)
        self.assertIn("limber/animate/a.cpp:2", second)

    def test_who_speaks_of_command_lines_may(self):
        for path in ("limber/batch/slurm.cpp", "limber/animate/a_test.cpp", "cli/a.cpp"):
            self.write(path, 'a("--seed");\n')
        self.found("check_option_names.py", 0)


class Warnings(LintTest):
    TABLE = 'constexpr WarningText kTexts[] = {\n    {"sinks", "it sinks"},\n    {"hovers", "it hovers"},\n};\n'

    def test_a_code_without_a_text_and_a_text_without_a_warning_are_found(self):
        self.write("limber/base/warning_texts.cpp", self.TABLE)
        self.write("limber/a/a.cpp", 'a = Warning{"sinks"};\nb = Warning{"flies", {}};\n')
        self.write("limber/a/a_test.cpp", 'c = Warning{"hovers"};\n')
        first, second = self.found("check_warnings.py", 2)
        self.assertIn("limber/a/a.cpp:2", first)
        self.assertIn('"hovers"', second)

    def test_what_has_its_text_is_in_order(self):
        self.write("limber/base/warning_texts.cpp", self.TABLE)
        self.write("limber/a/a.cpp", 'a.push_back({"sinks"});\nb = Warning{"hovers", {{"most", 1}}};\n')
        self.found("check_warnings.py", 0)


if __name__ == "__main__":
    unittest.main()
