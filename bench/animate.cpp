// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench.h"
#include "limber/animate/animate_subject.h"
#include "limber/animate/models.h"
#include "limber/kinematics/playing.h"
#include "limber/training/clip_names.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/lift/leading_joints.h"
#include "limber/zoo/action.h"

namespace limber::cli {
namespace {

namespace fs = std::filesystem;

/// Creatures from here on were in no training.
constexpr std::uint64_t kUnseen = 970000;
constexpr double kFramesPerCycle = 8;  // at least, as in training

/// A prior that knows nothing: what its samples lead to is what the rest of the ladder makes up.
class NoisePrior final : public prior::VideoPrior {
 public:
  explicit NoisePrior(const prior::PriorInfo& info) : info_(info) {}
  const prior::PriorInfo& info() const override { return info_; }
  Result<prior::Condition> condition(const prior::Prompt& prompt, const Frames* rest) override {
    prior::Condition condition;
    condition.prompt = prompt;
    if (rest != nullptr) condition.rest = *rest;
    return condition;
  }
  Result<prior::ScoreReport> score(const Frames& frames, const prior::Condition&, const prior::ScoreSettings& settings,
                                   Frames& grad_frames) override {
    grad_frames = frames;
    const std::vector<float> noise =
        prior::normal_noise(frames.values.size(), settings.seed, static_cast<std::uint64_t>(settings.iteration), 0);
    std::copy(noise.begin(), noise.end(), grad_frames.values.begin());
    return prior::ScoreReport{};
  }
  Result<Frames> sample(const prior::Condition& condition, const prior::SampleSettings& settings) override {
    // The body at rest under as much noise: what can be followed in it is chance.
    Frames frames(info_.views, info_.native.frames, info_.native.height, info_.native.width);
    const std::vector<float> noise = prior::normal_noise(frames.values.size(), settings.seed, 0, 0);
    const std::size_t image = 3 * static_cast<std::size_t>(frames.height) * static_cast<std::size_t>(frames.width);
    for (std::size_t i = 0; i < frames.values.size(); ++i) {
      const std::size_t view = i / (image * static_cast<std::size_t>(frames.frames));
      const float rest = condition.rest ? condition.rest->values[view * image + i % image] : 0.5f;
      frames.values[i] = std::clamp(0.5f * rest + 0.25f + 0.25f * noise[i], 0.0f, 1.0f);
    }
    return frames;
  }

 private:
  prior::PriorInfo info_;
};

// --- creatures of the zoo --------------------------------------------------------------------------------------------

std::vector<zoo::Action> cyclic_actions(zoo::Plan plan) {
  std::vector<zoo::Action> actions;
  for (const zoo::Action action : zoo::actions(plan)) {
    if (zoo::is_cyclic(action)) actions.push_back(action);
  }
  return actions;
}

/// The zoo's own performance, as slow as it was taught.
Result<kinematics::Motion> true_motion(const zoo::Creature& creature, zoo::Action action, std::uint64_t seed,
                                       double style) {
  zoo::ActionSettings settings;
  settings.action = action, settings.seed = seed, settings.fps = 12, settings.frames = 24, settings.style = style;
  LIMBER_TRY(zoo::Performance performance, zoo::perform(creature, settings));
  const double most = std::floor(settings.frames / kFramesPerCycle);
  if (performance.cycles > most) {
    settings.speed = std::max(0.25, (most + 0.2) / performance.cycles);
    LIMBER_TRY(performance, zoo::perform(creature, settings));
  }
  return std::move(performance.motion);
}

/// Feet where there are legs and they bear the action, else all ends of the body.
std::vector<metrics::LimbEnd> ends_of(const zoo::Creature& creature, zoo::Action action) {
  std::vector<metrics::LimbEnd> ends;
  const bool flies = action == zoo::Action::kFly || action == zoo::Action::kGlide;
  if (!flies) {
    for (const zoo::Leg& leg : creature.legs) ends.push_back({leg.joints.back(), leg.tip});
  }
  return ends.empty() ? metrics::limb_ends(creature.subject) : ends;
}

struct Outcome {
  std::string name;
  double phase_error = 0, movement = 0, true_movement = 0, amplitude = 0;
  double skate = 0, penetration = 0, jerk = 0, seconds = 0, residual = 0;
  bool recognised = false, moves = true;
  std::string taken_for;
};

/// Largest departure of a joint's angles from their mean, in radians, mean over joints that lead parts.
double mean_amplitude(const rig::Subject& subject, const kinematics::Motion& motion) {
  const std::vector<bool> leads = lift::leading_joints(subject);
  double sum = 0, count = 0;
  for (int j = 1; j < motion.joint_count; ++j) {
    if (!leads[static_cast<std::size_t>(j)]) continue;
    Vec3 mean;
    for (int f = 0; f < motion.frame_count(); ++f) mean += motion.frame_angles(f)[static_cast<std::size_t>(j)];
    mean = (1.0f / static_cast<float>(std::max(motion.frame_count(), 1))) * mean;
    double squares = 0;
    for (int f = 0; f < motion.frame_count(); ++f) {
      squares += squared_norm(motion.frame_angles(f)[static_cast<std::size_t>(j)] - mean);
    }
    sum += std::sqrt(squares / std::max(motion.frame_count(), 1)), count += 1;
  }
  return count > 0 ? sum / count : 0;
}

/// The action of the plan whose performances by this very creature are nearest.
Result<std::string> recognise(const zoo::Creature& creature, const kinematics::Motion& motion) {
  const std::vector<metrics::LimbEnd> ends = metrics::limb_ends(creature.subject);
  const metrics::Gait gait = metrics::find_gait(creature.subject.rig, motion, ends);
  std::string nearest;
  double least = 1e300;
  for (const zoo::Action action : cyclic_actions(creature.plan)) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      LIMBER_TRY(const kinematics::Motion reference, true_motion(creature, action, seed, seed == 0 ? 0.0 : 0.7));
      const double distance = metrics::gait_distance(gait, metrics::find_gait(creature.subject.rig, reference, ends));
      if (distance < least) least = distance, nearest = zoo::name(action);
    }
  }
  return nearest;
}

