# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The stubs say what the module has: names, arguments, defaults; and mypy finds nothing against them."""
import ast
import inspect
import os
import pathlib
import subprocess
import sys
import unittest

import limber
from limber import _limber

HERE = pathlib.Path(__file__).resolve().parent
STUB = ast.parse(pathlib.Path(_limber.__file__).with_name("_limber.pyi").read_text())
# Not in stubs: what every object or every class of pybind11 has.
COMMON = set(dir(object)) | {"__module__", "__dict__", "__weakref__", "__annotations__", "__repr__", "__init__", "__iter__", "__buffer__", "_pybind11_conduit_v1_"}


def stubbed(body):
    """Name -> node of the functions and classes of a stub's body."""
    return {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def signature(function):
    """Positional arguments, arguments by keyword alone, and the defaults of each as they are written."""
    arguments = function.args
    names = [a.arg for a in arguments.args if a.arg != "self"]
    keywords = [a.arg for a in arguments.kwonlyargs]
    defaults = dict(zip(reversed(names), reversed([ast.literal_eval(d) for d in arguments.defaults])))
    defaults.update({name: ast.literal_eval(d) for name, d in zip(keywords, arguments.kw_defaults) if d is not None})
    return names, keywords, defaults


def bound_signature(function):
    """The same of a function of the module, which tells it in the first line of its docstring."""
    return signature(ast.parse(f"def {function.__doc__.splitlines()[0]}: ...").body[0])


class Stubs(unittest.TestCase):
    def test_name_what_the_module_has_and_nothing_else(self):
        names = {name for name in dir(_limber) if not name.startswith("__")}
        protocols = {"MeshLike"}
        self.assertEqual(names, set(stubbed(STUB.body)) - protocols)
        for name, node in stubbed(STUB.body).items():
            if isinstance(node, ast.ClassDef) and name not in protocols:
                members = {member for member in vars(getattr(_limber, name)) if member not in COMMON}
                self.assertEqual(members, set(stubbed(node.body)) - COMMON, name)

    def test_have_the_arguments_and_defaults_of_the_module(self):
        functions = [(name, node, getattr(_limber, name)) for name, node in stubbed(STUB.body).items() if isinstance(node, ast.FunctionDef)]
        for name, node in stubbed(STUB.body).items():
            if isinstance(node, ast.ClassDef) and hasattr(_limber, name):
                functions += [(f"{name}.{method}", inner, getattr(getattr(_limber, name), method))
                              for method, inner in stubbed(node.body).items()
                              if not method.startswith("__") and not inner.decorator_list]
        self.assertGreater(len(functions), 15)
        for name, node, function in functions:
            self.assertEqual(signature(node), bound_signature(function), name)

    def test_go_with_docstrings(self):
        for name in limber.__all__:
            thing = getattr(limber, name)
            if callable(thing):
                self.assertTrue(inspect.getdoc(thing), name)
            if isinstance(thing, type) and not issubclass(thing, Exception):
                for member, value in vars(thing).items():
                    if not member.startswith("_"):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{member}")

    def test_satisfy_mypy(self):
        package = pathlib.Path(limber.__file__).parents[1]
        found = subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True)
        if found.returncode != 0:
            self.skipTest("there is no mypy")
        checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", package / "mypy", HERE / "typed_example.py"],
                                 env={**os.environ, "MYPYPATH": str(package)}, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    unittest.main()
