// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/mirror_colors.h"

#include <string>
#include <vector>

#include "limber/base/expect.h"

namespace limber::training {

void mirror_part_colors(splat::Gaussians& surface) {
  LIMBER_EXPECT(surface.degree == 0, std::to_string(surface.degree));
  const std::vector<Vec3> colors = splat::base_colors(surface);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    // Between 0.1 and 1, see scene::Parts.
    surface.harmonics[i] = splat::harmonic_from_color({1.1f - colors[i].x, colors[i].y, colors[i].z});
  }
}

}  // namespace limber::training
