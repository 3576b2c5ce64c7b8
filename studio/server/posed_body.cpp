// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/posed_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "limber/anatomy/find_roles.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/pose_space/pose_conditions.h"
#include "limber/pose_space/pose_model.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/pose_solve.h"

namespace limber::studio {
namespace {

constexpr std::uint64_t kBytesOfVertex = 192;  // of a subject, with its weights and what it is made by
constexpr std::size_t kMostHandles = 64, kMostKeyframes = 1000;
constexpr double kLatest = 600;  // seconds of a motion
constexpr double kFps = 24;      // of motions of one frame: any will do
constexpr int kThoroughSteps = 12;

const rig::Joint& joint_of(const PosedBody& body, int joint) { return body.subject.rig.joints()[at(joint)]; }

/// Numbers of an array of this very length.
template <std::size_t kCount>
Result<std::array<float, kCount>> read_numbers(const Json& value, const std::string& where) {
  std::array<float, kCount> numbers{};
  if (!value.is_array() || value.size() != kCount) {
    return Error{"should be " + std::to_string(kCount) + " numbers", where};
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    if (value[i].is_number()) numbers[i] = value[i].get<float>();
    if (!value[i].is_number() || !std::isfinite(numbers[i])) return Error{"should be a number", where};
  }
  return numbers;
}

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// --- poses as the page has them --------------------------------------------------------------------------------------

/// Keys of all joints' nodes.
struct PoseChannels {
  std::vector<asset::Channel> rotations;  ///< per joint of the body
  asset::Channel root;

  explicit PoseChannels(const PosedBody& body) {
    for (const int joint : body.joints) {
      rotations.push_back({joint_of(body, joint).node, asset::Path::kRotation, asset::Interpolation::kLinear, {}, {}});
    }
    root = {joint_of(body, body.joints.front()).node, asset::Path::kTranslation, asset::Interpolation::kLinear, {}, {}};
  }

  Status add(const Json& pose, float time, const std::string& where) {
    const Json *turns = member(pose, "rotations"), *place = member(pose, "root");
    if (turns == nullptr || !turns->is_array() || turns->size() != rotations.size()) {
      return Error{"should have the rotations of " + std::to_string(rotations.size()) + " joints", where};
    }
    if (place == nullptr) return Error{"should have a place of its root", where};
    for (std::size_t i = 0; i < rotations.size(); ++i) {
      LIMBER_TRY(const auto q, (read_numbers<4>((*turns)[i], where + ".rotations")));
      const float length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (!(length > 1e-6f) || !std::isfinite(length)) return Error{"is no rotation", where + ".rotations"};
      rotations[i].times.push_back(time);
      for (const float number : q) rotations[i].values.push_back(number / length);
    }
    LIMBER_TRY(const auto p, (read_numbers<3>(*place, where + ".root")));
    root.times.push_back(time);
    root.values.insert(root.values.end(), p.begin(), p.end());
    return Done{};
  }

