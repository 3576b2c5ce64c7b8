// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_lesson.h"

#include <algorithm>
#include <cmath>

#include "limber/pose_space/body_variety.h"
#include "limber/pose_space/pose_lesson.h"

namespace limber::motion_space {
namespace {

using pose_space::kJointFeatures;
using pose_space::kStateSize;

constexpr double kRestTurn = 0.55;      // see pose_space::vary_bodies: a T-pose and hanging arms are far apart
constexpr std::int64_t kSlotSteps = 8;  // attention is quick for such multiples of slots
constexpr double kFleshless = 0.1;      // share of bodies of which only the skeleton is shown
constexpr double kAnyAction = 0.12, kNotSaid = 0.25;
constexpr int kActionFact = 0, kWayKnownFact = 1 + kFactCount, kPeriodicFact = 2 + kFactCount;

void put_half(const Tensor& row, std::span<const float> values) {
  at::Half* to = row.data_ptr<at::Half>();
  for (const float v : values) *to++ = v;
}

std::int64_t slots_for(std::int64_t joints) { return (joints + kSlotSteps) / kSlotSteps * kSlotSteps; }

/// Rows `rows` of examples whose bodies have at most `joints` joints.
MotionExamples cropped(const MotionExamples& all, const Tensor& rows, std::int64_t joints) {
  const auto of = [&](const Tensor& x) { return x.index_select(0, rows); };
  MotionExamples part;
  part.features = of(all.features).narrow(1, 0, joints), part.flesh = of(all.flesh).narrow(1, 0, joints);
  part.feet = of(all.feet).narrow(1, 0, joints);
  part.relations = of(all.relations).narrow(1, 0, joints + 1).narrow(2, 0, joints + 1);
  part.parents = of(all.parents).narrow(1, 0, joints), part.counts = of(all.counts);
  part.turns = of(all.turns).narrow(2, 0, joints), part.way = of(all.way);
  part.contacts = of(all.contacts).narrow(2, 0, joints), part.facts = of(all.facts);
  return part;
}

/// What MotionConditions::all_features tells.
Tensor all_features(const Tensor& features, const Tensor& flesh, const Tensor& feet, const Tensor& present) {
  const Tensor length = flesh.norm(2, -1, true);
  const Tensor height = features.narrow(-1, pose_space::kPlaceFeature + 1, 1);
  const Tensor lowest = at::where(present.unsqueeze(-1), height, at::zeros_like(height)).amin(1, true);
  const Tensor all = at::cat({features, 2 * flesh, flesh / (length + kSoftFlesh), 2 * length, height - lowest,
                              feet.to(at::kFloat).unsqueeze(-1)},
                             -1);
  return all * present.unsqueeze(-1);
}

Tensor row_of(const double (&values)[kBodyNumbers], const at::TensorOptions& options) {
  return at::tensor({values[0], values[1], values[2], values[3]}, options);
}
Tensor shares(const at::TensorOptions& options) {
  return at::arange(kFrames, options).div(kFrames - 1).view({1, kFrames, 1});
}
/// 1 for what grows steadily, 0 for the height.
Tensor grows(const at::TensorOptions& options) { return at::tensor({1.0, 1.0, 1.0, 0.0}, options); }

/// [n, kFrames, numbers...] of one slot or more -> tokens' frames: [n, kTokens - 1, kFramesPerToken, ...].
Tensor in_tokens(const Tensor& frames) { return frames.unflatten(1, {kTokens - 1, kFramesPerToken}); }

/// Body [n, kFrames, kBodyNumbers] and poses [n, kFrames, J, kJointNumbers] as tokens of frames, no means among them:
/// [n, kTokens - 1, N, kTokenNumbers].
Tensor frame_tokens(const Tensor& body, const Tensor& poses) {
  const Tensor of_body = in_tokens(body).flatten(2).unsqueeze(2);
  const Tensor of_joints = in_tokens(poses).transpose(2, 3).flatten(3);
  return at::cat({at::constant_pad_nd(of_body, {0, kTokenNumbers - of_body.size(-1)}), of_joints}, 2);
}

/// As split_state.
Tensor split(const Tensor& body, const Tensor& poses) {
  const auto options = body.options();
  const Tensor state = poses.narrow(-1, 0, kStateSize), mean = state.mean(1, true);
  const Tensor moving = at::cat({(state - mean) / kMovingUnit, poses.narrow(-1, kStateSize, 1)}, -1);
  const Tensor steady = body.narrow(1, kFrames - 1, 1) - body.narrow(1, 0, 1);
  const Tensor whole = at::where(grows(options) > 0.5, steady, body.mean(1, true));
  const Tensor first = body.narrow(1, 0, 1) * grows(options);
  const Tensor way = first + whole * (shares(options) * grows(options) + (1 - grows(options)));
  const Tensor sway = (body - way) / row_of(kSwayUnits, options);
  const Tensor frames = frame_tokens(sway, moving);
  const auto padded = [](const Tensor& x) { return at::constant_pad_nd(x, {0, kTokenNumbers - x.size(-1)}); };
  const Tensor means =
      at::cat({padded((whole / row_of(kSteadyUnits, options)).unsqueeze(2)), padded(mean / kMeanUnit)}, 2);
  return at::cat({means, frames}, 1);
}

/// Which numbers mean something: of joints that are there, of feet that stand or do not, of ways that are known.
Tensor counted_numbers(const MotionLesson& lesson) {
  const std::int64_t count = lesson.turns.size(0), joints = lesson.turns.size(2);
  const auto options = lesson.way.options();
  const Tensor there = lesson.bodies.present.narrow(1, 1, joints).to(at::kFloat);
  const Tensor pose = at::cat(
      {there.unsqueeze(-1).expand({count, joints, kStateSize}), (there * lesson.feet.to(at::kFloat)).unsqueeze(-1)},
      -1);
  const Tensor known = lesson.way_known.to(at::kFloat).view({count, 1});
  const Tensor one = at::ones({count, 1}, options);
  const Tensor body = at::cat({one, known, known, one}, -1);
  const Tensor frames = frame_tokens(body.unsqueeze(1).expand({count, kFrames, kBodyNumbers}),
                                     pose.unsqueeze(1).expand({count, kFrames, joints, kJointNumbers}));
  const auto padded = [](const Tensor& x) { return at::constant_pad_nd(x, {0, kTokenNumbers - x.size(-1)}); };
  const Tensor means = at::cat({padded(body.unsqueeze(1)), padded(pose.narrow(-1, 0, kStateSize))}, 1).unsqueeze(1);
  return at::cat({means, frames}, 1);
}

/// Turns the way of bodies that changed as `change` says.
void change_way(const pose_space::VariedBodies::Change& change, Tensor& way, Tensor& facts) {
  const std::int64_t count = way.size(0);
  const Tensor x = way.narrow(-1, 1, 1), z = way.narrow(-1, 2, 1), y = way.narrow(-1, 3, 1);
  const Tensor moved = at::cat({x, y, z}, -1).bmm(change.vectors);
  const Tensor sign = (1 - 2 * change.mirrored.to(at::kFloat)).view({count, 1, 1});
  way = at::cat({way.narrow(-1, 0, 1) * sign, moved.narrow(-1, 0, 1), moved.narrow(-1, 2, 1), moved.narrow(-1, 1, 1)},
                -1);
  // Left becomes right.
  const auto heading = 1 + static_cast<std::int64_t>(Fact::kHeading);
  const Tensor said = facts.select(1, heading);
  const Tensor swapped =
      at::where(said == 2, at::full_like(said, 3), at::where(said == 3, at::full_like(said, 2), said));
  facts.select(1, heading).copy_(at::where(change.mirrored, swapped, said));
}

/// Not all is said of what is asked for, so that what is not said can be left open.
void leave_unsaid(MotionLesson& lesson, int any) {
  const auto options = lesson.way.options();
  const std::int64_t count = lesson.actions.size(0);
  const auto some = [&](double share) { return at::rand({count}, options) < share; };
  lesson.actions = lesson.actions.masked_fill(some(kAnyAction), any);
  for (int i = 0; i < kFactCount; ++i) {
    const Tensor fact = lesson.facts.select(1, i);
    fact.masked_fill_(some(kNotSaid), kFactChoices[i] - 1);
  }
}

MotionLesson make_lesson(const MotionExamples& examples, Variety variety, int any) {
  const at::NoGradGuard no_gradients;
  MotionLesson lesson;
  Tensor features = examples.features.to(at::kFloat), flesh = examples.flesh.to(at::kFloat);
  const auto options = features.options();
  const std::int64_t count = features.size(0), joints = features.size(1);
  const Tensor present = at::arange(joints, options).unsqueeze(0) < examples.counts.to(at::kFloat).unsqueeze(1);
  const Tensor identity = at::eye(3, options);
  lesson.turns = pose_space::rotations_in(
      at::cat({at::zeros({count, kFrames, joints, 3}, options),
               (examples.turns.to(at::kFloat) - identity.narrow(0, 0, 2).flatten()) / pose_space::kRotationUnit},
              -1));
  lesson.turns = at::where(present.view({count, 1, joints, 1, 1}), lesson.turns, identity);
  const Tensor parents = examples.parents.to(at::kLong);
  lesson.parents = parents.clamp_min(0), lesson.below = pose_space::find_below(parents, present);
  lesson.bodies.relations = examples.relations.to(at::kLong);
  lesson.way = examples.way.clone();
  Tensor facts = examples.facts.to(at::kLong);
  if (variety == Variety::kAll) {
    const Tensor between = lesson.bodies.relations.narrow(1, 1, joints).narrow(2, 1, joints);
    const Tensor across = (between == kAcross).to(at::kFloat).tril(-1);
    Tensor points = at::zeros({count, 0, 6}, options);
    const Tensor nobody = at::zeros({count, 0, joints}, options);
    const pose_space::VariedBodies::Change change = pose_space::vary_bodies(
        {features, points, lesson.turns, nobody, lesson.parents, lesson.below, across, flesh}, kRestTurn);
    change_way(change, lesson.way, facts);
    flesh = flesh * (at::rand({count, 1, 1}, options) >= kFleshless);
  }
  lesson.turns = lesson.turns.contiguous();
  lesson.feet = (examples.feet > 0).logical_and(present), lesson.contacts = examples.contacts > 0;
  lesson.bodies.present = at::cat({at::ones({count, 1}, present.options()), present}, 1);
  lesson.bodies.features = all_features(features, flesh, lesson.feet, present);
  lesson.offsets = features.narrow(-1, pose_space::kOffsetFeature, 3);
  lesson.places = features.narrow(-1, pose_space::kPlaceFeature, 3);
  lesson.way_known = facts.select(1, kWayKnownFact) > 0, lesson.periodic = facts.select(1, kPeriodicFact) > 0;
  const Tensor action = facts.select(1, kActionFact);
  lesson.actions = at::where(action < 0, at::full_like(action, any), action);
  lesson.facts = facts.narrow(1, 1, kFactCount).clone();
  if (variety == Variety::kAll) leave_unsaid(lesson, any);

  const Tensor moved = (lesson.places_of(lesson.turns) - lesson.places.unsqueeze(1)) / pose_space::kPositionUnit;
  const Tensor turned = ((lesson.turns - identity) / pose_space::kRotationUnit).narrow(-1, 0, 2);
  const Tensor stands = 2 * lesson.contacts.to(at::kFloat).unsqueeze(-1) - 1;
  const Tensor poses = at::cat({moved, turned.transpose(-1, -2).flatten(-2), stands}, -1);
  lesson.counted = counted_numbers(lesson);
  lesson.tokens = split(lesson.way, poses) * lesson.counted;
  return lesson;
}

}  // namespace

MotionExamples MotionExamples::empty(std::int64_t n) {
  return {at::zeros({n, kMostJoints, kJointFeatures}, at::kHalf),
          at::zeros({n, kMostJoints, 3}, at::kHalf),
          at::zeros({n, kMostJoints}, at::kByte),
          at::zeros({n, 1 + kMostJoints, 1 + kMostJoints}, at::kByte),
          at::full({n, kMostJoints}, -1, at::kChar),
          at::zeros({n}, at::kByte),
          at::zeros({n, kFrames, kMostJoints, 6}, at::kHalf),
          at::zeros({n, kFrames, kBodyNumbers}, at::kFloat),
          at::zeros({n, kFrames, kMostJoints}, at::kByte),
          at::zeros({n, 3 + kFactCount}, at::kShort)};
}

Status MotionExamples::put(std::int64_t at, const MotionExample& example) {
  const MotionConditions& body = *example.body;
  const auto joints = static_cast<std::size_t>(body.joints), slots = 1 + joints;
  if (body.joints < 1 || body.joints > kMostJoints || body.features.size() != joints * kJointFeatures ||
      body.relations.size() != slots * slots || body.parents.size() != joints || body.flesh.size() != joints ||
      body.feet.size() != joints || example.turns.size() != kFrames * joints * 6 ||
      example.way.size() != std::size_t{kFrames * kBodyNumbers} || example.contacts.size() != kFrames * joints)
    return Error{"an example whose sizes do not fit together", std::to_string(body.joints) + " joints"};
  counts[at].fill_(body.joints);
  put_half(features[at], body.features);
  at::Half* middle = flesh[at].data_ptr<at::Half>();
  for (const Vec3& v : body.flesh) {
    for (int k = 0; k < 3; ++k) *middle++ = v[k];
  }
  std::copy(body.feet.begin(), body.feet.end(), feet[at].data_ptr<std::uint8_t>());
  std::copy(body.parents.begin(), body.parents.end(), parents[at].data_ptr<std::int8_t>());
  std::uint8_t* related = relations[at].data_ptr<std::uint8_t>();
  for (std::size_t j = 0; j < slots; ++j)
    std::copy_n(body.relations.begin() + static_cast<std::ptrdiff_t>(j * slots), slots,
                related + j * (1 + kMostJoints));
  const std::span<const float> all = example.turns;
  std::uint8_t* stands = contacts[at].data_ptr<std::uint8_t>();
  for (std::size_t f = 0; f < std::size_t{kFrames}; ++f) {
    put_half(turns[at][static_cast<std::int64_t>(f)], all.subspan(f * joints * 6, joints * 6));
    std::copy_n(example.contacts.begin() + static_cast<std::ptrdiff_t>(f * joints), joints, stands + f * kMostJoints);
  }
  std::copy(example.way.begin(), example.way.end(), way[at].data_ptr<float>());
  std::int16_t* fact = facts[at].data_ptr<std::int16_t>();
  *fact++ = static_cast<std::int16_t>(example.facts.action);
  for (const int choice : example.facts.facts) *fact++ = static_cast<std::int16_t>(choice);
  *fact++ = example.way_known ? 1 : 0, *fact++ = example.periodic ? 1 : 0;
  return Done{};
}

Result<nn::TensorRun> draw_motion_run(const MotionSource& source, std::uint64_t first, std::int64_t count) {
  MotionExamples run = MotionExamples::empty(count);
  LIMBER_CHECK_OK(nn::draw_examples(count, [&](std::int64_t i) -> Status {
    const at::NoGradGuard no_gradients;
    LIMBER_TRY(const MotionExample example, source(first + static_cast<std::uint64_t>(i)));
    return run.put(i, example);
  }));
  return run.run();
}

Tensor rotations_of(const Tensor& poses) { return pose_space::rotations_in(poses.narrow(-1, 0, kStateSize)); }

Tensor MotionLesson::places_of(const Tensor& rotations) const {
  const std::int64_t count = rotations.size(0), frames = rotations.size(1), joints = rotations.size(2);
  const Tensor index = parents.view({count, 1, joints, 1, 1}).expand({count, frames, joints, 3, 3});
  const Tensor bones = rotations.gather(2, index).matmul(offsets.view({count, 1, joints, 3, 1})).squeeze(-1);
  // All frames of a body in one product: frame by frame `below` would be copied for each.
  const Tensor by_joint = bones.transpose(1, 2).reshape({count, joints, frames * 3});
  return below.bmm(by_joint).view({count, joints, frames, 3}).transpose(1, 2);
}

std::vector<MotionLesson> make_motion_lessons(const MotionExamples& examples, Variety variety, int parts, int any) {
  const std::int64_t count = examples.counts.size(0);
  const Tensor order = examples.counts.to(at::kLong).argsort();
  // On a GPU this waits for it, once a step.
  const Tensor sizes = examples.counts.to(at::kLong).index_select(0, order).to(at::kCPU);
  std::vector<MotionLesson> lessons;
  for (int i = 0; i < parts; ++i) {
    const std::int64_t begin = count * i / parts, end = count * (i + 1) / parts;
    if (begin == end) continue;
    const std::int64_t joints = std::min<std::int64_t>(slots_for(sizes[end - 1].item<std::int64_t>()) - 1, kMostJoints);
    lessons.push_back(make_lesson(cropped(examples, order.narrow(0, begin, end - begin), joints), variety, any));
  }
  return lessons;
}

FrameStates join(const Tensor& tokens) {
  const std::int64_t joints = tokens.size(2) - 1;
  const auto options = tokens.options();
  const Tensor frames = tokens.narrow(1, 1, kTokens - 1), means = tokens.narrow(1, 0, 1);
  const Tensor of_joints =
      frames.narrow(2, 1, joints).unflatten(3, {kFramesPerToken, kJointNumbers}).transpose(2, 3).flatten(1, 2);
  const Tensor mean = means.narrow(2, 1, joints).narrow(3, 0, kStateSize) * kMeanUnit;
  FrameStates states;
  states.poses =
      at::cat({mean + kMovingUnit * of_joints.narrow(-1, 0, kStateSize), of_joints.narrow(-1, kStateSize, 1)}, -1);
  const Tensor sway = frames.select(2, 0)
                          .narrow(2, 0, kFramesPerToken * kBodyNumbers)
                          .unflatten(2, {kFramesPerToken, kBodyNumbers})
                          .flatten(1, 2);
  const Tensor whole = means.select(2, 0).narrow(2, 0, kBodyNumbers) * row_of(kSteadyUnits, options);
  states.body = whole * (shares(options) * grows(options) + (1 - grows(options))) + sway * row_of(kSwayUnits, options);
  return states;
}

Tensor known_numbers(const MotionLesson& lesson, const Tensor& known) {
  const FrameStates states = join(lesson.tokens);
  const std::int64_t joints = states.poses.size(2);
  const auto options = states.poses.options();
  const Tensor there = known.logical_and(lesson.bodies.present.unsqueeze(1)).to(at::kFloat);
  const Tensor way_known = lesson.way_known.to(at::kFloat).view({-1, 1, 1});
  const Tensor on_ground = at::cat({at::ones_like(way_known), way_known, way_known, at::ones_like(way_known)}, -1);
  // In units in which they are about one: those of a sway would make of a long way a huge number.
  const Tensor body = states.body / row_of(kSteadyUnits, options) * there.narrow(2, 0, 1) * on_ground;
  const Tensor poses = states.poses * there.narrow(2, 1, joints).unsqueeze(-1);
  const Tensor frames = frame_tokens(body, poses);
  const Tensor which = in_tokens(there).transpose(2, 3);
  const Tensor told = at::cat({frames, which}, -1);
  return at::constant_pad_nd(told, {0, 0, 0, 0, 1, 0});
}

Tensor draw_known(const MotionLesson& lesson) {
  const std::int64_t count = lesson.turns.size(0), joints = lesson.turns.size(2), slots = 1 + joints;
  const auto options = lesson.way.options();
  const auto chance = [&] { return at::rand({count, 1, 1}, options); };
  const Tensor frame = at::arange(kFrames, options).view({1, kFrames, 1});
  const Tensor fate = chance();
  const auto between = [&](double low, double high) { return (fate >= low).logical_and(fate < high); };
  // It goes on from its first frames, one or more; it ends as told, too; it passes through a few frames.
  const Tensor begins = frame < (1 + (24 * chance().square()).floor());
  const Tensor ends = frame >= kFrames - (1 + (8 * chance().square()).floor());
  const Tensor keys = at::rand({count, kFrames, 1}, options) < 0.02 + 0.1 * chance();
  Tensor frames = begins.logical_and(between(0, 0.2));
  frames = frames.logical_or(begins.logical_or(ends).logical_and(between(0.2, 0.3)));
  frames = frames.logical_or(keys.logical_and(between(0.3, 0.4)));
  Tensor known = frames.expand({count, kFrames, slots});
  // All joints but what hangs on one or two of them, and the way; or the way alone.
  const Tensor hanging = lesson.below.transpose(1, 2);
  const Tensor weights = lesson.bodies.present.narrow(1, 1, joints).to(at::kFloat);
  const Tensor picked = weights.multinomial(2, true);
  const Tensor hidden = hanging.gather(1, picked.unsqueeze(-1).expand({count, 2, joints})).amax(1) > 0.5;
  const Tensor open = at::cat({at::zeros({count, 1}, hidden.options()), hidden}, 1);
  known = known.logical_or(open.logical_not().unsqueeze(1).logical_and(between(0.4, 0.46)));
  const Tensor body = at::arange(slots, options).view({1, 1, slots}) < 0.5;
  return known.logical_or(body.logical_and(between(0.46, 0.52)));
}

}  // namespace limber::motion_space
