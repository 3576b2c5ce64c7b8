// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/stages.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "bench/artist_body.h"
#include "bench/kept_lines.h"
#include "bench/motion_measures.h"
#include "bench/recorded_people.h"
#include "bench/split.h"
#include "bench/stage_table.h"
#include "limber/actions/catalogue.h"
#include "limber/animate/animate_subject.h"
#include "limber/animate/finish.h"
#include "limber/base/files.h"
#include "limber/kinematics/resample.h"
#include "limber/motion_space/motion_space.h"
#include "limber/scene/sketch_view.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSampled = "sampled and lifted", *kByRule = "by rule", *kLifted = "truth drawn and lifted",
                     *kByJoints = "drawn by joints", *kGrounded = ", on the ground", *kLeaning = ", leaning on motions";
constexpr std::size_t kMostOthers = 4;  // clips of other actions
constexpr const char* kDrawnBy = "truth,rule,prior,joints,leaning";

std::string grounded(const std::string& row) { return row + kGrounded; }
/// With the network of motions telling what pictures leave open.
std::string leaning(const std::string& row) { return row + kLeaning; }

// --- a prior that knows the answer -----------------------------------------------------------------------------------

/// Its samples are drawings of the artist's clip: what they lead to is what the way from pictures to joints loses.
class TruthPrior final : public prior::VideoPrior {
 public:
  TruthPrior(prior::VideoPrior& model, const ArtistBody& body, const Take& take)
      : model_(model), body_(body), take_(take) {}
  const prior::PriorInfo& info() const override { return model_.info(); }
  Result<prior::Condition> condition(const prior::Prompt& prompt, const Frames* rest) override {
    return model_.condition(prompt, rest);
  }
  Result<prior::ScoreReport> score(const Frames& frames, const prior::Condition& condition,
                                   const prior::ScoreSettings& settings, Frames& grad_frames) override {
    return model_.score(frames, condition, settings, grad_frames);
  }
  Result<Frames> sample(const prior::Condition&, const prior::SampleSettings&) override {
    const prior::PriorInfo& info = model_.info();
    scene::SketchViewSettings settings;
    settings.views = info.views, settings.size = info.native.width, settings.framing = info.framing;
    const rig::Subject& subject = body_.upright.subject;
    scene::SketchView view(subject.rig, scene::part_gaussians(subject), settings);
    return view.draw(held(take_.motion, info.fps));
  }

 private:
  prior::VideoPrior& model_;
  const ArtistBody& body_;
  const Take& take_;
};

// --- the network of motions ------------------------------------------------------------------------------------------

struct JointModel {
  motion_space::MotionDenoiser denoiser;
  std::string id;  ///< of its weights
};

/// FNV-1a: two models that were trained differently must not share outcomes.
std::string id_of(const Bytes& bytes) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211ull;
  return fmt::format("{:016x}", hash);
}

Result<JointModel> open_joint_model(const fs::path& folder) {
  fs::path place = folder;
  if (place.empty()) {
    LIMBER_TRY(place, motion_space::find_motion_model());
  }
  LIMBER_TRY(motion_space::MotionDenoiser denoiser, motion_space::MotionDenoiser::open(place));
  LIMBER_TRY(const Bytes weights, read_file(place / motion_space::kMotionWeightsFile));
  return JointModel{std::move(denoiser), id_of(weights)};
}

/// None where it does not lie beside the program.
Result<std::optional<motion_space::MotionJudge>> open_judge(motion_space::JudgeSeat seat) {
  const Result<fs::path> place = motion_space::find_motion_judge(seat);
  if (!place.ok()) return std::optional<motion_space::MotionJudge>();
  LIMBER_TRY(motion_space::MotionJudge judge, motion_space::MotionJudge::open(*place));
  return std::optional(std::move(judge));
}

// --- what is run -----------------------------------------------------------------------------------------------------

/// A gait of a body, and what to hold motions against.
struct Asked {
  const ArtistBody& body;
  const AskedGait& gait;
  const GaitReference& reference;
  Group group;
};

