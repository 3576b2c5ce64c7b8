# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Docs, command line and Python show the same fields (their stubs: stubs_test.py; the studio: job_plan_test.cpp)."""
import inspect
import keyword
import os
import re
import subprocess
import unittest

import limber
from creatures import SOURCE, fox, statue

FILES = {"animate": ["report", "preview", "no_preview", "strict", "samples", "losses", "preview_every", "timeline"], "rig": ["report"]}
OWN = {"animate": {"output", "json", "help", "verbose", "create", "text_to_3d"}, "rig": {"output", "json", "help"}}  # of the command line
ALSO = {"animate": {"asset", "progress"}, "rig": {"asset", "progress"}}  # of Python


def documented(command, page):
    rows = re.findall(r"^\| `(\w+)` \|.*\|$", (SOURCE / "docs" / page).read_text().split("\n## Options\n")[1].split("\n## ")[0], re.M)
    return rows


def offered(command):
    text = subprocess.run([os.environ["LIMBER"], command, "--help"], check=True, capture_output=True, text=True).stdout
    return [name.replace("-", "_") for name in re.findall(r"^  (?:-\w,)?--([\w-]+)", text, re.M)]


def taken(function):
    names = re.findall(r"(\w+): [A-Z\w\[\], ]+(?: =|,|\))", inspect.getdoc(function).splitlines()[0].split("(", 1)[1])
    return [name[:-1] if keyword.iskeyword(name[:-1]) and name.endswith("_") else name for name in names]


class Fields(unittest.TestCase):
    def test_are_the_same_everywhere(self):
        for command, page in (("animate", "animate.md"), ("rig", "autorig.md")):
            table = documented(command, page)
            self.assertGreater(len(table), 15)
            self.assertEqual([name for name in offered(command) if name not in OWN[command]], table)
            shown = [name for name in table if name not in FILES[command]]
            self.assertEqual(sorted(set(taken(getattr(limber, command))) - ALSO[command]), sorted(shown))

    def refused(self, kind, *words, **wishes):
        with self.assertRaises(kind) as raised:
            limber.animate(fox(), **wishes)
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_are_refused_by_their_names_in_python(self):
        self.refused(limber.ConflictError, "seconds=", "method='akd'", prompt="it walks", method="akd", seconds=3)
        self.refused(limber.ConflictError, "smooth_weight=", "quality='draft'", prompt="it walks", quality="draft", smooth_weight=3)
        self.refused(limber.ConflictError, "from_=", prompt="it walks", from_="sample", method="sample")
        self.refused(limber.ConflictError, "continue_=", "loop=", prompt="it walks", loop=True, continue_=0)
        self.refused(limber.InputError, "checkpoint_seconds=", "checkpoint=", prompt="it walks", checkpoint_seconds=5)
        self.refused(limber.InputError, "prompt=", "video=")
        self.refused(limber.InputError, "1 to 64", prompt="it walks", candidates=65)
        self.refused(limber.InputError, "up", prompt="it walks", up="sideways", forward="+x")

    def test_have_types(self):
        for wishes in ({"seconds": "3"}, {"candidates": 2.5}, {"loop": 1}, {"prompt": 3}, {"video": 3}, {"seed": True}, {"strict": True},
                       {"preview": "a.mp4"}, {"colour": "red"}, {"continue_clip": 0}):
            with self.assertRaises(TypeError, msg=wishes):
                limber.animate(fox(), **{"prompt": "it walks", **wishes})

    def test_pin_joints_of_a_rig(self):
        asked = [limber.rig(statue(), pin=pin, template="quadruped").rig for pin in ({"head": (0, 1, 0.5)}, ["head=0,1,0.5"], "head=0,1,0.5")]
        for rig in asked:
            self.assertEqual(rig.world_from_rest.tolist(), asked[0].world_from_rest.tolist())
        self.assertNotEqual(asked[0].world_from_rest.tolist(), limber.rig(statue(), template="quadruped").rig.world_from_rest.tolist())
        with self.assertRaises(limber.ConflictError) as raised:
            limber.rig(statue(), keep_skeleton=True, pin={"head": (0, 1, 0)})
        self.assertIn("pin=", str(raised.exception))
        self.assertIn("keep_skeleton=", str(raised.exception))

    def test_that_are_none_say_nothing(self):
        self.refused(limber.InputError, "either", prompt="", video=None, seconds=None, seed=None)


if __name__ == "__main__":
    unittest.main()
