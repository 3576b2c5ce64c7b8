// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/stages.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "bench/artists_clip.h"
#include "bench/kept_lines.h"
#include "bench/split.h"
#include "limber/actions/catalogue.h"
#include "limber/anatomy/limb_plan.h"
#include "limber/animate/animate_subject.h"
#include "limber/animate/cast.h"
#include "limber/animate/facing.h"
#include "limber/animate/upright.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"
#include "limber/kinematics/resample.h"
#include "limber/metrics/gait.h"
#include "limber/metrics/motion_windows.h"
#include "limber/scene/part_view.h"
#include "limber/training/clip_names.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kArtistsRate = 60;   // at which most clips are a whole number of frames, so that loops are known
constexpr double kComparedRate = 30;  // that motions are compared at
constexpr const char *kSampled = "sampled and lifted", *kByRule = "by rule", *kLifted = "truth drawn and lifted",
                     *kGrounded = ", on the ground";
constexpr double kComparedSeconds = 2;  // that the prior draws

// --- a body and what its artist made it do ---------------------------------------------------------------------------

struct Artist {
  std::string path, kind;
  asset::Asset asset;
  rig::Subject subject;
  rig::Facing facing;
  animate::Upright upright;
  std::vector<metrics::LimbEnd> ends;
  std::string noun, action;
  kinematics::Motion clip;                                         ///< upright, at the rate of clips
  std::vector<std::pair<std::string, kinematics::Motion>> others;  ///< "another clip", "another take"
};

Result<kinematics::Motion> upright_clip(const Artist& artist, const asset::Clip& clip) {
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(artist.asset, clip, artist.subject, kArtistsRate));
  animate::turn_upright(artist.upright, motion);
  return motion;
}

/// The first clip of another action, and the first other one of the same.
Status find_others(const asset::Clip* shown, zoo::Plan plan, Artist& artist) {
  std::string missing_names[]{"another clip", "another take"};
  for (const asset::Clip& clip : artist.asset.clips) {
    const bool meant = !training::clip_meaning(clip.name, plan).actions.empty();
    std::string& name = missing_names[shows_action(clip, plan, artist.action) ? 1 : 0];
    if (&clip == shown || !meant || name.empty()) continue;
    LIMBER_TRY(kinematics::Motion motion, upright_clip(artist, clip));
    if (motion.frame_count() < 2) continue;
    artist.others.emplace_back(std::exchange(name, ""), std::move(motion));
  }
  return Done{};
}

Result<Artist> read_artist(const fs::path& folder, const std::string& path, const animate::Models& models) {
  const training::BodyMeaning body = training::body_meaning(path);
  LIMBER_TRY(asset::Asset asset, asset::read_asset(folder / path));
  LIMBER_TRY(animate::Cast cast, animate::cast_subject(std::move(asset), models, std::nullopt, {}));
  std::vector<std::string> ignored;
  const rig::Facing facing = animate::facing_of(cast.asset, cast.subject, {}, ignored);
  LIMBER_TRY(animate::Upright upright, animate::stand_upright(cast.subject, facing));
  Artist artist{path,
                std::string(anatomy::name(anatomy::limb_plan(cast.subject.rig))),
                std::move(cast.asset),
                std::move(cast.subject),
                facing,
                std::move(upright),
                {},
                training::plain_noun(body.noun, body.plan),
                {},
                {},
                {}};
  artist.ends = metrics::limb_ends(artist.upright.subject);
  const ArtistsClip theirs = find_artists_clip(artist.asset, body.plan);
  if (theirs.clip == nullptr) return Error{"no clip of a gait", path};
  artist.action = theirs.action;
  LIMBER_TRY(artist.clip, upright_clip(artist, *theirs.clip));
  if (artist.clip.frame_count() < 2) return Error{"its clip is a pose", path};
  LIMBER_CHECK_OK(find_others(theirs.clip, body.plan, artist));
  return artist;
}

kinematics::Motion played(const kinematics::Motion& clip, double fps) {
  kinematics::Playing playing;
  playing.fps = fps, playing.frames = static_cast<int>(std::lround(kComparedSeconds * fps)),
  playing.repeat = clip.loops;
  return kinematics::play(clip, playing);
}

// --- a prior that knows the answer -----------------------------------------------------------------------------------

