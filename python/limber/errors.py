# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What limber raises when something outside the program is wrong."""
from __future__ import annotations


class Error(Exception):
    """One sentence for a person in `what`, the place (`fox.glb#/skins/0`) in `where`, and in `kind` what programs may ask."""

    kind: str = "input"

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.where = where

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (self.what, self.where)


class InputError(Error, ValueError):
    """A file or value is not what it should be."""


class UnsupportedError(Error):
    """Well formed, but nothing here can deal with it."""

    kind = "unsupported"


class MissingError(Error):
    """A file, folder, model or program is not there."""

    kind = "missing"


class OutOfMemoryError(Error, MemoryError):
    """More memory than there is, or than is allowed."""

    kind = "out of memory"


class Cancelled(Error):
    """A progress callback asked to stop."""

    kind = "cancelled"


class ConflictError(Error, ValueError):
    """Two things that were asked for, or found, contradict each other."""

    kind = "conflict"


class DeviceError(Error):
    """A GPU or another device failed."""

    kind = "device"


_KINDS: dict[str, type[Error]] = {
    each.kind: each for each in (InputError, UnsupportedError, MissingError, OutOfMemoryError, Cancelled, ConflictError, DeviceError)
}


def of_kind(kind: str) -> type[Error]:
    """The class of the library's errors of a kind."""
    return _KINDS.get(kind, Error)
