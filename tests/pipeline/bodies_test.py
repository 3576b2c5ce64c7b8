# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber rig on twenty-three bodies of the zoo's grammar, of seeds that are never taught: each gets the limbs that it has, by count."""
import collections
import json
import struct
import unittest

from limber_program import ProgramTest

BODIES = """
legs:2,wings:1/membrane,neck:long,tail:1
legs:1,wings:1/feathered,tail:1,mouth:beak
legs:2,arms:1
legs:5/insect
legs:4/insect,heads:1
legs:3/insect,antennae
legs:1,arms:1,body:4/upright
legs:1,arms:2,body:4/upright
legs:2/hoof,antlers,neck:medium,tail:1/short
legs:2,heads:3,neck:long,tail:1
legs:0,flippers:2,body:4/level/stiff/flat/shell,heads:1,tail:1/short
legs:0,flippers:1,dorsal,tailfin:upright
legs:0,heads:0
legs:0,body:20/level/serpentine
legs:2/sprawling,tail:1/thick
legs:1/digitigrade,arms:1,tail:1/thick/long
legs:2/plantigrade,mouth:trunk,ears:round,tail:1/thin
legs:2,wings:1/feathered/half,mouth:beak,tail:1
legs:10/insect,antennae
legs:0,disc,tail:1/thin/long
body:upright,heads:0,tentacles:8
legs:3/insect,wings:2/insect,neck:none
legs:0,tentacles:8,body:3/upright
""".split()
LIMBS = "trunk neck head tail leg arm wing fin tentacle finger ear horn antenna jaw prop".split()


def count_limbs(path):
    """How many limbs of each kind the skin of a GLB tells of."""
    with open(path, "rb") as file:
        size = struct.unpack("<12xI4x", file.read(20))[0]
        document = json.loads(file.read(size))
    rows = document["skins"][0]["extras"]["limber"]["limbs"]
    return collections.Counter(LIMBS[row[0]] if isinstance(row[0], int) else row[0] for row in rows)


class Bodies(ProgramTest):
    def test_get_the_limbs_that_they_have(self):
        for words in BODIES:
            with self.subTest(words):
                self.run_limber("zoo", "--body", words, "--seed", "1099511632487", "-o", "body.glb")
                self.run_limber("rig", "body.glb", "--replace", "-o", "rigged.glb")
                true, found = count_limbs(self.folder / "body.glb"), count_limbs(self.folder / "rigged.glb")
                # A body without a head has a first joint all the same.
                kinds = ["leg", "arm", "wing", "tentacle"] + (["head"] if true["head"] else [])
                self.assertEqual({k: found[k] for k in kinds}, {k: true[k] for k in kinds})


if __name__ == "__main__":
    unittest.main()