/// What all ways to a motion share.
struct Ways {
  const StageSettings& settings;
  const animate::Request& draft;
  prior::VideoPrior& prior;
  const JointModel* joints;                   ///< none: its rows are left out
  const motion_space::MotionJudge* judge;     ///< none: what it believes is left out
  const motion_space::MotionJudge* choosing;  ///< the other one, which chooses among candidates

  bool wants(const std::string& name) const { return settings.drawn_by.empty() || holds_name(settings.drawn_by, name); }
};

animate::Request request_for(const Ways& ways, const Asked& asked, std::uint64_t seed) {
  animate::Request request = ways.draft;
  request.prompt = actions::sentence(asked.body.noun, *actions::built_in().find(asked.gait.action));
  request.seed = seed, request.facing = asked.body.facing;
  return request;
}

/// A motion as it was made and on the ground, both upright.
struct MadeMotion {
  kinematics::Motion lifted, motion;
};

MadeMotion upright_of(const Asked& asked, animate::Animation animation) {
  animate::turn_upright(asked.body.upright, animation.lifted),
      animate::turn_upright(asked.body.upright, animation.motion);
  return {std::move(animation.lifted), std::move(animation.motion)};
}

Result<MadeMotion> by_prior(const Ways& ways, const Asked& asked, prior::VideoPrior& prior, std::uint64_t seed,
                            bool leaning = false) {
  animate::Request request = request_for(ways, asked, seed);
  request.motion_prior = leaning;
  LIMBER_TRY(animate::Animation animation,
             animate::follow_prompt(asked.body.subject, &asked.body.asset, prior, request));
  return upright_of(asked, std::move(animation));
}

/// What the zoo does with the same limbs.
Result<MadeMotion> by_rule(const Ways& ways, const Asked& asked, std::uint64_t seed) {
  LIMBER_TRY(animate::Animation animation, animate::follow_rule(asked.body.subject, request_for(ways, asked, seed)));
  return upright_of(asked, std::move(animation));
}

/// As `animate --method native` makes it, whatever comes of it.
Result<MadeMotion> by_joints(const Ways& ways, const Asked& asked, std::uint64_t seed) {
  animate::Request request = request_for(ways, asked, seed);
  request.method = animate::Method::kNative, request.no_fallback = true;
  LIMBER_TRY(animate::NativeAnimation drawn, animate::follow_native(asked.body.subject, &asked.body.asset,
                                                                    ways.joints->denoiser, request, ways.choosing));
  return upright_of(asked, std::move(drawn.animation));
}

/// Runs all rows of all bodies, keeps what they come to, and does not run again what was kept.
class Stages {
 public:
  explicit Stages(const Ways& ways) : ways_(ways), kept_(ways.settings.outcomes) {
    kept_.visit([this](const std::string& run, const nlohmann::json& line) {
      Measured measured{};
      for (std::size_t m = 0; m < kMeasureCount; ++m) measured[m] = kept_number(line, kMeasures[m].name);
      done_[run] = measured;
    });
  }

  Status add(const ArtistBody& body, Group group) {
    for (const AskedGait& gait : body.gaits) {
      if (group == Group::kTaught && gait.takes.size() < 2) continue;  // says nothing of how far takes are apart
      const GaitReference reference(body, gait, group == Group::kTaught ? nullptr : ways_.judge);
      const Asked asked{body, gait, reference, group};
      LIMBER_CHECK_OK(add_floors(asked));
      if (group == Group::kTaught) continue;
      if (std::isfinite(reference.chance())) chances_[body.path] = reference.chance();
      LIMBER_CHECK_OK(add_ways(asked));
    }
    return Done{};
  }

  const std::vector<Entry>& entries() const { return entries_; }
  /// Of bodies whose artist drew other actions, too: how often chance takes a motion for another action.
  const std::map<std::string, double>& chances() const { return chances_; }

