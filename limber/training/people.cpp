// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/people.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"
#include "limber/retarget/limb_retarget.h"
#include "limber/retarget/recording.h"

namespace limber::training {
namespace {

// --- a skeleton from a file ------------------------------------------------------------------------------------------

/// The nodes of a recording that are joints, parents first: ends of bones are none.
struct Joints {
  std::vector<int> nodes;
  std::vector<int> parents;  ///< of the joints, not of the nodes
};

Joints find_joints(const asset::Asset& asset) {
  Joints joints;
  std::vector<std::pair<int, int>> open;  // node, joint above
  if (!asset.scenes.empty() && !asset.scenes[0].roots.empty()) open.push_back({asset.scenes[0].roots[0], -1});
  while (!open.empty()) {
    const int node = open.back().first, parent = open.back().second;
    open.pop_back();
    const std::vector<int>& children = asset.nodes[at(node)].children;
    if (children.empty() && parent >= 0) continue;
    const int joint = static_cast<int>(joints.nodes.size());
    joints.nodes.push_back(node), joints.parents.push_back(parent);
    for (auto child = children.rbegin(); child != children.rend(); ++child) open.push_back({*child, joint});
  }
  return joints;
}

/// Where all nodes are in the file's first frame, and how large that is.
struct RestPose {
  std::vector<Transformd> locals;  ///< per node
  double height = 1, lowest = 0;
  Vec3d root;
};

/// Values of a clip's nodes at one time.
std::vector<Transformd> locals_at(const asset::Asset& asset, const asset::Clip& clip, double time) {
  std::vector<Transformd> locals;
  for (const asset::Node& node : asset.nodes) locals.push_back(node.local.cast<double>());
  for (const asset::Channel& channel : clip.channels) {
    if (channel.node < 0 || channel.times.empty()) continue;
    const std::vector<double> value = asset::sample(channel, time);
    Transformd& local = locals[at(channel.node)];
    if (channel.path == asset::Path::kTranslation) local.translation = {value[0], value[1], value[2]};
    if (channel.path == asset::Path::kRotation) local.rotation = {value[0], value[1], value[2], value[3]};
  }
  return locals;
}

RestPose find_rest(const asset::Asset& asset, const asset::Clip& clip, int root) {
  RestPose rest;
  rest.locals = locals_at(asset, clip, 0);
  const asset::NodeState state = asset::clip_state(asset, clip, 0);
  double highest = -1e30;
  rest.lowest = 1e30;
  for (const Affined& node : state.world_from_node) {
    rest.lowest = std::min(rest.lowest, node.translation.y), highest = std::max(highest, node.translation.y);
  }
  rest.height = highest - rest.lowest;
  rest.root = state.world_from_node[at(root)].translation;
  return rest;
}

Result<rig::Rig> rest_rig(const asset::Asset& asset, const Joints& joints, const RestPose& rest) {
  rig::RigDraft draft;
  for (std::size_t j = 0; j < joints.nodes.size(); ++j) {
    const auto node = at(joints.nodes[j]);
    rig::Joint joint;
    joint.name = asset.nodes[node].name, joint.parent = joints.parents[j];
    const Vec3d offset = j == 0 ? Vec3d{0, rest.root.y - rest.lowest, 0} : rest.locals[node].translation;
    joint.rest.translation = (offset / rest.height).cast<float>();
    joint.rest.rotation = normalized(rest.locals[node].rotation).cast<float>();
    draft.joints.push_back(std::move(joint));
  }
  return rig::build_rig(std::move(draft));
}

// --- the motion ------------------------------------------------------------------------------------------------------

kinematics::Motion sample_motion(const asset::Asset& asset, const asset::Clip& clip, const Joints& joints,
                                 const RestPose& rest, const rig::Rig& rig, const RecordingSettings& settings) {
  double first = 0;
  for (const asset::Channel& channel : clip.channels) {
    if (channel.times.size() > 1) first = std::max<double>(first, channel.times[1]);
  }
  const double seconds = std::min<double>(clip.duration() - first, settings.max_seconds);
  const int frames = 1 + static_cast<int>(std::floor(seconds * settings.fps + 1e-3));
  kinematics::Motion motion = kinematics::rest_motion(rig, frames, settings.fps);
  for (int f = 0; f < frames; ++f) {
    const std::vector<Transformd> locals = locals_at(asset, clip, first + f / settings.fps);
    for (int j = 0; j < rig.joint_count(); ++j) {
      const auto node = at(joints.nodes[at(j)]);
      const Quatd turned = conjugate(normalized(rest.locals[node].rotation)) * normalized(locals[node].rotation);
      const Vec3d before = f > 0 ? motion.frame_angles(f - 1)[at(j)].cast<double>() : Vec3d{};
      motion.frame_angles(f)[at(j)] = kinematics::euler_angles(to_matrix(turned), before).cast<float>();
    }
    const Vec3d moved = locals[at(joints.nodes[0])].translation - rest.locals[at(joints.nodes[0])].translation;
    motion.root_translations[at(f)] = (moved / rest.height).cast<float>();
  }
  return motion;
}

bool same_skeleton(const rig::Rig& a, const rig::Rig& b) {
  if (a.joint_count() != b.joint_count()) return false;
  for (int j = 0; j < a.joint_count(); ++j) {
    const rig::Joint &p = a.joints()[at(j)], &q = b.joints()[at(j)];
    if (p.name != q.name || p.parent != q.parent) return false;
    if (norm(p.rest.translation - q.rest.translation) > 1e-4f) return false;
    if (angle_between(p.rest.rotation, q.rest.rotation) > 1e-3f) return false;
  }
  return true;
}

}  // namespace

Result<Person> make_person(const asset::Asset& asset, std::string_view name, std::string_view action, int subject,
                           const RecordingSettings& settings) {
  const Joints joints = find_joints(asset);
  if (asset.clips.empty() || joints.nodes.empty()) return Error{"no skeleton with a motion", asset.name};
  const asset::Clip& clip = asset.clips.front();
  if (!(clip.duration() > 0.15f)) return Error{"a motion of less than two frames", asset.name};
  const RestPose rest = find_rest(asset, clip, joints.nodes[0]);
  if (!(rest.height > 0) || !std::isfinite(rest.height)) return Error{"a skeleton without a height", asset.name};
  LIMBER_TRY(rig::Rig rig, rest_rig(asset, joints, rest));
  if (!retarget::moves_like_people(rig)) return Error{"the skeleton has no two arms and two legs by name", asset.name};
  Recording recording{std::string(name), std::string(action), {}};
  recording.motion = sample_motion(asset, clip, joints, rest, rig, settings);
  retarget::start_at_origin(rig, recording.motion);
  return Person{subject, std::move(rig), {std::move(recording)}};
}

void add_person(std::vector<Person>& people, Person person) {
  for (Person& known : people) {
    if (known.subject != person.subject || !same_skeleton(known.rig, person.rig)) continue;
    for (Recording& recording : person.recordings) known.recordings.push_back(std::move(recording));
    return;
  }
  people.push_back(std::move(person));
}

int subject_in_name(std::string_view file_name) {
  if (file_name.substr(0, 4) == "cmu_") file_name.remove_prefix(4);
  int number = 0;
  std::size_t digits = 0;
  while (digits < file_name.size() && digits < 3 && file_name[digits] >= '0' && file_name[digits] <= '9') {
    number = 10 * number + (file_name[digits++] - '0');
  }
  const bool followed = digits + 1 < file_name.size() && file_name[digits] == '_' && file_name[digits + 1] >= '0' &&
                        file_name[digits + 1] <= '9';
  return digits > 0 && followed ? number : 0;
}

void lend_recordings(std::vector<Character>& characters, const std::vector<Person>& people, int clips_each,
                     std::uint64_t seed) {
  struct Choice {
    const Person* person;
    const Recording* recording;
  };
  std::map<std::string, std::vector<Choice>> by_action;
  for (const Person& person : people) {
    for (const Recording& recording : person.recordings) by_action[recording.action].push_back({&person, &recording});
  }
  if (by_action.empty()) return;
  std::vector<const std::vector<Choice>*> actions;
  for (const auto& entry : by_action) actions.push_back(&entry.second);
  parallel_for(characters.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Character& character = characters[i];
      if (!retarget::moves_like_people(character.rig)) continue;
      Rng rng(seed ^ 0x70656f706c65ull, i);
      for (int k = 0; k < clips_each; ++k) {
        // Round and round the actions, each character from another one on.
        const std::vector<Choice>& choices = *actions[(i + at(k)) % actions.size()];
        const Choice choice = choices[rng.below(static_cast<std::uint32_t>(choices.size()))];
        auto motion = retarget::retarget_by_limbs(choice.recording->motion, choice.person->rig, character.rig);
        if (!motion) continue;
        CharacterClip clip;
        clip.name = choice.recording->name, clip.meaning = recording_meaning(choice.recording->action);
        clip.motion = *std::move(motion);
        if (choice.recording->action == "walk_sideways") {
          const bool left = clip.motion.root_translations.back().x > clip.motion.root_translations.front().x;
          clip.meaning.heading = left ? Heading::kLeft : Heading::kRight;
        }
        character.clips.push_back(std::move(clip));
      }
    }
  });
}

}  // namespace limber::training
