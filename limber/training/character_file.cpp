// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/character_file.h"

#include <array>

#include "limber/training/skeleton_stream.h"

namespace limber::training {
namespace {

constexpr std::string_view kMagic = "limber characters 2\n";
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;
/// Joint poses that a file may hold, 12 bytes each in memory.
constexpr std::size_t kMaxPoses = 40'000'000;

/// Trees of all rigs, each once.
class Trees {
 public:
  std::size_t number_of(const rig::Rig& rig) {
    JointTree tree = tree_of(rig);
    const auto found = std::find(trees_.begin(), trees_.end(), tree);
    if (found != trees_.end()) return static_cast<std::size_t>(found - trees_.begin());
    trees_.push_back(std::move(tree));
    return trees_.size() - 1;
  }
  const std::vector<JointTree>& all() const { return trees_; }

 private:
  std::vector<JointTree> trees_;
};

// --- meshes ----------------------------------------------------------------------------------------------------------

void write_mesh(ByteWriter& out, const CharacterMesh& mesh, int bone_count) {
  Vec3 low = mesh.points.empty() ? Vec3{} : mesh.points.front(), high = low;
  for (const Vec3& point : mesh.points) low = min(low, point), high = max(high, point);
  out.count(mesh.points.size()), out.count(mesh.triangles.size());
  out.floats(low), out.floats(high);
  for (const Vec3& point : mesh.points) {
    for (int k = 0; k < 3; ++k) out.share(high[k] > low[k] ? (point[k] - low[k]) / (high[k] - low[k]) : 0);
  }
  for (std::size_t i = 0; i < mesh.weights.bones.size(); ++i) {
    const std::uint16_t bone = mesh.weights.bones[i];
    bone_count <= 256 ? out.number(static_cast<std::uint8_t>(bone)) : out.number(bone);
    out.number(static_cast<std::uint8_t>(std::lround(255 * mesh.weights.weights[i])));
  }
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t point : triangle) {
      mesh.points.size() <= 65536 ? out.number(static_cast<std::uint16_t>(point)) : out.number(point);
    }
  }
}

void read_weights(ByteReader& in, std::size_t points, int bone_count, rig::SkinWeights& weights) {
  weights.stride = 4;
  weights.bones.resize(4 * points), weights.weights.resize(4 * points);
  for (std::size_t i = 0; i < points && in.ok(); ++i) {
    int sum = 0;
    for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) {
      const int bone = bone_count <= 256 ? int{in.number<std::uint8_t>()} : int{in.number<std::uint16_t>()};
      if (bone >= bone_count) in.fail(fmt::format("bone {} of {}", bone, bone_count));
      const auto share = in.number<std::uint8_t>();
      sum += share;
      weights.bones[k] = static_cast<std::uint16_t>(bone), weights.weights[k] = static_cast<float>(share) / 255;
    }
    if (sum != 255) in.fail("weights that do not sum to one");
  }
}

CharacterMesh read_mesh(ByteReader& in, int bone_count) {
  CharacterMesh mesh;
  const std::size_t points = in.count(14, 1u << 22), triangles = in.count(6, 1u << 22);
  const auto low = in.floats<Vec3>(), high = in.floats<Vec3>();
  if (in.ok() && points * 14 > in.left()) in.fail("a mesh for which there is no room");
  if (!in.ok()) return mesh;
  mesh.points.resize(points);
  for (Vec3& point : mesh.points) {
    for (int k = 0; k < 3; ++k) point[k] = low[k] + in.share() * (high[k] - low[k]);
  }
  read_weights(in, points, bone_count, mesh.weights);
  if (in.ok() && triangles * 6 > in.left()) in.fail("triangles for which there is no room");
  if (!in.ok()) return mesh;
  mesh.triangles.resize(triangles);
  for (auto& triangle : mesh.triangles) {
    for (std::uint32_t& point : triangle) {
      point = points <= 65536 ? in.number<std::uint16_t>() : in.number<std::uint32_t>();
      if (point >= points) in.fail(fmt::format("point {} of {}", point, points));
    }
  }
  return mesh;
}

// --- clips -----------------------------------------------------------------------------------------------------------

void write_clip(ByteWriter& out, const CharacterClip& clip) {
  out.text(clip.name);
  out.count(clip.meaning.actions.size());
  for (const std::string& action : clip.meaning.actions) out.text(action);
  out.number(static_cast<std::uint8_t>(clip.meaning.heading));
  for (const bool flag : {clip.meaning.fast, clip.meaning.slow, clip.meaning.once, clip.meaning.travels}) {
    out.number(static_cast<std::uint8_t>(flag ? 1 : 0));
  }
  out.floats(clip.ground_velocity);
  out.number(static_cast<std::int32_t>(clip.cycles));
  write_motion(out, clip.motion);
}

CharacterClip read_clip(ByteReader& in, int joint_count, std::size_t& poses) {
  CharacterClip clip;
  clip.name = in.text();
  clip.meaning.actions.resize(in.count(4, 16));
  for (std::string& action : clip.meaning.actions) {
    action = in.text();
    if (in.ok() && !is_taught(action)) in.fail("an action that is not known: bake the file again");
  }
  const auto heading = in.number<std::uint8_t>();
  if (heading > static_cast<std::uint8_t>(Heading::kRight)) in.fail("an unknown heading");
  clip.meaning.heading = static_cast<Heading>(heading);
  for (bool* flag : {&clip.meaning.fast, &clip.meaning.slow, &clip.meaning.once, &clip.meaning.travels}) {
    *flag = in.number<std::uint8_t>() != 0;
  }
  clip.ground_velocity = in.floats<Vec3>();
  clip.cycles = in.number<std::int32_t>();
  if (in.ok() && (clip.cycles < 1 || clip.cycles > 1000)) in.fail("a number of cycles out of range");
  clip.motion = read_motion(in, joint_count, poses);
  return clip;
}

