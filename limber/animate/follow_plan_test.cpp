// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands in a plan is followed: a wish that changes what the stages are given changes what comes out of them.
#include "limber/animate/follow_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "limber/animate/animate_testing.h"
#include "limber/animate/fields.h"
#include "limber/animate/plan.h"
#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/motion_space/motion_testing.h"
#include "limber/testing/shared_data.h"

namespace limber::animate {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Keeps all that it is told: whoever tells it something else asks for something else.
class HearingPrior : public StagePrior {
 public:
  HearingPrior() {
    change_info().few_steps = 4;
    disturb = [](int) { return 0.05f; };
  }
  Result<Frames> sample(const prior::Condition& condition, const prior::SampleSettings& settings) override {
    heard += fmt::format("sample {} not {} seed {} steps {} few {} guidance {}\n", condition.prompt.text,
                         condition.prompt.negative, settings.seed, settings.steps.value_or(0), settings.few_steps,
                         settings.guidance.value_or(0));
    if (settings.known) heard += bytes_of(settings.known->known) + bytes_of(settings.known->frames.values);
    return StagePrior::sample(condition, settings);
  }
  Result<prior::ScoreReport> score(const Frames& frames, const prior::Condition& condition,
                                   const prior::ScoreSettings& settings, Frames& grad_frames) override {
    heard += fmt::format("score {} not {} seed {} guidance {}\n", condition.prompt.text, condition.prompt.negative,
                         settings.seed, settings.guidance);
    return StagePrior::score(frames, condition, settings, grad_frames);
  }

