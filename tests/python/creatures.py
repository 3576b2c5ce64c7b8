# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Small creatures, made once a process, and the limber program beside the package."""
import functools
import json
import os
import pathlib
import subprocess

import limber

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@functools.lru_cache(maxsize=None)
def fox():
    """Rigged, with a walk."""
    return limber.zoo("quadruped", 7, actions=["walk"], resolution=24)


@functools.lru_cache(maxsize=None)
def statue():
    """The same without a skeleton."""
    return limber.zoo("quadruped", 7, resolution=24, rigged=False)


def program(*arguments):
    """What the limber program prints as JSON."""
    output = subprocess.run([os.environ["LIMBER"], *map(str, arguments), "--json"], check=True, capture_output=True).stdout
    return json.loads(output)


def flat(array):
    """The numbers of an array of any shape."""
    return memoryview(array).cast("B").cast(array.format).tolist() if memoryview(array).c_contiguous else \
        [number for row in array.tolist() for number in (row if isinstance(row, list) else [row])]


def farthest(one, other):
    """Largest difference of two arrays of one shape."""
    assert one.shape == other.shape, (one.shape, other.shape)
    return max(map(lambda pair: abs(pair[0] - pair[1]), zip(flat(one), flat(other))))
