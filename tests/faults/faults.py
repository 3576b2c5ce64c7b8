# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Faults on purpose: lets the n-th write, rename, read, allocation ... of a program fail (fault_shim.cpp), for n = 1, 2, 3 ... until it
runs to its end without meeting the fault.

LIMBER_ALL_FAULTS=1 tries every n (of reads and allocations 200, spread logarithmically); without it a few dozen of each."""
import errno
import mmap
import os
import pathlib
import struct

SHIM = os.environ.get("LIMBER_FAULT_SHIM", "build/lib/liblimber_fault_shim.so")
ALL = "LIMBER_ALL_FAULTS" in os.environ
SPREAD = 200  # numbers of a family that has more calls than can be tried


class Family:
    """Calls that fail, and how."""

    def __init__(self, number, code, words, few, lasting=False, everywhere=False, spread=False):
        self.number, self.code = number, code  # as fault_shim.cpp has them; code 0: half of the work is done, which is no failure
        self.words = words  # one of them is in what the program says
        self.few = few  # numbers that are tried where not all are
        self.lasting = lasting  # whether all later calls fail, too
        self.everywhere = everywhere  # also in ffmpeg
        self.spread = spread  # over powers, as there are too many for all


NO_ROOM = os.strerror(errno.ENOSPC)
BROKEN = os.strerror(errno.EIO)
BUSY = os.strerror(errno.EAGAIN)
MANY = os.strerror(errno.EMFILE)
MEMORY = "memory"
# A child that could not write its answer, or ffmpeg its file, is told of as what it is to whoever waits for it.
CHILD = "ffmpeg", "ffprobe", "decoder"
FAMILIES = {
    "write": Family(1, errno.ENOSPC, (NO_ROOM, *CHILD), 12, everywhere=True),
    "write from then on": Family(1, errno.ENOSPC, (NO_ROOM, *CHILD), 8, lasting=True, everywhere=True),
    "half a write": Family(1, 0, (), 6),
    "fsync": Family(2, errno.EIO, (BROKEN,), 8),
    "rename": Family(3, errno.EIO, (BROKEN,), 12),
    "fork": Family(4, errno.EAGAIN, (BUSY,), 8),
    "thread": Family(5, errno.EAGAIN, (BUSY,), 6),
    "read": Family(6, errno.EIO, (BROKEN, "cannot read", *CHILD), 16, everywhere=True, spread=True),
    "half a read": Family(6, 0, (), 6, spread=True),
    "open": Family(7, errno.EMFILE, (MANY, *CHILD), 10),
    "memory": Family(8, errno.ENOMEM, (MEMORY, "decoder"), 24, spread=True),
    "memory from then on": Family(8, errno.ENOMEM, (MEMORY, "decoder"), 6, lasting=True, spread=True),
}

_LAYOUT = struct.Struct("=IIQIIIIQQ32s")


class Control:
    """The page of memory that a test shares with the programs it watches."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.write_bytes(bytes(4096))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 4096)

    def environment(self, folder):
        """Of programs that are watched. ffmpeg is called by a script in `folder`, since in a program of the system the sandbox
        would keep the shim out."""
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        for name in ("ffmpeg", "ffprobe"):
            script = folder / name
            if not script.exists():
                script.write_text(f'#!/bin/sh\nexec "$(PATH="${{PATH#*:}}" command -v {name})" "$@"\n')
                script.chmod(0o755)
        return {**os.environ, "LD_PRELOAD": str(pathlib.Path(SHIM).resolve()), "LIMBER_FAULTS": str(self.path),
                "PATH": f"{folder}:{os.environ['PATH']}"}

    def arm(self, family, nth):
        """From now on the n-th call fails; with 0 none does, and they are counted."""
        self.page[:] = bytes(4096)
        explain = int("LIMBER_EXPLAIN_FAULTS" in os.environ)
        fields = _LAYOUT.pack(family.number, family.code, nth, family.lasting, family.everywhere, explain, 0, 0, 0, b"")
        self.page[4 : _LAYOUT.size] = fields[4:]
        self.page[:4] = fields[:4]  # last: it begins

    def disarm(self):
        self.page[:4] = bytes(4)

    def where(self):
        """The calls that led to the first that failed, with LIMBER_EXPLAIN_FAULTS."""
        return self.page[_LAYOUT.size : 4096].split(b"\0", 1)[0].decode(errors="replace")

    def armed(self):
        return self.page[:4] != bytes(4)

    def seen(self):
        """(calls so far, how many of them failed, the name of the first)"""
        *_, count, struck, call = _LAYOUT.unpack(self.page[: _LAYOUT.size])
        return count, struck, call.rstrip(b"\0").decode()


def spread(count, most):
    """Up to `most` whole numbers from 1 to `count`, as many between 1 and 10 as between 10 and 100."""
    if count <= most:
        return list(range(1, count + 1))
    steps = most
    while True:
        found = sorted({round(count ** (i / (steps - 1))) for i in range(steps)})
        if len(found) >= most or steps > 50 * most:
            return found[:most - 1] + [count]
        steps += 1


def numbers(family, count):
    """Which of `count` calls fail, each in a run of its own."""
    if ALL:
        return spread(count, SPREAD) if family.spread else list(range(1, count + 1))
    if count <= family.few:
        return list(range(1, count + 1))
    # The last calls are those that give files their names and tell of it.
    end = family.few // 3
    return sorted(set(spread(count, family.few - end)) | set(range(count - end + 1, count + 1)))
