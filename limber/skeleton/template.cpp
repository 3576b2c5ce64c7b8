// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "limber/anatomy/find_roles.h"
#include "limber/anatomy/joint_names.h"
#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/base/nesting.h"
#include "limber/rig/subject.h"
#include "limber/skeleton/template_data.h"

namespace limber::skeleton {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxJoints = 512, kMaxPoses = 32;
constexpr std::uint64_t kMaxFileBytes = 1 << 20;

Vec3d mirror(Vec3d p) { return {-p.x, p.y, p.z}; }

std::optional<Vec3d> parse_vector(const Json& entry) {
  if (!entry.is_array() || entry.size() != 3) return std::nullopt;
  Vec3d v;
  for (int a = 0; a < 3; ++a) {
    const Json& number = entry[static_cast<std::size_t>(a)];
    if (!number.is_number()) return std::nullopt;
    v[a] = number.get<double>();
  }
  return v;
}

Result<TemplateJoint> parse_joint(const Json& entry, const SkeletonTemplate& so_far, const std::string& where) {
  if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string()) return Error{"needs a name", where};
  TemplateJoint joint;
  joint.name = entry["name"].get<std::string>();
  if (joint.name.empty() || so_far.find(joint.name) >= 0) {
    return Error{fmt::format("the name '{}' is empty or taken", joint.name), where};
  }
  if (entry.contains("parent") != !so_far.joints.empty()) {
    return Error{"the first joint, and no other, has no parent", where};
  }
  if (entry.contains("parent")) {
    joint.parent = entry["parent"].is_string() ? so_far.find(entry["parent"].get<std::string>()) : -1;
    if (joint.parent < 0) return Error{"its parent is none of the joints before it", where};
    if (so_far.joints[static_cast<std::size_t>(joint.parent)].tip) return Error{"its parent is a tip", where};
  }
  const auto at = entry.contains("at") ? parse_vector(entry["at"]) : std::nullopt;
  if (!at) return Error{"needs \"at\": [x, y, z]", where};
  joint.at = *at;
  if (!is_finite(joint.at) || norm(joint.at) > 1e12) return Error{"its place is out of range", where};
  auto flag = [&](const char* key) { return entry.contains(key) && entry[key].is_boolean() && entry[key].get<bool>(); };
  joint.tip = flag("tip"), joint.optional = flag("optional");
  joint.foot = flag("foot");  // not a joint: a key of the file
  if (entry.contains("girth") && entry["girth"].is_number()) joint.girth = std::max(0.0, entry["girth"].get<double>());
  if (joint.tip && joint.parent < 0) return Error{"the first joint cannot be a tip", where};
  return joint;
}

/// A limb that a joint of the file starts.
struct LimbStart {
  rig::LimbKind kind = rig::LimbKind::kTrunk;
  float station = 0;
};

Result<std::optional<LimbStart>> parse_limb(const Json& entry, const TemplateJoint& joint, const std::string& where) {
  if (!entry.contains("limb")) {
    if (entry.contains("station")) return Error{"has a station but starts no limb", where};
    return std::optional<LimbStart>();
  }
  const Json& kind = entry["limb"];
  const auto named = kind.is_string() ? rig::limb_kind_named(kind.get<std::string>()) : std::nullopt;
  if (!named) return Error{fmt::format("no kind of limb is called {}", kind.dump()), where + "/limb"};
  if (joint.tip) return Error{"a tip starts no limb", where + "/limb"};
  if ((*named == rig::LimbKind::kTrunk) != (joint.parent < 0)) {
    return Error{"the trunk starts at the first joint, and no other limb does", where + "/limb"};
  }
  LimbStart start{*named, 0};
  if (entry.contains("station")) {
    const Json& station = entry["station"];
    if (!station.is_number() || !(station.get<double>() >= 0 && station.get<double>() <= 1)) {
      return Error{"needs a number from 0 to 1", where + "/station"};
    }
    start.station = station.get<float>();
  }
  return std::optional<LimbStart>(start);
}

