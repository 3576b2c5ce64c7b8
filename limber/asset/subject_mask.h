// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "limber/base/frames.h"

/// What in a picture or a video is the subject, without knowing what it looks like: backgrounds are seen along the
/// border, or they stay where they are.
namespace limber::asset {

enum class SegmentMethod : std::uint8_t {
  kBorder,        ///< background: colours that are seen along the picture's border
  kBorderShadow,  ///< and their darker shades: shadows on the ground, at the risk of grey subjects
  kRows,          ///< background: colours that are seen at the left and right border nearby: a ground, a sky
  kStill,         ///< background: what a pixel shows most of the time
};
std::string_view name(SegmentMethod method);  ///< "border"

struct Segmentation {
  SegmentMethod method = SegmentMethod::kBorder;
  std::vector<float> masks;   ///< frames x height x width, 0 or 1
  std::vector<double> areas;  ///< per frame, share of the picture
  std::vector<bool> cut;      ///< per frame: the subject touches the picture's border
  double trust = 0;           ///< 0 to 1: whether this looks like one subject before a background
};

struct SegmentSettings {
  float border = 0.04f;           ///< of the shorter side: how wide the picture's border is
  double min_area = 0.003;        ///< of the picture
  double max_area = 0.7;          ///< of the picture
  float min_difference = 0.06f;   ///< of colours, for kRows and kStill
  bool by_rows = false;           ///< try kRows too
  double component_share = 0.05;  ///< pieces smaller than this share of the largest are dropped
};

/// The subject by every method, best trusted first. One view; a video without frames gives none.
std::vector<Segmentation> segment(const Frames& video, const SegmentSettings& settings = {});

/// Keeps the largest connected piece of a mask and those at least `share` of it; returns how much of the mask the
/// largest one is, 0 for an empty one.
double keep_large_pieces(std::span<float> mask, int width, int height, double share);

}  // namespace limber::asset
