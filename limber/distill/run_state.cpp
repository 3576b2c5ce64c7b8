// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "limber/base/checksum.h"

namespace limber::distill {
namespace {

constexpr std::string_view kMagic = "limber distill\n";
constexpr std::uint32_t kVersion = 1;

/// A checksum of settings.
class Hash {
 public:
  void add(std::span<const std::byte> bytes) { sum_.add(bytes); }
  /// Numbers one by one, so that padding does not count.
  template <class T>
  void add(T value) {
    static_assert(std::is_arithmetic_v<T>);
    add(std::as_bytes(std::span(&value, 1)));
  }
  void add(Vec3 v) { add(v.x), add(v.y), add(v.z); }
  void add(const Quat& q) { add(q.x), add(q.y), add(q.z), add(q.w); }
  void add(const Mat3& m) { add(m.row(0)), add(m.row(1)), add(m.row(2)); }
  void add(const Affine& a) { add(a.linear), add(a.translation); }
  void add(const std::string& text) { add(text.size()), add(as_bytes(text)); }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  std::uint64_t value() const { return sum_.value(); }
  std::string text() const { return fmt::format("{:016x}", value()); }

 private:
  Checksum sum_;
};

std::string rig_hash(const rig::Rig& rig) {
  Hash hash;
  for (const rig::Joint& joint : rig.joints()) {
    hash.add(joint.name), hash.add(joint.parent), hash.add(joint.parent_from_frame);
    hash.add(joint.rest.translation), hash.add(joint.rest.rotation), hash.add(joint.rest.scale);
    hash.add(joint.axes), hash.add(joint.limits.lower), hash.add(joint.limits.upper);
  }
  for (const rig::Bone& bone : rig.bones()) hash.add(bone.joint), hash.add(bone.joint_from_bind);
  return fmt::format("{} joints, {}", rig.joint_count(), hash.text());
}

std::string gaussians_hash(const splat::Gaussians& cloud) {
  Hash hash;
  hash.add(cloud.means), hash.add(cloud.rotations), hash.add(cloud.scales), hash.add(cloud.opacities);
  hash.add(cloud.degree), hash.add(cloud.harmonics);
  hash.add(cloud.influences), hash.add(cloud.bones), hash.add(cloud.weights);
  return fmt::format("{} Gaussians, {}", cloud.size(), hash.text());
}

std::string motion_hash(const kinematics::Motion& motion) {
  Hash hash;
  hash.add(motion.root_translations), hash.add(motion.angles);
  for (const kinematics::JointOverride& o : motion.overrides) {
    hash.add(o.joint), hash.add(o.translations), hash.add(o.scales);
  }
  return fmt::format("{} frames at {} per second{}, {}", motion.frame_count(), motion.fps,
                     motion.loops ? ", looping" : "", hash.text());
}

std::string cameras_hash(std::span<const scene::Camera> cameras) {
  if (cameras.empty()) return "none";
  Hash hash;
  for (const scene::Camera& c : cameras) {
    hash.add(c.camera_from_world), hash.add(c.fx), hash.add(c.fy), hash.add(c.cx), hash.add(c.cy);
  }
  return fmt::format("{} of {} x {}, {}", cameras.size(), cameras[0].width, cameras[0].height, hash.text());
}

std::string boxes_hash(const std::vector<rig::BoneBox>& boxes) {
  Hash hash;
  for (const rig::BoneBox& box : boxes) {
    hash.add(box.joint), hash.add(box.centre), hash.add(box.axes), hash.add(box.half);
  }
  return fmt::format("{}, {}", boxes.size(), hash.text());
}

std::string condition_hash(const prior::Condition& condition) {
  Hash hash;
  hash.add(condition.text), hash.add(condition.negative);
  if (condition.rest) hash.add(condition.rest->values);
  return hash.text();
}

void add_settings(const DistillSettings& s, Fingerprint& result) {
  const auto add = [&](const char* name, const auto& value) { result.emplace_back(name, fmt::format("{}", value)); };
  add("mode", s.mode == DistillMode::kScore ? "score" : "denoise");
  add("angle_rate", s.angle_rate);
  add("root_rate", s.root_rate);
  add("rate_end", s.rate_end);
  if (s.rate_end != 1) add("iterations", s.iterations);  // else they only say where to stop
  add("adam.beta_1", s.adam.beta_1);
  add("adam.beta_2", s.adam.beta_2);
  add("adam.epsilon", s.adam.epsilon);
  std::string free;
  for (const bool joint : s.free) free += joint ? '1' : '0';
  add("free", free.empty() ? "all" : free);
  add("smooth_weight", s.smooth_weight);
  add("smooth_corner", s.smooth_corner);
  add("ground_weight", s.ground_weight);
  add("limit_weight", s.limit_weight);
  add("boxes", boxes_hash(s.boxes));
  for (const kinematics::WeightedEnergy& energy : s.extra) add(("energy " + energy.name).c_str(), energy.weight);
  if (s.mode == DistillMode::kDenoise) {
    add("fits_per_denoise", s.fits_per_denoise);
    add("denoise_steps", s.denoise_steps);
  }
}

void add_score(const prior::ScoreSettings& s, Fingerprint& result) {
  const auto add = [&](const char* name, const auto& value) { result.emplace_back(name, fmt::format("{}", value)); };
  add("seed", s.seed);
  add("draws", s.draws);
  add("antithetic", s.antithetic);
  add("t_min", s.t_min);
  add("t_max", s.t_max);
  add("t_max_end", s.t_max_end);
  add("anneal_iterations", s.anneal_iterations);
  add("timestep", s.timestep ? std::to_string(*s.timestep) : "random");
  add("guidance", s.guidance);
  add("rule", s.rule == prior::GuidanceRule::kFromUnconditional ? "from unconditional" : "from conditional");
  add("residual", s.residual == prior::Residual::kSds ? "sds" : "csd");
  add("weight", s.weight == prior::NoiseWeight::kAkd ? "akd" : "noise error");
  // Kept or recomputed, the encoder's gradient is the same.
  const bool sampled = s.encoder == prior::EncoderGradient::kSampled;
  add("sampled_chunks", sampled ? std::to_string(s.sampled_chunks) : "all");
  Hash noise;
  if (s.noise) noise.add(*s.noise);
  add("noise", s.noise ? noise.text() : "random");
}

// --- bytes, little-endian ------------------------------------------------------

class Writer {
 public:
  Bytes bytes;