Result<Outcome> try_creature(prior::VideoPrior& model, zoo::Plan plan, std::uint64_t seed, zoo::Action judged,
                             zoo::Action asked, animate::Request settings) {
  zoo::CreatureSettings making;
  making.plan = plan, making.seed = seed;
  LIMBER_TRY(const zoo::Creature creature, zoo::make_creature(making));
  settings.prompt = fmt::format("a {} {}s", zoo::name(plan), zoo::name(asked));
  settings.seed = seed;
  const auto start = std::chrono::steady_clock::now();
  LIMBER_TRY(const animate::Animation animation, animate::follow_prompt(creature.subject, nullptr, model, settings));
  Outcome outcome;
  outcome.name = fmt::format("{} {} {}", zoo::name(plan), seed - kUnseen, zoo::name(judged));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.residual = animation.candidates.empty() ? 0 : animation.candidates.front().lifted.fit.residual;
  LIMBER_TRY(const kinematics::Motion truth, true_motion(creature, judged, 0, 0));
  const std::vector<metrics::LimbEnd> ends = ends_of(creature, judged);
  const metrics::Gait gait = metrics::find_gait(creature.subject.rig, animation.motion, ends);
  const metrics::Gait reference = metrics::find_gait(creature.subject.rig, truth, ends);
  outcome.phase_error = metrics::phase_error(gait, reference);
  outcome.movement = gait.movement, outcome.true_movement = reference.movement;
  outcome.amplitude = mean_amplitude(creature.subject, animation.motion);
  outcome.skate = animation.metrics.skate, outcome.penetration = animation.metrics.penetration;
  outcome.jerk = animation.metrics.mean_jerk;
  LIMBER_TRY(outcome.taken_for, recognise(creature, animation.motion));
  outcome.recognised = outcome.taken_for == zoo::name(judged);
  spdlog::info(
      "{}: phase error {:.3f}, taken for {}, movement {:.3f} of {:.3f}, skate {:.1f} %/s, penetration {:.1f} %, "
      "residual {:.3f}, {:.0f} s",
      outcome.name, outcome.phase_error, outcome.taken_for, outcome.movement, outcome.true_movement,
      100 * outcome.skate, 100 * outcome.penetration, outcome.residual, outcome.seconds);
  return outcome;
}

/// Means over several outcomes.
struct Summary {
  double phase_error = 0, recognised = 0, movement = 0, skate = 0, penetration = 0, jerk = 0, seconds = 0;
  int count = 0, failed = 0;
  void add(const Outcome& o) {
    phase_error += o.phase_error, recognised += o.recognised ? 1 : 0, skate += o.skate, penetration += o.penetration;
    movement += o.true_movement > 0 ? o.movement / o.true_movement : 1;
    jerk += o.jerk, seconds += o.seconds, ++count;
  }
  double mean(double sum) const { return count > 0 ? sum / count : 0; }
};

