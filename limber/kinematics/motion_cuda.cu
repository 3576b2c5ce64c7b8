// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/motion_cuda.h"
#include "limber/kinematics/motion_step_kernels.cuh"

namespace limber::kinematics {
namespace {

using Kind = EnergyForm::Kind;

std::size_t count_of(const MotionCosts& costs, Kind kind) {
  const auto is = [&](const MotionCosts::Term& term) { return term.form.kind == kind; };
  return static_cast<std::size_t>(std::count_if(costs.terms.begin(), costs.terms.end(), is));
}

std::span<const float> numbers(const std::vector<Vec3>& from) {
  return {reinterpret_cast<const float*>(from.data()), 3 * from.size()};
}

/// Lists of numbers, one after the other, and where each begins.
struct Lists {
  std::vector<std::uint32_t> begins, items;
  explicit Lists(const std::vector<std::vector<std::uint32_t>>& lists) {
    begins.push_back(0);
    for (const auto& list : lists) {
      items.insert(items.end(), list.begin(), list.end());
      begins.push_back(static_cast<std::uint32_t>(items.size()));
    }
  }
};

/// Lists on the GPU.
struct DeviceLists {
  void upload(CudaQueue& queue, const Lists& lists) {
    begins.upload(queue, lists.begins, "joints");
    items.upload(queue, lists.items, "joints");
  }
  DeviceArray<std::uint32_t> begins, items;
};

constexpr std::size_t kCountWords = sizeof(StepCounts) / sizeof(float);
constexpr std::size_t kNotes = kMostTerms + 2;

}  // namespace

struct CudaMotion::State {
  void upload_rig(const rig::Rig& rig);
  void upload_terms(const Motion& motion);
  void upload_ground(const EnergyForm& form);
  void upload_pull(const EnergyForm& form, double weight);
  void size(const Motion& motion);
  std::size_t count() const { return shape.numbers(); }
  std::size_t words() const { return 3 * count() + kCountWords; }
  StepInput step_input() const;

  std::shared_ptr<CudaQueue> queue;  ///< first: arrays go before it
  MotionCosts costs;
  RigTables rig;
  Unknowns shape;
  StepTerms terms;
  GroundPoints ground;
  std::vector<std::size_t> note_of;  ///< per term of the costs

  DeviceArray<PreparedJoint<double>> prepared;
  DeviceArray<std::int32_t> parents;
  DeviceLists by_depth, children, joint_bones;
  DeviceArray<std::uint32_t> bone_joints, ground_begins;
  DeviceArray<Affined> joint_from_bind;
  DeviceArray<Vec3d> ground_points;
  DeviceArray<float> lower, upper, pull_to[kMostPulls];
  DeviceArray<double> pull_weights[kMostPulls];
  DeviceArray<std::uint8_t> free;