  asset::Clip clip(const std::string& name) const {
    asset::Clip clip{name, rotations, {}};
    clip.channels.push_back(root);
    return clip;
  }
};

Json numbers_json(std::span<const double> numbers) { return Json(std::vector<double>(numbers.begin(), numbers.end())); }

/// How sure a clip is of each of these joints, mean over its frames: what `limber animate` keeps in its extras. Null
/// where nothing is told.
Json confidence_json(const PosedBody& body, const asset::Clip& clip) {
  const Json extras = Json::parse(clip.extras, nullptr, false);
  // Other people's files may have anything of these names.
  const Json none, *own = member(extras, "limber"), *told = member(own ? *own : none, "confidence");
  const Json *names = member(told ? *told : none, "joints"), *rows = member(told ? *told : none, "percent");
  if (names == nullptr || rows == nullptr || !names->is_array() || !rows->is_array() || rows->empty()) return {};
  constexpr std::size_t kMostNames = 10'000, kMostNumbers = 50'000'000;  // no clip of limber's has more
  if (names->size() > kMostNames || names->size() * rows->size() > kMostNumbers) return {};
  std::map<std::string, double> found;
  for (std::size_t j = 0; j < names->size(); ++j) {
    double sum = 0;
    for (const Json& row : *rows)
      sum += row.is_array() && j < row.size() && row[j].is_number() ? row[j].get<double>() : 0;
    if ((*names)[j].is_string()) found[(*names)[j]] = sum / (100.0 * static_cast<double>(rows->size()));
  }
  Json joints = Json::array();
  for (const int joint : body.joints) {
    const auto of_joint = found.find(joint_of(body, joint).name);
    joints.push_back(of_joint == found.end() ? Json() : Json(of_joint->second));
  }
  return joints;
}

// --- solving ---------------------------------------------------------------------------------------------------------

struct Wish {
  int joint = 0;  ///< of the rig
  Vec3 place;     ///< in the subject's world
};

Status read_wishes(const PosedBody& body, const Json& question, const char* key, std::vector<Wish>& wishes) {
  const Json* list = member(question, key);
  if (list == nullptr) return Done{};
  if (!list->is_array() || list->size() > kMostHandles) return Error{"should be a list of few", key};
  for (const Json& entry : *list) {
    const Json *name = member(entry, "joint"), *place = member(entry, "position");
    if (name == nullptr || !name->is_string() || place == nullptr)
      return Error{"should have a joint and a position", key};
    const int joint = body.subject.rig.find(name->get<std::string>());
    if (joint < 0) return Error{"there is no such joint", name->get<std::string>().substr(0, 120), ErrorKind::kMissing};
    LIMBER_TRY(const auto p, (read_numbers<3>(*place, std::string(key) + ".position")));
    const Vec3 world{p[0], p[1], p[2]};
    wishes.push_back({joint, (1 / body.subject.asset_scale) * (world - body.subject.asset_offset)});
  }
  return Done{};
}

/// Names of the joints for which a pose is least plausible; few, and only those that spoil it.
Json doubtful_joints(const PosedBody& body, const pose_space::Plausibility& plausible) {
  constexpr double kDoubtful = 0.2;
  constexpr std::size_t kNamed = 3;
  std::vector<std::pair<double, int>> worst;
  for (std::size_t j = 0; j < plausible.joints.size(); ++j) {
    if (plausible.joints[j] < kDoubtful)
      worst.emplace_back(plausible.joints[j], body.space->skeleton().joints[j].joint);
  }
  std::sort(worst.begin(), worst.end());
  Json names = Json::array();
  for (std::size_t i = 0; i < std::min(worst.size(), kNamed); ++i)
    names.push_back(joint_of(body, worst[i].second).name);
  return names;
}

Status open_space(PosedBody& body, PoseNetwork& network) {
  if (body.space) return Done{};
  if (!network) {
    LIMBER_TRY(const std::filesystem::path folder, pose_space::find_pose_model());
    LIMBER_TRY(network, pose_space::PoseDenoiser::open(folder));
  }
  pose_space::PoseSpace space = pose_space::make_pose_space(body.subject, *network);
  const pose_space::PoseSkeleton& skeleton = space.skeleton();
  if (skeleton.size() < 2) return Error{"has one joint alone", body.asset.name, ErrorKind::kConflict};
  body.energies = pose_space::usual_energies(
      skeleton, sample_surface(skeleton, {body.subject.points, body.subject.triangles, body.subject.weights}));
  body.space.emplace(std::move(space));
  return Done{};
}

/// Where a joint should be, as seen from a root that stands at `place`: spaces of poses know neither place nor heading.
Result<pose_space::PoseHandle> handle_of(const pose_space::PoseSkeleton& skeleton, const Wish& wish,
                                         const pose_space::PosePlace& place) {
  LIMBER_TRY(pose_space::PoseHandle handle, make_handle(skeleton, wish.joint, wish.place - place.translation));
  const double c = std::cos(place.heading), s = std::sin(place.heading);
  const Vec3d t = handle.target;
  handle.target = {c * t.x - s * t.z, t.y, s * t.x + c * t.z};
  return handle;
}

kinematics::Motion motion_of(const rig::Rig& rig, const kinematics::Pose& pose) {
  kinematics::Motion motion = kinematics::rest_motion(rig, 1, kFps);
  std::copy(pose.angles.begin(), pose.angles.end(), motion.frame_angles(0).begin());
  motion.root_translations.front() = pose.root_translation;
  return motion;
}

/// As often as they are shown.
std::uint64_t vertices_of(const asset::Asset& asset) {
  std::uint64_t count = 0;
  for (const asset::Node& node : asset.nodes) {
    if (node.mesh < 0) continue;
    std::uint64_t vertices = 0;
    for (const asset::Primitive& primitive : asset.meshes[at(node.mesh)].primitives) {
      vertices += primitive.positions.size();
    }
    count += vertices * std::max<std::uint64_t>(node.instances.size(), 1);
  }
  return count;
}

}  // namespace

Result<std::shared_ptr<PosedBody>> open_body(const std::filesystem::path& file, const std::string& name) {
  LIMBER_TRY(asset::Asset asset, asset::read_asset(file));
  asset.name = name;
  MemoryShare memory;
  LIMBER_CHECK_OK(memory.take(kBytesOfVertex * vertices_of(asset), name));
  Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok()) return Error{"has no rig: " + subject.error().what, name, ErrorKind::kConflict};
  auto body = std::make_shared<PosedBody>(
      PosedBody{std::move(asset), anatomy::with_roles(std::move(subject).value()), {}, {}, {}, std::move(memory)});
  for (int j = 0; j < body->subject.rig.joint_count(); ++j) {
    if (joint_of(*body, j).node >= 0) body->joints.push_back(j);
  }
  if (body->joints.empty()) return Error{"has no rig: no joint belongs to a node", name, ErrorKind::kConflict};
  return body;
}