/// Its samples are drawings of the artist's clip: what they lead to is what the way from pictures to joints loses.
class TruthPrior final : public prior::VideoPrior {
 public:
  TruthPrior(prior::VideoPrior& model, const Artist& artist) : model_(model), artist_(artist) {}
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
    scene::PartViewSettings settings;
    settings.views = info.views, settings.size = info.native.width, settings.framing = info.framing;
    const rig::Subject& subject = artist_.upright.subject;
    scene::PartView view(subject.rig, scene::part_gaussians(subject), settings);
    return view.draw(played(artist_.clip, info.fps));
  }

 private:
  prior::VideoPrior& model_;
  const Artist& artist_;
};

// --- what is measured ------------------------------------------------------------------------------------------------

/// Windows are those of the joints that the artist moved, as they are and about their mean pose.
constexpr std::array<const char*, 5> kMeasures{"phase error", "about its mean", "windows", "jitter", "activity"};
constexpr std::array<const char*, 5> kUnits{"cycle", "of a still body's", "of a still body's", "of theirs",
                                            "of theirs"};
constexpr std::size_t kFirstRatio = 3;  // of measures that should be one, rather than small
using Measured = std::array<double, kMeasures.size()>;

/// A motion against the artist's clip. What cannot be told is not a number.
Measured measure(const Artist& artist, const kinematics::Motion& motion) {
  const rig::Rig& rig = artist.upright.subject.rig;
  const kinematics::Motion theirs = played(artist.clip, kComparedRate);
  const metrics::Turns all = metrics::turns_of(theirs);
  const std::vector<int> moving = metrics::moving_joints(all);
  const metrics::Turns truth = metrics::only(all, moving), ours = metrics::only(metrics::turns_of(motion), moving);
  const metrics::Turns still =
      metrics::only(metrics::turns_of(kinematics::rest_motion(rig, theirs.frame_count(), kComparedRate)), moving);
  const auto ratio = [](double a, double b) { return b > 1e-9 ? a / b : NAN; };
  const auto gap = [&](const metrics::Turns& a, const metrics::Turns& b) {
    return moving.empty() ? NAN : metrics::window_gap(a, b).value_or(NAN);
  };
  const metrics::Turns mean_truth = metrics::about_mean(truth);
  const metrics::MotionPace pace = metrics::motion_pace(rig, motion), their_pace = metrics::motion_pace(rig, theirs);
  return {
      metrics::phase_error(metrics::find_gait(rig, motion, artist.ends), metrics::find_gait(rig, theirs, artist.ends)),
      ratio(gap(metrics::about_mean(ours), mean_truth), gap(metrics::about_mean(still), mean_truth)),
      ratio(gap(ours, truth), gap(still, truth)), ratio(pace.jitter, their_pace.jitter),
      ratio(pace.activity, their_pace.activity)};
}

/// One motion of one rig, as one row sees it.
struct Entry {
  std::string row, path, kind;
  Measured measured;
};

class Stages {
 public:
  Stages(const StageSettings& settings, const animate::Request& draft, prior::VideoPrior& model)
      : settings_(settings), draft_(draft), model_(model), kept_(settings.outcomes) {
    kept_.visit([this](const std::string& run, const nlohmann::json& line) {
      Measured measured{};
      for (std::size_t i = 0; i < measured.size(); ++i) measured[i] = kept_number(line, kMeasures[i]);
      done_[run] = measured;
    });
  }