 private:
  Status add_floors(const Asked& asked) {
    const std::vector<Take>& takes = asked.gait.takes;
    for (std::size_t t = 0; t < takes.size(); ++t) {
      const auto there_and_back =
          kinematics::resampled(compared(takes[t].motion, ways_.prior.info().fps), kComparedRate);
      LIMBER_CHECK_OK(enter(asked, kResampled, 0, there_and_back, t));
      for (std::size_t o = 0; o < takes.size(); ++o) {
        if (o == t) continue;
        const auto arms = takes[o].plain && takes[t].plain ? Arms::kFree : Arms::kBusy;
        LIMBER_CHECK_OK(enter(asked, kAnotherTake, o, compared(takes[o].motion), t, arms));
      }
    }
    const auto frames = static_cast<int>(std::lround(kComparedSeconds * kComparedRate));
    LIMBER_CHECK_OK(
        enter(asked, kStill, 0, kinematics::rest_motion(asked.body.told.rig, frames, kComparedRate), std::nullopt));
    std::uint64_t number = 0;
    for (const ShownAction* other : others_of(asked)) {
      LIMBER_CHECK_OK(enter(asked, kAnotherAction, number++, compared(other->take.motion), std::nullopt));
    }
    return Done{};
  }

  /// What anybody would call wrong: other gaits only where the rig has nothing else.
  static std::vector<const ShownAction*> others_of(const Asked& asked) {
    std::vector<const ShownAction*> others;
    for (const bool gaits : {false, true}) {
      if (!others.empty()) break;
      for (const ShownAction& shown : asked.body.shown) {
        if (shown.action == asked.gait.action || shown.is_gait != gaits || others.size() == kMostOthers) continue;
        others.push_back(&shown);
      }
    }
    return others;
  }

  Status add_ways(const Asked& asked) {
    if (ways_.wants("truth")) {
      for (std::size_t t = 0; t < asked.gait.takes.size(); ++t) {
        TruthPrior truth(ways_.prior, asked.body, asked.gait.takes[t]);
        LIMBER_CHECK_OK(make(asked, kLifted, 0, t, [&] { return by_prior(ways_, asked, truth, 0); }));
        if (!ways_.wants("leaning")) continue;
        const auto lean = [&] { return by_prior(ways_, asked, truth, 0, true); };
        LIMBER_CHECK_OK(make(asked, leaning(kLifted), 0, t, lean));
      }
    }
    for (int i = 1; i <= ways_.settings.seeds; ++i) {
      const auto seed = static_cast<std::uint64_t>(i);
      if (ways_.wants("rule")) {
        LIMBER_CHECK_OK(make(asked, kByRule, seed, std::nullopt, [&] { return by_rule(ways_, asked, seed); }));
      }
      if (ways_.wants("joints") && ways_.joints != nullptr) {
        LIMBER_CHECK_OK(make(asked, kByJoints, seed, std::nullopt, [&] { return by_joints(ways_, asked, seed); }));
      }
      if (ways_.wants("prior")) {
        const auto sample = [&] { return by_prior(ways_, asked, ways_.prior, seed); };
        LIMBER_CHECK_OK(make(asked, kSampled, seed, std::nullopt, sample));
        if (!ways_.wants("leaning")) continue;
        const auto lean = [&] { return by_prior(ways_, asked, ways_.prior, seed, true); };
        LIMBER_CHECK_OK(make(asked, leaning(kSampled), seed, std::nullopt, lean));
      }
    }
    return Done{};
  }

  /// With all that changes what comes of it.
  std::string run_of(const Asked& asked, const std::string& row, std::uint64_t seed, std::size_t take) const {
    const animate::Sampling& sampling = ways_.draft.sampling;
    std::string settings;
    const auto begins = [&](const char* way) { return row.rfind(way, 0) == 0; };
    if (begins(kSampled) || begins(kLifted)) {
      settings = fmt::format("{} candidates, {} steps, guidance {}, {}", sampling.candidates.value_or(0),
                             sampling.steps.value_or(0), sampling.guidance.value_or(0), ways_.prior.info().name);
    } else if (begins(kByJoints)) {
      settings = fmt::format("{}, {} candidates", ways_.joints->id, sampling.candidates.value_or(0));
      if (sampling.steps) settings += fmt::format(", {} steps", *sampling.steps);
      if (sampling.guidance) settings += fmt::format(", guidance {}", *sampling.guidance);
    }
    return fmt::format("{}/{}/{}/{}/{}/{}/{}", asked.body.path, asked.gait.action, asked.gait.takes[take].clip, row,
                       seed, animate::name(ways_.draft.quality), settings);
  }

