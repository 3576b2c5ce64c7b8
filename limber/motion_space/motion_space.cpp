// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_space.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/motion_space/noise_times.h"

namespace limber::motion_space {
namespace {

constexpr std::size_t kWayNumbers = 3;  // of the body's: heading, way aside and ahead
constexpr int kEased = 16;              // frames over which what is drawn gives way to what is known

Tokens noise_for(int joints, std::uint64_t seed) {
  Rng rng(seed, 91);
  Tokens noise(at(kTokens * (1 + joints) * kTokenNumbers));
  for (float& number : noise) number = static_cast<float>(rng.normal());
  return noise;
}

/// The numbers of a slot in a frame.
std::span<double> numbers_at(MotionState& state, int frame, int slot) {
  if (slot == 0) return std::span(state.body).subspan(at(frame * kBodyNumbers), at(kBodyNumbers));
  return state.frame(frame).subspan(at((slot - 1) * kJointNumbers), at(kJointNumbers));
}
std::span<const double> numbers_at(const MotionState& state, int frame, int slot) {
  if (slot == 0) return std::span(state.body).subspan(at(frame * kBodyNumbers), at(kBodyNumbers));
  return state.frame(frame).subspan(at((slot - 1) * kJointNumbers), at(kJointNumbers));
}

/// Nobody was ever shown a contact of a joint that is no foot.
void leave_out_contacts(const std::vector<bool>& feet, Tokens& clip) {
  const std::size_t slots = 1 + feet.size();
  for (std::size_t t = 1; t < std::size_t{kTokens}; ++t) {
    for (std::size_t j = 0; j < feet.size(); ++j) {
      if (feet[j]) continue;
      float* token = clip.data() + (t * slots + 1 + j) * kTokenNumbers;
      for (int f = 0; f < kFramesPerToken; ++f) token[(f + 1) * kJointNumbers - 1] = 0;
    }
  }
}

void put_known(const KnownFrames& known, MotionState& state) {
  for (int f = 0; f < kFrames; ++f) {
    for (int n = 0; n <= state.joints; ++n) {
      if (!known.knows(f, n)) continue;
      const std::span<const double> from = numbers_at(known.state, f, n);
      std::copy(from.begin(), from.end(), numbers_at(state, f, n).begin());
    }
  }
}

/// 1 where it is known, 0 from kEased frames on.
double ease(int frames) {
  const double u = std::min(frames / static_cast<double>(kEased), 1.0);
  return (1 - u) * (1 - u) * (1 + 2 * u);
}

/// By how much a slot's numbers beside a known frame `from` miss what is known, going on by `step` (1 or -1). A row of
/// known frames tells how the body moves on: what was drawn may as well begin with a jump, where it does something
/// else. `way`: the share of heading and way, which are not made good later: who is farther ahead stays so.
void add_gap(const KnownFrames& known, const MotionState& drawn, int from, int step, int slot, double share, double way,
             std::span<double> to) {
  const int last = from - step, next = from + step;
  const bool row = last >= 0 && last < kFrames && next >= 0 && next < kFrames && known.knows(last, slot);
  const std::span<const double> told = numbers_at(known.state, from, slot);
  const std::span<const double> before = numbers_at(known.state, row ? last : from, slot);
  const std::span<const double> had = numbers_at(drawn, row ? next : from, slot);
  for (std::size_t k = 0; k < to.size(); ++k) {
    const bool travels = slot == 0 && k < kWayNumbers;
    to[k] += (travels ? way : share) * (told[k] + (told[k] - before[k]) - had[k]);
  }
}

/// What is known replaces what was drawn; frames beside it go along, less the farther they are.
void blend_known(const KnownFrames& known, MotionState& state) {
  const MotionState drawn = state;
  for (int n = 0; n <= state.joints; ++n) {
    for (int f = 0; f < kFrames; ++f) {
      if (known.knows(f, n)) continue;
      int before = f, after = f;
      while (before >= 0 && !known.knows(before, n)) --before;
      while (after < kFrames && !known.knows(after, n)) ++after;
      const bool both = before >= 0 && after < kFrames;
      const double u = both ? (f - before) / static_cast<double>(after - before) : 0;
      const double way = u * u * (3 - 2 * u);
      const std::span<double> to = numbers_at(state, f, n);
      if (before >= 0) add_gap(known, drawn, before, 1, n, ease(f - before - 1) * (both ? 1 - u : 1), 1 - way, to);
      if (after < kFrames)
        add_gap(known, drawn, after, -1, n, ease(after - f - 1) * (both ? u : 1), both ? way : 1, to);
    }
  }
  put_known(known, state);
}

}  // namespace

MotionSpace::MotionSpace(MotionDenoiser denoiser, MotionBody body)
    : denoiser_(std::move(denoiser)), body_(std::move(body)), code_(denoiser_.encode(body_.conditions)) {}

Result<MotionSpace> MotionSpace::open(const rig::Subject& subject, const std::filesystem::path& folder,
                                      const rig::Facing& facing) {
  LIMBER_TRY(MotionDenoiser denoiser, MotionDenoiser::open(folder));
  return MotionSpace(std::move(denoiser), make_motion_body(subject, facing));
}

/// Mean poses are not guided: how a body holds itself is its own, and what an action adds to that would be overdone.
Tokens MotionSpace::guess(const DrawSettings& settings, std::span<const float> known, const Tokens& noisy,
                          double time) const {
  Tokens asked = denoiser_.run(code_, settings.facts, known, noisy, time);
  if (settings.guidance == 1) return asked;
  MotionFacts any = settings.facts;
  any.action = -1;
  Tokens guided = denoiser_.run(code_, any, known, noisy, time);
  // The first row of tokens: what is steady of the body, then the joints' mean poses.
  const std::size_t row = guided.size() / kTokens;
  for (std::size_t i = 0; i < guided.size(); ++i) {
    const bool is_mean_pose = i >= at(kTokenNumbers) && i < row;
    guided[i] = is_mean_pose ? asked[i] : guided[i] + static_cast<float>(settings.guidance) * (asked[i] - guided[i]);
  }
  return guided;
}

Result<MotionState> MotionSpace::draw(const DrawSettings& settings) const {
  LIMBER_EXPECT(settings.steps >= 1, std::to_string(settings.steps));
  const int joints = body_.skeleton.size();
  const bool knows = !settings.known.empty();
  const std::vector<float> known = knows ? known_numbers(settings.known) : std::vector<float>{};
  Tokens noisy = noise_for(joints, settings.seed), clip, said;
  double time = kFirstTime;
  for (int i = 0; i < settings.steps; ++i) {
    if (settings.progress && !settings.progress("drawing a motion", static_cast<double>(i) / settings.steps))
      return Error{"stopped", "", ErrorKind::kCancelled};
    clip = guess(settings, known, noisy, time);
    leave_out_contacts(feet(), clip);
    said = clip;
    if (knows) {
      MotionState state = join_tokens(clip, joints);
      put_known(settings.known, state);
      clip = split_state(state);
    }
    const double next = time_of_step(1 - (i + 1.0) / settings.steps);
    const auto clear = static_cast<float>(std::cos(time * kPi / 2)),
               noise = static_cast<float>(std::sin(time * kPi / 2));
    const auto clear_next = static_cast<float>(std::cos(next * kPi / 2)),
               noise_next = static_cast<float>(std::sin(next * kPi / 2));
    for (std::size_t k = 0; k < noisy.size(); ++k)
      noisy[k] = clear_next * clip[k] + noise_next * (noisy[k] - clear * clip[k]) / noise;
    time = next;
  }
  // As the network says it last: what is known is blended in, rather than put between frames that miss it.
  MotionState state = join_tokens(said, joints);
  smooth_state(state);
  if (knows) blend_known(settings.known, state);
  return state;
}

MotionState MotionSpace::settle(const MotionState& state, const MotionFacts& facts, double time,
                                std::uint64_t seed) const {
  Tokens noisy = split_state(state);
  const Tokens noise = noise_for(state.joints, seed);
  const auto clear = static_cast<float>(std::cos(time * kPi / 2)), loud = static_cast<float>(std::sin(time * kPi / 2));
  for (std::size_t k = 0; k < noisy.size(); ++k) noisy[k] = clear * noisy[k] + loud * noise[k];
  return join_tokens(denoiser_.run(code_, facts, {}, noisy, time), state.joints);
}

}  // namespace limber::motion_space
