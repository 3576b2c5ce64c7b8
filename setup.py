# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""`pip install .`: builds the module with CMake and puts it, with the networks that ship, into the wheel.

LIMBER_BUILD_DIR names a folder that CMake has configured already, for whoever builds limber anyway; without it one is made in
build-python, without tests, program and LibTorch, and with what CMAKE_ARGS says.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
GIVEN = os.environ.get("LIMBER_BUILD_DIR")
FOLDER = pathlib.Path(GIVEN or ROOT / "build-python")  # CMake's
SCRATCH = FOLDER / "wheel"                             # setuptools'


def version():
    return re.search(r"project\(limber VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def configure():
    options = {"CMAKE_BUILD_TYPE": "Release", "LIMBER_PYTHON": "ON", "LIMBER_TESTS": "OFF", "LIMBER_CLI": "OFF", "LIMBER_TORCH": "OFF",
               "LIMBER_WERROR": "OFF", "LIMBER_PYTHON_EXECUTABLE": sys.executable}
    try:
        import pybind11  # as pip brings it; else CMake looks for the system's
        options["pybind11_DIR"] = pybind11.get_cmake_dir()
    except (ImportError, AttributeError):
        pass
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    arguments = [f"-D{name}={value}" for name, value in options.items()] + shlex.split(os.environ.get("CMAKE_ARGS", ""))
    subprocess.run(["cmake", "-S", ROOT, "-B", FOLDER, *generator, *arguments], check=True)


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        if not GIVEN:
            configure()
        subprocess.run(["cmake", "--build", FOLDER, "--target", "limber_python", "--parallel", str(os.cpu_count() or 1)], check=True)
        package = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        for old in ("models", "notices"):
            shutil.rmtree(package / old, ignore_errors=True)
        subprocess.run(["cmake", "--install", FOLDER, "--component", "python", "--strip", "--prefix", package.parent], check=True)


SCRATCH.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    packages=["limber"],
    package_dir={"": "python"},
    package_data={"limber": ["*.pyi", "py.typed"]},
    ext_modules=[Extension("limber._limber", sources=[])],
    cmdclass={"build_ext": BuildWithCMake},
    # Not into build/, which is CMake's.
    options={"build": {"build_base": str(SCRATCH / "setuptools")}, "egg_info": {"egg_base": str(SCRATCH)}},
    zip_safe=False,
)