  /// The takes that a motion is held against: one, or all.
  static std::vector<std::size_t> takes_of(const Asked& asked, std::optional<std::size_t> take) {
    if (take) return {*take};
    std::vector<std::size_t> all;
    for (std::size_t t = 0; t < asked.gait.takes.size(); ++t) all.push_back(t);
    return all;
  }

  /// Enters what an earlier run measured; false where it did not.
  bool enter_kept(const Asked& asked, const std::string& row, std::uint64_t seed, std::optional<std::size_t> take) {
    const std::vector<std::size_t> takes = takes_of(asked, take);
    const auto is_kept = [&](std::size_t t) { return done_.count(run_of(asked, row, seed, t)) > 0; };
    if (!std::all_of(takes.begin(), takes.end(), is_kept)) return false;
    for (const std::size_t t : takes) note(asked, row, t, done_.at(run_of(asked, row, seed, t)));
    return true;
  }

  void note(const Asked& asked, const std::string& row, std::size_t take, const Measured& measured) {
    // Rigs of one pack do not count twice where they only say what measures are good for.
    const std::string& body = asked.group == Group::kTaught ? asked.body.family : asked.body.path;
    entries_.push_back(
        {row, body, asked.body.kind, asked.group, asked.gait.action + "/" + asked.gait.takes[take].clip, measured});
    std::string numbers;
    for (std::size_t m = 0; m < kMeasureCount; ++m) {
      if (std::isfinite(measured[m])) numbers += fmt::format(", {} {:.3f}", kMeasures[m].name, measured[m]);
    }
    spdlog::info("{}: {}: {}{}", asked.body.path, asked.gait.action, row, numbers);
  }

  /// Arms that hold something say nothing of how arms are carried.
  enum class Arms { kFree, kBusy };

  Status enter(const Asked& asked, const std::string& row, std::uint64_t seed, const kinematics::Motion& motion,
               std::optional<std::size_t> take, Arms arms = Arms::kFree) {
    if (enter_kept(asked, row, seed, take)) return Done{};
    Described described = asked.reference.describe(motion);
    if (arms == Arms::kBusy) described.arms.reset();
    for (const std::size_t t : takes_of(asked, take)) {
      const Measured measured = asked.reference.measure(described, t);
      note(asked, row, t, measured);
      nlohmann::json line;
      for (std::size_t m = 0; m < kMeasureCount; ++m) line[kMeasures[m].name] = measured[m];
      LIMBER_CHECK_OK(kept_.append(run_of(asked, row, seed, t), line));
    }
    return Done{};
  }

  /// One motion, before and after it was put on the ground. A body that this way cannot move has no row.
  template <class Draw>
  Status make(const Asked& asked, const std::string& row, std::uint64_t seed, std::optional<std::size_t> take,
              const Draw& draw) {
    const std::size_t before = entries_.size();
    if (enter_kept(asked, row, seed, take) && enter_kept(asked, grounded(row), seed, take)) return Done{};
    entries_.resize(before);
    const Result<MadeMotion> made = draw();
    if (!made.ok()) {
      spdlog::warn("{}: {}: {}: {}", asked.body.path, asked.gait.action, row, made.error().message());
      return Done{};
    }
    LIMBER_CHECK_OK(enter(asked, row, seed, kinematics::resampled(made->lifted, kComparedRate), take));
    return enter(asked, grounded(row), seed, compared(made->motion), take);
  }

  const Ways& ways_;
  KeptLines kept_;
  std::map<std::string, Measured> done_;
  std::map<std::string, double> chances_;
  std::vector<Entry> entries_;
};

Status check_names(const std::string& drawn_by) {
  for (std::string_view rest = drawn_by; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find(',')));
    if (!holds_name(kDrawnBy, name)) return Error{fmt::format("\"{}\" draws nothing", name), "drawn-by"};
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return Done{};
}

