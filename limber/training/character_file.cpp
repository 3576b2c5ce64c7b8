// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace limber::training {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "limber characters 1\n";
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
constexpr int kMaxGaussians = 1000000;
/// Scales of Gaussians are stored as shares of their largest.
constexpr float kShares = 65535;

// --- writing ------------------------------------------------------------------

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
  }
  void count(std::size_t value) { number(static_cast<std::uint32_t>(value)); }
  void text(const std::string& value) {
    count(value.size());
    const std::span<const std::byte> bytes = as_bytes(value);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  /// Floats and structs of floats, without their length.
  template <class T>
  void floats(std::span<const T> values) {
    const std::span<const std::byte> bytes = std::as_bytes(values);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  template <class T>
  void floats(const T& value) {
    floats(std::span<const T>(&value, 1));
  }
  void share(float value) { number(static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * kShares))); }
  void signed_share(float value) { share(0.5f * (value + 1)); }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

void write_rig(Writer& out, const rig::Rig& rig) {
  out.count(rig.joints().size());
  for (const rig::Joint& joint : rig.joints()) {
    out.text(joint.name);
    out.number(static_cast<std::int32_t>(joint.parent));
    out.floats(joint.parent_from_frame);
    out.floats(joint.rest);
    out.floats(joint.axes);
    out.floats(joint.limits);
  }
  out.count(rig.bones().size());
  for (const rig::Bone& bone : rig.bones()) {
    out.number(static_cast<std::int32_t>(bone.joint));
    out.floats(bone.joint_from_bind);
  }
}

void write_surface(Writer& out, const splat::Gaussians& surface) {
  out.count(surface.size());
  out.count(static_cast<std::size_t>(surface.influences));
  out.floats(std::span<const Vec3>(surface.means));
  float largest = 0;
  for (const Vec3& scale : surface.scales) largest = std::max({largest, scale.x, scale.y, scale.z});
  out.number(largest);
  const std::vector<Vec3> colors = splat::base_colors(surface);
  for (std::size_t i = 0; i < surface.size(); ++i) {
    for (int k = 0; k < 4; ++k) out.signed_share(surface.rotations[i][k]);
    for (int k = 0; k < 3; ++k) out.share(largest > 0 ? surface.scales[i][k] / largest : 0);
    out.share(surface.opacities[i]);
    for (int k = 0; k < 3; ++k) out.share(colors[i][k]);
  }
  for (const std::uint16_t bone : surface.bones) out.number(bone);
  for (const float weight : surface.weights) out.share(weight);
}

void write_clip(Writer& out, const CharacterClip& clip) {
  out.text(clip.name);
  out.count(clip.meaning.actions.size());
  for (const std::string& action : clip.meaning.actions) out.text(action);
  out.number(static_cast<std::uint8_t>(clip.meaning.heading));
  for (const bool flag : {clip.meaning.fast, clip.meaning.once, clip.meaning.travels, clip.motion.loops}) {
    out.number(static_cast<std::uint8_t>(flag ? 1 : 0));
  }
  out.floats(clip.ground_velocity);
  out.number(static_cast<std::int32_t>(clip.cycles));
  out.number(clip.motion.fps);
  out.count(clip.motion.root_translations.size());
  out.floats(std::span<const Vec3>(clip.motion.root_translations));
  out.floats(std::span<const Vec3>(clip.motion.angles));
  out.count(clip.motion.overrides.size());
  for (const kinematics::JointOverride& change : clip.motion.overrides) {
    out.number(static_cast<std::int32_t>(change.joint));
    out.count(change.translations.size());
    out.floats(std::span<const Vec3>(change.translations));
    out.count(change.scales.size());
    out.floats(std::span<const Vec3>(change.scales));
  }
}

// --- reading ------------------------------------------------------------------