  Status add(const Artist& artist) {
    LIMBER_CHECK_OK(enter(artist, "truth resampled", 0, resampled_truth(artist)));
    for (const auto& [name, motion] : artist.others) {
      LIMBER_CHECK_OK(enter(artist, name, 0, played(motion, kComparedRate)));
    }
    LIMBER_CHECK_OK(enter(artist, "a still body", 0,
                          kinematics::rest_motion(artist.upright.subject.rig,
                                                  static_cast<int>(kComparedSeconds * kComparedRate), kComparedRate)));
    if (settings_.drawn_by.empty() || holds_name(settings_.drawn_by, "truth")) {
      TruthPrior truth(model_, artist);
      LIMBER_CHECK_OK(make(artist, truth, kLifted, 0));
    }
    if (settings_.drawn_by.empty() || holds_name(settings_.drawn_by, "rule")) {
      for (int seed = 1; seed <= settings_.seeds; ++seed) LIMBER_CHECK_OK(follow_rule(artist, seed));
    }
    if (settings_.drawn_by.empty() || holds_name(settings_.drawn_by, "prior")) {
      for (int seed = 1; seed <= settings_.seeds; ++seed) {
        LIMBER_CHECK_OK(make(artist, model_, kSampled, static_cast<std::uint64_t>(seed)));
      }
    }
    return Done{};
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  kinematics::Motion resampled_truth(const Artist& artist) const {
    return kinematics::resampled(played(artist.clip, model_.info().fps), kComparedRate);
  }

  /// With all that changes what comes of it.
  std::string run_of(const Artist& artist, const std::string& row, std::uint64_t seed) const {
    const animate::Sampling& sampling = draft_.sampling;
    return fmt::format("{}/{}/{}/{}/{} candidates, {} steps, guidance {}, {}", artist.path, row, seed,
                       animate::name(draft_.quality), sampling.candidates.value_or(0), sampling.steps.value_or(0),
                       sampling.guidance.value_or(0), model_.info().name);
  }

  void enter(const Artist& artist, const std::string& row, const Measured& measured) {
    entries_.push_back({row, artist.path, artist.kind, measured});
    spdlog::info("{}: {}: phase error {:.3f}, about its mean {:.2f}, windows {:.2f}, jitter {:.2f}, activity {:.2f}",
                 artist.path, row, measured[0], measured[1], measured[2], measured[3], measured[4]);
  }

  Status enter(const Artist& artist, const std::string& row, std::uint64_t seed, const kinematics::Motion& motion) {
    if (is_kept(artist, row, seed)) return enter_kept(artist, row, seed), Done{};
    const Measured measured = measure(artist, motion);
    enter(artist, row, measured);
    nlohmann::json line;
    for (std::size_t i = 0; i < measured.size(); ++i) line[kMeasures[i]] = measured[i];
    return kept_.append(run_of(artist, row, seed), line);
  }

  /// What the zoo does with the same limbs; a body that can do it no way has no row.
  Status follow_rule(const Artist& artist, int seed) {
    const Result<animate::Animation> animation =
        animate::follow_rule(artist.subject, request_for(artist, static_cast<std::uint64_t>(seed)));
    if (animation.ok()) return enter_both(artist, kByRule, static_cast<std::uint64_t>(seed), *animation);
    spdlog::info("{}: {}", artist.path, animation.error().message());
    return Done{};
  }

  animate::Request request_for(const Artist& artist, std::uint64_t seed) const {
    animate::Request request = draft_;
    request.prompt = actions::sentence(artist.noun, *actions::built_in().find(artist.action));
    request.seed = seed, request.facing = artist.facing;
    return request;
  }

  /// Before and after it was put on the ground.
  Status enter_both(const Artist& artist, const std::string& row, std::uint64_t seed, animate::Animation animation) {
    animate::turn_upright(artist.upright, animation.lifted), animate::turn_upright(artist.upright, animation.motion);
    LIMBER_CHECK_OK(enter(artist, row, seed, kinematics::resampled(animation.lifted, kComparedRate)));
    return enter(artist, row + kGrounded, seed, played(animation.motion, kComparedRate));
  }

  /// One motion by the prior.
  Status make(const Artist& artist, prior::VideoPrior& prior, const std::string& row, std::uint64_t seed) {
    if (is_kept(artist, row, seed) && is_kept(artist, row + kGrounded, seed)) {
      return enter_kept(artist, row, seed), enter_kept(artist, row + kGrounded, seed), Done{};
    }
    LIMBER_TRY(animate::Animation animation,
               animate::follow_prompt(artist.subject, &artist.asset, prior, request_for(artist, seed)));
    return enter_both(artist, row, seed, std::move(animation));
  }

  /// Whether an earlier run measured it.
  bool is_kept(const Artist& artist, const std::string& row, std::uint64_t seed) const {
    return done_.count(run_of(artist, row, seed)) > 0;
  }
  void enter_kept(const Artist& artist, const std::string& row, std::uint64_t seed) {
    enter(artist, row, done_.at(run_of(artist, row, seed)));
  }

  const StageSettings& settings_;
  const animate::Request& draft_;
  prior::VideoPrior& model_;
  KeptLines kept_;
  std::map<std::string, Measured> done_;
  std::vector<Entry> entries_;
};

// --- the table -------------------------------------------------------------------------------------------------------

struct MeanOfBodies {
  double mean = 0, error = 0;
  int bodies = 0;
};

MeanOfBodies mean_of(const std::vector<double>& values) {
  MeanOfBodies result;
  result.bodies = static_cast<int>(values.size());
  const auto count = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) result.mean += value / count;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.error = std::sqrt(squares / (count - 1) / count);
  return result;
}