Json skeleton_json(const PosedBody& body) {
  const rig::Rig& rig = body.subject.rig;
  std::vector<int> shown(at(rig.joint_count()), -1);
  Json joints = Json::array();
  for (const int j : body.joints) {
    const rig::Joint& joint = joint_of(body, j);
    int parent = joint.parent;
    while (parent >= 0 && shown[at(parent)] < 0) parent = joint_of(body, parent).parent;
    shown[at(j)] = static_cast<int>(joints.size());
    const bool known = joint.role.limb >= 0;
    const rig::Limb limb = known ? rig.limbs()[at(joint.role.limb)] : rig::Limb();
    joints.push_back({{"name", joint.name},
                      {"parent", parent < 0 ? -1 : shown[at(parent)]},
                      {"node", joint.node},
                      {"kind", known ? Json(name(limb.kind)) : Json()},
                      {"side", known ? Json(name(limb.side)) : Json()}});
  }
  Json confidence = Json::array();
  for (const asset::Clip& clip : body.asset.clips) confidence.push_back(confidence_json(body, clip));
  return {{"joints", joints}, {"confidence", confidence}};
}

Result<kinematics::Pose> read_pose(const PosedBody& body, const Json& pose, const std::string& where) {
  PoseChannels channels(body);
  LIMBER_CHECK_OK(channels.add(pose, 0, where));
  LIMBER_TRY(const kinematics::Motion motion,
             kinematics::motion_from_clip(body.asset, channels.clip("pose"), body.subject, kFps));
  return pose_space::pose_at(motion, 0);
}

Result<Json> write_pose(const PosedBody& body, const kinematics::Pose& pose) {
  const kinematics::Motion motion = motion_of(body.subject.rig, pose);
  LIMBER_TRY(const asset::Clip clip, exporter::clip_from_motion(body.asset, body.subject, motion, {"pose", false}));
  const auto value = [&](int node, asset::Path path, std::vector<double> rest) {
    for (const asset::Channel& channel : clip.channels) {
      if (channel.node == node && channel.path == path) return asset::sample(channel, 0);
    }
    return rest;
  };
  Json rotations = Json::array();
  for (const int joint : body.joints) {
    const int node = joint_of(body, joint).node;
    const Quat q = body.asset.nodes[at(node)].local.rotation;
    rotations.push_back(
        numbers_json(value(node, asset::Path::kRotation, {double(q.x), double(q.y), double(q.z), double(q.w)})));
  }
  const int root = joint_of(body, body.joints.front()).node;
  const Vec3 t = body.asset.nodes[at(root)].local.translation;
  return Json{{"rotations", rotations},
              {"root", numbers_json(value(root, asset::Path::kTranslation, {double(t.x), double(t.y), double(t.z)}))}};
}

