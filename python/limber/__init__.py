# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber makes static 3D models move.

    import limber
    fox = limber.read("fox.glb")
    trot = limber.animate(fox, prompt="a fox trots", quality="draft", progress=print)
    trot.save("trot.glb")

Assets, motions and arrays never change; arrays are read-only views of limber's own memory, which they keep alive. Right-handed, +Y is
up, quaternions are (x, y, z, w), matrices act on columns.
"""
import pathlib as _pathlib

from . import _limber
from ._limber import (
    Animation,
    Array,
    Asset,
    Clip,
    Motion,
    Parts,
    Pictures,
    PoseSpace,
    Rig,
    SolvedPose,
    __version__,
    animate,
    create,
    doctor,
    evaluate,
    inspect,
    mend,
    mesh,
    parts,
    physics,
    pose_space,
    read,
    render,
    retarget,
    rig,
    score,
    set_memory_budget,
    set_thread_count,
    thread_count,
    zoo,
)
from .errors import (
    Cancelled,
    ConflictError,
    DeviceError,
    Error,
    InputError,
    MissingError,
    OutOfMemoryError,
    UnsupportedError,
)

__all__ = [
    "Animation", "Array", "Asset", "Cancelled", "Clip", "ConflictError", "DeviceError", "Error", "InputError", "MissingError", "Motion",
    "OutOfMemoryError", "Parts", "Pictures", "PoseSpace", "Rig", "SolvedPose", "UnsupportedError", "__version__", "animate", "create", "doctor",
    "evaluate", "inspect", "mend", "mesh", "parts", "physics", "pose_space", "read", "render", "retarget", "rig", "score", "set_memory_budget",
    "set_thread_count", "thread_count", "zoo",
]

# Not resolved: in a build folder this file is a link, and the networks lie beside the link.
_limber._add_model_folder(_pathlib.Path(__file__).absolute().parent / "models")
