// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace limber::animate {
namespace {

const ModelsInfo kBuiltIn{true}, kLarge{false};

Wishes wishes_for(const std::vector<std::pair<std::string, std::string>>& said) {
  Wishes wishes;
  wishes.kept_beside = true;
  for (const auto& [name, text] : said) EXPECT_TRUE(set(*find_field(name), text, wishes).ok()) << name << " " << text;
  return wishes;
}

/// Values that a field does not have where nobody says anything.
std::vector<std::string> other_values(const Field& field) {
  const std::string usual = text_of(field, {});
  std::vector<std::string> values;
  switch (field.type) {
    case FieldType::kFlag:
      return {"true"};
    case FieldType::kChoice:
      for (const std::string& choice : split_choices(field.choices)) {
        if (choice != usual) values.push_back(choice);
      }
      return values;
    case FieldType::kWhole:
      return {"7"};
    case FieldType::kNumber:
      return {"7.5"};
    case FieldType::kDirection:
      return {"+x"};
    default:
      return {"another"};
  }
}

struct Base {
  std::string method;  ///< as said
  Wishes wishes;
  ModelsInfo models;
};

/// Every method in every quality that it has, as briefly as it can be asked for.
std::vector<Base> bases() {
  std::vector<Base> all;
  for (const std::string quality : {"draft", "standard", "best"}) {
    for (const std::string method : {"auto", "sample", "akd", "planar", "rule", "native"}) {
      if (quality == "best" && method == "rule") continue;  // it would be the same as standard
      all.push_back(
          {method, wishes_for({{"prompt", "a fox walks"}, {"quality", quality}, {"method", method}}), kBuiltIn});
    }
    for (const char* method : {"auto", "akd"}) {
      all.push_back(
          {method, wishes_for({{"prompt", "a fox walks"}, {"quality", quality}, {"method", method}}), kLarge});
    }
    for (const char* method : {"auto", "video"}) {
      if (quality == "best") continue;  // likewise
      all.push_back({method, wishes_for({{"video", "fox.mp4"}, {"quality", quality}, {"method", method}}), kBuiltIn});
    }
    for (const char* method : {"auto", "library"}) {
      if (quality == "best") continue;
      Wishes wishes =
          wishes_for({{"prompt", "a fox walks"}, {"library", "clips"}, {"quality", quality}, {"method", method}});
      all.push_back({method, std::move(wishes), kBuiltIn});
    }
  }
  return all;
}

TEST(Plan, EveryWishChangesItOrIsRefusedWithBothNames) {
  int changed = 0, refused = 0;
  for (const Base& base : bases()) {
    const Result<Plan> before = make_plan(base.wishes, base.models);
    ASSERT_TRUE(before.ok()) << before.error().message();
    for (const Field& field : fields()) {
      for (const std::string& value : other_values(field)) {
        Wishes wishes = base.wishes;
        if (text_of(field, wishes) == value) continue;
        ASSERT_TRUE(set(field, value, wishes).ok()) << field.name;
        SCOPED_TRACE(std::string(field.name) + " " + value + ", " + base.method + ", " +
                     std::string(name(base.wishes.request.quality)));
        const Result<Plan> after = make_plan(wishes, base.models);
        if (after.ok()) {
          // Whoever says what would have been chosen anyway gets that.
          const bool same_method = field.name == std::string("method") && after->method() == before->method();
          EXPECT_TRUE(same_method || !(*after == *before));
          ++changed;
          continue;
        }
        const Refusal refusal = find_refusal(wishes, base.models).value();
        EXPECT_TRUE(refusal.field == field.name || refusal.other == field.name)
            << refusal.field << " " << refusal.other;
        EXPECT_NE(refusal.field, refusal.other);
        EXPECT_NE(find_field(refusal.field), nullptr);
        EXPECT_NE(find_field(refusal.other), nullptr);
        EXPECT_NE(after.error().what.find(refusal.field), std::string::npos) << after.error().what;
        EXPECT_NE(after.error().what.find(refusal.other), std::string::npos) << after.error().what;
        ++refused;
      }
    }
  }
  EXPECT_GT(changed, 300);
  EXPECT_GT(refused, 100);
}

/// What kept runs are told from each other by.
std::string fields_of(const Plan& plan) {
  std::string text;
  const auto add = [&](const char* name, const auto& value) { text += fmt::format("{}={};", name, value); };
  if (const auto* way = std::get_if<BySample>(&plan.way))
    visit_fields(way->sample, add), visit_fields(way->refine, add);
  return text;
}

TEST(Plan, EveryWishThatDrawsAnotherSampleTellsKeptRunsApart) {
  int told = 0;
  for (const Base& base : bases()) {
    const Plan before = make_plan(base.wishes, base.models).value();
    if (!std::holds_alternative<BySample>(before.way)) continue;
    for (const Field& field : fields()) {
      for (const std::string& value : other_values(field)) {
        Wishes wishes = base.wishes;
        if (text_of(field, wishes) == value || !set(field, value, wishes).ok()) continue;
        const Result<Plan> after = make_plan(wishes, base.models);
        if (!after.ok() || !std::holds_alternative<BySample>(after->way)) continue;
        const BySample &one = std::get<BySample>(before.way), &other = std::get<BySample>(after->way);
        const bool same = one.sample == other.sample && one.refine == other.refine;
        EXPECT_EQ(fields_of(before) == fields_of(*after), same) << field.name << " " << value;
        told += same ? 0 : 1;
      }
    }
  }
  EXPECT_GT(told, 20);
}

TEST(Plan, HoldsOnlyWhatTheMethodTakes) {
  const auto way_of = [](const std::vector<std::pair<std::string, std::string>>& said) {
    return make_plan(wishes_for(said), kBuiltIn).value().way;
  };
  const std::pair<std::string, std::string> prompt{"prompt", "a fox walks"}, rule{"method", "rule"},
      akd{"method", "akd"};
  // Nothing that a quality stands for is copied where nobody reads it.
  EXPECT_EQ(way_of({prompt, rule, {"quality", "draft"}}), way_of({prompt, rule}));
  EXPECT_EQ(way_of({{"video", "a.mp4"}, {"quality", "draft"}}), way_of({{"video", "a.mp4"}}));
  EXPECT_EQ(way_of({prompt, akd, {"iterations", "7"}, {"quality", "best"}}),
            way_of({prompt, akd, {"iterations", "7"}}));
  EXPECT_EQ(std::get<ByAkd>(way_of({prompt, akd})).start, SamplePlan()) << "it starts from rest";
  EXPECT_NE(std::get<ByAkd>(way_of({prompt, akd, {"from", "sample"}})).start, SamplePlan());
}

TEST(Plan, SettlesWhatTakesThePlaceOfWhatIsNotFit) {
  const auto native = [](const std::vector<std::pair<std::string, std::string>>& said) {
    std::vector<std::pair<std::string, std::string>> all{{"prompt", "a fox walks"}, {"method", "native"}};
    all.insert(all.end(), said.begin(), said.end());
    return std::get<ByNative>(make_plan(wishes_for(all), kBuiltIn).value().way);
  };
  ASSERT_EQ(native({}).instead.size(), 2u);
  EXPECT_EQ(native({}).instead[0].method(), Method::kSample);
  EXPECT_EQ(native({}).instead[1].method(), Method::kRule);
  EXPECT_TRUE(native({{"no_fallback", "true"}}).instead.empty());
  ASSERT_EQ(native({{"continue", "walk"}}).instead.size(), 1u) << "no rule goes on from a clip";
}

std::string refusal_of(const std::vector<std::pair<std::string, std::string>>& said, ModelsInfo models = kBuiltIn) {
  const auto refusal = find_refusal(wishes_for(said), models);
  return refusal ? refusal->field + "/" + refusal->other : "none";
}

TEST(Plan, RefusesOptionsThatWereDead) {
  const std::pair<std::string, std::string> prompt{"prompt", "a fox walks"}, draft{"quality", "draft"};
  EXPECT_EQ(refusal_of({prompt, draft, {"smooth_weight", "3"}}), "smooth_weight/quality");
  EXPECT_EQ(refusal_of({prompt, draft, {"losses", "l.csv"}}), "losses/quality");
  EXPECT_EQ(refusal_of({prompt, draft, {"preview_every", "2"}}), "preview_every/quality");
  EXPECT_EQ(refusal_of({prompt, draft, {"checkpoint_seconds", "5"}}), "checkpoint_seconds/quality");
  EXPECT_EQ(refusal_of({prompt, {"iterations", "0"}, {"ground_weight", "3"}}), "ground_weight/iterations");
  EXPECT_EQ(refusal_of({prompt, draft, {"iterations", "2"}, {"losses", "l.csv"}}), "none") << "something is distilled";
  EXPECT_EQ(refusal_of({prompt, {"method", "akd"}, {"samples", "s.glb"}}), "samples/method");
  EXPECT_EQ(refusal_of({prompt, {"from", "sample"}}), "from/method");
  EXPECT_EQ(refusal_of({prompt, {"method", "rule"}, {"guidance", "4"}}), "guidance/method");
  EXPECT_EQ(refusal_of({prompt, {"method", "rule"}, {"seconds", "3"}, {"loop", "true"}}), "none");
  EXPECT_EQ(refusal_of({prompt, {"method", "native"}, {"negative", "a bird"}}), "negative/method");
  EXPECT_EQ(refusal_of({prompt, {"method", "native"}, {"device", "cuda"}}), "device/method");
  EXPECT_EQ(refusal_of({prompt, {"method", "native"}, {"iterations", "3"}}), "iterations/method");
  EXPECT_EQ(refusal_of({prompt, {"method", "native"}, {"seconds", "3"}, {"loop", "true"}, {"steps", "4"}}), "none");
  EXPECT_EQ(refusal_of({prompt, {"no_fallback", "true"}}), "no_fallback/method");
  const std::pair<std::string, std::string> clips{"library", "clips"};
  EXPECT_EQ(refusal_of({prompt, clips, {"seed", "2"}}), "seed/library");
  EXPECT_EQ(refusal_of({prompt, clips, {"prior", "CogVideoX-5b"}}, kLarge), "prior/library");
  EXPECT_EQ(refusal_of({prompt, clips, {"seconds", "3"}}), "seconds/library");
  EXPECT_EQ(refusal_of({prompt, clips, {"method", "rule"}}), "library/method");
  EXPECT_EQ(refusal_of({{"video", "a.mp4"}, clips}), "library/video");
  EXPECT_EQ(refusal_of({prompt, clips, {"quality", "draft"}, {"loop", "true"}, {"in_place", "true"}}), "none");
  EXPECT_EQ(refusal_of({prompt, {"prior", "CogVideoX-5b"}, {"seconds", "5"}}, kLarge), "seconds/prior");
  EXPECT_EQ(refusal_of({prompt, {"method", "planar"}}, kLarge), "prior/method");
  EXPECT_EQ(refusal_of({{"video", "a.mp4"}, {"seed", "0"}}), "seed/video") << "said, be it as it is anyway";
  EXPECT_EQ(refusal_of({prompt, {"anyway", "true"}}), "anyway/prompt");
  EXPECT_EQ(refusal_of({prompt, {"up", "+z"}, {"forward", "-z"}}), "forward/up");
  EXPECT_EQ(refusal_of({prompt, {"method", "rule"}, {"quality", "best"}}), "quality/method");
  EXPECT_EQ(refusal_of({{"video", "a.mp4"}, {"quality", "best"}}), "quality/video");
  EXPECT_EQ(refusal_of({prompt, {"library", "clips"}, {"quality", "best"}}), "quality/library");
  EXPECT_EQ(refusal_of({{"prompt", "a fox walks" + std::string(kLongestPrompt, '!')}}), "prompt/prompt");
  EXPECT_EQ(refusal_of({prompt, {"negative", std::string(kLongestPrompt + 1, 'a')}}), "negative/negative");
}

TEST(Plan, SaysWhatIsMissing) {
  EXPECT_EQ(refusal_of({}), "prompt/video");
  EXPECT_EQ(refusal_of({{"library", "clips"}}), "prompt/video");
  EXPECT_EQ(refusal_of({{"prompt", "a fox walks"}, {"method", "library"}}), "method/library");
  EXPECT_EQ(refusal_of({{"prompt", "a fox walks"}, {"up", "+z"}}), "up/forward");
  Wishes nowhere = wishes_for({{"prompt", "a fox walks"}, {"fresh", "true"}});
  nowhere.kept_beside = false;
  EXPECT_EQ(find_refusal(nowhere, kBuiltIn)->other, "checkpoint");
}

TEST(Plan, IsWordedByWhoeverAsks) {
  const Refusal refusal =
      find_refusal(wishes_for({{"prompt", "it walks"}, {"method", "akd"}, {"steps", "4"}}), kBuiltIn).value();
  const std::string words = in_words(refusal, [](const std::string& field, const std::string& value) {
    return "<" + field + (value.empty() ? "" : " " + value) + ">";
  });
  EXPECT_EQ(words.rfind("<steps> and <method akd> contradict each other: ", 0), 0u) << words;
}

Request walk() {
  Request request;
  request.prompt = "a fox walks";
  return request;
}

TEST(Plan, BetterQualityIsMoreWork) {
  Request request = walk();
  std::vector<Plan> plans;
  for (const Quality quality : {Quality::kDraft, Quality::kStandard, Quality::kBest}) {
    request.quality = quality;
    plans.push_back(make_plan(wishes_of(request), kBuiltIn).value());
  }
  const auto way = [&](std::size_t i) { return std::get<BySample>(plans[i].way); };
  EXPECT_EQ(way(0).refine.iterations, 0) << "a draft is not distilled";
  EXPECT_EQ(plans[0].finish.ground, Ground::kLock) << "and not simulated";
  EXPECT_EQ(plans[1].finish.ground, Ground::kSimulate);
  for (std::size_t i = 0; i + 1 < plans.size(); ++i) {
    EXPECT_LT(way(i).sample.candidates, way(i + 1).sample.candidates);
    EXPECT_LT(way(i).refine.iterations, way(i + 1).refine.iterations);
    request.quality = i == 0 ? Quality::kDraft : Quality::kStandard;
    const int less = refine_plan(request, Method::kAkd).iterations;
    request.quality = i == 0 ? Quality::kStandard : Quality::kBest;
    EXPECT_LT(less, refine_plan(request, Method::kAkd).iterations);
  }
}

TEST(Plan, OnlyTheBestIsDrawnInManySteps) {
  Request request = walk();
  for (const Quality quality : {Quality::kBest, Quality::kStandard, Quality::kDraft}) {
    request.quality = quality;
    EXPECT_EQ(sample_plan(request).few_steps, quality != Quality::kBest);
  }
  request.study.few_steps = false;
  EXPECT_FALSE(sample_plan(request).few_steps);
  request.study.few_steps.reset();
  // Few steps know no guidance: who steers gets what can be steered.
  for (const auto& steer : {+[](Request& r) { r.sampling.steps = 20; }, +[](Request& r) { r.sampling.guidance = 4; },
                            +[](Request& r) { r.negative = "a bird"; }}) {
    Request steered = request;
    steer(steered);
    EXPECT_FALSE(sample_plan(steered).few_steps);
  }
}

TEST(Plan, IsMadeOfRequestsThatWouldBeKeptThoughNothingIs) {
  Request request = walk();
  request.checkpoint = Checkpoint{"out.checkpoint", 60};
  request.method = Method::kPlanar;
  EXPECT_TRUE(make_plan(wishes_of(request), kBuiltIn).ok());
}

TEST(Plan, LooksIntoTheFolderOfThePrior) {
  ModelSettings settings;
  EXPECT_TRUE(models_info(settings).draws_sketches) << "the built-in one";
  settings.prior = ::testing::TempDir();
  EXPECT_FALSE(models_info(settings).draws_sketches);
  settings.prior = "/nowhere";
  EXPECT_TRUE(models_info(settings).draws_sketches) << "whoever opens it says that it is missing";
}

}  // namespace
}  // namespace limber::animate
