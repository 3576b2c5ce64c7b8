// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/wishes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "limber/rig/facing.h"
#include "limber/skeleton/name_profiles.h"

namespace limber::autorig {
namespace {

using Type = FieldType;

// --- values that are kept in another form than their text -----------------------------------------------------------

/// "hip.L=1,0,-0.5".
std::optional<std::pair<std::string, Vec3d>> parse_pin(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  Vec3d place;
  const char* at = text.c_str() + equals + 1;
  for (int a = 0; a < 3; ++a) {
    char* end = nullptr;
    place[a] = std::strtod(at, &end);
    if (end == at || *end != (a < 2 ? ',' : '\0')) return std::nullopt;
    at = end + 1;
  }
  if (!is_finite(place)) return std::nullopt;
  return std::pair{text.substr(0, equals), place};
}

OwnText pins(std::vector<std::pair<std::string, Vec3d>>& member) {
  return {[&member] {
            std::string text;
            for (const auto& [joint, place] : member) {
              text += fmt::format("{}{}={},{},{}", text.empty() ? "" : " ", joint, place.x, place.y, place.z);
            }
            return text;
          },
          [&member](const std::string& text) {
            auto pin = parse_pin(text);
            if (pin) member.push_back(std::move(*pin));
            return pin.has_value();
          }};
}

OwnText direction(std::optional<Vec3>& member) {
  return {[&member] { return member ? fmt::format("{},{},{}", member->x, member->y, member->z) : std::string(); },
          [&member](const std::string& text) {
            const std::optional<Vec3> read = rig::parse_direction(text);
            if (read || text.empty()) member = read;
            return read || text.empty();
          }};
}

OwnText four_or_eight(int& member) {
  return {[&member] { return std::to_string(member); },
          [&member](const std::string& text) {
            const bool known = text == "4" || text == "8";
            if (known) member = text == "4" ? 4 : 8;
            return known;
          }};
}

/// "auto|curve|biped|..."; it lives as long as the program.
const char* template_choices() {
  static const std::string choices = [] {
    std::string all = "auto|curve";
    for (const skeleton::SkeletonTemplate& t : skeleton::builtin_templates()) all += "|" + t.name;
    return all;
  }();
  return choices.c_str();
}

const char* name_choices() {
  static const std::string choices = [] {
    std::string all;
    for (const std::string& name : skeleton::name_profiles()) all += (all.empty() ? "" : "|") + name;
    return all;
  }();
  return choices.c_str();
}

// --- the table -------------------------------------------------------------------------------------------------------

/// What the skeleton is made from.
const std::vector<Field>& source_fields() {  // table: a row a field
  static const std::vector<Field> all{
      {{"keep_skeleton", Type::kFlag, "Keep the skeleton that is there and only weight the skin anew"},
       false,
       [](Wishes& w) -> FieldMember { return &w.keep_skeleton; }},
      {{"replace", Type::kFlag, "Take out the skeleton that is there, with its clips, and find a new one"},
       false,
       [](Wishes& w) -> FieldMember { return &w.replace; }},
      {{"template", Type::kChoice, "The kind of body, which is believed; auto tries all, curve follows the shape alone",
        template_choices()},
       false,
       [](Wishes& w) -> FieldMember { return &w.kind; }},
      {{"skeleton", Type::kFile, "Fit this skeleton, which is believed: a template (.json) or a rigged asset"},
       false,
       [](Wishes& w) -> FieldMember { return &w.skeleton; }},
      {{"parts", Type::kFile,
        "A joint for every part label, of which there is one per triangle: JSON or text; `extras` takes those in the "
        "asset"},
       false,
       [](Wishes& w) -> FieldMember { return &w.parts; }},
      {{"from", Type::kChoice,
        "parts: a joint for every part that `limber parts` finds; auto: so where no template is believed",
        "parts|auto"},
       false,
       [](Wishes& w) -> FieldMember { return &w.from; }},
      {{"least_agreement", Type::kNumber,
        "With `from` auto: believe found parts only where the views agree about them by so much", "", -1, 1},
       false,
       [](Wishes& w) -> FieldMember { return &w.least_agreement; }},
      {{"reader", Type::kFolder,
        "The network that tells parts, kind and front; auto: the one that ships, none: judge by shape alone"},
       false,
       [](Wishes& w) -> FieldMember { return &w.reader; }},
  };
  return all;
}

/// How it is to be.
const std::vector<Field>& wish_fields() {  // table: a row a field
  static const std::vector<Field> all{
      {{"pin", Type::kText, "Put a joint there, in the asset's units: hip.L=0.1,0.9,0; may be repeated", "NAME=X,Y,Z",
        0, 0, true},
       false,
       [](Wishes& w) -> FieldMember { return pins(w.pins); }},
      {{"joints", Type::kWhole, "At most this many joints", "", 1, 10000},
       false,
       [](Wishes& w) -> FieldMember { return &w.joints; }},
      {{"root", Type::kText, "Name of the joint that the others hang on"},
       false,
       [](Wishes& w) -> FieldMember { return &w.root; }},
      {{"names", Type::kChoice,
        "Name a humanoid's joints for another program; an error if the body has not what that needs", name_choices()},
       false,
       [](Wishes& w) -> FieldMember { return &w.names; }},
      {{"up", Type::kDirection, "Which way of the file is up: +z, -X or three numbers"},
       false,
       [](Wishes& w) -> FieldMember { return direction(w.up); }},
      {{"forward", Type::kDirection, "The way the body faces: +z, -X or three numbers"},
       false,
       [](Wishes& w) -> FieldMember { return direction(w.forward); }},
      {{"stand_up", Type::kFlag,
        "Add one node that turns the asset so that it stands along +Y; else it stays as it is"},
       false,
       [](Wishes& w) -> FieldMember { return &w.stand_up; }},
      {{"weights", Type::kChoice,
        "How joints share the skin. heat: it spreads over the surface from the bones; voxel: by distances inside the "
        "body, for meshes in pieces; parts: each part follows its joint; auto: what suits the mesh",
        "auto|heat|voxel|parts"},
       false,
       [](Wishes& w) -> FieldMember { return &w.weights; }},
      {{"influences", Type::kWhole, "Joints per vertex, 4 or 8", "", 4, 8},
       false,
       [](Wishes& w) -> FieldMember { return four_or_eight(w.influences); }},
      {{"stiffness", Type::kNumber, "Of the weights heat: larger values give shorter blends between bones", "", 0.01,
        1000},
       false,
       [](Wishes& w) -> FieldMember { return &w.stiffness; }},
      {{"report", Type::kFile, "Write what was decided, and why, as JSON"},
       true,
       [](Wishes& w) -> FieldMember { return &w.report; }},
  };
  return all;
}

// --- what is refused -------------------------------------------------------------------------------------------------

/// Two fields that cannot both be meant; where `value` is there, only if the second one has it.
struct Pair {
  const char *field, *other, *reason;
  const char* value = "";
};

constexpr const char *kKept = "the skeleton stays as it is", *kFromParts = "the skeleton comes from the parts",
                     *kNoKinds = "a skeleton of the shape knows no kinds and no names",
                     *kNoHeat = "only weights by heat have a stiffness";
constexpr Pair kPairs[] = {
    {"replace", "keep_skeleton", kKept},
    {"template", "keep_skeleton", kKept},
    {"skeleton", "keep_skeleton", kKept},
    {"parts", "keep_skeleton", kKept},
    {"from", "keep_skeleton", kKept},
    {"reader", "keep_skeleton", kKept},
    {"pin", "keep_skeleton", kKept},
    {"joints", "keep_skeleton", kKept},
    {"root", "keep_skeleton", kKept},
    {"names", "keep_skeleton", kKept},
    {"up", "keep_skeleton", kKept},
    {"forward", "keep_skeleton", kKept},
    {"stand_up", "keep_skeleton", kKept},
    {"from", "parts", "they are there already"},
    {"template", "parts", kFromParts},
    {"skeleton", "parts", kFromParts},
    {"reader", "parts", kFromParts},
    {"pin", "parts", kFromParts},
    {"joints", "parts", kFromParts},
    {"names", "parts", kFromParts},
    {"template", "from", kFromParts},
    {"skeleton", "from", kFromParts},
    {"reader", "from", kFromParts},
    {"pin", "from", kFromParts},
    {"joints", "from", kFromParts},
    {"names", "from", kFromParts},
    {"template", "skeleton", "one says what it is, the other what it should be"},
    {"reader", "template", kNoKinds, "curve"},
    {"pin", "template", kNoKinds, "curve"},
    {"names", "template", kNoKinds, "curve"},
    {"stiffness", "weights", kNoHeat, "voxel"},
    {"stiffness", "weights", kNoHeat, "parts"},
};

bool is_said(std::string_view name, const Wishes& wishes) {
  if (wishes.said.count(name) > 0) return true;
  if (name == "parts" && wishes.labels) return true;
  static const Wishes nothing;
  const Field& field = *find_field(name);
  return text_of(field, wishes) != text_of(field, nothing);
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> all = [] {
    std::vector<Field> joined = source_fields();
    joined.insert(joined.end(), wish_fields().begin(), wish_fields().end());
    return joined;
  }();
  return all;
}

const Field* find_field(std::string_view name) { return field_named(fields(), name); }

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const Field& field : fields()) {
    if (!field.is_file) names.emplace_back(field.name);
  }
  return names;
}