  void add(std::uint64_t value, int size = 8) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(int value) { add(static_cast<std::int64_t>(value)); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(float value) { add(std::bit_cast<std::uint32_t>(value), 4); }
  void add(Vec3 v) { add(v.x), add(v.y), add(v.z); }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    bytes.insert(bytes.end(), as_bytes(text).begin(), as_bytes(text).end());
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) add(value);
  }
};

/// Says no, once and for all, where bytes are missing.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  bool finished() const { return !failed_ && rest_.empty(); }

  std::uint64_t number(std::size_t size = 8) {
    std::uint64_t value = 0;
    const std::span<const std::byte> from = take(size);
    for (std::size_t i = 0; i < from.size(); ++i) value |= static_cast<std::uint64_t>(from[i]) << (8 * i);
    return value;
  }
  void read(std::int64_t& value) { value = static_cast<std::int64_t>(number()); }
  void read(int& value) {
    std::int64_t wide = 0;
    read(wide);
    value = static_cast<int>(wide);
    failed_ = failed_ || value != wide;
  }
  void read(double& value) { value = std::bit_cast<double>(number()); }
  void read(float& value) { value = std::bit_cast<float>(static_cast<std::uint32_t>(number(4))); }
  void read(Vec3& v) { read(v.x), read(v.y), read(v.z); }
  void read(std::string& text) { text = as_text(take(number())); }

  /// A length that `each` bytes per element can fill.
  std::size_t length(std::size_t each) {
    const std::uint64_t count = number();
    failed_ = failed_ || count > rest_.size() / each;
    return failed_ ? 0 : static_cast<std::size_t>(count);
  }
  template <class T>
  void read(std::vector<T>& values) {
    values.resize(length(sizeof(T)));
    for (T& value : values) read(value);
  }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::span<const std::byte> front = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(front.size());
    return front;
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

/// All fields of a step, in order: `visit` adds or reads one.
template <class Step, class Visit>
void visit_step(Step& step, const Visit& visit) {
  visit(step.iteration), visit(step.sds), visit(step.smooth), visit(step.ground), visit(step.limits);
  visit(step.extra), visit(step.total), visit(step.fitted), visit(step.sds_gradient), visit(step.energy_gradient);
  visit(step.latent_gradient), visit(step.timestep), visit(step.not_finite), visit(step.skipped);
  visit(step.draw_seconds), visit(step.prior_seconds);
}
constexpr std::size_t kStepBytes = 16 * 8;

}  // namespace

Fingerprint fingerprint_of(const scene::Scene& scene, std::span<const scene::Camera> first_cameras,
                           const prior::PriorInfo& prior, const prior::Condition& condition,
                           const DistillSettings& settings, const kinematics::Motion& start) {
  Fingerprint result{
      {"prompt", '"' + condition.prompt.text + '"'},
      {"negative prompt", '"' + condition.prompt.negative + '"'},
      {"prior", fmt::format("{}, {} steps", prior.name, prior.train_steps)},
      {"condition", condition_hash(condition)},
      {"rig", rig_hash(scene.rig())},
      {"body", gaussians_hash(scene.gaussians())},
      {"start", motion_hash(start)},
      {"cameras", cameras_hash(first_cameras)},
  };
  if (!prior.sampler.empty()) result.emplace_back("sampler", prior.sampler);
  // Devices agree within rounding, not to the bit.
  if (scene.device() == Device::kCuda) result.emplace_back("drawn on", "cuda");
  add_settings(settings, result);
  add_score(settings.score, result);
  return result;
}

