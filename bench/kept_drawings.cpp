// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/kept_drawings.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <vector>

#include "limber/base/checksum.h"
#include "limber/base/files.h"
#include "limber/base/stopwatch.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

/// A file: the seconds that drawing took, then colours, then parts.
struct Drawing {
  double seconds = 0;
  parts::DrawnPictures pictures;
};

std::uint64_t name_of(std::uint64_t weights, const parts::KnownPictures& known,
                      const parts::PartsSampleSettings& settings) {
  std::vector<std::uint8_t> bits;
  for (std::size_t i = 0; i < known.has_colors.size(); ++i)
    bits.push_back(static_cast<std::uint8_t>((known.has_colors[i] ? 1 : 0) + (known.has_surface[i] ? 2 : 0)));
  const std::vector<std::uint64_t> numbers{weights, settings.seed, static_cast<std::uint64_t>(settings.steps)};
  Checksum sum;
  sum.add(numbers).add(bits).add(known.elevations).add(known.colors).add(known.places).add(known.normals);
  return sum.value();
}

bool read_drawing(const fs::path& file, std::size_t numbers, Drawing& drawing) {
  std::error_code error;
  if (!fs::exists(file, error)) return false;
  const Result<Bytes> bytes = read_file(file);
  if (!bytes.ok() || bytes->size() != sizeof(double) + 2 * numbers * sizeof(float)) return false;
  drawing.pictures.colors.resize(numbers), drawing.pictures.parts.resize(numbers);
  const std::byte* from = bytes->data();
  std::memcpy(&drawing.seconds, from, sizeof(double));
  std::memcpy(drawing.pictures.colors.data(), from + sizeof(double), numbers * sizeof(float));
  std::memcpy(drawing.pictures.parts.data(), from + sizeof(double) + numbers * sizeof(float), numbers * sizeof(float));
  return true;
}

Status write_drawing(const fs::path& file, const Drawing& drawing) {
  const std::size_t size = drawing.pictures.colors.size() * sizeof(float);
  std::vector<std::byte> bytes(sizeof(double) + 2 * size);
  std::memcpy(bytes.data(), &drawing.seconds, sizeof(double));
  std::memcpy(bytes.data() + sizeof(double), drawing.pictures.colors.data(), size);
  std::memcpy(bytes.data() + sizeof(double) + size, drawing.pictures.parts.data(), size);
  return write_file(file, bytes);
}

}  // namespace

Result<KeptDrawings> KeptDrawings::open(fs::path folder, const fs::path& model) {
  KeptDrawings kept;
  if (folder.empty()) return kept;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  LIMBER_TRY(const Bytes weights, read_file(model / parts::kPartsWeightsFile));
  kept.folder_ = std::move(folder), kept.weights_ = Checksum().add(weights).value();
  return kept;
}

parts::DrawParts KeptDrawings::drawer(double* seconds) const {
  return [folder = folder_, weights = weights_, seconds](
             const parts::PartsDenoiser& denoiser, const parts::KnownPictures& known,
             const parts::PartsSampleSettings& settings) -> Result<parts::DrawnPictures> {
    const fs::path file =
        folder.empty() ? fs::path() : folder / fmt::format("{:016x}.drawn", name_of(weights, known, settings));
    Drawing drawing;
    if (file.empty() || !read_drawing(file, denoiser.model().numbers(), drawing)) {
      const Stopwatch watch;
      LIMBER_TRY(drawing.pictures, parts::sample_parts(denoiser, known, settings));
      drawing.seconds = watch.seconds();
      if (!file.empty()) LIMBER_CHECK_OK(write_drawing(file, drawing));
    }
    if (seconds != nullptr) *seconds += drawing.seconds;
    return std::move(drawing.pictures);
  };
}

}  // namespace limber::bench