Result<Json> solve_question(PosedBody& body, PoseNetwork& network, const Json& question, bool thorough) {
  if (!question.is_object()) return Error{"should be an object", "body"};
  std::vector<Wish> wishes;
  LIMBER_CHECK_OK(read_wishes(body, question, "targets", wishes));
  LIMBER_CHECK_OK(read_wishes(body, question, "pins", wishes));
  LIMBER_CHECK_OK(open_space(body, network));
  kinematics::Pose pose = kinematics::rest_pose(body.subject.rig);
  if (const Json* given = member(question, "pose")) {
    LIMBER_TRY(pose, read_pose(body, *given, "pose"));
  }
  const pose_space::PoseSkeleton& skeleton = body.space->skeleton();
  // The root goes where it is dragged; the others are met from there.
  for (const Wish& wish : wishes) {
    if (wish.joint == 0) pose.root_translation = wish.place - body.subject.rig.world_from_rest()[0].translation;
  }
  const pose_space::EncodedPose encoded = encode_pose(skeleton, pose);
  std::vector<pose_space::PoseHandle> handles;
  for (const Wish& wish : wishes) {
    if (wish.joint == 0) continue;
    LIMBER_TRY(const pose_space::PoseHandle handle, handle_of(skeleton, wish, encoded.place));
    handles.push_back(handle);
  }
  pose_space::SolveSettings settings;
  settings.from = &encoded.state, settings.energies = body.energies;
  if (thorough) settings.from_steps = kThoroughSteps;
  pose_space::PoseState state = encoded.state;
  if (!handles.empty()) state = solve_pose(*body.space, handles, settings).state;
  kinematics::Pose solved = decode_pose(skeleton, state, encoded.place, pose.angles);
  // Joints that the space does not see stay as they are.
  std::vector<bool> seen(pose.angles.size(), false);
  for (const pose_space::PoseJoint& joint : skeleton.joints) seen[at(joint.joint)] = true;
  for (std::size_t j = 0; j < seen.size(); ++j) {
    if (!seen[j]) solved.angles[j] = pose.angles[j];
  }
  LIMBER_TRY(const Json written, write_pose(body, solved));
  const pose_space::Plausibility plausible = body.space->score(state);
  return Json{{"pose", written}, {"plausibility", plausible.whole}, {"doubtful", doubtful_joints(body, plausible)}};
}

Status write_keyframe_file(const PosedBody& body, const Json& keyframes, const std::filesystem::path& file) {
  const std::string where = "options.keyframes";
  if (!keyframes.is_array() || keyframes.empty() || keyframes.size() > kMostKeyframes) {
    return Error{"should be a list of up to " + std::to_string(kMostKeyframes) + " keyframes", where};
  }
  std::map<float, const Json*> poses;
  for (const Json& key : keyframes) {
    const Json *time = member(key, "time"), *pose = member(key, "pose");
    if (time == nullptr || !time->is_number() || pose == nullptr) return Error{"should have a time and a pose", where};
    const auto seconds = time->get<double>();
    if (!(seconds >= 0 && seconds <= kLatest)) return Error{"has a time that is not in a motion", where};
    poses[static_cast<float>(seconds)] = pose;
  }
  PoseChannels channels(body);
  for (const auto& [time, pose] : poses) LIMBER_CHECK_OK(channels.add(*pose, time, where));
  asset::Asset asset = body.asset;
  asset.source.reset();  // of which clips would stay
  asset.clips = {channels.clip("keyframes")};
  return asset::write_asset(asset, file);
}

Result<Bytes> plain_file(const std::filesystem::path& file) {
  LIMBER_TRY(asset::Asset asset, asset::read_asset(file));
  asset.source.reset();  // whose bytes would stay
  return asset::write_glb(asset);
}

}  // namespace limber::studio