rig::Side side_of(const std::string& name) {
  if (name.ends_with(".L")) return rig::Side::kLeft;
  return name.ends_with(".R") ? rig::Side::kRight : rig::Side::kMiddle;
}

/// Gives every joint its role. `starts` has an entry for each joint of the file: those after them are mirror images and
/// tips. A joint that starts no limb goes on with that of its parent; one of a pair speaks for both.
void assign_roles(SkeletonTemplate& skeleton, std::vector<std::optional<LimbStart>> starts) {
  const bool silent = std::none_of(starts.begin(), starts.end(), [](const auto& start) { return start.has_value(); });
  if (silent) return;
  starts.resize(skeleton.joints.size());
  skeleton.limbs.push_back({});
  skeleton.joints.front().role = {0, 0};
  for (std::size_t j = 1; j < skeleton.joints.size(); ++j) {
    TemplateJoint& joint = skeleton.joints[j];
    const rig::Role above = skeleton.joints[static_cast<std::size_t>(joint.parent)].role;
    const auto& start = starts[j] || joint.partner < 0 ? starts[j] : starts[static_cast<std::size_t>(joint.partner)];
    if (!start) {
      joint.role = {above.limb, above.section + (joint.tip ? 0 : 1)};
      continue;
    }
    // What hangs on a side is of that side, even where its own name does not say so.
    const rig::Side named = side_of(joint.name);
    const rig::Side side =
        named != rig::Side::kMiddle ? named : skeleton.limbs[static_cast<std::size_t>(above.limb)].side;
    joint.role = {static_cast<int>(skeleton.limbs.size()), 0};
    skeleton.limbs.push_back({start->kind, side, above.limb, start->station});
  }
}

/// Adds the right side where the file tells only the left, and pairs the two.
void complete_sides(SkeletonTemplate& skeleton) {
  const std::size_t count = skeleton.joints.size();
  for (std::size_t j = 0; j < count; ++j) {
    const std::string& name = skeleton.joints[j].name;
    if (name.size() < 3 || !name.ends_with(".L")) continue;
    const std::string other = name.substr(0, name.size() - 2) + ".R";
    if (skeleton.find(other) >= 0) continue;
    TemplateJoint joint = skeleton.joints[j];
    joint.name = other, joint.at = mirror(joint.at);
    const std::string parent = skeleton.joints[static_cast<std::size_t>(joint.parent)].name;
    if (parent.ends_with(".L")) joint.parent = skeleton.find(parent.substr(0, parent.size() - 2) + ".R");
    skeleton.joints.push_back(joint);
  }
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const std::string& name = skeleton.joints[j].name;
    if (!name.ends_with(".L")) continue;
    const int other = skeleton.find(name.substr(0, name.size() - 2) + ".R");
    if (other < 0) continue;
    skeleton.joints[j].partner = other;
    skeleton.joints[static_cast<std::size_t>(other)].partner = static_cast<int>(j);
  }
}

Result<TemplatePose> parse_pose(const Json& entry, const SkeletonTemplate& skeleton, const std::string& where) {
  if (!entry.is_object() || !entry.contains("turns") || !entry["turns"].is_object()) {
    return Error{"needs \"turns\": {\"joint\": [x, y, z]}", where};
  }
  TemplatePose pose;
  if (entry.contains("name") && entry["name"].is_string()) pose.name = entry["name"].get<std::string>();
  if (entry.contains("rarity") && entry["rarity"].is_number()) {
    pose.rarity = std::clamp(entry["rarity"].get<double>(), 0.0, 100.0);
  }
  const Json& turns = entry["turns"];
  for (const auto& item : turns.items()) {
    const int joint = skeleton.find(item.key());
    const auto angles = parse_vector(item.value());
    if (joint < 0 || !angles || !is_finite(*angles)) {
      return Error{fmt::format("'{}' is no joint or has no three angles", item.key()), where};
    }
    pose.turns.emplace_back(joint, *angles);
    const int partner = skeleton.joints[static_cast<std::size_t>(joint)].partner;
    if (partner < 0 || turns.contains(skeleton.joints[static_cast<std::size_t>(partner)].name)) continue;
    pose.turns.emplace_back(partner, Vec3d{angles->x, -angles->y, -angles->z});
  }
  return pose;
}

