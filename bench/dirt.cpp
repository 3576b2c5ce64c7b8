// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <map>
#include <utility>

#include "bench/rig.h"
#include "limber/autorig/auto_rig.h"
#include "limber/rig/static_subject.h"
#include "limber/skeleton/limb_template.h"

/// What people bring is seldom clean. Creatures of the zoo with holes, of few triangles, on a pedestal, two in one
/// file, inside out or rough: whether each is rigged as the clean one, and, where it is not, whether that is said.
namespace limber::bench {
namespace {

constexpr double kHoles = 0.3;           // of the triangles
constexpr double kHole = 0.06;           // of the size: how large one is
constexpr std::size_t kTriangles = 200;  // of a coarse body
constexpr double kRough = 0.01;          // of the size: how far points are from where they should be
constexpr double kSameJoints = 0.06;     // CD-J2J to the clean body's joints, of the size
constexpr double kSameWay = 0.7;         // cosine of 45 degrees

using Surface = rig::ShownGeometry;

struct Box {
  Vec3d low, high;
  double size() const { return std::max({high.x - low.x, high.y - low.y, high.z - low.z}); }
};

Box box_of(const Surface& surface) {
  Box box{surface.points.front(), surface.points.front()};
  for (const Vec3d& p : surface.points) box = {min(box.low, p), max(box.high, p)};
  return box;
}

Surface with_holes(Surface surface, Rng& rng) {
  const std::size_t left =
      surface.triangles.size() - static_cast<std::size_t>(kHoles * double(surface.triangles.size()));
  const double reach = kHole * box_of(surface).size();
  while (surface.triangles.size() > left) {
    const auto drawn = rng.below(static_cast<std::uint32_t>(surface.triangles.size()));
    const Vec3d middle = surface.points[surface.triangles[drawn][0]];
    std::erase_if(surface.triangles, [&](const auto& t) { return norm(surface.points[t[0]] - middle) < reach; });
  }
  return surface;
}

/// Points of one cell of a grid become one.
Surface clustered(const Surface& surface, int cells) {
  const Box box = box_of(surface);
  const double cell = box.size() / cells;
  std::map<std::array<int, 3>, std::uint32_t> places;
  std::vector<std::uint32_t> place;
  std::vector<double> count;
  Surface coarse;
  for (const Vec3d& p : surface.points) {
    const Vec3d q = (1 / cell) * (p - box.low);
    const std::array<int, 3> in{static_cast<int>(q.x), static_cast<int>(q.y), static_cast<int>(q.z)};
    const auto [found, fresh] = places.try_emplace(in, static_cast<std::uint32_t>(count.size()));
    if (fresh) coarse.points.push_back({}), count.push_back(0);
    place.push_back(found->second);
    coarse.points[found->second] += p, count[found->second] += 1;
  }
  for (std::size_t k = 0; k < count.size(); ++k) coarse.points[k] = (1 / count[k]) * coarse.points[k];
  for (const auto& t : surface.triangles) {
    const std::uint32_t a = place[t[0]], b = place[t[1]], c = place[t[2]];
    if (a != b && b != c && c != a) coarse.triangles.push_back({a, b, c});
  }
  return coarse;
}

Surface of_few_triangles(Surface surface, Rng&) {
  Surface best = clustered(surface, 2);
  for (int cells = 3; cells < 64; ++cells) {
    Surface finer = clustered(surface, cells);
    if (finer.triangles.size() > kTriangles) break;
    best = std::move(finer);
  }
  return best;
}

Surface on_pedestal(Surface surface, Rng&) {
  const Box box = box_of(surface);
  const Vec3d margin = 0.1 * Vec3d{box.high.x - box.low.x, 0, box.high.z - box.low.z};
  const Vec3d low = Vec3d{box.low.x, box.low.y - 0.15 * box.size(), box.low.z} - margin;
  const Vec3d high = Vec3d{box.high.x, box.low.y + 0.002 * box.size(), box.high.z} + margin;
  const auto first = static_cast<std::uint32_t>(surface.points.size());
  for (int k = 0; k < 8; ++k) {
    surface.points.push_back(
        {(k & 1) != 0 ? high.x : low.x, (k & 2) != 0 ? high.y : low.y, (k & 4) != 0 ? high.z : low.z});
  }
  constexpr std::array<std::array<std::uint32_t, 4>, 6> kSides{
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  for (const auto& [a, b, c, d] : kSides) {
    surface.triangles.push_back({first + a, first + b, first + c});
    surface.triangles.push_back({first + a, first + c, first + d});
  }
  return surface;
}

Surface two_figures(Surface surface, Rng&) {
  const Box box = box_of(surface);
  const Vec3d aside{1.3 * (box.high.x - box.low.x), 0, 0};
  const auto points = static_cast<std::uint32_t>(surface.points.size());
  for (std::uint32_t p = 0; p < points; ++p) surface.points.push_back(surface.points[p] + aside);
  const std::size_t triangles = surface.triangles.size();
  for (std::size_t t = 0; t < triangles; ++t) {
    const auto [a, b, c] = surface.triangles[t];
    surface.triangles.push_back({a + points, b + points, c + points});
  }
  return surface;
}

Surface inside_out(Surface surface, Rng&) {
  for (auto& t : surface.triangles) std::swap(t[1], t[2]);
  return surface;
}

Surface rough(Surface surface, Rng& rng) {
  const double off = kRough * box_of(surface).size();
  for (Vec3d& p : surface.points) {
    const double x = rng.normal(), y = rng.normal(), z = rng.normal();
    p += off * Vec3d{x, y, z};
  }
  return surface;
}

struct Dirt {
  const char* name;
  Surface (*make)(Surface, Rng&);
  bool hopeless = false;  ///< one rig cannot be right
};
constexpr std::array<Dirt, 6> kDirts{{{"30 % holes", with_holes},
                                      {"200 triangles", of_few_triangles},
                                      {"a pedestal", on_pedestal},
                                      {"two figures", two_figures, true},
                                      {"inside out", inside_out},
                                      {"noise of 1 %", rough}}};

asset::Asset asset_of(const Surface& surface) {
  asset::Asset asset;
  asset.name = "dirty.glb", asset.scenes = {{"scene", {0}}}, asset.scene = 0;
  asset::Primitive primitive;
  for (const Vec3d& p : surface.points) primitive.positions.push_back(p.cast<float>());
  for (const auto& t : surface.triangles) primitive.indices.insert(primitive.indices.end(), t.begin(), t.end());
  asset.meshes.push_back({"mesh", {primitive}, {}});
  asset::Node node;
  node.name = "mesh", node.mesh = 0;
  asset.nodes.push_back(node);
  return asset;
}

/// A rig, as far as it is compared.
struct Rigged {
  std::string kind = "none", doubts, error;
  metrics::SkeletonGraph joints;
  skeleton::LimbTally limbs;
  Vec3d up, forward;
};

Rigged rig_dirty(const asset::Asset& asset, const anatomy::ReadBody& reader) {
  autorig::AutoRigSettings settings;
  settings.reader = reader, settings.skeleton_only = true;
  Rigged result;
  // One bad body must not take the others' figures with it.
  try {
    const Result<autorig::AutoRig> found = autorig::auto_rig(asset, settings);
    if (!found.ok()) {
      result.error = found.error().message();
      return result;
    }
    const Affined asset_from_subject = rig::asset_from_subject(found->subject);
    for (const skeleton::PlannedJoint& joint : found->plan.joints) {
      result.joints.joints.push_back(asset_from_subject * joint.at);
      result.joints.parents.push_back(joint.parent);
    }
    result.kind = found->report.kind, result.limbs = skeleton::tally_limbs(found->subject.rig.limbs());
    const rig::Facing& facing = found->subject.facing;
    result.up = facing.up.cast<double>(), result.forward = facing.forward.cast<double>();
    for (const autorig::Doubt doubt : found->report.doubts)
      result.doubts += (result.doubts.empty() ? "" : ", ") + std::string(autorig::name(doubt));
  } catch (const std::exception& failure) {
    result.error = failure.what();
  }
  return result;
}

/// As the clean body: the same limbs, the same way round, joints in about the same places.
bool is_alike(const Rigged& dirty, const Rigged& clean, double size) {
  if (!dirty.error.empty() || !(dirty.limbs == clean.limbs)) return false;
  if (dot(dirty.up, clean.up) < kSameWay || dot(dirty.forward, clean.forward) < kSameWay) return false;
  const auto apart = metrics::skeleton_distance(dirty.joints, clean.joints);
  return apart && apart->joint_to_joint < kSameJoints * size;
}

struct DirtTally {
  int tries = 0, right = 0, said = 0;  ///< said: of those that are wrong
};

void try_dirt(const KnownBody& body, const Dirt& dirt, const anatomy::ReadBody& reader, Rng& rng, DirtTally& tally,
              Report& report) {
  const Result<Surface> surface = rig::gather_shown(body.asset);
  if (!surface.ok()) return;
  const Rigged clean = rig_dirty(asset_of(*surface), reader);
  const Rigged dirty = rig_dirty(asset_of(dirt.make(*surface, rng)), reader);
  const bool right = !dirt.hopeless && is_alike(dirty, clean, box_of(*surface).size());
  const bool said = !dirty.doubts.empty() || !dirty.error.empty();
  ++tally.tries, tally.right += right ? 1 : 0, tally.said += !right && said ? 1 : 0;
  const std::string note = fmt::format("{} ({}), clean {} ({}); {}{}", dirty.kind, skeleton::to_text(dirty.limbs),
                                       clean.kind, skeleton::to_text(clean.limbs), right ? "right" : "WRONG",
                                       said ? ", said: " + (dirty.error.empty() ? dirty.doubts : dirty.error) : "");
  spdlog::info("{}, {}: {}", body.name, dirt.name, note);
  if (!right && !said) report.rows.push_back({fmt::format("dirt/{}, {}", body.name, dirt.name), 0, "said", "", note});
}

}  // namespace

void add_dirt_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  std::array<DirtTally, kDirts.size()> tallies;
  Rng rng(settings.seed, 31);
  for (int k = 0; k < settings.creatures; ++k) {
    // Each sort of dirt meets every plan before one comes again.
    const auto sort = static_cast<std::size_t>(k) % kDirts.size();
    zoo::CreatureSettings creature;
    creature.plan = static_cast<zoo::Plan>((static_cast<std::size_t>(k) / kDirts.size() + sort) % zoo::kPlanCount);
    creature.seed = 1000 * settings.seed + static_cast<std::uint64_t>(k);
    const Result<zoo::Creature> made = zoo::make_creature(creature);
    if (made.ok()) try_dirt(known_body(*made), kDirts[sort], reader, rng, tallies[sort], report);
  }
  DirtTally all;
  const auto add = [&](const std::string& name, const DirtTally& tally) {
    const int silent = tally.tries - tally.right - tally.said;
    report.rows.push_back({"dirt/" + name, 100.0 * (tally.tries - silent) / tally.tries, "%", "100",
                           fmt::format("right or said: of {}, {} right, {} wrong and said, {} silently wrong",
                                       tally.tries, tally.right, tally.said, silent)});
  };
  for (std::size_t d = 0; d < kDirts.size(); ++d) {
    if (tallies[d].tries == 0) continue;
    add(kDirts[d].name, tallies[d]);
    all.tries += tallies[d].tries, all.right += tallies[d].right, all.said += tallies[d].said;
  }
  if (all.tries > 0) add("all", all);
}

}  // namespace limber::bench
