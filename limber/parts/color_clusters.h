// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"

/// From drawn colours to parts: how many there are, and which pixel shows which.
namespace limber::parts {

struct ClusterSettings {
  double bandwidth = 0.05;     ///< of the kernel, in colours 0 to 1
  double least_share = 0.005;  ///< of all colours: smaller clusters are given up
  int most = 64;               ///< clusters, the largest ones
};

struct ColorClusters {
  std::vector<Vec3> centers;  ///< largest first
  std::vector<int> labels;    ///< per colour: its cluster
};

/// Mean shift (Comaniciu and Meer 2002) with a Gaussian kernel, over colours gathered in cells of half a bandwidth.
/// Colours of clusters that are given up go to the nearest that is left. At least one cluster where there is a colour.
ColorClusters cluster_colors(std::span<const Vec3> colors, const ClusterSettings& settings = {});

/// The nearest of some centres, at least one.
int nearest_center(std::span<const Vec3> centers, Vec3 color);

}  // namespace limber::parts
