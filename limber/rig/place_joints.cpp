// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/place_joints.h"

#include <algorithm>
#include <limits>

#include "limber/rig/polyline.h"

namespace limber::rig {
namespace {

constexpr int kSteps = 48;        // places tried along a way
constexpr double kTurnCost = 1;   // 1 - cosine between a bone and the template's, times its share of the chain
constexpr double kShareCost = 4;  // squared difference of the shares of the chain's length
constexpr double kBendCost = 60;  // mean squared distance of the way from its bones, of the way's length

/// The way of a chain through the body, from its first joint to the skin at its end.
std::vector<Vec3d> way_of(const BodyShape& body, const std::vector<int>& spheres, bool to_skin) {
  std::vector<Vec3d> line;
  for (const int s : spheres) line.push_back(body.sphere(s).centre);
  if (to_skin && line.size() > 1) {
    const Vec3d out = normalized(line.back() - line[line.size() - 2]);
    line.push_back(line.back() + 0.7 * body.sphere(spheres.back()).radius * out);
  }
  std::vector<Vec3d> even = resample(line, kSteps);
  smooth(even, 6);
  return even;
}

double bend(const std::vector<Vec3d>& line, int from, int to) {
  const Vec3d a = line[static_cast<std::size_t>(from)], ab = line[static_cast<std::size_t>(to)] - a;
  const double length = squared_norm(ab);
  double sum = 0;
  for (int k = from + 1; k < to; ++k) {
    const Vec3d p = line[static_cast<std::size_t>(k)] - a;
    const double t = length > 0 ? std::clamp(dot(p, ab) / length, 0.0, 1.0) : 0;
    sum += squared_norm(p - t * ab);
  }
  return sum / kSteps;
}

/// Which steps of the way the joints of a chain take: least cost over all increasing choices.
std::vector<int> split(const std::vector<Vec3d>& line, const std::vector<Vec3d>& fitted) {
  const std::size_t bones = fitted.size() - 1;
  const double length = std::max(polyline_length(line), 1e-12), chain = std::max(polyline_length(fitted), 1e-12);
  std::vector<std::vector<double>> best(bones + 1,
                                        std::vector<double>(kSteps + 1, std::numeric_limits<double>::infinity()));
  std::vector<std::vector<int>> from(bones + 1, std::vector<int>(kSteps + 1, 0));
  best[0][0] = 0;
  double share = 0;
  for (std::size_t b = 0; b < bones; ++b) {
    const Vec3d wanted = normalized(fitted[b + 1] - fitted[b], Vec3d{});
    share += norm(fitted[b + 1] - fitted[b]) / chain;
    const bool last = b + 1 == bones;
    for (int to = last ? kSteps : 1; to <= kSteps; ++to) {
      const double off = static_cast<double>(to) / kSteps - share;
      for (int i = 0; i < to; ++i) {
        if (!(best[b][static_cast<std::size_t>(i)] < best[b + 1][static_cast<std::size_t>(to)])) continue;
        const Vec3d bone = line[static_cast<std::size_t>(to)] - line[static_cast<std::size_t>(i)];
        const double cost = best[b][static_cast<std::size_t>(i)] +
                            kTurnCost * (1 - dot(normalized(bone, Vec3d{}), wanted)) * (to - i) / kSteps +
                            kShareCost * off * off + kBendCost * bend(line, i, to) / (length * length);
        if (cost < best[b + 1][static_cast<std::size_t>(to)]) {
          best[b + 1][static_cast<std::size_t>(to)] = cost, from[b + 1][static_cast<std::size_t>(to)] = i;
        }
      }
    }
  }
  std::vector<int> steps(bones + 1, kSteps);
  for (std::size_t b = bones; b > 0; --b) steps[b - 1] = from[b][static_cast<std::size_t>(steps[b])];
  return steps;
}

void make_symmetric(Embedding& embedding) {
  const std::vector<Vec3d> before = embedding.at;
  for (std::size_t j = 0; j < before.size(); ++j) {
    const int partner = embedding.skeleton.joints[j].partner;
    const Vec3d image = embedding.plane.mirror(partner < 0 ? before[j] : before[static_cast<std::size_t>(partner)]);
    embedding.at[j] = 0.5 * (before[j] + image);
  }
}

}  // namespace

void place_joints(const BodyShape& body, const EmbedSettings& settings, Embedding& embedding) {
  const std::vector<Vec3d> fitted = embedding.at;
  std::vector<bool> placed(fitted.size(), false);
  placed[0] = true;
  for (std::size_t c = 0; c < embedding.chains.size(); ++c) {
    const std::vector<int>& joints = embedding.chains[c];
    const bool to_skin = embedding.skeleton.joints[static_cast<std::size_t>(joints.back())].tip;
    const std::vector<Vec3d> line = way_of(body, embedding.chain_spheres[c], to_skin);
    if (c == 0 || !placed[static_cast<std::size_t>(joints.front())])
      embedding.at[static_cast<std::size_t>(joints.front())] = line.front();
    std::vector<Vec3d> wanted;
    for (const int j : joints) wanted.push_back(fitted[static_cast<std::size_t>(j)]);
    const std::vector<int> steps = split(line, wanted);
    for (std::size_t k = 1; k < joints.size(); ++k) {
      embedding.at[static_cast<std::size_t>(joints[k])] = line[static_cast<std::size_t>(steps[k])];
      placed[static_cast<std::size_t>(joints[k])] = true;
    }
  }
  for (std::size_t j = 1; j < fitted.size(); ++j) {
    if (placed[j]) continue;
    const auto parent = static_cast<std::size_t>(embedding.skeleton.joints[j].parent);
    embedding.at[j] = embedding.at[parent] + fitted[j] - fitted[parent];
  }
  if (embedding.mirrored) make_symmetric(embedding);
  for (const auto& [name, place] : settings.pins) {
    const int joint = embedding.skeleton.find(name);
    if (joint >= 0) embedding.at[static_cast<std::size_t>(joint)] = place;
  }
}

}  // namespace limber::rig
