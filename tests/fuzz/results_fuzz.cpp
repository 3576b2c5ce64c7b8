// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a folder of results holds, asking for what is done there ends in an item or an error; and the checksum of a
// model does not depend on what a reader would think of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "limber/batch/content_checksum.h"
#include "limber/batch/results.h"
#include "scratch.h"

namespace {

constexpr const char* kId = "0123456789abcdef";

std::filesystem::path make_folder() {
  const std::filesystem::path folder = limber::scratch_folder();
  std::filesystem::create_directory(folder / kId);
  return folder;
}

bool writes_elsewhere(const limber::batch::Item& item) {
  const std::filesystem::path output = std::filesystem::path(item.output).lexically_normal();
  const bool above = !output.empty() && *output.begin() == "..";
  return output.is_absolute() || above || item.result.find('/') != std::string::npos || item.result == "..";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  static const std::filesystem::path folder = make_folder();
  static const batch::Results results = batch::Results::at(folder);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  put_file(results.of(kId) / "status.json", text);
  const auto status = results.status(kId);
  const auto finished = results.finished_item(kId);
  if (finished.ok() && (!status || finished->first.id != kId)) std::abort();
  if (finished.ok() && writes_elsewhere(finished->first)) std::abort();
  if (!finished.ok() && finished.error().what.size() > 4096) std::abort();

  for (const char* name : {"model.gltf", "model.obj"}) {
    put_file(folder / name, text);
    const auto once = batch::content_checksum(folder / name), again = batch::content_checksum(folder / name);
    if (!once.ok() || *once != again.value()) std::abort();
  }
  return 0;
}
