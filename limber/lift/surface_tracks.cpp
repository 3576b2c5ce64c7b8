// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/surface_tracks.h"

#include <algorithm>
#include <cmath>

#include "limber/base/threads.h"

namespace limber::lift {
namespace {

/// Whether all pixels around one show the body, without a step in depth.
bool away_from_edges(const SurfaceView& view, int x, int y, int margin, float slack) {
  const float depth = view.depth[view.index(x, y)];
  for (int dy = -margin; dy <= margin; ++dy) {
    for (int dx = -margin; dx <= margin; ++dx) {
      if (!view.contains(x + dx, y + dy)) return false;
      const std::size_t at = view.index(x + dx, y + dy);
      if (view.coverage[at] < 0.99f || std::abs(view.depth[at] - depth) > slack) return false;
    }
  }
  return true;
}

Vec2 centre_of(int x, int y) { return {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f}; }

float distance(Vec2 a, Vec2 b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// from * inverse(to): offsets in the image of `to` to offsets in that of `from`. False where `to` is too flat.
bool warp_between(const PatchWarp& from, const PatchWarp& to, PatchWarp& warp) {
  const float det = to.xx * to.yy - to.xy * to.yx;
  const float from_det = from.xx * from.yy - from.xy * from.yx;
  // Seen at a grazing angle, or from its other side, a patch is not the same any more.
  if (!(det / from_det > 0.2f && det / from_det < 5.0f)) return false;
  const PatchWarp back{to.yy / det, -to.xy / det, -to.yx / det, to.xx / det};
  warp = {from.xx * back.xx + from.xy * back.yx, from.xx * back.xy + from.xy * back.yy,
          from.yx * back.xx + from.yy * back.yx, from.yx * back.xy + from.yy * back.yy};
  const float largest = std::max({std::abs(warp.xx), std::abs(warp.xy), std::abs(warp.yx), std::abs(warp.yy)});
  return largest < 4;
}

}  // namespace

std::vector<PointSighting> SurfaceTracks::sightings(int frame) const {
  std::vector<PointSighting> result;
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    const TrackedPoint& point = at(k, frame);
    if (!(point.confidence > 0)) continue;
    PointSighting sighting;
    sighting.point = static_cast<int>(k);
    sighting.pixel = point.pixel;
    sighting.weight = point.confidence;
    result.push_back(sighting);
  }
  return result;
}

int SurfaceTracks::live(int frame) const {
  int count = 0;
  for (std::size_t k = 0; k < tracks.size(); ++k) count += at(k, frame).confidence > 0;
  return count;
}

SurfaceTracker::SurfaceTracker(const SurfaceViewer& viewer, const scene::Camera& camera,
                               std::span<const Pyramid> pyramids, const std::vector<bool>& free,
                               const SurfaceTrackSettings& settings)
    : viewer_(&viewer), camera_(camera), pyramids_(pyramids), settings_(settings) {
  const rig::Rig& rig = viewer.subject().rig;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const bool own = free.empty() || free[static_cast<std::size_t>(j)];
    const int parent = rig.joints()[static_cast<std::size_t>(j)].parent;
    free_count_ += own;
    free_ancestor_.push_back(own ? j : (parent >= 0 ? free_ancestor_[static_cast<std::size_t>(parent)] : -1));
  }
  tracks_.frames = static_cast<int>(pyramids.size());
}

bool SurfaceTracker::visible(const SurfaceView& view, const ImagePoint& at) const {
  if (!(at.depth > 0)) return false;
  const int x = static_cast<int>(std::floor(at.x)), y = static_cast<int>(std::floor(at.y));
  if (!view.contains(x, y)) return false;
  const std::size_t pixel = view.index(x, y);
  return view.triangle[pixel] >= 0 && at.depth < view.depth[pixel] + settings_.depth_slack;
}

