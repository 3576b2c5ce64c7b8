# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""./demo and ./check share a build folder: both work, in either order, and more than once.

The scripts and the presets are the real ones, and so are cmake, ninja and ctest. The project they build is a stub with
limber's own options: its program, its test and its fuzzer are shell scripts.
"""
import re
import shutil
import unittest

from stub_path import SOURCE, ScriptTest

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(stub LANGUAGES NONE)
{options}
function(write_program target name)
  set(program ${{PROJECT_BINARY_DIR}}/bin/${{name}})
  file(GENERATE OUTPUT ${{PROJECT_BINARY_DIR}}/${{name}}.sh CONTENT "#!/bin/sh\\necho \\"${{name}} $*\\" >> ${{PROJECT_SOURCE_DIR}}/ran\\n"
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  add_custom_command(OUTPUT ${{program}} COMMAND ${{CMAKE_COMMAND}} -E copy ${{PROJECT_BINARY_DIR}}/${{name}}.sh ${{program}})
  add_custom_target(${{target}} ALL DEPENDS ${{program}})
endfunction()
write_program(limber_program limber)
if(LIMBER_TESTS)
  enable_testing()
  write_program(stub_test stub_test)
  add_test(NAME stub COMMAND ${{PROJECT_BINARY_DIR}}/bin/stub_test)
  set_tests_properties(stub PROPERTIES LABELS "unit;sanitized;thread_sanitized")
  add_custom_target(thread_sanitized DEPENDS stub_test)
endif()
if(LIMBER_FUZZ)
  write_program(stub_fuzz stub_fuzz)
  add_custom_target(sanitized DEPENDS stub_fuzz stub_test)
  add_custom_target(fuzzers DEPENDS stub_fuzz)
  add_custom_target(test_programs DEPENDS stub_test)
endif()
"""


class Orders(ScriptTest):
    def setUp(self):
        super().setUp()
        for script in ("demo", "check", "CMakePresets.json"):
            shutil.copy(SOURCE / script, self.folder)
        shutil.copytree(SOURCE / "tools", self.folder / "tools")
        for folder in ("limber", "cli", "examples", "tests", "cmake", "bench"):
            (self.folder / folder).mkdir()
        options = re.findall(r"^option\(LIMBER_.*\)$", (SOURCE / "CMakeLists.txt").read_text(), re.M)
        self.assertIn("LIMBER_TESTS", str(options))
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(options="\n".join(options)))
        self.stub("dpkg-query", "printf installed")
        self.stub("apt-get", "exit 1")
        self.stub("clang-format", "exit 0")

    def ran(self):
        """The names of the stubs that ran since the last call."""
        log = self.folder / "ran"
        names = [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []
        log.unlink(missing_ok=True)
        return names

    def built(self, name):
        return (self.folder / "build/bin" / name).exists()

    def test_demo_then_check_then_demo(self):
        self.run_script("./demo")
        self.assertEqual(set(self.ran()), {"limber"})
        self.assertFalse(self.built("stub_test"), "the demo builds tests")
        self.run_script("./check")
        self.assertEqual(self.ran(), ["stub_test", "stub_test", "stub_test", "stub_fuzz"])
        output = self.run_script("./demo")
        self.assertEqual(set(self.ran()), {"limber"})
        self.assertNotIn("Configuring done", output, "the demo changed the settings of a build that was there")

    def test_check_then_demo_then_check(self):
        self.run_script("./check", "--fast")
        self.assertEqual(self.ran(), ["stub_test"])
        self.run_script("./demo")
        self.assertEqual(set(self.ran()), {"limber"})
        self.run_script("./check", "--fast")
        self.assertEqual(self.ran(), ["stub_test"])

    def test_a_long_check_ends_with_the_studio_faults_and_a_tarball(self):
        (self.folder / "tests/studio").mkdir()
        for suite in ("server", "storm", "random_work"):
            (self.folder / f"tests/studio/{suite}_test.py").write_text(
                "import os, pathlib\nfolder = pathlib.Path(os.environ['LIMBER']).parts[-3]\n"
                f"open('ran', 'a').write(folder + ':{suite}\\n')\n")
        (self.folder / "tests/faults").mkdir()
        for suite in ("commands", "studio"):
            (self.folder / f"tests/faults/{suite}_test.py").write_text(
                "import os\nassert os.environ['LIMBER_ALL_FAULTS'] and os.environ['LIMBER_FAULT_SHIM'].startswith(os.getcwd())\n"
                f"open('ran', 'a').write('faults:{suite}\\n')\n")
        (self.folder / "tests/scripts").mkdir(exist_ok=True)
        (self.folder / "tests/scripts/package_test.py").write_text("open('ran', 'a').write('package\\n')\n")
        self.run_script("./check", "--long")
        self.assertEqual(self.ran(), ["stub_test"] * 4 + ["build-tsan:server", "build-tsan:storm", "build-tsan:random_work", "stub_fuzz",
                                                          "build:storm", "build:random_work", "faults:commands", "faults:studio", "package"])
        self.run_script("./check", "--long", "--fast", code=2)

    def test_demo_then_workflow(self):
        self.run_script("./demo")
        self.ran()
        self.run_script("cmake", "--workflow", "--preset", "release")
        self.assertEqual(self.ran(), ["stub_test"])

    def test_demo_goes_on_after_a_configuration_that_was_broken_off(self):
        (self.folder / "build").mkdir()
        (self.folder / "build/CMakeCache.txt").write_text("CMAKE_GENERATOR:INTERNAL=Ninja\n")
        self.run_script("./demo")
        self.assertEqual(set(self.ran()), {"limber"})


if __name__ == "__main__":
    unittest.main()