/// Takes what is there; the first thing that is wrong is kept, and everything after it reads as nothing.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  template <class T>
  T number() {
    T value{};
    take(&value, sizeof(T));
    return value;
  }
  /// A list's length, each entry of which takes so many bytes at least.
  std::size_t count(std::size_t entry_bytes, std::size_t most = 1u << 24) {
    const auto value = number<std::uint32_t>();
    if (value > most || std::uint64_t{value} * entry_bytes > bytes_.size() - at_) {
      fail(fmt::format("a list of {}, for which there is no room", value));
      return 0;
    }
    return ok() ? value : 0;
  }
  std::string text() {
    std::string value(count(1, 4096), '\0');
    take(value.data(), value.size());
    return value;
  }
  /// Structs of floats, all of which must be finite and not beyond any use.
  template <class T>
  void floats(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(float) == 0);
    take(values.data(), values.size_bytes());
    const auto* numbers = reinterpret_cast<const float*>(values.data());
    for (std::size_t i = 0; i < values.size_bytes() / sizeof(float); ++i) {
      if (!(std::abs(numbers[i]) < 1e9f)) return fail("a number that is not finite or far too large");
    }
  }
  template <class T>
  T floats() {
    T value{};
    floats(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  std::vector<T> floats(std::size_t count) {
    std::vector<T> values;
    if (!ok() || std::uint64_t{count} * sizeof(T) > bytes_.size() - at_) {
      fail(fmt::format("the file ends before its {} numbers", count));
      return values;
    }
    values.resize(count);
    floats(std::span<T>(values));
    return values;
  }
  float share() { return static_cast<float>(number<std::uint16_t>()) / kShares; }
  float signed_share() { return 2 * share() - 1; }

  void fail(std::string what) {
    if (ok()) error_ = Error{std::move(what), fmt::format("{} at byte {}", name_, at_)};
  }
  bool ok() const { return error_.what.empty(); }
  bool at_end() const { return at_ == bytes_.size(); }
  const Error& error() const { return error_; }

 private:
  void take(void* to, std::size_t count) {
    if (!ok()) return;
    if (count > bytes_.size() - at_) return fail("the file ends too early");
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }

  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t at_ = 0;
  Error error_;
};

Result<rig::Rig> read_rig(Reader& in) {
  rig::RigDraft draft;
  draft.joints.resize(in.count(sizeof(float) * 30, 65535));
  for (rig::Joint& joint : draft.joints) {
    joint.name = in.text();
    joint.parent = in.number<std::int32_t>();
    joint.parent_from_frame = in.floats<Affine>();
    joint.rest = in.floats<Transform>();
    joint.axes = in.floats<Quat>();
    joint.limits = in.floats<rig::JointLimits>();
  }
  draft.bones.resize(in.count(sizeof(float) * 13, 65535));
  for (rig::Bone& bone : draft.bones) {
    bone.joint = in.number<std::int32_t>();
    bone.joint_from_bind = in.floats<Affine>();
  }
  // Order matters to the motions that follow.
  for (std::size_t j = 0; j < draft.joints.size(); ++j) {
    if (draft.joints[j].parent >= static_cast<int>(j)) in.fail("a joint before its parent");
  }
  if (!in.ok()) return in.error();
  return rig::build_rig(std::move(draft));
}

splat::Gaussians read_surface(Reader& in, int bone_count) {
  splat::Gaussians surface;
  const std::size_t count = in.count(34, kMaxGaussians);
  surface.influences = static_cast<int>(in.count(0, 8));
  const auto stride = static_cast<std::size_t>(surface.influences);
  if (in.ok() && stride == 0) in.fail("Gaussians without skin weights");
  surface.means = in.floats<Vec3>(count);
  const auto largest = in.floats<float>();
  if (!in.ok()) return surface;
  surface.rotations.resize(count), surface.scales.resize(count), surface.opacities.resize(count);
  surface.harmonics.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Quat rotation;
    for (int k = 0; k < 4; ++k) rotation[k] = in.signed_share();
    surface.rotations[i] = normalized(rotation);
    for (int k = 0; k < 3; ++k) surface.scales[i][k] = std::abs(largest) * in.share();
    surface.opacities[i] = in.share();
    Vec3 color;
    for (int k = 0; k < 3; ++k) color[k] = in.share();
    surface.harmonics[i] = splat::harmonic_from_color(color);
  }
  surface.bones.resize(count * stride), surface.weights.resize(count * stride);
  for (std::uint16_t& bone : surface.bones) {
    bone = in.number<std::uint16_t>();
    if (bone >= bone_count) in.fail(fmt::format("bone {} of {}", bone, bone_count));
  }
  for (float& weight : surface.weights) weight = in.share();
  // Rounded rows are made to sum to one again.
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) sum += surface.weights[k];
    if (!(sum > 0.5f)) in.fail("a Gaussian that no bone moves");
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) surface.weights[k] /= sum;
  }
  return surface;
}

void read_overrides(Reader& in, kinematics::Motion& motion) {
  const std::size_t frames = motion.root_translations.size();
  motion.overrides.resize(in.count(12, static_cast<std::size_t>(motion.joint_count)));
  int last = -1;
  for (kinematics::JointOverride& change : motion.overrides) {
    change.joint = in.number<std::int32_t>();
    if (change.joint <= last || change.joint >= motion.joint_count) in.fail("overrides of joints out of order");
    last = change.joint;
    change.translations = in.floats<Vec3>(in.count(sizeof(Vec3)));
    change.scales = in.floats<Vec3>(in.count(sizeof(Vec3)));
    for (const std::size_t size : {change.translations.size(), change.scales.size()}) {
      if (size != 0 && size != frames) in.fail("an override of another length than its motion");
    }
    if (!in.ok()) return;
  }
}