void add_rows(BenchReport& report, const std::string& what, const Summary& s, bool must_hold) {
  const std::string of = fmt::format("{} runs{}", s.count, s.failed > 0 ? fmt::format(", {} failed", s.failed) : "");
  report.rows.push_back({what + "/phase error", s.mean(s.phase_error), "cycle", must_hold ? "<= 0.06" : "> 0.10", of});
  report.rows.push_back({what + "/recognised", 100 * s.mean(s.recognised), "%", must_hold ? ">= 90" : "< 80", ""});
  report.rows.push_back({what + "/movement against the truth", 100 * s.mean(s.movement), "%", "", ""});
  if (!must_hold) return;
  report.rows.push_back({what + "/skate", 100 * s.mean(s.skate), "% height/s", "<= 6", ""});
  report.rows.push_back({what + "/penetration", 100 * s.mean(s.penetration), "% height", "<= 1", ""});
  report.rows.push_back({what + "/time", s.mean(s.seconds), "s", "", ""});
}

struct Trial {
  zoo::Plan plan;
  std::uint64_t seed;
  zoo::Action action, other;
};

/// Plans in turn, and for each its cyclic actions in turn; idle apart.
std::vector<Trial> make_trials(int count) {
  std::vector<Trial> trials;
  std::array<std::size_t, zoo::kPlanCount> next{};
  for (int i = 0; i < count; ++i) {
    const auto plan = static_cast<zoo::Plan>(i % zoo::kPlanCount);
    std::vector<zoo::Action> actions = cyclic_actions(plan);
    actions.erase(std::remove(actions.begin(), actions.end(), zoo::Action::kIdle), actions.end());
    std::size_t& at = next[static_cast<std::size_t>(plan)];
    const zoo::Action action = actions[at % actions.size()];
    // Another one of the plan's, idle where it has no other.
    const zoo::Action other =
        actions.size() > 1 ? actions[(at + actions.size() / 2) % actions.size()] : zoo::Action::kIdle;
    trials.push_back(
        {plan, kUnseen + static_cast<std::uint64_t>(i), action, other == action ? zoo::Action::kIdle : other});
    ++at;
  }
  return trials;
}

Summary run_trials(prior::VideoPrior& model, const std::vector<Trial>& trials, const animate::Request& settings,
                   bool other_prompt) {
  Summary summary;
  for (const Trial& trial : trials) {
    const Result<Outcome> outcome =
        try_creature(model, trial.plan, trial.seed, trial.action, other_prompt ? trial.other : trial.action, settings);
    if (outcome.ok()) {
      summary.add(*outcome);
    } else {
      ++summary.failed;
      spdlog::error("{} {}: {}", zoo::name(trial.plan), trial.seed, outcome.error().message());
    }
  }
  return summary;
}

void add_idle_row(BenchReport& report, prior::VideoPrior& model, const animate::Request& settings) {
  double largest = 0, sum = 0;
  int count = 0;
  for (int i = 0; i < zoo::kPlanCount; ++i) {
    const auto plan = static_cast<zoo::Plan>(i);
    const std::vector<zoo::Action> actions = zoo::actions(plan);
    if (std::find(actions.begin(), actions.end(), zoo::Action::kIdle) == actions.end()) continue;
    const Result<Outcome> outcome = try_creature(model, plan, kUnseen + 500 + static_cast<std::uint64_t>(i),
                                                 zoo::Action::kIdle, zoo::Action::kIdle, settings);
    if (!outcome.ok()) continue;
    largest = std::max(largest, outcome->amplitude), sum += outcome->amplitude, ++count;
  }
  report.rows.push_back({"idle/amplitude of a joint", count > 0 ? sum / count : 0, "rad", "<= 0.05",
                         fmt::format("{} creatures, largest {:.3f}", count, largest)});
}

