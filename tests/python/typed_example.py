# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""What mypy --strict reads: types are told, and wrong ones are found (an unneeded "ignore" is an error, too)."""
from typing import List, Optional

import limber


def stop_late(stage: str, fraction: float) -> bool:
    return fraction < 0.9


def skate(path: str) -> float:
    fox: limber.Asset = limber.read(path)
    rigged = fox if fox.rig is not None else limber.rig(fox, up="+z", forward=(0, -1, 0), progress=stop_late)
    trot: limber.Animation = limber.animate(rigged, prompt="a fox trots", quality="draft", progress=print)
    trot.save("trot.glb")
    angles: memoryview = trot.motion.joint_angles.data
    print(angles.shape)
    return float(trot.report["skate"])


def names(asset: limber.Asset) -> List[str]:
    rig: Optional[limber.Rig] = asset.rig
    return [] if rig is None else rig.names


def wrong(asset: limber.Asset) -> None:
    limber.read(3)  # type: ignore[arg-type]
    limber.rig(asset, colour="red")  # type: ignore[call-arg]
    asset.rig.names  # type: ignore[union-attr]
    asset.vertices = asset.faces  # type: ignore[misc]
    try:
        limber.physics(asset, "walk", iterations="many")  # type: ignore[arg-type]
    except limber.MissingError as error:
        print(error.kind, error.where + error.what)