CharacterClip read_clip(Reader& in, int joint_count) {
  CharacterClip clip;
  clip.name = in.text();
  clip.meaning.actions.resize(in.count(4, 16));
  for (std::string& action : clip.meaning.actions) {
    action = in.text();
    if (in.ok() && !is_taught(action)) in.fail("an action that is not known: bake the file again");
  }
  if (in.ok() && clip.meaning.actions.empty()) in.fail("a clip without an action");
  const auto heading = in.number<std::uint8_t>();
  if (heading > static_cast<std::uint8_t>(Heading::kRight)) in.fail("an unknown heading");
  clip.meaning.heading = static_cast<Heading>(heading);
  clip.meaning.fast = in.number<std::uint8_t>() != 0;
  clip.meaning.once = in.number<std::uint8_t>() != 0;
  clip.meaning.travels = in.number<std::uint8_t>() != 0;
  clip.motion.loops = in.number<std::uint8_t>() != 0;
  clip.ground_velocity = in.floats<Vec3>();
  clip.cycles = in.number<std::int32_t>();
  if (in.ok() && (clip.cycles < 1 || clip.cycles > 1000)) in.fail("a number of cycles out of range");
  clip.motion.fps = in.number<double>();
  if (in.ok() && !(clip.motion.fps > 0.1 && clip.motion.fps < 1e4)) in.fail("frames per second out of range");
  clip.motion.joint_count = joint_count;
  const std::size_t frames = in.count(sizeof(Vec3) * (1 + static_cast<std::size_t>(joint_count)));
  if (in.ok() && frames == 0) in.fail("a clip without frames");
  clip.motion.root_translations = in.floats<Vec3>(frames);
  clip.motion.angles = in.floats<Vec3>(frames * static_cast<std::size_t>(joint_count));
  if (in.ok()) read_overrides(in, clip.motion);
  return clip;
}

Result<Character> read_character(Reader& in) {
  const std::string name = in.text();
  BodyMeaning body;
  const auto plan = in.number<std::uint8_t>();
  if (plan >= zoo::kPlanCount) in.fail("an unknown plan of a body");
  body.plan = static_cast<zoo::Plan>(plan);
  body.noun = in.text();
  if (!in.ok()) return in.error();
  LIMBER_TRY(rig::Rig rig, read_rig(in));
  Character character{name, body, std::move(rig), {}, {}};
  const std::size_t surfaces = in.count(8, 64);
  if (in.ok() && surfaces == 0) in.fail("a character without a surface");
  for (std::size_t i = 0; i < surfaces && in.ok(); ++i) {
    character.surfaces.push_back(read_surface(in, character.rig.bone_count()));
  }
  const std::size_t clips = in.count(40, 4096);
  if (in.ok() && clips == 0) in.fail("a character without clips");
  for (std::size_t i = 0; i < clips && in.ok(); ++i)
    character.clips.push_back(read_clip(in, character.rig.joint_count()));
  if (!in.ok()) return in.error();
  return character;
}

}  // namespace

Bytes write_characters(std::span<const Character> characters) {
  Writer out;
  for (const char c : kMagic) out.number(c);
  out.count(characters.size());
  for (const Character& character : characters) {
    out.text(character.name);
    out.number(static_cast<std::uint8_t>(character.body.plan));
    out.text(character.body.noun);
    write_rig(out, character.rig);
    out.count(character.surfaces.size());
    for (const splat::Gaussians& surface : character.surfaces) write_surface(out, surface);
    out.count(character.clips.size());
    for (const CharacterClip& clip : character.clips) write_clip(out, clip);
  }
  return out.take();
}

Status write_characters(std::span<const Character> characters, const std::filesystem::path& path) {
  return write_file(path, write_characters(characters));
}

Result<std::vector<Character>> read_characters(std::span<const std::byte> bytes, const std::string& name) {
  Reader in(bytes, name);
  for (const char c : kMagic) {
    if (in.number<char>() != c) return Error{"not a file of characters, or of another version", name};
  }
  std::vector<Character> characters;
  const std::size_t count = in.count(64, 100000);
  for (std::size_t i = 0; i < count; ++i) {
    LIMBER_TRY(Character character, read_character(in));
    characters.push_back(std::move(character));
  }
  if (in.ok() && !in.at_end()) in.fail("more in the file than it says");
  if (in.ok() && characters.empty()) in.fail("no characters");
  if (!in.ok()) return in.error();
  return characters;
}

Result<std::vector<Character>> read_characters(const std::filesystem::path& path) {
  LIMBER_TRY(const Bytes bytes, read_file(path, kMaxBytes));
  return read_characters(bytes, path.string());
}

}  // namespace limber::training
