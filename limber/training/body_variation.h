// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/rng.h"
#include "limber/training/posed_bodies.h"

/// Bodies that no rig has: fat ones, crooked ones, ones that hold or wear something.
namespace limber::training {

/// Moves the skin outward, some parts farther than others; `amount` is of the body's spread.
void fatten(PosedBody& body, double amount, Rng& rng);

/// Bends space gently, the same on both sides; `amount` is of the body's spread.
void warp(PosedBody& body, double amount, Rng& rng);

/// Puts a rod, a plate or a lump to a hand, a foot, the head or the back: some points become its.
void add_thing(PosedBody& body, Rng& rng);

/// Any of these, or none, by chance.
void vary(PosedBody& body, Rng& rng);

}  // namespace limber::training
