// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_sample.h"

#include <algorithm>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/rng.h"

namespace limber::parts {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  Rng rng(seed, stream);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(rng.normal());
  return values;
}

/// x_hat + share (x - x_hat): as much of the noise as the next step has.
void step_towards(std::vector<float>& noisy, const std::vector<float>& clear, float share) {
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] = clear[i] + share * (noisy[i] - clear[i]);
}

}  // namespace

Result<DrawnPictures> sample_parts(const PartsDenoiser& denoiser, const KnownPictures& known,
                                   const PartsSampleSettings& settings) {
  LIMBER_EXPECT(settings.steps >= 1, std::to_string(settings.steps));
  const PartsModel& model = denoiser.model();
  const PartsDenoiser::Known code = denoiser.encode(known);
  DrawnPictures drawn{noise(model.numbers(), settings.seed, 1), noise(model.numbers(), settings.seed, 2)};
  for (int i = 0; i < settings.steps; ++i) {
    const double done = static_cast<double>(i) / settings.steps, next = static_cast<double>(i + 1) / settings.steps;
    if (settings.progress && !settings.progress("drawing parts", done)) return cancelled("");
    const DrawnPictures clear = denoiser.run(code, drawn, 1 - done);
    const auto share = static_cast<float>((1 - next) / (1 - done));
    step_towards(drawn.colors, clear.colors, share), step_towards(drawn.parts, clear.parts, share);
  }
  const std::size_t each = drawn.colors.size() / known.has_colors.size();
  for (std::size_t i = 0; i < drawn.colors.size(); ++i) {
    if (known.has_colors[i / each]) drawn.colors[i] = known.colors[i];
  }
  return drawn;
}

}  // namespace limber::parts
