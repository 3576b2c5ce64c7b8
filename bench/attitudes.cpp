// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>

#include "bench/rig.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/autorig/auto_rig.h"
#include "limber/metrics/rigged_surface.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kSame = 0.01;      // of the height: how far joints may be from each other
constexpr double kRightWay = 0.7;   // cosine of 45 degrees
constexpr int kAttitudeCount = 48;  // 24 and their mirror images

/// Of a body in one attitude, in the frame of its file.
struct Rigged {
  std::string kind, error;
  std::map<std::string, Vec3d> joints;
  Vec3d up, forward;
  double height = 1, confidence = 0;
  bool doubted = false;
};

Rigged rig_body(const asset::Asset& asset, const anatomy::ReadBody& reader) {
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
    const rig::Facing& facing = found->subject.facing;
    result.kind = found->report.kind, result.confidence = facing.confidence;
    result.doubted = !found->report.doubts.empty();
    result.up = facing.up.cast<double>(), result.forward = facing.forward.cast<double>();
    result.height = found->subject.asset_scale;
    const Affined asset_from_subject = rig::asset_from_subject(found->subject);
    for (const skeleton::PlannedJoint& joint : found->plan.joints) {
      result.joints[joint.name] = asset_from_subject * joint.at;
    }
  } catch (const std::exception& failure) {
    result.error = failure.what();
  }
  return result;
}

std::string other_side(const std::string& name) {
  if (name.ends_with(".L")) return name.substr(0, name.size() - 1) + "R";
  if (name.ends_with(".R")) return name.substr(0, name.size() - 1) + "L";
  return name;
}

/// How far the joints of two rigs are apart at most, of the height; nothing where they are not the same joints.
std::optional<double> apart(const Rigged& as_it_is, const Rigged& turned, const Mat3d& turn) {
  if (as_it_is.joints.size() != turned.joints.size()) return std::nullopt;
  double most = 0;
  for (const auto& [name, place] : as_it_is.joints) {
    const auto there = turned.joints.find(determinant(turn) < 0 ? other_side(name) : name);
    if (there == turned.joints.end()) return std::nullopt;
    most = std::max(most, norm(there->second - turn * place) / as_it_is.height);
  }
  return most;
}

struct Tally {
  int bodies = 0, same_bodies = 0;  ///< of all attitudes
  int tries = 0, same = 0;
  int mirrors = 0, same_mirrors = 0;  ///< of these, in a mirror
  int silent = 0;                     ///< others, of which nobody said that they are doubtful
  std::vector<double> right, wrong;   ///< confidence of fronts
};

/// How often a right front is surer than a wrong one: 0.5 where confidence says nothing.
double ordered(const Tally& tally) {
  double score = 0;
  for (const double right : tally.right) {
    for (const double wrong : tally.wrong) score += right > wrong ? 1 : (right == wrong ? 0.5 : 0);
  }
  return score / (static_cast<double>(tally.right.size()) * static_cast<double>(tally.wrong.size()));
}

/// A body whose front is not known has none.
void try_body(const KnownBody& body, const RigSettings& settings, const anatomy::ReadBody& reader, Rng& rng,
              Tally& tally, Report& report) {
  const Rigged as_it_is = rig_body(body.asset, reader);
  std::vector<int> order(kAttitudeCount);
  for (int k = 0; k < kAttitudeCount; ++k) order[static_cast<std::size_t>(k)] = k;
  for (std::uint32_t k = kAttitudeCount; k > 1; --k) std::swap(order[k - 1], order[rng.below(k)]);
  int same = 0;
  double farthest = 0;
  for (int k = 0; k < settings.attitudes; ++k) {
    const Mat3d turn = attitude(order[static_cast<std::size_t>(k)]);
    KnownBody turned = body;
    turn_body(turned, turn);
    const Rigged found = rig_body(turned.asset, reader);
    const std::optional<double> far = found.error.empty() ? apart(as_it_is, found, turn) : std::nullopt;
    const bool alike = far && *far < kSame;
    same += alike ? 1 : 0, farthest = std::max(farthest, far.value_or(1));
    if (determinant(turn) < 0) ++tally.mirrors, tally.same_mirrors += alike ? 1 : 0;
    tally.silent += alike || (as_it_is.doubted && found.doubted) ? 0 : 1;
  }
  ++tally.bodies, tally.tries += settings.attitudes, tally.same += same;
  tally.same_bodies += same == settings.attitudes ? 1 : 0;
  std::string front = "-";
  if (norm(body.forward) > 0) {
    const bool right =
        dot(as_it_is.forward, body.forward) > kRightWay && (!body.has_up || dot(as_it_is.up, body.up) > kRightWay);
    (right ? tally.right : tally.wrong).push_back(as_it_is.confidence);
    front = right ? "right" : "WRONG";
  }
  const std::string note = fmt::format("{}, {} of {} alike, at most {:.4f} apart, front {}, confidence {:.3f}{}{}",
                                       as_it_is.kind, same, settings.attitudes, farthest, front, as_it_is.confidence,
                                       as_it_is.doubted ? ", said to be doubtful" : "",
                                       as_it_is.error.empty() ? "" : ", FAILED: " + as_it_is.error);
  spdlog::info("{}: {}", body.name, note);
  if (same < settings.attitudes || front == "WRONG") {
    report.rows.push_back({"attitudes/" + body.name, static_cast<double>(same), "alike", "", note});
  }
}

