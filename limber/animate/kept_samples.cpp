// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/kept_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>

#include "limber/animate/plan.h"
#include "limber/base/expect.h"
#include "limber/base/files.h"
#include "limber/distill/run_state.h"
#include "limber/nn/safetensors.h"

namespace limber::animate {
namespace {

using nn::Dtype;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 31;
constexpr int kFormat = 3;                   // of the file, and of how its arrays are made
constexpr const char* kRun = "run/";         // metadata: the fingerprint's entries
constexpr const char* kDraws = "draws";      // metadata: how many samples were drawn
constexpr const char* kSettled = "settled";  // metadata: there where no more are needed

/// What a candidate is made of as arrays of numbers; the rest follows from them (`rate_candidate`).
enum Array { kVideo, kRoots, kAngles, kCourse, kMeasures, kFrameResiduals, kCounts };
constexpr std::array kArrayNames{"video", "roots", "angles", "course", "measures", "frame residuals", "counts"};
constexpr std::array kArrayTypes{Dtype::kF32, Dtype::kF32, Dtype::kF32, Dtype::kF32,
                                 Dtype::kF64, Dtype::kF64, Dtype::kU64};
constexpr std::size_t kArrays = kArrayNames.size();

std::string array_name(std::size_t candidate, std::size_t array) {
  return fmt::format("{}/{}", candidate, kArrayNames[array]);
}

std::int64_t wide(std::size_t count) { return static_cast<std::int64_t>(count); }

/// A candidate as bytes that live as long as this does.
struct Packed {
  std::array<double, 5> measures{};
  std::array<std::uint64_t, 3> counts{};
  std::array<Vec3, 2> course;
};

Packed pack(const Candidate& candidate) {
  const lift::GroundSpeed& ground = candidate.lifted.ground;
  const lift::ViewFitReport& fit = candidate.lifted.fit;
  return {{ground.error, ground.still_error, ground.contrast, fit.residual, fit.loss},
          {candidate.seed, static_cast<std::uint64_t>(fit.iterations), static_cast<std::uint64_t>(fit.not_finite)},
          {ground.course.middle, ground.course.velocity}};
}

/// Views of all numbers of a candidate.
std::array<nn::TensorView, kArrays> views_of(const Candidate& candidate, const Packed& packed) {
  const Frames& video = candidate.video;
  const kinematics::Motion& motion = candidate.lifted.motion;
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  const std::int64_t frames = motion.frame_count();
  return {{{kArrayTypes[kVideo], {video.views, video.frames, 3, video.height, video.width}, bytes(video.values)},
           {kArrayTypes[kRoots], {frames, 3}, bytes(motion.root_translations)},
           {kArrayTypes[kAngles], {frames, motion.joint_count, 3}, bytes(motion.angles)},
           {kArrayTypes[kCourse], {2, 3}, bytes(packed.course)},
           {kArrayTypes[kMeasures], {wide(packed.measures.size())}, bytes(packed.measures)},
           {kArrayTypes[kFrameResiduals],
            {wide(candidate.lifted.fit.frame_residuals.size())},
            bytes(candidate.lifted.fit.frame_residuals)},
           {kArrayTypes[kCounts], {wide(packed.counts.size())}, bytes(packed.counts)}}};
}

// --- reading: the file may hold anything ----------------------------------------------------------------------------

/// The array as numbers, if it has as many as `values` calls for and all are finite.
template <class Range>
bool unpack(const nn::TensorView& view, Range& numbers) {
  const std::span values(numbers);
  using T = typename decltype(values)::value_type;
  if (view.bytes.size() != values.size_bytes()) return false;
  if (!values.empty()) std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  if constexpr (std::is_same_v<T, Vec3>) {
    return std::all_of(values.begin(), values.end(), [](Vec3 v) { return is_finite(v); });
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::all_of(values.begin(), values.end(), [](T v) { return std::isfinite(v); });
  }
  return true;
}

/// The arrays of one candidate, as the table has them.
using Arrays = std::array<const nn::TensorView*, kArrays>;

bool find_arrays(const nn::TensorTable& table, std::size_t candidate, Arrays& arrays) {
  for (std::size_t a = 0; a < kArrays; ++a) {
    const auto found = table.tensors.find(array_name(candidate, a));
    if (found == table.tensors.end() || found->second.dtype != kArrayTypes[a]) return false;
    arrays[a] = &found->second;
  }
  return true;
}

bool read_video(const nn::TensorView& view, Frames& video) {
  constexpr std::int64_t kLongest = 1 << 16;
  if (view.shape.size() != 5 || view.shape[2] != 3) return false;
  for (const std::int64_t length : view.shape) {
    if (length < 1 || length > kLongest) return false;
  }
  video.views = static_cast<int>(view.shape[0]), video.frames = static_cast<int>(view.shape[1]);
  video.height = static_cast<int>(view.shape[3]), video.width = static_cast<int>(view.shape[4]);
  video.values.resize(view.bytes.size() / sizeof(float));  // the parser saw that the shape calls for these
  return unpack(view, video.values);
}

bool read_candidate(SketchTask& task, const Arrays& arrays, Candidate& candidate) {
  if (!read_video(*arrays[kVideo], candidate.video)) return false;
  LiftedSample& lifted = candidate.lifted;
  lifted.motion = kinematics::rest_motion(task.subject.rig, candidate.video.frames, task.prior.info().fps);
  Packed packed;
  lifted.fit.frame_residuals.resize(lifted.motion.root_translations.size());
  const bool whole =
      unpack(*arrays[kRoots], lifted.motion.root_translations) && unpack(*arrays[kAngles], lifted.motion.angles) &&
      unpack(*arrays[kCourse], packed.course) && unpack(*arrays[kMeasures], packed.measures) &&
      unpack(*arrays[kFrameResiduals], lifted.fit.frame_residuals) && unpack(*arrays[kCounts], packed.counts);
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (!whole || packed.counts[1] > kMost || packed.counts[2] > kMost) return false;
  lifted.ground = {{packed.course[0], packed.course[1]}, packed.measures[0], packed.measures[1], packed.measures[2]};
  lifted.fit.residual = packed.measures[3], lifted.fit.loss = packed.measures[4];
  candidate.seed = packed.counts[0];
  lifted.fit.iterations = static_cast<int>(packed.counts[1]),
  lifted.fit.not_finite = static_cast<int>(packed.counts[2]);
  rate_candidate(task, candidate);
  return true;
}

distill::Fingerprint fingerprint_in(const nn::Metadata& metadata) {
  distill::Fingerprint fingerprint;
  const std::string_view prefix = kRun;
  for (const auto& [name, value] : metadata) {
    if (name.compare(0, prefix.size(), prefix) == 0) fingerprint.emplace_back(name.substr(prefix.size()), value);
  }
  return fingerprint;
}

/// How many samples were drawn: at least one for each that was kept, and not more than allowed.
bool read_draws(const SketchTask& task, const nn::Metadata& metadata, std::size_t candidates, int& draws) {
  const auto found = metadata.find(kDraws);
  if (found == metadata.end()) return false;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), draws);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  return draws >= 0 && static_cast<std::size_t>(draws) >= candidates && draws <= most_draws(task);
}