/// Reads the bodies of a list and runs them; those that cannot be are left out. Returns how many were tried.
int add_list(const animate::Models& models, const fs::path& split, const std::string& list, Stages& stages) {
  const std::vector<std::string> seen = split_list(split, "template_seen"), paths = split_list(split, list);
  for (const std::string& path : paths) {
    const bool template_seen = std::find(seen.begin(), seen.end(), path) != seen.end();
    const Result<ArtistBody> body = read_artist_body(split.parent_path(), path, models, Takes::kPlain);
    const Status added =
        body.ok() ? stages.add(*body, template_seen ? Group::kTemplateSeen : Group::kTested) : Status(body.error());
    if (!added.ok()) spdlog::warn("{} is left out: {}", path, added.error().message());
  }
  return static_cast<int>(paths.size());
}

/// Floors and ceilings of rigs that networks were taught with, and of people, that have two takes of a gait.
Status add_taught(const animate::Models& models, const fs::path& split, Stages& stages) {
  for (const std::string& path : split_list(split, "train")) {
    const Result<ArtistBody> body = read_artist_body(split.parent_path(), path, models, Takes::kAll);
    if (body.ok()) LIMBER_CHECK_OK(stages.add(*body, Group::kTaught));  // others have no gait
  }
  for (const ArtistBody& person : read_recorded_people(split.parent_path() / "mocap", models)) {
    LIMBER_CHECK_OK(stages.add(person, Group::kTaught));
  }
  return Done{};
}

void add_chance_row(const std::map<std::string, double>& chances, Report& report) {
  double sum = 0;
  for (const auto& [path, chance] : chances) sum += chance;
  if (chances.empty()) return;
  report.rows.push_back({fmt::format("stages/chance/{}", kMeasures[kMistaken].name),
                         sum / static_cast<double>(chances.size()), kMeasures[kMistaken].unit, "",
                         fmt::format("{} bodies", chances.size())});
}

}  // namespace

Status add_stage_rows(const animate::Models& models, const StageSettings& settings, const animate::Request& draft,
                      Report& report) {
  LIMBER_CHECK_OK(check_names(settings.drawn_by));
  LIMBER_TRY(const std::shared_ptr<prior::VideoPrior> prior, models.open_prior());
  const Result<JointModel> joints = open_joint_model(settings.motions);
  if (!joints.ok() && !settings.motions.empty()) return joints.error();
  LIMBER_TRY(const std::optional<motion_space::MotionJudge> judge, open_judge(motion_space::JudgeSeat::kReporting));
  LIMBER_TRY(const std::optional<motion_space::MotionJudge> choosing, open_judge(motion_space::JudgeSeat::kChoosing));
  const Ways ways{settings,
                  draft,
                  *prior,
                  joints.ok() ? &*joints : nullptr,
                  judge ? &*judge : nullptr,
                  choosing ? &*choosing : nullptr};
  if (!joints.ok() && ways.wants("joints")) {
    report.rows.push_back({fmt::format("stages/{}/left out", kByJoints), 0, "", "", joints.error().message()});
  }
  Stages stages(ways);
  int tried = 0;
  for (const char* list : {"test", "test_more"}) tried += add_list(models, settings.split, list, stages);
  if (tried == 0) {
    report.rows.push_back({"stages/left out", 0, "", "", settings.split.string() + " is not there or lists none"});
    return Done{};
  }
  if (settings.taught) LIMBER_CHECK_OK(add_taught(models, settings.split, stages));
  add_chance_row(stages.chances(), report);
  add_stage_tables(stages.entries(),
                   {kAnotherTake, kResampled, kLifted, grounded(kLifted), leaning(kLifted), grounded(leaning(kLifted)),
                    kSampled, grounded(kSampled), leaning(kSampled), grounded(leaning(kSampled)), kByRule,
                    grounded(kByRule), kByJoints, grounded(kByJoints), kAnotherAction, kStill},
                   {grounded(kSampled), grounded(leaning(kSampled)), grounded(kByRule), grounded(kByJoints)},
                   {{grounded(kByJoints), grounded(kSampled)},
                    {grounded(leaning(kSampled)), grounded(kSampled)},
                    {leaning(kLifted), kLifted},
                    {grounded(kByJoints), grounded(kByRule)},
                    {grounded(kByRule), grounded(kSampled)}},
                   report);
  return Done{};
}

}  // namespace limber::bench