// --- characters and people -------------------------------------------------------------------------------------------

void write_character(ByteWriter& out, const Character& character, std::size_t tree) {
  out.text(character.name);
  out.number(static_cast<std::uint8_t>(character.body.plan));
  out.text(character.body.noun);
  out.count(tree);
  write_rig(out, character.rig);
  out.number(static_cast<std::uint8_t>(character.surfaces.size()));
  write_mesh(out, character.mesh, character.rig.bone_count());
  out.count(character.clips.size());
  for (const CharacterClip& clip : character.clips) write_clip(out, clip);
}

void write_person(ByteWriter& out, const Person& person, std::size_t tree) {
  out.number(static_cast<std::int32_t>(person.subject));
  out.count(tree);
  write_rig(out, person.rig);
  out.count(person.recordings.size());
  for (const Recording& recording : person.recordings) {
    out.text(recording.name), out.text(recording.action);
    write_motion(out, recording.motion);
  }
}

Result<rig::Rig> read_rig_of(ByteReader& in, const std::vector<JointTree>& trees) {
  const std::size_t tree = in.count(0, 65535);
  if (in.ok() && tree >= trees.size()) in.fail("a skeleton that is not there");
  if (!in.ok()) return in.error();
  return read_rig(in, trees[tree]);
}

Result<Character> read_character(ByteReader& in, const std::vector<JointTree>& trees, std::size_t& poses) {
  const std::string name = in.text();
  BodyMeaning body;
  const auto plan = in.number<std::uint8_t>();
  if (plan >= zoo::kPlanCount) in.fail("an unknown plan of a body");
  body.plan = static_cast<zoo::Plan>(plan);
  body.noun = in.text();
  LIMBER_TRY(rig::Rig rig, read_rig_of(in, trees));
  const auto surfaces = in.number<std::uint8_t>();
  if (in.ok() && (surfaces == 0 || surfaces > 16)) in.fail("a character without a surface, or with too many");
  CharacterMesh mesh = read_mesh(in, rig.bone_count());
  if (!in.ok()) return in.error();
  Character character{name, body, rig, sample_surfaces(rig, mesh, surfaces), {}, std::move(mesh)};
  if (character.surfaces.empty()) in.fail("a character without a surface");
  const std::size_t clips = in.count(40, 4096);
  for (std::size_t i = 0; i < clips && in.ok(); ++i) character.clips.push_back(read_clip(in, rig.joint_count(), poses));
  if (!in.ok()) return in.error();
  return character;
}

Result<Person> read_person(ByteReader& in, const std::vector<JointTree>& trees, std::size_t& poses) {
  const int subject = in.number<std::int32_t>();
  LIMBER_TRY(rig::Rig rig, read_rig_of(in, trees));
  Person person{subject, std::move(rig), {}};
  const std::size_t recordings = in.count(20, 4096);
  for (std::size_t i = 0; i < recordings && in.ok(); ++i) {
    Recording recording{in.text(), "", {}};
    recording.action = in.text();
    recording.motion = read_motion(in, person.rig.joint_count(), poses);
    person.recordings.push_back(std::move(recording));
  }
  if (!in.ok()) return in.error();
  return person;
}

}  // namespace

Bytes write_training_set(const TrainingSet& set) {
  Trees trees;
  for (const Character& character : set.characters) trees.number_of(character.rig);
  for (const Person& person : set.people) trees.number_of(person.rig);
  ByteWriter out;
  for (const char c : kMagic) out.number(c);
  out.count(set.credits.size());
  for (const std::string& line : set.credits) out.text(line);
  out.count(trees.all().size());
  for (const JointTree& tree : trees.all()) write_tree(out, tree);
  out.count(set.characters.size());
  for (const Character& character : set.characters) write_character(out, character, trees.number_of(character.rig));
  out.count(set.people.size());
  for (const Person& person : set.people) write_person(out, person, trees.number_of(person.rig));
  return out.take();
}

Result<TrainingSet> read_training_set(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader in(bytes, name);
  for (const char c : kMagic) {
    if (in.number<char>() != c) return Error{"not a file of characters, or of another version: bake it again", name};
  }
  TrainingSet set;
  set.credits.resize(in.count(4, 100000));
  for (std::string& line : set.credits) line = in.text();
  std::vector<JointTree> trees(in.count(4, 65535));
  for (JointTree& tree : trees) tree = read_tree(in);
  std::size_t poses = kMaxPoses;
  const std::size_t characters = in.count(64, 10000);
  for (std::size_t i = 0; i < characters; ++i) {
    LIMBER_TRY(Character character, read_character(in, trees, poses));
    set.characters.push_back(std::move(character));
  }
  const std::size_t people = in.count(16, 10000);
  for (std::size_t i = 0; i < people; ++i) {
    LIMBER_TRY(Person person, read_person(in, trees, poses));
    set.people.push_back(std::move(person));
  }
  if (in.ok() && !in.at_end()) in.fail("more in the file than it says");
  if (in.ok() && set.characters.empty() && set.people.empty()) in.fail("nobody is in it");
  if (!in.ok()) return in.error();
  return set;
}

Result<TrainingSet> read_training_set(const std::filesystem::path& path) {
  LIMBER_TRY(const Bytes bytes, read_file(path, kMaxBytes));
  return read_training_set(bytes, path.string());
}

Result<std::vector<Character>> read_characters(const std::filesystem::path& path, int lent_recordings) {
  LIMBER_TRY(TrainingSet set, read_training_set(path));
  lend_recordings(set.characters, set.people, lent_recordings);
  return std::move(set.characters);
}

}  // namespace limber::training