void add_tally(const std::string& name, const Tally& tally, Report& report) {
  const auto share = [](int part, int whole) { return whole > 0 ? 100.0 * part / whole : 100.0; };
  report.rows.push_back({name + "/same rig in every attitude tried", share(tally.same_bodies, tally.bodies), "%",
                         ">= 95", fmt::format("{} of {} bodies", tally.same_bodies, tally.bodies)});
  report.rows.push_back({name + "/same rig", share(tally.same, tally.tries), "%", ">= 95",
                         fmt::format("{} of {} attitudes", tally.same, tally.tries)});
  report.rows.push_back({name + "/the mirrored rig in a mirror", share(tally.same_mirrors, tally.mirrors), "%", ">= 95",
                         fmt::format("{} of {} attitudes", tally.same_mirrors, tally.mirrors)});
  report.rows.push_back({name + "/same rig or said to be doubtful", share(tally.tries - tally.silent, tally.tries), "%",
                         "100", fmt::format("{} silently another", tally.silent)});
  const int right = static_cast<int>(tally.right.size()), wrong = static_cast<int>(tally.wrong.size());
  report.rows.push_back({name + "/front within 45 degrees", share(right, right + wrong), "%", "",
                         fmt::format("{} of {}", right, right + wrong)});
  if (right > 0 && wrong > 0) {
    report.rows.push_back({name + "/right fronts surer than wrong ones", 100 * ordered(tally), "%", "",
                           "of pairs; 50 where confidence says nothing"});
  }
}

/// A file as a static body; its front where the names of its joints tell it.
std::optional<KnownBody> body_of(const fs::path& file, const RigSettings& settings) {
  const Result<asset::Asset> asset = asset::read_asset(file);
  if (!asset.ok()) return std::nullopt;
  KnownBody body;
  body.asset = asset::bake(*asset, asset::rest_state(*asset));
  if (body.asset.meshes.empty()) return std::nullopt;
  body.name = fs::relative(file, settings.assets).replace_extension().string();
  const Result<rig::Subject> truth = rig::subject_from_asset(*asset);
  if (!truth.ok() || truth->points.empty()) return body;
  const metrics::RiggedSurface surface = metrics::without_idle_joints(metrics::rigged_surface(*asset, *truth));
  body.forward = metrics::named_forward(surface.skeleton, body.up).value_or(Vec3d{});
  return body;
}

}  // namespace

Mat3d attitude(int k) {
  const int up = k % 6, around = k / 6 % 4;
  Vec3d y, first;
  y[up / 2] = up % 2 == 0 ? 1 : -1, first[(up / 2 + 1) % 3] = 1;
  const Vec3d second = cross(y, first);
  const Vec3d z = (around % 2 == 0 ? 1.0 : -1.0) * (around < 2 ? first : second);
  return Mat3d::from_columns((k < 24 ? 1.0 : -1.0) * cross(y, z), y, z);
}

void add_attitude_rows(const RigSettings& settings, const anatomy::ReadBody& reader, Report& report) {
  Rng rng(settings.seed);
  Tally creatures, models;
  for (int k = 0; k < settings.creatures; ++k) {
    zoo::CreatureSettings creature;
    creature.plan = static_cast<zoo::Plan>(k % zoo::kPlanCount);
    creature.seed = 1000 * settings.seed + static_cast<std::uint64_t>(k);
    // Every other one has any limbs.
    if (k / zoo::kPlanCount % 2 == 1) creature.body = zoo::random_body(creature.seed);
    const Result<zoo::Creature> made = zoo::make_creature(creature);
    if (made.ok()) try_body(known_body(*made), settings, reader, rng, creatures, report);
  }
  if (creatures.bodies > 0) add_tally("attitudes of creatures", creatures, report);
  for (const fs::path& file : mesh_files(settings)) {
    if (const auto body = body_of(file, settings)) try_body(*body, settings, reader, rng, models, report);
  }
  if (models.bodies > 0) add_tally("attitudes of models", models, report);
}

}  // namespace limber::bench
