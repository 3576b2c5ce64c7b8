// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Prints where an asset's geometry is at the start, middle and end of each of its clips: pose_asset in.glb
#include <algorithm>
#include <cstdio>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: pose_asset in.glb\n"), 2;
  const limber::Result<limber::asset::Asset> asset = limber::asset::read_asset(argv[1]);
  if (!asset.ok()) return std::fprintf(stderr, "%s\n", asset.error().message().c_str()), 1;

  for (const limber::asset::Clip& clip : asset->clips) {
    for (const double fraction : {0.0, 0.5, 1.0}) {
      const double time = fraction * clip.duration();
      const limber::asset::NodeState state = limber::asset::clip_state(*asset, clip, time);
      double lowest = 1e300, highest = -1e300;
      for (const limber::asset::PosedPrimitive& primitive : limber::asset::posed_geometry(*asset, state)) {
        for (const limber::Vec3d& p : primitive.positions)
          lowest = std::min(lowest, p.y), highest = std::max(highest, p.y);
      }
      std::printf("%s at %.2f s: from %.4f to %.4f above the ground\n", clip.name.c_str(), time, lowest, highest);
    }
  }
  return 0;
}