bool SurfaceTracker::edges_at(std::uint32_t triangle, PatchWarp& edges) const {
  const std::array<std::uint32_t, 3>& corners = viewer_->subject().triangles[triangle];
  std::array<ImagePoint, 3> p;
  for (std::size_t k = 0; k < 3; ++k) {
    p[k] = project(camera_, viewer_->points()[corners[k]]);
    if (!(p[k].depth > 0)) return false;
  }
  edges = {p[1].x - p[0].x, p[2].x - p[0].x, p[1].y - p[0].y, p[2].y - p[0].y};
  return std::abs(edges.xx * edges.yy - edges.xy * edges.yx) > 1e-6f;
}

std::vector<int> SurfaceTracker::live_per_joint(int frame) const {
  std::vector<int> live(free_ancestor_.size());
  for (std::size_t k = 0; k < tracks_.tracks.size(); ++k) {
    if (tracks_.at(k, frame).confidence > 0) ++live[static_cast<std::size_t>(tracks_.tracks[k].joint)];
  }
  return live;
}

/// Where a new point could be.
struct SurfaceTracker::Candidate {
  int x = 0, y = 0;
  int joint = 0;
  float texture = 0;
};

double SurfaceTracker::share_of(int joint, const SkinPoint& point) const {
  double share = 0;
  for (const SkinTerm& term : point) {
    const int of_term = viewer_->subject().rig.bones()[static_cast<std::size_t>(term.bone)].joint;
    if (free_ancestor_[static_cast<std::size_t>(of_term)] == joint) share += term.weight;
  }
  return share;
}

std::vector<SurfaceTracker::Candidate> SurfaceTracker::candidates(int frame, const SurfaceView& view,
                                                                  const std::vector<int>& live) const {
  const rig::Subject& subject = viewer_->subject();
  std::vector<Candidate> result;
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const std::size_t at = view.index(x, y);
      if (view.triangle[at] < 0 || !away_from_edges(view, x, y, settings_.margin, 0.05f)) continue;
      const SkinPoint point = skin_point(subject, static_cast<std::uint32_t>(view.triangle[at]), view.barycentric[at]);
      const int joint = free_ancestor_[static_cast<std::size_t>(main_joint(subject.rig, point).joint)];
      if (joint < 0 || live[static_cast<std::size_t>(joint)] >= settings_.refresh_below) continue;
      if (share_of(joint, point) >= static_cast<double>(settings_.min_share)) result.push_back({x, y, joint, 0});
    }
  }
  const GrayImage& image = pyramids_[static_cast<std::size_t>(frame)].front();
  parallel_for(result.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      result[i].texture = patch_texture(image, centre_of(result[i].x, result[i].y), settings_.patch.radius);
    }
  });
  std::stable_sort(result.begin(), result.end(),
                   [](const Candidate& a, const Candidate& b) { return a.texture > b.texture; });
  return result;
}

std::optional<SurfaceTrack> SurfaceTracker::track_at(const Candidate& candidate, int frame,
                                                     const SurfaceView& view) const {
  const std::size_t at = view.index(candidate.x, candidate.y);
  SurfaceTrack track;
  track.triangle = static_cast<std::uint32_t>(view.triangle[at]);
  track.barycentric = view.barycentric[at];
  track.joint = candidate.joint;
  track.seeded = frame;
  // The middle of the samples need not be the pixel's: the patch is cut out where the point itself is.
  const ImagePoint place = project(camera_, viewer_->place(track.triangle, track.barycentric));
  track.seed_pixel = {place.x, place.y};
  if (!edges_at(track.triangle, track.seed_edges)) return std::nullopt;
  return track;
}

