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

/// Puts a box or a disc below the feet.
void add_pedestal(PosedBody& body, Rng& rng);

/// Makes some points loose specks beside the body.
void add_specks(PosedBody& body, Rng& rng);

/// Makes the skin of flat pieces, as that of a mesh of few triangles is.
void facet(PosedBody& body, int pieces, Rng& rng);

/// Any of these, or none, by chance.
void vary(PosedBody& body, Rng& rng);

/// Takes away patches of skin: `share` of the points, half of them at most.
void cut_holes(PosedBody& body, double share, Rng& rng);

/// Another body stands beside the first: both keep their limbs, and together they are no kind of body.
void put_beside(PosedBody& body, const PosedBody& other, Rng& rng);

/// Any `count` of the points; some twice where there are fewer.
void thin_out(PosedBody& body, int count, Rng& rng);

}  // namespace limber::training