/// A tip for every joint without children: as far on as its own bone is long.
void add_tips(SkeletonTemplate& skeleton) {
  const std::vector<std::vector<int>> children = skeleton.children();
  const std::size_t count = skeleton.joints.size();
  for (std::size_t j = 0; j < count; ++j) {
    const TemplateJoint joint = skeleton.joints[j];
    if (!children[j].empty() || joint.tip || joint.parent < 0) continue;
    TemplateJoint tip;
    tip.name = joint.name + ".tip", tip.parent = static_cast<int>(j), tip.tip = true, tip.girth = joint.girth;
    tip.role = joint.role;
    tip.at = joint.at + 0.7 * (joint.at - skeleton.joints[static_cast<std::size_t>(joint.parent)].at);
    skeleton.joints.push_back(tip);
    if (joint.partner >= 0) skeleton.joints.back().partner = -2;  // paired below
  }
  for (std::size_t j = count; j < skeleton.joints.size(); ++j) {
    if (skeleton.joints[j].partner != -2) continue;
    skeleton.joints[j].partner = -1;
    const int other = skeleton.joints[static_cast<std::size_t>(skeleton.joints[j].parent)].partner;
    for (std::size_t k = count; k < skeleton.joints.size(); ++k) {
      if (skeleton.joints[k].parent == other) skeleton.joints[j].partner = static_cast<int>(k);
    }
  }
}

Status parse_joints(const Json& list, SkeletonTemplate& skeleton, const std::string& where) {
  std::vector<std::optional<LimbStart>> starts;
  for (std::size_t j = 0; j < list.size(); ++j) {
    const std::string place = fmt::format("{}#/joints/{}", where, j);
    LIMBER_TRY(TemplateJoint joint, parse_joint(list[j], skeleton, place));
    LIMBER_TRY(const std::optional<LimbStart> start, parse_limb(list[j], joint, place));
    skeleton.joints.push_back(std::move(joint));
    starts.push_back(start);
  }
  if (skeleton.joints.front().name.ends_with(".L")) return Error{"the first joint cannot be on one side", where};
  complete_sides(skeleton);
  add_tips(skeleton);
  assign_roles(skeleton, std::move(starts));
  return Done{};
}

Status parse_poses(const Json& document, SkeletonTemplate& skeleton, const std::string& where) {
  const auto poses = document.find("poses");
  if (poses == document.end()) return Done{};
  if (!poses->is_array() || poses->size() > kMaxPoses) return Error{fmt::format("at most {} poses", kMaxPoses), where};
  for (std::size_t p = 0; p < poses->size(); ++p) {
    LIMBER_TRY(TemplatePose pose, parse_pose((*poses)[p], skeleton, fmt::format("{}#/poses/{}", where, p)));
    skeleton.poses.push_back(std::move(pose));
  }
  return Done{};
}

/// Joints whose names differ in the side alone.
void pair_joints(SkeletonTemplate& skeleton) {
  std::vector<std::string> stems;
  for (const TemplateJoint& joint : skeleton.joints) stems.push_back(anatomy::unsided(joint.name));
  for (std::size_t j = 0; j < stems.size(); ++j) {
    for (std::size_t k = j + 1; k < stems.size() && skeleton.joints[j].partner < 0; ++k) {
      if (stems[j].empty() || stems[j] != stems[k] || skeleton.joints[k].partner >= 0) continue;
      if (anatomy::named_side(anatomy::words_of(skeleton.joints[j].name)) ==
          anatomy::named_side(anatomy::words_of(skeleton.joints[k].name)))
        continue;
      skeleton.joints[j].partner = static_cast<int>(k), skeleton.joints[k].partner = static_cast<int>(j);
    }
  }
}