std::string text_of(const Field& field, const Wishes& wishes) {
  // The table's members are those of wishes that may change; nothing is written here.
  return field_text(field.member(const_cast<Wishes&>(wishes)));
}

Status set(const Field& field, const std::string& text, Wishes& wishes) { return say_field(field, text, wishes); }

std::optional<Refusal> find_refusal(const Wishes& wishes) {
  const auto clash = [](const char* field, const char* other, const char* value, const char* reason) {
    return Refusal{Refusal::Why::kContradict, field, other, value, reason, ErrorKind::kConflict};
  };
  for (const Pair& pair : kPairs) {
    if (!is_said(pair.field, wishes) || !is_said(pair.other, wishes)) continue;
    if (*pair.value != '\0' && text_of(*find_field(pair.other), wishes) != pair.value) continue;
    return clash(pair.field, pair.other, pair.value, pair.reason);
  }
  if (is_said("least_agreement", wishes) && wishes.from != "auto") {
    return Refusal{
        Refusal::Why::kNeeds, "least_agreement", "from", "auto", "nothing else asks how far parts are believed",
        ErrorKind::kConflict};
  }
  if (wishes.up && wishes.forward && !rig::make_facing(*wishes.up, *wishes.forward).ok()) {
    return clash("forward", "up", "", "they run along one line");
  }
  return std::nullopt;
}

