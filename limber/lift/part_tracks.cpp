// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/part_tracks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "limber/lift/pose_model.h"
#include "limber/scene/sketch_view.h"

namespace limber::lift {
namespace {

constexpr float kMostDifference = 0.2f;  // of colours: what is farther from all of them shows none
constexpr int kLeastPixels = 2;          // of a part or border that counts as seen
constexpr int kBorder = 2;               // pixels: over a border colours are mixed

/// The mean of some pixels.
struct Spot {
  double x = 0, y = 0;
  int count = 0;
  void add(int column, int row) { x += column + 0.5, y += row + 0.5, ++count; }
  bool seen() const { return count >= kLeastPixels; }
  Vec2 middle() const { return {static_cast<float>(x / count), static_cast<float>(y / count)}; }
};

/// What of a part is followed: its middle (`other` < 0), or its border with another part.
struct Mark {
  int part = 0, other = -1;
};

/// The part above each, -1 for the topmost.
std::vector<int> parents_of(const rig::Rig& rig, const scene::Parts& parts) {
  std::vector<int> parents;
  for (std::size_t p = 0; p < parts.joints.size(); ++p) {
    int joint = rig.joints()[static_cast<std::size_t>(parts.joints[p])].parent, parent = -1;
    for (; joint >= 0 && parent < 0; joint = rig.joints()[static_cast<std::size_t>(joint)].parent) {
      const int found = parts.part_of_joint[static_cast<std::size_t>(joint)];
      if (found != static_cast<int>(p)) parent = found;
    }
    parents.push_back(parent);
  }
  return parents;
}

std::vector<Mark> marks_of(const std::vector<int>& parents) {
  std::vector<Mark> marks;
  const int count = static_cast<int>(parents.size());
  for (int p = 0; p < count; ++p) {
    marks.push_back({p, -1});
    if (parents[static_cast<std::size_t>(p)] >= 0) marks.push_back({p, parents[static_cast<std::size_t>(p)]});
    for (int child = 0; child < count; ++child) {
      if (parents[static_cast<std::size_t>(child)] == p) marks.push_back({p, child});
    }
  }
  return marks;
}

/// Whether a pixel near this one shows a part.
bool near_part(const std::vector<int>& labels, int width, int height, int x, int y, int part) {
  for (int v = std::max(y - kBorder, 0); v <= std::min(y + kBorder, height - 1); ++v) {
    for (int u = std::max(x - kBorder, 0); u <= std::min(x + kBorder, width - 1); ++u) {
      if (labels[static_cast<std::size_t>(v * width + u)] == part) return true;
    }
  }
  return false;
}

std::vector<Spot> find_spots(const Frames& frames, int view, int frame, const scene::Parts& parts,
                             const std::vector<Mark>& marks) {
  const std::vector<int> labels = label_parts(frames, view, frame, parts);
  std::vector<Spot> spots(marks.size());
  for (int y = 0; y < frames.height; ++y) {
    for (int x = 0; x < frames.width; ++x) {
      const int label = labels[static_cast<std::size_t>(y * frames.width + x)];
      if (label < 0) continue;
      for (std::size_t m = 0; m < marks.size(); ++m) {
        if (marks[m].part != label) continue;
        const bool counts = marks[m].other < 0 || near_part(labels, frames.width, frames.height, x, y, marks[m].other);
        if (counts) spots[m].add(x, y);
      }
    }
  }
  return spots;
}

/// Where a mark is on the body at rest: the middle of the part, or the joint at which two parts meet.
Vec3 place_of(const PartSight& sight, const std::vector<int>& parents, const Mark& mark) {
  if (mark.other < 0) return sight.parts.centers[static_cast<std::size_t>(mark.part)];
  const bool above = parents[static_cast<std::size_t>(mark.part)] == mark.other;
  const int part = above ? mark.part : mark.other;  // the lower one's joint is where they meet
  const int joint = sight.parts.joints[static_cast<std::size_t>(part)];
  return sight.subject.rig.world_from_rest()[static_cast<std::size_t>(joint)].translation;
}

/// A point of the world at rest as one that follows a joint; empty where the joint has no bone.
SkinPoint point_on(const rig::Rig& rig, int joint, Vec3 world) {
  for (int b = 0; b < rig.bone_count(); ++b) {
    const rig::Bone& bone = rig.bones()[static_cast<std::size_t>(b)];
    if (bone.joint != joint) continue;
    const Affined posed =
        rig.world_from_rest()[static_cast<std::size_t>(joint)].cast<double>() * bone.joint_from_bind.cast<double>();
    return {{b, inverse(posed) * world.cast<double>(), 1.0}};
  }
  return {};
}

}  // namespace

std::vector<int> label_parts(const Frames& frames, int view, int frame, const scene::Parts& parts) {
  const scene::GroundSettings& ground = scene::SketchView::ground();
  const std::size_t image = static_cast<std::size_t>(frames.height) * static_cast<std::size_t>(frames.width);
  const std::size_t first = 3 * image * static_cast<std::size_t>(view * frames.frames + frame);
  std::vector<int> labels(image, -1);
  for (std::size_t i = 0; i < image; ++i) {
    const Vec3 color{frames.values[first + i], frames.values[first + image + i], frames.values[first + 2 * image + i]};
    // Edges of squares and the horizon have all greys in between.
    const float grey = std::clamp((color.x + color.y + color.z) / 3, ground.dark.x, ground.sky.x);
    float nearest = std::min(kMostDifference * kMostDifference, squared_norm(color - Vec3{grey, grey, grey}));
    for (std::size_t p = 0; p < parts.colors.size(); ++p) {
      const float distance = squared_norm(color - parts.colors[p]);
      if (distance < nearest) nearest = distance, labels[i] = static_cast<int>(p);
    }
  }
  return labels;
}

SurfaceTracks track_parts(const PartSight& sight) {
  const std::vector<int> parents = parents_of(sight.subject.rig, sight.parts);
  const std::vector<Mark> marks = marks_of(parents);
  const std::vector<Spot> at_rest = find_spots(sight.rest, sight.view, 0, sight.parts, marks);
  SurfaceTracks tracks;
  tracks.frames = sight.video.frames + 1;
  std::vector<std::size_t> followed;  // marks that are seen at rest
  for (std::size_t m = 0; m < marks.size(); ++m) {
    const int joint = sight.parts.joints[static_cast<std::size_t>(marks[m].part)];
    SkinPoint point = point_on(sight.subject.rig, joint, place_of(sight, parents, marks[m]));
    if (!at_rest[m].seen() || point.empty()) continue;
    SurfaceTrack track;
    // The topmost part shows how the whole body lies.
    track.joint = parents[static_cast<std::size_t>(marks[m].part)] < 0 ? 0 : joint;
    tracks.tracks.push_back(track), tracks.points.push_back(std::move(point)), followed.push_back(m);
  }
  tracks.tracked.resize(tracks.tracks.size() * static_cast<std::size_t>(tracks.frames));
  const auto image_size = static_cast<float>(sight.video.width * sight.video.height);
  std::vector<Vec2> shifts;
  for (std::size_t k = 0; k < followed.size(); ++k) {
    const Projection image = project_point(sight.camera, place_of(sight, parents, marks[followed[k]]).cast<double>());
    const Vec2 truth{static_cast<float>(image.x), static_cast<float>(image.y)};
    const Vec2 seen = at_rest[followed[k]].middle();
    shifts.push_back({truth.x - seen.x, truth.y - seen.y});
    tracks.at(k, 0) = {truth, static_cast<float>(at_rest[followed[k]].count) / image_size};
  }
  for (int f = 0; f < sight.video.frames; ++f) {
    const std::vector<Spot> spots = find_spots(sight.video, sight.view, f, sight.parts, marks);
    for (std::size_t k = 0; k < followed.size(); ++k) {
      const Spot& spot = spots[followed[k]];
      if (!spot.seen()) continue;
      const Vec2 seen = spot.middle();
      tracks.at(k, f + 1) = {{seen.x + shifts[k].x, seen.y + shifts[k].y}, static_cast<float>(spot.count) / image_size};
    }
  }
  return tracks;
}

}  // namespace limber::lift