/// The end of a limb counts as a foot where it is nearly as low as anything.
void mark_feet(SkeletonTemplate& skeleton) {
  double low = skeleton.joints.front().at.y, high = low;
  for (const TemplateJoint& joint : skeleton.joints) low = std::min(low, joint.at.y), high = std::max(high, joint.at.y);
  for (TemplateJoint& joint : skeleton.joints) {
    if (joint.tip && joint.at.y < low + 0.1 * (high - low)) joint.foot = true;
  }
}

std::vector<bool> weighted_joints(const rig::Subject& subject) {
  std::vector<bool> weighted(static_cast<std::size_t>(subject.rig.joint_count()), subject.points.empty());
  for (std::size_t k = 0; k < subject.weights.weights.size(); ++k) {
    if (subject.weights.weights[k] <= 0) continue;
    weighted[static_cast<std::size_t>(subject.rig.bones()[subject.weights.bones[k]].joint)] = true;
  }
  return weighted;
}

}  // namespace

int SkeletonTemplate::find(std::string_view joint) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == joint) return static_cast<int>(j);
  }
  return -1;
}

std::vector<std::vector<int>> SkeletonTemplate::children() const {
  std::vector<std::vector<int>> lists(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent >= 0) lists[static_cast<std::size_t>(joints[j].parent)].push_back(static_cast<int>(j));
  }
  return lists;
}

Result<SkeletonTemplate> parse_template(std::string_view text, const std::string& where) {
  const Json document = nested_deeper(text) ? Json() : Json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object()) return Error{"is not a JSON object", where};
  SkeletonTemplate skeleton;
  skeleton.name = document.value("name", Json("")).is_string() ? document.value("name", std::string()) : "";
  if (skeleton.name.empty()) return Error{"needs a name", where};
  auto flag = [&](const char* key) {
    return document.contains(key) && document[key].is_boolean() && document[key].get<bool>();
  };
  skeleton.chiral = flag("chiral"), skeleton.any_way = flag("any_way");
  if (document.contains("rarity") && document["rarity"].is_number()) {
    skeleton.rarity = std::clamp(document["rarity"].get<double>(), 0.0, 100.0);
  }
  const auto joints = document.find("joints");
  if (joints == document.end() || !joints->is_array() || joints->size() < 2 || joints->size() > kMaxJoints) {
    return Error{fmt::format("needs 2 to {} joints", kMaxJoints), where};
  }
  LIMBER_CHECK_OK(parse_joints(*joints, skeleton, where));
  LIMBER_CHECK_OK(parse_poses(document, skeleton, where));
  return skeleton;
}

const std::vector<SkeletonTemplate>& builtin_templates() {
  static const std::vector<SkeletonTemplate> all = [] {
    std::vector<SkeletonTemplate> list;
    for (const auto& [name, text] : template_data()) list.push_back(parse_template(text, std::string(name)).value());
    return list;
  }();
  return all;
}

