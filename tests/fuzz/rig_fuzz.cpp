// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a model holds, looking for a rig in it ends in one whose points hang on its joints, or in an error; what its
// skins keep in their extras is taken or left.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "limber/asset/read.h"
#include "limber/rig/rig_extras.h"
#include "limber/rig/subject.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const auto extras = rig::read_extras(as_text(bytes), 2); extras && extras->joints.size() > 2) std::abort();
  asset::ReadLimits limits;
  limits.decoded_slack = 16 << 20;
  const auto asset = asset::read_gltf(bytes, "fuzz", {}, limits);
  if (!asset.ok()) return 0;
  const auto subject = rig::subject_from_asset(*asset);
  if (!subject.ok()) {
    if (subject.error().what.empty()) std::abort();
    return 0;
  }
  const std::size_t points = subject->points.size();
  for (const auto& triangle : subject->triangles) {
    for (const std::uint32_t corner : triangle) {
      if (corner >= points) std::abort();
    }
  }
  for (const auto bone : subject->weights.bones) {
    if (static_cast<std::size_t>(bone) >= subject->rig.bones().size()) std::abort();
  }
  if (rig::node_links(*asset, *subject).size() != static_cast<std::size_t>(subject->rig.joint_count())) std::abort();
  return 0;
}