Result<RigRequest> request_of(const Wishes& wishes) {
  if (const auto refusal = find_refusal(wishes)) return refused(*refusal, "request");
  RigRequest request;
  if (wishes.keep_skeleton) request.existing = ExistingSkeleton::kKeep;
  if (wishes.replace) request.existing = ExistingSkeleton::kReplace;
  AutoRigSettings& settings = request.settings;
  LIMBER_TRY(settings.skin.method, skin::skin_method(wishes.weights));
  settings.skin.influences = wishes.influences, settings.skin.stiffness = wishes.stiffness;
  if (wishes.keep_skeleton) return request;
  settings.max_joints = wishes.joints, request.stand_up = wishes.stand_up;
  if (!wishes.root.empty()) settings.root = wishes.root;
  if (!wishes.names.empty()) settings.names = wishes.names;
  settings.up = wishes.up, settings.forward = wishes.forward, settings.pins = wishes.pins;
  if (wishes.labels) {
    settings.source = SkeletonSource::kParts, settings.parts = wishes.labels;
  } else if (!wishes.parts.empty()) {
    settings.source = SkeletonSource::kParts;
    if (wishes.parts == "extras") return request;
    LIMBER_TRY(settings.parts, skeleton::read_labels(wishes.parts));
  } else if (wishes.from == "parts") {
    settings.source = SkeletonSource::kParts;  // of labels that are still to be found
  } else if (wishes.kind == "curve") {
    settings.source = SkeletonSource::kCurve;
  } else if (wishes.skeleton) {
    LIMBER_TRY(skeleton::SkeletonTemplate own, skeleton::read_template(*wishes.skeleton));
    settings.templates.push_back(std::move(own));
  } else if (wishes.kind != "auto") {
    LIMBER_TRY(skeleton::SkeletonTemplate chosen, template_named(wishes.kind));
    settings.templates.push_back(std::move(chosen));
  }
  return request;
}

std::string fields_as_markdown() {
  const Wishes nothing;
  std::string text = "| option | what | may be | unless said |\n|---|---|---|---|\n";
  for (const Field& field : fields()) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", field.name, field.help, allowed_values(field),
                        field.type == Type::kFlag ? "" : text_of(field, nothing));
  }
  return text;
}

}  // namespace limber::autorig