  DeviceArray<float> words_there, kept[2];  ///< unknowns, two moments, counts
  DeviceArray<Mat3d> rotations;
  DeviceArray<Affined> locals, worlds, grad_worlds;
  DeviceArray<Affine> bones;
  DeviceArray<float> pictures, on_ground, gradient;
  DeviceArray<double> depths, notes;
};

void CudaMotion::State::upload_rig(const rig::Rig& from) {
  const std::size_t joints = from.joints().size(), all_bones = from.bones().size();
  std::vector<PreparedJoint<double>> fixed;
  std::vector<std::int32_t> all_parents;
  std::vector<std::size_t> depth(joints, 0);
  std::vector<std::vector<std::uint32_t>> depths_lists, child_lists(joints), bone_lists(joints);
  for (std::size_t j = 0; j < joints; ++j) {
    const rig::Joint& joint = from.joints()[j];
    fixed.push_back(prepare(joint, joint.rest.translation.cast<double>(), joint.rest.scale.cast<double>()));
    all_parents.push_back(joint.parent);
    if (joint.parent >= 0) {
      depth[j] = depth[at(joint.parent)] + 1;
      child_lists[at(joint.parent)].insert(child_lists[at(joint.parent)].begin(), static_cast<std::uint32_t>(j));
    }
    if (depths_lists.size() <= depth[j]) depths_lists.resize(depth[j] + 1);
    depths_lists[depth[j]].push_back(static_cast<std::uint32_t>(j));
  }
  std::vector<std::uint32_t> of_bones;
  std::vector<Affined> binds;
  for (std::size_t b = 0; b < all_bones; ++b) {
    const rig::Bone& bone = from.bones()[b];
    bone_lists[at(bone.joint)].push_back(static_cast<std::uint32_t>(b));
    of_bones.push_back(static_cast<std::uint32_t>(bone.joint));
    binds.push_back(bone.joint_from_bind.cast<double>());
  }
  prepared.upload(*queue, fixed, "joints");
  parents.upload(*queue, all_parents, "joints");
  by_depth.upload(*queue, Lists(depths_lists));
  children.upload(*queue, Lists(child_lists));
  joint_bones.upload(*queue, Lists(bone_lists));
  bone_joints.upload(*queue, of_bones, "bones");
  joint_from_bind.upload(*queue, binds, "bones");
  rig = {static_cast<std::uint32_t>(joints),
         static_cast<std::uint32_t>(all_bones),
         static_cast<std::uint32_t>(depths_lists.size()),
         prepared.data(),
         parents.data(),
         by_depth.begins.data(),
         by_depth.items.data(),
         children.begins.data(),
         children.items.data(),
         joint_bones.begins.data(),
         joint_bones.items.data(),
         bone_joints.data(),
         joint_from_bind.data()};
  std::vector<std::uint8_t> may(costs.free.begin(), costs.free.end());
  free.upload(*queue, may, "joints");
}

void CudaMotion::State::upload_ground(const EnergyForm& form) {
  std::vector<std::uint32_t> begins{0};
  std::vector<Vec3d> points;
  for (std::uint32_t j = 0; j < rig.joints; ++j) {
    for (std::size_t k = 0; k < form.points.size(); ++k) {
      if (at(form.joints[k]) == j) points.push_back(form.points[k]);
    }
    begins.push_back(static_cast<std::uint32_t>(points.size()));
  }
  ground_begins.upload(*queue, begins, "the ground");
  ground_points.upload(*queue, points, "the ground");
}

void CudaMotion::State::upload_pull(const EnergyForm& form, double weight) {
  const int k = terms.pull_count++;
  std::vector<float> to;
  for (const auto* part : {&form.roots, &form.angles}) {
    const std::span<const float> more = numbers(*part);
    to.insert(to.end(), more.begin(), more.end());
  }
  std::vector<double> weights = form.root_weights;
  weights.insert(weights.end(), form.angle_weights.begin(), form.angle_weights.end());
  LIMBER_EXPECT(to.size() == count() && 3 * weights.size() == count(), "poses of another motion");
  pull_to[k].upload(*queue, to, "poses");
  pull_weights[k].upload(*queue, weights, "poses");
  terms.pulls[k] = {weight, pull_to[k].data(), pull_weights[k].data()};
}

/// Shares are those of the energies' means: see motion_energy.cpp.
void CudaMotion::State::upload_terms(const Motion& motion) {
  const auto frames = static_cast<double>(shape.frames), joints = static_cast<double>(shape.joints);
  for (const MotionCosts::Term& term : costs.terms) {
    const EnergyForm& form = term.form;
    if (form.kind == Kind::kSmooth) {
      note_of.push_back(0);
      const double differences = motion.loops ? frames : frames - 2;
      if (differences < 1 || frames < 2) continue;
      terms.smooth = {term.weight, form.corner, 1 / (differences * 3 * (joints + 1)), motion.loops};
    } else if (form.kind == Kind::kLimits) {
      note_of.push_back(1);
      std::vector<Vec3> low, high;
      for (const rig::JointLimits& limits : form.limits) low.push_back(limits.lower), high.push_back(limits.upper);
      LIMBER_EXPECT(low.size() == shape.joints, "limits of another rig");
      lower.upload(*queue, numbers(low), "limits");
      upper.upload(*queue, numbers(high), "limits");
      if (shape.joints < 2) continue;
      terms.limits = {term.weight, 1 / (3 * frames * (joints - 1)), lower.data(), upper.data()};
    } else if (form.kind == Kind::kGround) {
      note_of.push_back(2);
      if (form.points.empty()) continue;
      upload_ground(form);
      terms.ground_share = 1 / (static_cast<double>(form.points.size()) * frames);
      ground = {ground_begins.data(), ground_points.data(), term.weight * terms.ground_share};
    } else {
      note_of.push_back(3 + at(terms.pull_count));
      upload_pull(form, term.weight);
    }
  }
}

void CudaMotion::State::size(const Motion& motion) {
  shape = {static_cast<std::uint32_t>(motion.frame_count()), static_cast<std::uint32_t>(motion.joint_count)};
  LIMBER_EXPECT(shape.joints == rig.joints && costs.terms.size() <= kMostTerms, "a motion of another rig");
  const std::size_t posed = std::size_t{shape.frames} * shape.joints;
  words_there.resize(*queue, words(), "a motion");
  for (auto& place : kept) place.resize(*queue, words(), "a motion");
  rotations.resize(*queue, posed, "joints");
  locals.resize(*queue, posed, "joints");
  worlds.resize(*queue, posed, "joints");
  grad_worlds.resize(*queue, 2 * posed, "joints");
  depths.resize(*queue, posed, "joints");
  bones.resize(*queue, std::size_t{shape.frames} * rig.bones, "bones");
  for (auto* numbers : {&pictures, &on_ground, &gradient}) numbers->resize(*queue, count(), "gradients");
  notes.resize(*queue, kNotes, "gradients");
  upload_terms(motion);
}

StepInput CudaMotion::State::step_input() const {
  float* first = words_there.data();
  StepInput in{};
  in.shape = shape, in.terms = terms;
  in.unknowns = first, in.first = first + count(), in.second = first + 2 * count();
  in.counts = reinterpret_cast<StepCounts*>(first + 3 * count());
  in.free = costs.free.empty() ? nullptr : free.data();
  in.pictures = pictures.data(), in.ground = ground.begins != nullptr ? on_ground.data() : nullptr;
  in.depths = depths.data(), in.gradient = gradient.data();
  in.beta_1 = costs.adam.beta_1, in.beta_2 = costs.adam.beta_2, in.epsilon = costs.adam.epsilon;
  return in;
}

bool CudaMotion::can(const Motion& motion, const MotionCosts& costs) {
  return motion.overrides.empty() && motion.frame_count() > 0 && motion.joint_count > 0 &&
         count_of(costs, Kind::kSmooth) <= 1 && count_of(costs, Kind::kLimits) <= 1 &&
         count_of(costs, Kind::kGround) <= 1 && count_of(costs, Kind::kPull) <= kMostPulls &&
         std::size_t{3} * motion.root_translations.size() * at(motion.joint_count + 1) < (1u << 30);
}

CudaMotion::CudaMotion(std::shared_ptr<CudaQueue> queue, const rig::Rig& rig, MotionCosts costs)
    : state_(std::make_unique<State>()) {
  state_->queue = std::move(queue), state_->costs = std::move(costs);
  state_->upload_rig(rig);
}
CudaMotion::~CudaMotion() = default;

void CudaMotion::put(const Motion& motion, const MotionAdam::State& adam) {
  State& s = *state_;
  if (s.shape.frames == 0) s.size(motion);
  LIMBER_EXPECT(3 * (motion.root_translations.size() + motion.angles.size()) == s.count(),
                "a motion of another length");
  std::vector<float> words;
  for (const auto* part : {&motion.root_translations, &motion.angles}) {
    const std::span<const float> more = numbers(*part);
    words.insert(words.end(), more.begin(), more.end());
  }
  const bool fresh = adam.first.size() != s.count();  // as MotionAdam takes it
  for (const std::vector<float>* moments : {&adam.first, &adam.second}) {
    if (!fresh) words.insert(words.end(), moments->begin(), moments->end());
  }
  words.resize(s.words(), 0.0f);
  const StepCounts counts{fresh ? 0u : static_cast<std::uint32_t>(adam.steps), 0, 0, 0};
  std::memcpy(words.data() + 3 * s.count(), &counts, sizeof counts);
  if (s.queue->ok()) s.words_there.upload(*s.queue, words, "a motion");
}

CudaMotion::Found CudaMotion::get(Motion& motion) {
  State& s = *state_;
  Found found;
  const std::vector<float> words = s.words_there.download(*s.queue);
  if (!s.queue->ok() || words.size() != s.words()) return found;
  const auto moments = words.begin() + static_cast<std::ptrdiff_t>(s.count());
  const float* from = words.data();
  for (auto* part : {&motion.root_translations, &motion.angles}) {
    for (Vec3& v : *part) v = {from[0], from[1], from[2]}, from += 3;
  }
  StepCounts counts{};
  std::memcpy(&counts, words.data() + 3 * s.count(), sizeof counts);
  found.adam.steps = counts.steps;
  found.adam.first.assign(moments, moments + static_cast<std::ptrdiff_t>(s.count()));
  found.adam.second.assign(moments + static_cast<std::ptrdiff_t>(s.count()),
                           moments + static_cast<std::ptrdiff_t>(2 * s.count()));
  found.not_finite = static_cast<int>(counts.not_finite), found.stopped = counts.stopped != 0;
  return found;
}

MotionNotes CudaMotion::notes() {
  State& s = *state_;
  MotionNotes notes;
  const std::vector<double> values = s.notes.download(*s.queue);
  notes.values.assign(s.note_of.size(), 0.0);
  if (!s.queue->ok() || values.size() != kNotes) return notes;
  for (std::size_t i = 0; i < s.note_of.size(); ++i) notes.values[i] = values[s.note_of[i]];
  notes.picture_gradient = std::sqrt(values[kMostTerms]), notes.energy_gradient = std::sqrt(values[kMostTerms + 1]);
  return notes;
}

const Affine* CudaMotion::pose() {
  State& s = *state_;
  s.queue->launch("joints", dim3(s.shape.frames), kPoseThreads, &pose_kernel, s.rig, s.shape,
                  static_cast<const float*>(s.words_there.data()),
                  PosedJoints{s.rotations.data(), s.locals.data(), s.worlds.data(), s.bones.data()});
  return s.bones.data();
}

void CudaMotion::step(const Affine* grad_bones, const MotionStep& step) {
  State& s = *state_;
  StepInput in = s.step_input();
  in.picture_scale = step.picture_scale, in.angle_rate = step.angle_rate, in.root_rate = step.root_rate;
  in.stop = step.stop, in.notes = step.note ? s.notes.data() : nullptr;
  const PosedJoints posed{s.rotations.data(), s.locals.data(), s.worlds.data(), s.bones.data()};
  const PoseGradients gradients{s.grad_worlds.data(), s.depths.data(), s.pictures.data(), s.on_ground.data()};
  s.queue->launch("joints backward", dim3(s.shape.frames, s.ground.begins != nullptr ? 2 : 1), kPoseThreads,
                  &pose_backward_kernel, s.rig, s.shape, static_cast<const float*>(s.words_there.data()), posed,
                  s.ground, grad_bones, gradients);
  s.queue->launch("step", dim3(1), kStepThreads, &step_kernel, in);
}

std::vector<float> CudaMotion::gradient() { return state_->gradient.download(*state_->queue); }

void CudaMotion::keep(int place) {
  State& s = *state_;
  s.queue->copy(s.kept[place].data(), s.words_there.data(), s.words() * sizeof(float));
}
void CudaMotion::go_back(int place) {
  State& s = *state_;
  s.queue->copy(s.words_there.data(), s.kept[place].data(), s.words() * sizeof(float));
}

}  // namespace limber::kinematics
