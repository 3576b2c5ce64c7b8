// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a PLY file of splats holds, reading it ends in a table that is written and read again, or in an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "limber/asset/ply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const auto table = asset::read_ply_vertices(std::as_bytes(std::span(data, size)), "fuzz.ply");
  if (!table.ok()) {
    if (table.error().what.empty()) std::abort();
    return 0;
  }
  for (const auto& column : table->columns) {
    if (column.size() != table->rows()) std::abort();
  }
  if (table->names.empty()) return 0;
  const auto again = asset::read_ply_vertices(asset::write_ply_vertices(*table), "again.ply");
  if (!again.ok() || again->rows() != table->rows() || again->names != table->names) std::abort();
  return 0;
}