/// Three seeds of one prompt: how far apart the motions are, beside how far each is from the truth.
void add_seed_row(BenchReport& report, prior::VideoPrior& model, animate::Request settings) {
  zoo::CreatureSettings making;
  making.plan = zoo::Plan::kQuadruped, making.seed = kUnseen + 600;
  const Result<zoo::Creature> creature = zoo::make_creature(making);
  if (!creature.ok()) return;
  const std::vector<metrics::LimbEnd> ends = ends_of(*creature, zoo::Action::kTrot);
  const Result<kinematics::Motion> truth = true_motion(*creature, zoo::Action::kTrot, 0, 0);
  if (!truth.ok()) return;
  const metrics::Gait reference = metrics::find_gait(creature->subject.rig, *truth, ends);
  std::vector<metrics::Gait> gaits;
  double worst = 0, nearest = 1e9;
  settings.prompt = "a dog trots";
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    settings.seed = seed;
    const Result<animate::Animation> animation = animate::follow_prompt(creature->subject, nullptr, model, settings);
    if (!animation.ok()) return;
    gaits.push_back(metrics::find_gait(creature->subject.rig, animation->motion, ends));
    worst = std::max(worst, metrics::phase_error(gaits.back(), reference));
  }
  for (std::size_t i = 0; i < gaits.size(); ++i) {
    for (std::size_t j = i + 1; j < gaits.size(); ++j) {
      nearest = std::min(nearest, metrics::gait_distance(gaits[i], gaits[j]));
    }
  }
  report.rows.push_back(
      {"three seeds/least distance of two", 100 * nearest, "% height", "", "clearly different motions"});
  report.rows.push_back({"three seeds/worst phase error", worst, "cycle", "<= 0.10", ""});
}

// --- artists' rigs ---------------------------------------------------------------------------------------------------

/// The artist's clip of a gait, and what to ask for to get such a one.
struct ArtistsClip {
  const asset::Clip* clip = nullptr;
  std::string action;
};

ArtistsClip find_artists_clip(const asset::Asset& asset, zoo::Plan plan) {
  for (const char* wanted : {"walk", "run", "gallop", "fly", "swim", "crawl", "slither"}) {
    for (const asset::Clip& clip : asset.clips) {
      const training::ClipMeaning meaning = training::clip_meaning(clip.name, plan);
      if (std::find(meaning.actions.begin(), meaning.actions.end(), wanted) != meaning.actions.end()) {
        return {&clip, wanted};
      }
    }
  }
  return {};
}

void add_rig_rows(BenchReport& report, prior::VideoPrior& model, const fs::path& split,
                  animate::Request settings) {
  std::ifstream file(split);
  if (!file) {
    report.rows.push_back({"artists' rigs/left out", 0, "", "", split.string() + " is not there"});
    return;
  }
  const nlohmann::json lists = nlohmann::json::parse(file, nullptr, false);
  double phases = 0, movement = 0, skate = 0, penetration = 0;
  int judged = 0, done = 0, failed = 0;
  for (const auto& entry : lists.value("test", nlohmann::json::array())) {
    const auto path = entry.get<std::string>();
    const training::BodyMeaning body = training::body_meaning(path);
    const Result<asset::Asset> asset = asset::read_asset(split.parent_path() / path);
    const Result<rig::Subject> subject =
        asset.ok() ? rig::subject_from_asset(*asset) : Result<rig::Subject>(asset.error());
    if (!subject.ok()) {
      ++failed;
      spdlog::error("{}: {}", path, subject.error().message());
      continue;
    }
    const ArtistsClip theirs = find_artists_clip(*asset, body.plan);
    settings.prompt = fmt::format("a {} {}s", body.noun, theirs.clip != nullptr ? theirs.action : "walk");
    const Result<animate::Animation> animation = animate::follow_prompt(*subject, &*asset, model, settings);
    if (!animation.ok()) {
      ++failed;
      spdlog::error("{}: {}", path, animation.error().message());
      continue;
    }
    ++done, skate += animation->metrics.skate, penetration += animation->metrics.penetration;
    if (theirs.clip == nullptr) continue;
    const Result<kinematics::Motion> truth = kinematics::motion_from_clip(*asset, *theirs.clip, *subject, 30);
    if (!truth.ok()) continue;
    kinematics::Playing playing;
    playing.fps = 30, playing.frames = 60, playing.repeat = truth->loops;
    const std::vector<metrics::LimbEnd> ends = metrics::limb_ends(*subject);
    const metrics::Gait gait = metrics::find_gait(subject->rig, animation->motion, ends);
    const metrics::Gait reference = metrics::find_gait(subject->rig, kinematics::play(*truth, playing), ends);
    const double error = metrics::phase_error(gait, reference);
    phases += error, movement += gait.movement / std::max(reference.movement, 1e-6), ++judged;
    spdlog::info(
        "{}: '{}' against {}: phase error {:.3f}, movement {:.3f} of {:.3f}, skate {:.1f} %/s, penetration {:.1f} %",
        path, settings.prompt, theirs.clip->name, error, gait.movement, reference.movement,
        100 * animation->metrics.skate, 100 * animation->metrics.penetration);
  }
  report.rows.push_back(
      {"artists' rigs/animated", static_cast<double>(done), "rigs", "", fmt::format("{} failed", failed)});
  report.rows.push_back({"artists' rigs/phase error to their clips", judged > 0 ? phases / judged : 0, "cycle",
                         "<= 0.12", fmt::format("{} clips", judged)});
  report.rows.push_back(
      {"artists' rigs/movement against theirs", judged > 0 ? 100 * movement / judged : 0, "%", "50-150", ""});
  report.rows.push_back({"artists' rigs/skate", done > 0 ? 100 * skate / done : 0, "% height/s", "<= 6", ""});
  report.rows.push_back({"artists' rigs/penetration", done > 0 ? 100 * penetration / done : 0, "% height", "<= 1", ""});
}

