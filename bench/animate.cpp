// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "bench/artists_clip.h"
#include "bench/bench.h"
#include "bench/creature_trial.h"
#include "bench/few_steps.h"
#include "bench/held_out.h"
#include "bench/methods.h"
#include "bench/split.h"
#include "bench/stages.h"
#include "bench/turned_motions.h"
#include "cli/torch_commands.h"
#include "limber/actions/catalogue.h"
#include "limber/animate/animate_asset.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/close_loop.h"
#include "limber/kinematics/playing.h"
#include "limber/training/clip_names.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

struct AnimateSettings : CommonSettings {
  std::string prior;  ///< empty: the built-in one
  std::string device = "auto";
  std::string split = "../shared/split.json";
  std::string characters;  ///< what `train bake` wrote; may be empty
  std::string groups, quality = "draft";
  int creatures = 40, few = 8, candidates = 1;
  int seeds = 8;
  std::string drawn_by, motions;
  bool taught = false;
  std::optional<int> steps;
  std::optional<double> guidance;
  MethodSettings methods;
  AnimateSettings() { seed = kUnseen; }  // of the first creature
};

/// A prior that knows nothing: what its samples lead to is what the rest of the ladder makes up.
class NoisePrior final : public prior::VideoPrior {
 public:
  explicit NoisePrior(const prior::PriorInfo& info) : info_(info) {}
  const prior::PriorInfo& info() const override { return info_; }
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

/// Means over several outcomes.
struct Summary {
  double phase_error = 0, recognised = 0, movement = 0, skate = 0, penetration = 0, jerk = 0, seconds = 0;
  double phase_squares = 0;
  int count = 0, failed = 0;
  void add(const Outcome& o) {
    phase_squares += o.phase_error * o.phase_error, phase_error += o.phase_error, recognised += o.recognised ? 1 : 0,
        skate += o.skate, penetration += o.penetration;
    movement += o.true_movement > 0 ? o.movement / o.true_movement : 1;
    jerk += o.jerk, seconds += o.seconds, ++count;
  }
  double mean(double sum) const { return count > 0 ? sum / count : 0; }
  /// Standard error of a mean, of what has these squares.
  double error(double sum, double squares) const {
    return count > 1 ? std::sqrt(std::max(mean(squares) - mean(sum) * mean(sum), 0.0) / (count - 1)) : 0;
  }
};

/// Whether the motion should be what it is judged as: with the right prompt and prior it should, else it should not.
enum class Expect { kRight, kWrong };

void add_rows(Report& report, const std::string& what, const Summary& s, Expect expect) {
  const bool right = expect == Expect::kRight;
  const std::string of = fmt::format("{} runs{}", s.count, s.failed > 0 ? fmt::format(", {} failed", s.failed) : "");
  report.rows.push_back({what + "/phase error", s.mean(s.phase_error), "cycle", right ? "<= 0.06" : "> 0.10",
                         fmt::format("{}, standard error {:.4f}", of, s.error(s.phase_error, s.phase_squares))});
  report.rows.push_back({what + "/recognised", 100 * s.mean(s.recognised), "%", right ? ">= 90" : "< 80",
                         fmt::format("standard error {:.1f}", 100 * s.error(s.recognised, s.recognised))});
  report.rows.push_back({what + "/movement against the truth", 100 * s.mean(s.movement), "%", "", ""});
  if (!right) return;
  report.rows.push_back({what + "/skate", 100 * s.mean(s.skate), "% height/s", "<= 6", ""});
  report.rows.push_back({what + "/penetration", 100 * s.mean(s.penetration), "% height", "<= 1", ""});
  report.rows.push_back({what + "/time", s.mean(s.seconds), "s", "", ""});
}

/// What the prompt asks for.
enum class Prompt { kJudged, kAnother };

/// Plans in turn, and for each its cyclic actions in turn; idle apart.
std::vector<Trial> make_trials(std::uint64_t first, int count, Prompt prompt) {
  std::vector<Trial> trials;
  std::array<std::size_t, zoo::kPlanCount> next{};
  for (int i = 0; i < count; ++i) {
    const auto plan = static_cast<zoo::Plan>(i % zoo::kPlanCount);
    std::vector<zoo::Action> actions = cyclic_actions(plan);
    actions.erase(std::remove(actions.begin(), actions.end(), zoo::Action::kIdle), actions.end());
    std::size_t& at = next[static_cast<std::size_t>(plan)];
    const zoo::Action action = actions[at % actions.size()];
    Trial trial{plan, first + static_cast<std::uint64_t>(i), action, action};
    if (prompt == Prompt::kAnother) {
      // Idle where the plan has no other.
      const zoo::Action other = actions[(at + actions.size() / 2) % actions.size()];
      trial.asked = other == action ? zoo::Action::kIdle : other;
    }
    trials.push_back(trial);
    ++at;
  }
  return trials;
}

/// Random bodies of the grammar, each with one of the cyclic things that its limbs can do.
Result<std::vector<Trial>> make_body_trials(std::uint64_t first, int count) {
  std::vector<Trial> trials;
  for (int i = 0; i < count; ++i) {
    Trial trial{std::nullopt, first + static_cast<std::uint64_t>(i), zoo::Action::kIdle, zoo::Action::kIdle};
    LIMBER_TRY(const zoo::Creature creature, creature_of(trial));
    std::vector<zoo::Action> actions = cyclic_actions(creature);
    actions.erase(std::remove(actions.begin(), actions.end(), zoo::Action::kIdle), actions.end());
    if (actions.empty()) continue;  // a lamp without limbs
    trial.judged = trial.asked = actions[static_cast<std::size_t>(i) % actions.size()];
    trials.push_back(trial);
  }
  return trials;
}

Summary run_trials(prior::VideoPrior& model, const std::vector<Trial>& trials, const animate::Request& settings) {
  Summary summary;
  for (const Trial& trial : trials) {
    const Result<Outcome> outcome = try_creature(model, trial, settings);
    if (outcome.ok()) {
      summary.add(*outcome);
    } else {
      ++summary.failed;
      spdlog::error("{} {}: {}", kind_of(trial), trial.seed, outcome.error().message());
    }
  }
  return summary;
}

void add_idle_row(Report& report, prior::VideoPrior& model, std::uint64_t first, const animate::Request& settings) {
  double largest = 0, sum = 0;
  int count = 0;
  for (int i = 0; i < zoo::kPlanCount; ++i) {
    const auto plan = static_cast<zoo::Plan>(i);
    const std::vector<zoo::Action> actions = zoo::actions(plan);
    if (std::find(actions.begin(), actions.end(), zoo::Action::kIdle) == actions.end()) continue;
    const Result<Outcome> outcome = try_creature(
        model, {plan, first + 500 + static_cast<std::uint64_t>(i), zoo::Action::kIdle, zoo::Action::kIdle}, settings);
    if (!outcome.ok()) continue;
    largest = std::max(largest, outcome->amplitude), sum += outcome->amplitude, ++count;
  }
  report.rows.push_back({"idle/amplitude of a joint", count > 0 ? sum / count : 0, "rad", "<= 0.05",
                         fmt::format("{} creatures, largest {:.3f}", count, largest)});
}

/// Three seeds of one prompt: how far apart the motions are, beside how far each is from the truth.
void add_seed_row(Report& report, prior::VideoPrior& model, std::uint64_t first, animate::Request settings) {
  zoo::CreatureSettings making;
  making.plan = zoo::Plan::kQuadruped, making.seed = first + 600;
  const Result<zoo::Creature> creature = zoo::make_creature(making);
  if (!creature.ok()) return;
  const std::vector<metrics::LimbEnd> ends = ends_of(*creature, zoo::Action::kTrot);
  const Result<kinematics::Motion> truth = true_motion(*creature, zoo::Action::kTrot);
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

/// One rig, moved as a person would have it moved, beside its artist's clip of the same action.
struct RigOutcome {
  double skate = 0, penetration = 0;
  std::optional<double> phase_error, movement;  ///< against the artist's, where there is such a clip
};

Result<RigOutcome> try_rig(const fs::path& folder, const std::string& path, const animate::Models& models,
                           animate::Request request) {
  const training::BodyMeaning body = training::body_meaning(path);
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(folder / path));
  const ArtistsClip theirs = find_artists_clip(asset, body.plan);
  request.prompt = actions::sentence(training::plain_noun(body.noun, body.plan),
                                     *actions::built_in().find(theirs.clip != nullptr ? theirs.action : "walk"));
  LIMBER_TRY(const animate::AnimatedAsset animated, animate::animate_asset(asset, models, request));
  const animate::Animation& animation = animated.animation;
  RigOutcome outcome{animation.metrics.skate, animation.metrics.penetration, {}, {}};
  if (theirs.clip == nullptr) return outcome;
  // At a rate at which most clips are a whole number of frames, so that loops are known.
  Result<kinematics::Motion> truth = kinematics::motion_from_clip(asset, *theirs.clip, animated.subject, 60);
  if (!truth.ok()) return outcome;
  kinematics::close_loop(*truth);
  kinematics::Playing playing;
  playing.fps = 30, playing.frames = 60, playing.repeat = truth->loops;
  const rig::Rig& rig = animated.subject.rig;
  const std::vector<metrics::LimbEnd> ends = metrics::limb_ends(animated.subject);
  const metrics::Gait gait = metrics::find_gait(rig, animation.motion, ends);
  const metrics::Gait reference = metrics::find_gait(rig, kinematics::play(*truth, playing), ends);
  outcome.phase_error = metrics::phase_error(gait, reference);
  outcome.movement = gait.movement / std::max(reference.movement, 1e-6);
  spdlog::info(
      "{}: '{}' against {}: phase error {:.3f}, movement {:.3f} of {:.3f}, skate {:.1f} %/s, penetration {:.1f} %",
      path, request.prompt, theirs.clip->name, *outcome.phase_error, gait.movement, reference.movement,
      100 * outcome.skate, 100 * outcome.penetration);
  return outcome;
}

void add_rig_rows(Report& report, const animate::Models& models, const fs::path& split,
                  const animate::Request& request) {
  const std::vector<std::string> paths = split_list(split, "test");
  if (paths.empty()) {
    report.rows.push_back({"artists' rigs/left out", 0, "", "", split.string() + " is not there or lists none"});
    return;
  }
  double phases = 0, movement = 0, skate = 0, penetration = 0;
  int judged = 0, done = 0, failed = 0;
  for (const std::string& path : paths) {
    const Result<RigOutcome> outcome = try_rig(split.parent_path(), path, models, request);
    if (!outcome.ok()) {
      ++failed;
      spdlog::error("{}: {}", path, outcome.error().message());
      continue;
    }
    ++done, skate += outcome->skate, penetration += outcome->penetration;
    if (outcome->phase_error) phases += *outcome->phase_error, movement += *outcome->movement, ++judged;
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

Result<Report> bench_animate(const AnimateSettings& settings) {
  Report report{"animate: from prompt to motion", {}};
  animate::ModelSettings found;
  found.loading.device = settings.device, found.prior = settings.prior;
  if (settings.prior.empty()) {
    LIMBER_TRY(found.prior, animate::find_builtin_prior());
  }
  LIMBER_CHECK_OK(cli::hand_over_prior(*found.prior, found.loading));
  const animate::Models models = animate::find_models(found);
  LIMBER_TRY(const std::shared_ptr<prior::VideoPrior> loaded, models.open_prior());
  prior::VideoPrior& model = *loaded;
  animate::Request draft;
  draft.quality = animate::quality_named(settings.quality).value();
  if (settings.candidates > 0) draft.sampling.candidates = settings.candidates, draft.study.redraws = 0;
  draft.sampling.steps = settings.steps, draft.sampling.guidance = settings.guidance;

  const int few = std::min(settings.few, settings.creatures);
  draft.device = animate::drawing_device(settings.device);
  const auto wants = [&](const char* group) { return holds_name(settings.groups, group); };
  if (wants("zoo")) {
    const std::vector<Trial> trials = make_trials(settings.seed, settings.creatures, Prompt::kJudged);
    add_rows(report, "unseen creatures", run_trials(model, trials, draft), Expect::kRight);
  }
  if (wants("bodies")) {
    LIMBER_TRY(const std::vector<Trial> trials, make_body_trials(settings.seed, settings.creatures));
    add_rows(report, "unseen bodies of the grammar", run_trials(model, trials, draft), Expect::kRight);
  }
  if (wants("idle")) add_idle_row(report, model, settings.seed, draft);
  if (wants("seeds")) add_seed_row(report, model, settings.seed, draft);
  if (wants("causality")) {
    add_rows(report, "another prompt", run_trials(model, make_trials(settings.seed, few, Prompt::kAnother), draft),
             Expect::kWrong);
    NoisePrior noise(model.info());
    add_rows(report, "noise for a prior", run_trials(noise, make_trials(settings.seed, few, Prompt::kJudged), draft),
             Expect::kWrong);
  }
  if (wants("rigs")) add_rig_rows(report, models, settings.split, draft);
  if (wants("attitudes")) add_turned_motion_rows(models, draft, few, settings.seed, report);
  MethodSettings methods = settings.methods;
  methods.device = draft.device, methods.steps = settings.steps, methods.guidance = settings.guidance;
  const std::vector<Trial> trials = make_trials(settings.seed, methods.bodies, Prompt::kJudged);
  if (wants("methods")) LIMBER_CHECK_OK(add_method_rows(models, model, trials, methods, report));
  if (wants("ablations")) LIMBER_CHECK_OK(add_ablation_rows(model, trials, methods, report));
  if (wants("stages")) {
    const StageSettings stages{settings.split,   settings.drawn_by, settings.methods.outcomes,
                               settings.motions, settings.seeds,    settings.taught};
    LIMBER_CHECK_OK(add_stage_rows(models, stages, draft, report));
  }
  if (wants("held-out")) add_held_out_rows(settings.split, settings.characters, report);
  if (wants("few-steps")) {
    add_few_steps_rows(model, make_trials(settings.seed, settings.creatures, Prompt::kJudged), few, draft, report);
  }
  return report;
}

}  // namespace

void add_animate_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<AnimateSettings>();
  CLI::App& command = add_subject(bench, terminal,
                                  {"animate", "From prompt to motion: creatures of the zoo and artists' rigs",
                                   "  limber-lab bench animate --groups zoo --creatures 24\n  limber-lab bench animate "
                                   "--groups rigs --split split.json"},
                                  *settings, [settings] { return bench_animate(*settings); });
  command.add_option("--prior", settings->prior, "A model folder; by default the built-in prior")->type_name("DIR");
  command.add_option("--device", settings->device, "cpu, cuda, cuda:N or auto; auto is the CPU for the built-in prior")
      ->capture_default_str();
  command.add_option("--split", settings->split, "JSON whose list `test` names artists' rigs")
      ->capture_default_str()
      ->type_name("FILE");
  add_groups_option(command, settings->groups,
                    {"zoo", "bodies", "idle", "seeds", "causality", "rigs", "attitudes", "methods", "ablations",
                     "stages", "held-out", "few-steps"});
  command.add_option("--creatures", settings->creatures, "Unseen creatures of the zoo to move")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--few", settings->few, "How many of them in the tables of causality and attitudes")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--drawn-by", settings->drawn_by,
                  "Of the table of stages: truth (what lifting loses), rule (the zoo's gaits), prior (what "
                  "sampling loses), joints (the network of motions), leaning (truth and prior with --motion-prior, "
                  "too); by default all")
      ->type_name("LIST");
  command
      .add_option("--motions", settings->motions,
                  "Of the table of stages: folder of the network of motions; by default the one that ships")
      ->type_name("FOLDER");
  command.add_flag("--taught", settings->taught,
                   "Of the table of stages: floors and ceilings of rigs with two takes in the list `train`, too");
  command.add_option("--seeds", settings->seeds, "Samples of each gait of a rig in the table of stages")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--characters", settings->characters, "What `train bake` wrote, for the table of held-out clips")
      ->type_name("FILE");
  add_method_options(command, settings->methods);
  command.add_option("--steps", settings->steps, "Of sampling; by default the prior's own")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command.add_option("--guidance", settings->guidance, "Of sampling; by default the prior's own")
      ->check(CLI::PositiveNumber);
  command.add_option("--quality", settings->quality, "Of all tables but those of methods and ablations")
      ->check(CLI::IsMember({"draft", "standard", "best"}))
      ->capture_default_str();
  command
      .add_option("--candidates", settings->candidates,
                  "Samples to choose from; 0: as many as each method draws, and draws again where they are bad")
      ->check(CLI::Range(0, 64))
      ->capture_default_str()
      ->type_name("N");
}

}  // namespace limber::bench