std::string differences(const Fingerprint& there, const Fingerprint& here) {
  const auto find = [](const Fingerprint& in, const std::string& name) -> std::string {
    const auto found = std::find_if(in.begin(), in.end(), [&](const auto& entry) { return entry.first == name; });
    return found == in.end() ? "missing" : found->second;
  };
  std::string result;
  const auto compare = [&](const std::string& name) {
    const std::string kept = find(there, name), wanted = find(here, name);
    if (kept == wanted) return;
    result += fmt::format("{}{} is {} there and {} here", result.empty() ? "" : "; ", name, kept, wanted);
  };
  for (const auto& entry : here) compare(entry.first);
  for (const auto& entry : there) {
    if (find(here, entry.first) == "missing") compare(entry.first);
  }
  return result;
}

Bytes seal(std::span<const std::byte> payload) {
  Hash hash;
  hash.add(payload);
  Writer writer;
  writer.bytes.assign(as_bytes(kMagic).begin(), as_bytes(kMagic).end());
  writer.add(kVersion, 4);
  writer.add(static_cast<std::uint64_t>(payload.size()));
  writer.add(hash.value());
  writer.bytes.insert(writer.bytes.end(), payload.begin(), payload.end());
  return std::move(writer.bytes);
}

Bytes encode_state(const RunState& state) {
  Writer writer;
  writer.add(static_cast<std::uint64_t>(state.fingerprint.size()));
  for (const auto& entry : state.fingerprint)
    writer.add(std::string_view(entry.first)), writer.add(std::string_view(entry.second));
  writer.add(state.iteration);
  writer.add(state.skipped_in_row);
  writer.add(state.motion.root_translations);
  writer.add(state.motion.angles);
  writer.add(static_cast<std::int64_t>(state.adam.steps));
  writer.add(state.adam.first);
  writer.add(state.adam.second);
  writer.add(static_cast<std::uint64_t>(state.history.size()));
  for (const DistillStep& step : state.history) {
    visit_step(step, [&](const auto& field) {
      if constexpr (std::is_same_v<decltype(field), const bool&>) {
        writer.add(static_cast<int>(field));
      } else {
        writer.add(field);
      }
    });
  }
  return seal(writer.bytes);
}

Result<RunState> decode_state(std::span<const std::byte> bytes, const std::string& name) {
  const std::span<const std::byte> magic = as_bytes(kMagic);
  if (bytes.size() < magic.size() || !std::equal(magic.begin(), magic.end(), bytes.begin())) {
    return Error{"not a checkpoint of a distillation", name};
  }
  constexpr std::size_t kHeader = 4 + 8 + 8;
  if (bytes.size() < magic.size() + kHeader) return Error{"the checkpoint is cut off", name};
  Reader header(bytes.subspan(magic.size(), kHeader));
  const std::uint64_t version = header.number(4), length = header.number(), checksum = header.number();
  if (version != kVersion) {
    return Error{fmt::format("a checkpoint of version {}; this program reads version {}", version, kVersion), name,
                 ErrorKind::kConflict};
  }
  const std::span<const std::byte> payload = bytes.subspan(magic.size() + kHeader);
  if (payload.size() < length) return Error{"the checkpoint is cut off", name};
  Hash hash;
  hash.add(payload);
  if (payload.size() > length || hash.value() != checksum) return Error{"the checkpoint is damaged", name};

  Reader reader(payload);
  RunState state;
  state.fingerprint.resize(reader.length(16));
  for (auto& entry : state.fingerprint) reader.read(entry.first), reader.read(entry.second);
  reader.read(state.iteration);
  reader.read(state.skipped_in_row);
  reader.read(state.motion.root_translations);
  reader.read(state.motion.angles);
  std::int64_t steps = 0;
  reader.read(steps);
  state.adam.steps = steps;
  reader.read(state.adam.first);
  reader.read(state.adam.second);
  state.history.resize(reader.length(kStepBytes));
  for (DistillStep& step : state.history) {
    visit_step(step, [&](auto& field) {
      if constexpr (std::is_same_v<decltype(field), bool&>) {
        field = reader.number() != 0;
      } else {
        reader.read(field);
      }
    });
  }
  const std::size_t moments = 3 * (state.motion.root_translations.size() + state.motion.angles.size());
  const bool whole = reader.finished() && state.iteration >= 0 && state.skipped_in_row >= 0 && state.adam.steps >= 0 &&
                     state.adam.first.size() == state.adam.second.size() &&
                     (state.adam.first.empty() || state.adam.first.size() == moments);
  if (!whole) return Error{"the checkpoint is damaged", name};
  return state;
}

}  // namespace limber::distill
