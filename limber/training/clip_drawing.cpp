// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/clip_drawing.h"

#include <algorithm>

#include "limber/scene/sketch_view.h"

namespace limber::training {
namespace {

std::vector<std::uint8_t> bytes_of(const Frames& frames) {
  std::vector<std::uint8_t> bytes(frames.values.size());
  std::transform(frames.values.begin(), frames.values.end(), bytes.begin(),
                 [](float value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255 + 0.5f); });
  return bytes;
}

}  // namespace

prior::SketchClip draw_sketch_clip(const prior::SketchModel& model, const rig::Rig& rig,
                                   const splat::Gaussians& surface, const kinematics::Motion& motion,
                                   const ClipFacts& facts, Rng& rng) {
  scene::SketchViewSettings view;
  view.views = model.views, view.size = model.size, view.framing = model.framing;
  view.azimuth += static_cast<float>(rng.uniform(-0.15, 0.15));
  view.elevation = static_cast<float>(rng.uniform(0.2, 0.3));
  scene::SketchView drawn(rig, surface, view);
  prior::SketchClip clip;
  clip.video = bytes_of(drawn.draw(motion));
  clip.rest = bytes_of(drawn.rest());
  for (int i = 0; i < prior::kClipCaptions; ++i) clip.captions.push_back(caption(facts, rng));
  return clip;
}

}  // namespace limber::training