void SurfaceTracker::seed(int frame, const SurfaceView& view) {
  std::vector<int> live = live_per_joint(frame);
  const int per_joint = std::min(settings_.per_joint, std::max(4, settings_.max_live / std::max(1, free_count_)));
  std::vector<Vec2> taken;
  for (std::size_t k = 0; k < tracks_.tracks.size(); ++k) {
    if (tracks_.at(k, frame).confidence > 0) taken.push_back(tracks_.at(k, frame).pixel);
  }
  // The richest first, at a distance from all that are there.
  for (const Candidate& candidate : candidates(frame, view, live)) {
    if (candidate.texture < settings_.patch.min_eigenvalue) break;
    int& count = live[static_cast<std::size_t>(candidate.joint)];
    if (count >= per_joint || static_cast<int>(taken.size()) >= settings_.max_live) continue;
    const Vec2 pixel = centre_of(candidate.x, candidate.y);
    const auto near = [&](Vec2 other) { return distance(other, pixel) < settings_.spacing; };
    if (std::any_of(taken.begin(), taken.end(), near)) continue;
    const std::optional<SurfaceTrack> track = track_at(candidate, frame, view);
    if (!track) continue;
    tracks_.points.push_back(skin_point(viewer_->subject(), track->triangle, track->barycentric));
    tracks_.tracks.push_back(*track);
    tracks_.tracked.resize(tracks_.tracks.size() * static_cast<std::size_t>(tracks_.frames));
    tracks_.at(tracks_.tracks.size() - 1, frame) = {track->seed_pixel, 1};
    taken.push_back(track->seed_pixel);
    ++count;
  }
}

void SurfaceTracker::advance(int from, int to, const PoseModel& pose, const PoseModel& predicted) {
  const Pyramid &before = pyramids_[static_cast<std::size_t>(from)], &after = pyramids_[static_cast<std::size_t>(to)];
  parallel_for(tracks_.tracks.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const TrackedPoint& last_seen = tracks_.at(k, from);
      TrackedPoint& next = tracks_.at(k, to);
      next = {};
      if (!(last_seen.confidence > 0)) continue;
      const ImagePoint here = project(camera_, pose.place(tracks_.points[k]).cast<float>());
      const ImagePoint there = project(camera_, predicted.place(tracks_.points[k]).cast<float>());
      if (!(here.depth > 0) || !(there.depth > 0)) continue;
      const Vec2 start{last_seen.pixel.x + there.x - here.x, last_seen.pixel.y + there.y - here.y};
      const PatchMatch forth = match_patch(before, last_seen.pixel, after, start, settings_.patch);
      if (!forth.found || forth.ncc < settings_.min_ncc) continue;
      const Vec2 home{last_seen.pixel.x + forth.pixel.x - start.x, last_seen.pixel.y + forth.pixel.y - start.y};
      const PatchMatch back = match_patch(after, forth.pixel, before, home, settings_.patch);
      if (!back.found || distance(back.pixel, last_seen.pixel) > settings_.max_return) continue;
      next = {forth.pixel, forth.ncc};
    }
  });
}

void SurfaceTracker::verify(int frame, const SurfaceView& view) {
  const Pyramid& now = pyramids_[static_cast<std::size_t>(frame)];
  PatchSettings fine = settings_.patch;
  fine.levels = 1;  // the pose says where to look
  parallel_for(tracks_.tracks.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const SurfaceTrack& track = tracks_.tracks[k];
      TrackedPoint& point = tracks_.at(k, frame);
      if (track.seeded == frame) continue;
      const ImagePoint place = project(camera_, viewer_->place(track.triangle, track.barycentric));
      PatchWarp edges, warp;
      if (!visible(view, place)) {
        point.confidence = 0;
        continue;
      }
      if (!edges_at(track.triangle, edges) || !warp_between(track.seed_edges, edges, warp)) continue;
      const Vec2 expected{place.x, place.y};
      const bool live = point.confidence > 0;
      const PatchMatch match = match_patch(pyramids_[static_cast<std::size_t>(track.seeded)], track.seed_pixel, now,
                                           live ? point.pixel : expected, fine, warp);
      const bool same = match.found && match.ncc > settings_.min_ncc &&
                        distance(match.pixel, live ? point.pixel : expected) < (live ? 3.0f : settings_.search);
      if (same) {
        point = {match.pixel, match.ncc};
      } else if (live) {
        point.confidence *= 0.5f;  // followed, but it does not look as it did
      }
    }
  });
}

}  // namespace limber::lift