Result<SkeletonTemplate> template_from_asset(const asset::Asset& asset) {
  LIMBER_TRY(rig::Subject found, rig::subject_from_asset(asset));
  const rig::Subject subject = anatomy::with_roles(std::move(found));
  const std::vector<bool> weighted = weighted_joints(subject);
  SkeletonTemplate skeleton;
  skeleton.limbs.assign(subject.rig.limbs().begin(), subject.rig.limbs().end());
  skeleton.name = std::filesystem::path(asset.name).stem().string();
  std::vector<int> kept(weighted.size(), -1);
  for (int j = 0; j < subject.rig.joint_count(); ++j) {
    const rig::Joint& joint = subject.rig.joints()[static_cast<std::size_t>(j)];
    const int above = joint.parent < 0 ? -1 : kept[static_cast<std::size_t>(joint.parent)];
    // A joint without skin stands for nothing; what hangs on it hangs on the next one above. The first stays.
    if (!weighted[static_cast<std::size_t>(j)] && (above >= 0 || !skeleton.joints.empty())) {
      kept[static_cast<std::size_t>(j)] = above >= 0 ? above : 0;
      continue;
    }
    TemplateJoint entry;
    entry.name = joint.name;
    entry.parent = skeleton.joints.empty() ? -1 : std::max(above, 0);
    entry.at = subject.rig.world_from_rest()[static_cast<std::size_t>(j)].translation.cast<double>();
    entry.role = joint.role;
    if (entry.parent >= 0) {
      const rig::Role before = skeleton.joints[static_cast<std::size_t>(entry.parent)].role;
      entry.role.section = before.limb == entry.role.limb ? before.section + 1 : 0;
    }
    kept[static_cast<std::size_t>(j)] = static_cast<int>(skeleton.joints.size());
    skeleton.joints.push_back(entry);
  }
  if (skeleton.joints.size() < 2) return Error{"has no skeleton with two joints or more", asset.name};
  if (skeleton.joints.size() > kMaxJoints) {
    return Error{fmt::format("has {} joints; a template may have {}", skeleton.joints.size(), kMaxJoints), asset.name};
  }
  pair_joints(skeleton);
  add_tips(skeleton);
  mark_feet(skeleton);
  return skeleton;
}

Result<SkeletonTemplate> read_template(const std::filesystem::path& path) {
  if (path.extension() == ".json") {
    LIMBER_TRY(const Bytes bytes, read_file(path, kMaxFileBytes));
    return parse_template(as_text(bytes), path.filename().string());
  }
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(path));
  return template_from_asset(asset);
}

SkeletonTemplate posed(const SkeletonTemplate& original, const TemplatePose& pose) {
  SkeletonTemplate result = original;
  result.poses.clear();
  result.rarity += pose.rarity;
  std::vector<Mat3d> turn(original.joints.size(), Mat3d::identity());
  for (const auto& [joint, degrees] : pose.turns) {
    const Vec3d angles = (kPi / 180) * degrees;
    turn[static_cast<std::size_t>(joint)] = to_matrix(axis_angle(Vec3d{0, 0, 1}, angles.z)) *
                                            to_matrix(axis_angle(Vec3d{0, 1, 0}, angles.y)) *
                                            to_matrix(axis_angle(Vec3d{1, 0, 0}, angles.x));
  }
  for (std::size_t j = 1; j < original.joints.size(); ++j) {
    const auto parent = static_cast<std::size_t>(original.joints[j].parent);
    result.joints[j].at =
        result.joints[parent].at + turn[parent] * (original.joints[j].at - original.joints[parent].at);
    turn[j] = turn[parent] * turn[j];
  }
  return result;
}

SkeletonTemplate mirrored(const SkeletonTemplate& original) {
  SkeletonTemplate result = original;
  for (TemplateJoint& joint : result.joints) joint.at = mirror(joint.at);
  for (rig::Limb& limb : result.limbs) limb.side = rig::mirrored(limb.side);
  return result;
}

const SkeletonTemplate* builtin_of(const SkeletonTemplate& skeleton) {
  for (const SkeletonTemplate& own : builtin_templates()) {
    const bool same = own.name == skeleton.name && own.joints.size() == skeleton.joints.size() &&
                      std::equal(own.joints.begin(), own.joints.end(), skeleton.joints.begin(),
                                 [](const TemplateJoint& a, const TemplateJoint& b) { return a.name == b.name; });
    if (same) return &own;
  }
  return nullptr;
}

}  // namespace limber::skeleton