/// `kConflict`: of another run; other errors: not there, or damaged.
Result<Drawn> read_samples(SketchTask& task, const std::filesystem::path& file) {
  LIMBER_TRY(const Bytes bytes, read_file(file, kMaxBytes));
  LIMBER_TRY(const nn::TensorTable table, nn::parse_safetensors(bytes, file.string()));
  const std::string found = distill::differences(fingerprint_in(table.metadata), samples_fingerprint(task));
  if (!found.empty()) return Error{"the samples are of another run: " + found, file.string(), ErrorKind::kConflict};
  const Error damaged{"the samples are damaged", file.string()};
  const std::size_t count = table.tensors.size() / kArrays;
  if (count > static_cast<std::size_t>(candidate_count(task))) return damaged;
  Drawn drawn;
  for (std::size_t i = 0; i < count; ++i) {
    Arrays arrays{};
    Candidate candidate;
    if (!find_arrays(table, i, arrays) || !read_candidate(task, arrays, candidate)) return damaged;
    drawn.candidates.push_back(std::move(candidate));
  }
  if (!read_draws(task, table.metadata, count, drawn.draws)) return damaged;
  drawn.settled = table.metadata.count(kSettled) > 0;
  drawn.resumed = static_cast<int>(count);
  return drawn;
}

}  // namespace