/// Every body's mean, or its best sample. Of ratios the logarithms: they are means of factors.
std::map<std::string, double> by_body(const std::vector<Entry>& entries, const std::string& row,
                                      const std::string& kind, std::size_t measure, bool best) {
  std::map<std::string, std::vector<double>> bodies;
  for (const Entry& entry : entries) {
    if (entry.row != row || (!kind.empty() && entry.kind != kind)) continue;
    const double value = measure < kFirstRatio ? entry.measured[measure] : std::log(entry.measured[measure]);
    if (std::isfinite(value)) bodies[entry.path].push_back(value);
  }
  std::map<std::string, double> values;
  for (const auto& [path, samples] : bodies) {
    double sum = 0;
    for (const double sample : samples) sum += sample;
    values[path] = best ? *std::min_element(samples.begin(), samples.end()) : sum / static_cast<double>(samples.size());
  }
  return values;
}

std::vector<double> values_of(const std::map<std::string, double>& bodies) {
  std::vector<double> values;
  for (const auto& [path, value] : bodies) values.push_back(value);
  return values;
}

std::string name_of(const std::string& kind, const std::string& row, const char* measure) {
  return fmt::format("stages/{}{}/{}", kind.empty() ? "" : kind + "/", row, measure);
}

void add_rows(const std::vector<Entry>& entries, const std::string& row, const std::string& kind, bool best,
              Report& report) {
  for (std::size_t m = 0; m < (best ? kFirstRatio : kMeasures.size()); ++m) {
    const MeanOfBodies mean = mean_of(values_of(by_body(entries, row, kind, m, best)));
    if (mean.bodies == 0) continue;
    const bool factor = m >= kFirstRatio;
    report.rows.push_back({name_of(kind, row + (best ? ", best of all seeds" : ""), kMeasures[m]),
                           factor ? std::exp(mean.mean) : mean.mean, kUnits[m], "",
                           fmt::format("{} {:.3f}, {} bodies", factor ? "times or by" : "+-",
                                       factor ? std::exp(mean.error) : mean.error, mean.bodies)});
  }
}

std::string grounded(const std::string& row) { return row + kGrounded; }

/// What one way is better by than another, body by body: > 0 where `row` is nearer to the artists'.
void add_gains(const std::vector<Entry>& entries, const std::string& row, const std::string& than,
               const std::string& kind, Report& report) {
  for (std::size_t m = 0; m < kFirstRatio; ++m) {
    const std::map<std::string, double> ours = by_body(entries, row, kind, m, false),
                                        theirs = by_body(entries, than, kind, m, false);
    std::vector<double> gains;
    for (const auto& [path, value] : ours) {
      if (const auto other = theirs.find(path); other != theirs.end()) gains.push_back(other->second - value);
    }
    if (gains.empty()) continue;
    const MeanOfBodies mean = mean_of(gains);
    report.rows.push_back({name_of(kind, row + " better than " + than, kMeasures[m]), mean.mean, kUnits[m], "",
                           fmt::format("+- {:.3f}, {} bodies", mean.error, mean.bodies)});
  }
}

}  // namespace

Status add_stage_rows(const animate::Models& models, const StageSettings& settings, const animate::Request& draft,
                      Report& report) {
  for (std::string_view rest = settings.drawn_by; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find(',')));
    if (!holds_name("truth,rule,prior", name)) return Error{fmt::format("\"{}\" draws nothing", name), "drawn-by"};
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  LIMBER_TRY(const std::shared_ptr<prior::VideoPrior> model, models.open_prior());
  Stages stages(settings, draft, *model);
  int tried = 0;
  for (const char* list : {"test", "test_more"}) {
    for (const std::string& path : split_list(settings.split, list)) {
      ++tried;
      const Result<Artist> artist = read_artist(settings.split.parent_path(), path, models);
      const Status added = artist.ok() ? stages.add(*artist) : Status(artist.error());
      if (!added.ok()) spdlog::warn("{} is left out: {}", path, added.error().message());
    }
  }
  if (tried == 0) {
    report.rows.push_back({"stages/left out", 0, "", "", settings.split.string() + " is not there or lists none"});
    return Done{};
  }
  const std::vector<std::string> rows{"another take", "truth resampled",  kLifted, grounded(kLifted),
                                      kSampled,       grounded(kSampled), kByRule, grounded(kByRule),
                                      "another clip", "a still body"};
  std::vector<std::string> kinds{""};
  for (const Entry& entry : stages.entries()) {
    if (std::find(kinds.begin(), kinds.end(), entry.kind) == kinds.end()) kinds.push_back(entry.kind);
  }
  for (const std::string& kind : kinds) {
    for (const std::string& row : rows) add_rows(stages.entries(), row, kind, false, report);
    for (const char* row : {kSampled, kByRule}) add_rows(stages.entries(), grounded(row), kind, true, report);
    add_gains(stages.entries(), grounded(kByRule), grounded(kSampled), kind, report);
  }
  return Done{};
}

}  // namespace limber::bench