  std::string heard;
};

/// The stage's creature with a clip that can be continued, and a folder that has it as a file.
struct World {
  World() {
    rig::Subject subject = stage().creature.subject;
    asset = zoo::static_asset(stage().creature);
    EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
    EXPECT_TRUE(exporter::add_clip(asset, subject, stage().walk, {.name = "walk"}).ok());
    EXPECT_TRUE(asset::write_asset(asset, folder.path() / "fox.glb").ok());
    EXPECT_TRUE(motion_space::write_tiny_motions(folder.path()).ok());
  }
  testing::TemporaryFolder folder;
  asset::Asset asset;
};
const World& world() {
  static const World made;
  return made;
}

std::string text_of(const Result<Animation>& followed) {
  if (!followed.ok()) return followed.error().message();
  const Animation& a = *followed;
  std::string text = fmt::format("{} {} {} {} {} {} ", a.motion.fps, a.motion.loops, a.candidates.size(), a.own_way,
                                 a.pose_prior, a.motion_prior);
  if (a.grounded) text += "grounded ";
  for (const Segment& segment : a.segments) text += segment.asked.prompt + ";";
  return text + bytes_of(a.motion.root_translations) + bytes_of(a.motion.angles);
}

/// What comes out where a plan is followed, and what a prior was asked.
std::string followed(const Plan& plan, const Request& request) {
  const Actor actor =
      make_actor(stage().creature.subject, &world().asset, stage().creature.subject.facing, request).value();
  switch (plan.method()) {
    case Method::kRule:
      return text_of(follow_rules(plan, actor));
    case Method::kLibrary:
      return text_of(follow_clips(plan, actor));
    case Method::kNative: {
      static const motion_space::MotionDenoiser network =
          motion_space::MotionDenoiser::open(world().folder.path()).value();
      Result<NativeAnimation> drawn = follow_joints(plan, actor, network, nullptr);
      return drawn.ok() ? drawn->failed.value_or("") + text_of(std::move(drawn->animation)) : drawn.error().message();
    }
    default: {
      HearingPrior prior, starter;
      const std::string result = text_of(follow_prior(plan, actor, prior, &starter));
      return result + prior.heard + starter.heard;
    }
  }
}

/// Without what is for those who open models, keep runs, write files and name clips.
Plan for_stages(Plan plan) {
  plan.files.clear(), plan.clip_name.clear(), plan.facing.clear();
  plan.keeps_all = plan.stand_up = false;
  std::visit(
      [](auto& way) {
        if constexpr (requires { way.prior.folder; }) way.prior = {};
        if constexpr (requires { way.keep.file; }) way.keep = {};
        if constexpr (requires { way.instead; }) way.instead.clear();
      },
      plan.way);
  return plan;
}

/// Other values than the usual ones, of those that do not take long.
std::vector<std::string> other_values(const Field& field) {
  static const std::map<std::string, std::string> kOwn{
      {"continue", "walk"},
      {"fps", "24"},
      {"prompt", "a fox sits"},
      {"keyframes", (world().folder.path() / "fox.glb").string() + ":0.5"}};
  const auto own = kOwn.find(field.name);
  if (own != kOwn.end()) return {own->second};
  switch (field.type) {
    case FieldType::kFlag:
      return {"true"};
    case FieldType::kChoice:
      return split_choices(field.choices);
    case FieldType::kWhole:
    case FieldType::kNumber:
      return {"2"};
    case FieldType::kDirection:
      return {"+x"};
    default:
      return {"another"};
  }
}

Wishes wishes_for(const Said& said) {
  Wishes wishes;
  for (const auto& [name, text] : said) EXPECT_TRUE(set(*find_field(name), text, wishes).ok()) << name << " " << text;
  // Where it does not matter how well a motion fits.
  wishes.request.study.fit_stages = hasty_fit(), wishes.request.study.most_residual = 10;
  return wishes;
}

/// Fields that no stage is given: who is, is tested where it stands.
const std::set<std::string> kOfOthers{
    "name",   "up",       "forward",    "stand_up",           "prior",  "device",
    "dtype",  "report",   "preview",    "no_preview",         "strict", "samples",
    "losses", "timeline", "checkpoint", "checkpoint_seconds", "fresh",  "preview_every"};

/// Returns how many wishes were followed. `same`: what changes nothing here, and why.
int follow_every_wish(const Said& base, const std::map<std::string, std::string>& same = {}) {
  const Wishes before = wishes_for(base);
  const ModelsInfo models{true};
  const Plan plan = make_plan(before, models).value();
  const std::string usual = followed(plan, before.request);
  EXPECT_EQ(followed(plan, before.request), usual) << "the same twice";
  int changed = 0;
  for (const Field& field : fields()) {
    for (const std::string& value : other_values(field)) {
      Wishes wishes = before;
      if (animate::text_of(field, wishes) == value || !set(field, value, wishes).ok()) continue;
      const Result<Plan> other = make_plan(wishes, models);
      if (!other.ok() || other->method() != plan.method()) continue;  // plan_test.cpp
      SCOPED_TRACE(fmt::format("{} {}, {}", field.name, value, name(plan.method())));
      if (for_stages(*other) == for_stages(plan)) {
        EXPECT_TRUE(kOfOthers.count(field.name) > 0 || field.name == std::string("method")) << "no stage is told";
        continue;
      }
      const bool other_result = followed(*other, wishes.request) != usual;
      EXPECT_EQ(other_result, same.count(fmt::format("{} {}", field.name, value)) == 0);
      changed += other_result ? 1 : 0;
    }
  }
  return changed;
}

const Said kBase{{"prompt", "a fox walks"}, {"quality", "draft"}};
Said with(Said said) {
  said.insert(said.begin(), kBase.begin(), kBase.end());
  return said;
}

TEST(FollowPlan, EveryWishOfASample) {
  EXPECT_GT(follow_every_wish(with({{"method", "sample"}, {"candidates", "1"}, {"iterations", "1"}})), 10);
}
TEST(FollowPlan, EveryWishOfADistillation) {
  EXPECT_GT(follow_every_wish(with({{"method", "akd"}, {"iterations", "1"}})), 8);
}
TEST(FollowPlan, EveryWishOfAPlanarLift) {
  EXPECT_GT(follow_every_wish(with({{"method", "planar"}, {"candidates", "1"}})), 5);
}
TEST(FollowPlan, EveryWishOfTheRules) { EXPECT_GT(follow_every_wish(with({{"method", "rule"}})), 5); }
TEST(FollowPlan, EveryWishOfTheNetworkOnJoints) {
  EXPECT_GT(follow_every_wish(with({{"method", "native"}, {"no_fallback", "true"}})), 8);
}
TEST(FollowPlan, EveryWishOfALibrary) {
  EXPECT_GT(follow_every_wish(with({{"method", "library"}, {"library", world().folder.path().string()}})), 4);
}

}  // namespace
}  // namespace limber::animate