int candidate_count(const SketchTask& task) {
  const int count = task.sample.candidates;
  LIMBER_EXPECT(count >= 1, std::to_string(count));
  return count;
}

int most_draws(const SketchTask& task) {
  const int wanted = candidate_count(task);
  return wanted + std::clamp(task.study.redraws, 0, wanted);
}

std::vector<std::pair<std::string, std::string>> samples_fingerprint(SketchTask& task) {
  const prior::PriorInfo& info = task.prior.info();
  distill::Fingerprint result =
      distill::fingerprint_of(task.view.scene(), {}, info, task.condition, task.distilling,
                              task.known ? task.known->guesses.front()
                                         : kinematics::rest_motion(task.subject.rig, info.native.frames, info.fps));
  const auto add = [&](const std::string& name, const auto& value) {
    result.emplace_back(name, fmt::format("{}", value));
  };
  add("format", kFormat);
  visit_fields(task.sample, [&](const char* name, const auto& value) { add(std::string("sampling ") + name, value); });
  visit_fields(task.refine, [&](const char* name, const auto& value) { add(std::string("refining ") + name, value); });
  if (task.known) {
    std::string known;
    for (const std::uint8_t frame : task.known->known) known += frame != 0 ? '1' : '0';
    add("known frames", known);
    add("guesses", task.known->guesses.size());
  }
  add("starts", "at rest, or with swept wings");
  add("most_residual", task.study.most_residual);
  add("redraws", task.study.redraws);
  std::string stages;
  for (const lift::FitStage& stage : task.study.fit_stages) {
    stages += fmt::format("({}, {}, {}, {}{})", stage.blur, stage.iterations, stage.angle_rate, stage.root_rate,
                          stage.half ? ", half" : "");
  }
  if (task.joints) add(task.joints->is_of_poses() ? "poses" : "motions", "held plausible");
  add("fit stages", stages.empty() ? "the usual ones" : stages);
  return result;
}

Status keep_samples(SketchTask& task, const Drawn& drawn) {
  nn::SafetensorsSettings settings;
  for (const auto& [name, value] : samples_fingerprint(task)) settings.metadata[kRun + name] = value;
  settings.metadata[kDraws] = std::to_string(drawn.draws);
  if (drawn.settled) settings.metadata[kSettled] = "yes";
  std::vector<Packed> packed;
  for (const Candidate& candidate : drawn.candidates) packed.push_back(pack(candidate));
  std::vector<nn::NamedTensor> tensors;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const std::array<nn::TensorView, kArrays> views = views_of(drawn.candidates[i], packed[i]);
    for (std::size_t a = 0; a < kArrays; ++a) tensors.push_back({array_name(i, a), views[a]});
  }
  return nn::write_safetensors(samples_file(task.keep.file), tensors, settings);
}

Result<Drawn> resume_samples(SketchTask& task) {
  const std::filesystem::path file = samples_file(task.keep.file);
  Result<Drawn> read = read_samples(task, file);
  if (read.ok() || read.error().kind == ErrorKind::kConflict) return read;
  Drawn drawn;
  if (read.error().kind != ErrorKind::kMissing) {
    drawn.warnings.push_back({"samples_damaged", {}, {{"why", read.error().message()}}});
  }
  return drawn;
}

}  // namespace limber::animate