/// AKD's terms left out one by one, at `standard` without physics, so that they show.
void add_ablation_rows(BenchReport& report, prior::VideoPrior& model, const std::vector<Trial>& trials) {
  animate::Request full;
  full.quality = animate::Quality::kStandard, full.sampling.candidates = 1, full.sampling.redraws = 0;
  full.finishing.ground = animate::Ground::kNone;
  animate::Request no_ground = full, no_ground_loss = full, no_smooth = full;
  no_ground.distilling.draw_ground = false, no_ground_loss.distilling.ground_weight = 0;
  no_smooth.distilling.smooth_weight = 0;
  for (const auto& [name, settings] : {std::pair{"all terms", full}, std::pair{"no ground drawn", no_ground},
                                       std::pair{"no L_ground", no_ground_loss}, std::pair{"no L_smooth", no_smooth}}) {
    const Summary s = run_trials(model, trials, settings, false);
    const std::string what = std::string("ablation/") + name;
    report.rows.push_back({what + "/phase error", s.mean(s.phase_error), "cycle", "", fmt::format("{} runs", s.count)});
    report.rows.push_back({what + "/penetration", 100 * s.mean(s.penetration), "% height", "", ""});
    report.rows.push_back({what + "/jerk", s.mean(s.jerk), "rad/s^3", "", ""});
  }
}

}  // namespace

BenchReport bench_animate(const BenchSettings& settings) {
  BenchReport report{"animate: from prompt to motion", {}};
  const AnimateBenchSettings& bench = settings.animate;
  std::string folder = bench.prior;
  if (folder.empty()) {
    const Result<fs::path> found = animate::find_builtin_prior();
    if (!found.ok()) return {found.error().message(), {}};
    folder = found->string();
  }
  Result<std::unique_ptr<prior::VideoPrior>> loaded = prior::load_prior(folder);
  if (!loaded.ok()) return {loaded.error().message(), {}};
  prior::VideoPrior& model = **loaded;
  animate::Request draft;
  draft.quality = animate::Quality::kDraft, draft.sampling.candidates = bench.candidates, draft.sampling.redraws = 0;

  const std::vector<Trial> trials = make_trials(bench.creatures);
  const std::vector<Trial> few(trials.begin(),
                               trials.begin() + std::min<std::ptrdiff_t>(bench.few, std::ssize(trials)));
  const auto wants = [&](const char* part) { return bench.parts.find(part) != std::string::npos; };
  if (wants("zoo")) add_rows(report, "unseen creatures", run_trials(model, trials, draft, false), true);
  if (wants("idle")) add_idle_row(report, model, draft);
  if (wants("seeds")) add_seed_row(report, model, draft);
  if (wants("causality")) {
    add_rows(report, "another prompt", run_trials(model, few, draft, true), false);
    NoisePrior noise(model.info());
    add_rows(report, "noise for a prior", run_trials(noise, few, draft, false), false);
  }
  if (wants("rigs")) add_rig_rows(report, model, bench.split, draft);
  if (wants("ablation")) add_ablation_rows(report, model, few);
  return report;
}

}  // namespace limber::cli
