// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a rig text or the OBJ beside it holds, reading it ends in a tree of joints that comes back from its own
// text, in triangles of points that are there, or in an error that names the line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "limber/rig/rig_text.h"

namespace {

using namespace limber;

void read_rig(std::string_view text) {
  const auto rig = rig::read_rig_text(text, "fuzz");
  if (!rig.ok()) {
    if (rig.error().what.empty() || rig.error().where.rfind("fuzz", 0) != 0) std::abort();
    return;
  }
  const int count = static_cast<int>(rig->joints.size());
  for (int j = 0; j < count; ++j) {
    const int parent = rig->joints[static_cast<std::size_t>(j)].parent;
    if (parent >= j || (parent < 0) != (j == 0)) std::abort();
  }
  for (const rig::TextSkinRow& row : rig->skin) {
    for (const rig::TextInfluence& influence : row.influences) {
      if (influence.joint < 0 || influence.joint >= count || !(influence.weight >= 0 && influence.weight <= 1.001)) {
        std::abort();
      }
    }
  }
  const auto again = rig::read_rig_text(rig::write_rig_text(*rig), "again");
  if (!again.ok() || again->joints.size() != rig->joints.size()) std::abort();
}

void read_surface(std::string_view text) {
  const auto surface = rig::read_obj_surface(text, "fuzz");
  if (!surface.ok()) return;
  for (const auto& triangle : surface->triangles) {
    for (const std::uint32_t corner : triangle) {
      if (corner >= surface->points.size()) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_rig(text);
  read_surface(text);
  return 0;
}
