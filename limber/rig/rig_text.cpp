// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "limber/base/at.h"

namespace limber::rig {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

/// The words of one line of a text, and where it stands.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  /// Moves on to the next line that has words; false at the end.
  bool next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      split(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      if (!words_.empty()) return true;
    }
    return false;
  }

  int line() const { return line_; }
  const std::vector<std::string_view>& words() const { return words_; }
  Error error(std::string what) const { return {std::move(what), fmt::format("{}:{}", name_, line_)}; }

  Result<double> number(std::size_t word) const {
    double value = 0;
    const std::string_view text = words_[word];
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      return error(fmt::format("'{}' is not a number", text.substr(0, 40)));
    }
    return value;
  }

 private:
  void split(std::string_view line) {
    words_.clear();
    while (true) {
      const std::size_t begin = line.find_first_not_of(kBlanks);
      if (begin == std::string_view::npos) return;
      const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
      words_.push_back(line.substr(begin, end - begin));
      line.remove_prefix(end);
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::vector<std::string_view> words_;
  int line_ = 0;
};

struct Link {
  std::string_view parent, child;
  int line = 0;
};

struct RawRow {
  std::uint32_t vertex = 0;
  std::vector<std::pair<std::string_view, double>> influences;
  int line = 0;
};

/// The records of a file, names not yet looked up.
struct Records {
  std::vector<TextJoint> joints;
  std::vector<int> joint_lines;
  std::vector<Link> links;
  std::vector<RawRow> rows;
  std::string_view root;
  int root_line = 0;
};

Status add_joint(const LineReader& reader, Records& records) {
  const auto& words = reader.words();
  if (words.size() != 5) return reader.error("a 'joints' record needs a name and three numbers");
  TextJoint joint;
  joint.name = words[1];
  for (int k = 0; k < 3; ++k) {
    LIMBER_TRY(joint.position[k], reader.number(at(k) + 2));
  }
  records.joints.push_back(std::move(joint));
  records.joint_lines.push_back(reader.line());
  return Done{};
}

Status add_row(const LineReader& reader, Records& records) {
  const auto& words = reader.words();
  if (words.size() < 2 || words.size() % 2 != 0) {
    return reader.error("a 'skin' record needs a vertex and pairs of a name and a weight");
  }
  RawRow row;
  row.line = reader.line();
  const char* end = words[1].data() + words[1].size();
  const auto [stopped, code] = std::from_chars(words[1].data(), end, row.vertex);
  if (code != std::errc() || stopped != end) {
    return reader.error(fmt::format("'{}' is not a vertex", words[1].substr(0, 40)));
  }
  for (std::size_t k = 2; k < words.size(); k += 2) {
    LIMBER_TRY(const double weight, reader.number(k + 1));
    if (weight < 0) return reader.error(fmt::format("the weight {} is negative", weight));
    row.influences.emplace_back(words[k], weight);
  }
  records.rows.push_back(std::move(row));
  return Done{};
}

Result<Records> read_records(std::string_view text, const std::string& name) {
  Records records;
  LineReader reader(text, name);
  while (reader.next()) {
    const auto& words = reader.words();
    if (words[0] == "joints") {
      LIMBER_CHECK_OK(add_joint(reader, records));
    } else if (words[0] == "skin") {
      LIMBER_CHECK_OK(add_row(reader, records));
    } else if (words[0] == "root") {
      if (words.size() != 2) return reader.error("a 'root' record needs one name");
      if (records.root_line > 0) return reader.error("a second root");
      records.root = words[1];
      records.root_line = reader.line();
    } else if (words[0] == "hier") {
      if (words.size() != 3) return reader.error("a 'hier' record needs two names");
      records.links.push_back({words[1], words[2], reader.line()});
    } else {
      return reader.error(fmt::format("'{}' is none of joints, root, hier and skin", words[0].substr(0, 40)));
    }
  }
  if (records.joints.empty()) return Error{"has no joints", name};
  return records;
}

/// `hip_dup_2` without its last `_dup_2`; empty if it has none.
std::string_view without_dup(std::string_view name) {
  const std::size_t mark = name.rfind("_dup_");
  if (mark == std::string_view::npos || mark == 0) return {};
  const std::string_view digits = name.substr(mark + 5);
  const bool numbered = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  return numbered ? name.substr(0, mark) : std::string_view{};
}

/// Looks names up and links the joints into a tree.
class Assembler {
 public:
  Assembler(Records records, const std::string& name) : records_(std::move(records)), name_(name) {}

  Result<TextRig> run() {
    LIMBER_CHECK_OK(number_joints());
    LIMBER_CHECK_OK(link_joints());
    LIMBER_CHECK_OK(order_joints());
    LIMBER_CHECK_OK(add_skin());
    return std::move(rig_);
  }

 private:
  Error error(int line, std::string what) const { return {std::move(what), fmt::format("{}:{}", name_, line)}; }

  Result<int> find(std::string_view name, int line) const {
    const auto found = joint_of_name_.find(name);
    if (found == joint_of_name_.end()) return error(line, fmt::format("no joint is named '{}'", name.substr(0, 80)));
    return found->second;
  }

  Status number_joints();
  Status link_joints();
  Status order_joints();
  Status add_skin();

  Records records_;
  const std::string& name_;
  std::unordered_map<std::string_view, int> joint_of_name_;  ///< the original's index for `_dup_` joints
  std::vector<int> parent_, parent_line_;
  std::vector<int> place_;  ///< of each original in the finished rig
  TextRig rig_;
};

Status Assembler::number_joints() {
  for (std::size_t j = 0; j < records_.joints.size(); ++j) {
    if (!joint_of_name_.emplace(records_.joints[j].name, static_cast<int>(j)).second) {
      return error(records_.joint_lines[j], fmt::format("a second joint '{}'", records_.joints[j].name));
    }
  }
  // RigNet's copies: one per bone that leaves the joint, at the same place.
  const std::unordered_map<std::string_view, int> all = joint_of_name_;
  for (auto& [name, joint] : joint_of_name_) {
    for (std::string_view base = without_dup(name); !base.empty(); base = without_dup(base)) {
      if (const auto original = all.find(base); original != all.end()) joint = original->second;
    }
  }
  return Done{};
}

Status Assembler::link_joints() {
  parent_.assign(records_.joints.size(), -1);
  parent_line_.assign(records_.joints.size(), 0);
  for (const Link& link : records_.links) {
    LIMBER_TRY(const int parent, find(link.parent, link.line));
    LIMBER_TRY(const int child, find(link.child, link.line));
    const bool copies = link.parent != link.child && parent == child;
    if (copies || (parent_line_[at(child)] > 0 && parent_[at(child)] == parent)) continue;
    if (parent_line_[at(child)] > 0) {
      return error(link.line, fmt::format("'{}' has a parent already, by line {}", records_.joints[at(child)].name,
                                          parent_line_[at(child)]));
    }
    if (parent == child) return error(link.line, fmt::format("'{}' is its own parent", link.child));
    parent_[at(child)] = parent;
    parent_line_[at(child)] = link.line;
  }
  return Done{};
}

/// Parents first, from the root; whoever is not reached is in a cycle or in a tree of its own.
Status Assembler::order_joints() {
  int root = -1;
  if (records_.root_line > 0) {
    LIMBER_TRY(root, find(records_.root, records_.root_line));
    if (parent_[at(root)] >= 0) {
      return error(parent_line_[at(root)], fmt::format("the root '{}' has a parent", records_.root));
    }
  }
  const auto original = [&](std::size_t j) {
    return joint_of_name_.at(records_.joints[j].name) == static_cast<int>(j);
  };
  std::vector<std::vector<int>> children(parent_.size());
  for (std::size_t j = 0; j < parent_.size(); ++j) {
    if (!original(j)) continue;
    if (parent_[j] >= 0) {
      children[at(parent_[j])].push_back(static_cast<int>(j));
    } else if (root < 0) {
      root = static_cast<int>(j);
    } else if (root != static_cast<int>(j)) {
      return error(records_.joint_lines[j],
                   fmt::format("'{}' has no parent and is not the root", records_.joints[j].name));
    }
  }
  place_.assign(parent_.size(), -1);
  std::vector<int> queue;
  if (root >= 0) queue.push_back(root);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const int j = queue[i];
    place_[at(j)] = static_cast<int>(i);
    rig_.joints.push_back(records_.joints[at(j)]);
    rig_.joints.back().parent = parent_[at(j)] >= 0 ? place_[at(parent_[at(j)])] : -1;
    queue.insert(queue.end(), children[at(j)].begin(), children[at(j)].end());
  }
  for (std::size_t j = 0; j < parent_.size(); ++j) {
    if (original(j) && place_[j] < 0) {
      return error(parent_line_[j], fmt::format("'{}' is in a cycle, apart from the root", records_.joints[j].name));
    }
  }
  return Done{};
}

Status Assembler::add_skin() {
  std::vector<RawRow>& rows = records_.rows;
  std::stable_sort(rows.begin(), rows.end(), [](const RawRow& a, const RawRow& b) { return a.vertex < b.vertex; });
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r > 0 && rows[r].vertex == rows[r - 1].vertex) {
      return error(rows[r].line, fmt::format("vertex {} was in line {} already", rows[r].vertex, rows[r - 1].line));
    }
    TextSkinRow row{rows[r].vertex, {}};
    double sum = 0;
    for (const auto& [name, weight] : rows[r].influences) {
      LIMBER_TRY(int joint, find(name, rows[r].line));
      joint = place_[at(joint)];
      sum += weight;
      const auto same = std::find_if(row.influences.begin(), row.influences.end(),
                                     [joint](const TextInfluence& influence) { return influence.joint == joint; });
      if (same != row.influences.end()) {
        same->weight += weight;
      } else if (weight > 0) {
        row.influences.push_back({joint, weight});
      }
    }
    if (!std::isfinite(sum)) return error(rows[r].line, "the weights are too large to add up");
    if (!(sum > 0)) continue;
    for (TextInfluence& influence : row.influences) influence.weight /= sum;
    rig_.skin.push_back(std::move(row));
  }
  return Done{};
}

std::string without_blanks(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return kBlanks.find(c) != std::string_view::npos || c == '\n'; }, '_');
  return name.empty() ? "_" : name;
}

/// The vertex that a corner of an OBJ face means: "7", "7/1/3", "-1".
Result<std::uint32_t> read_corner(const LineReader& reader, std::string_view word, std::size_t point_count) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t index = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const auto count = static_cast<std::int64_t>(point_count);
  if (index < 0) index += count + 1;
  if (code != std::errc() || end != digits.data() + digits.size() || index < 1 || index > count) {
    return reader.error(fmt::format("'{}' is no vertex of those before it", word.substr(0, 40)));
  }
  return static_cast<std::uint32_t>(index - 1);
}

}  // namespace

Result<TextRig> read_rig_text(std::string_view text, const std::string& name) {
  LIMBER_TRY(Records records, read_records(text, name));
  return Assembler(std::move(records), name).run();
}

std::string write_rig_text(const TextRig& rig) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  std::vector<std::string> names;
  for (const TextJoint& joint : rig.joints) {
    names.push_back(without_blanks(joint.name));
    fmt::format_to(out, "joints {} {:.8f} {:.8f} {:.8f}\n", names.back(), joint.position.x, joint.position.y,
                   joint.position.z);
  }
  for (std::size_t j = 0; j < rig.joints.size(); ++j) {
    if (rig.joints[j].parent < 0) fmt::format_to(out, "root {}\n", names[j]);
  }
  for (const TextSkinRow& row : rig.skin) {
    fmt::format_to(out, "skin {}", row.vertex);
    for (const TextInfluence& influence : row.influences) {
      fmt::format_to(out, " {} {:.6f}", names[at(influence.joint)], influence.weight);
    }
    fmt::format_to(out, "\n");
  }
  for (std::size_t j = 0; j < rig.joints.size(); ++j) {
    if (rig.joints[j].parent >= 0) fmt::format_to(out, "hier {} {}\n", names[at(rig.joints[j].parent)], names[j]);
  }
  return fmt::to_string(text);
}

Result<TextSurface> read_obj_surface(std::string_view text, const std::string& name) {
  TextSurface surface;
  LineReader reader(text, name);
  while (reader.next()) {
    const auto& words = reader.words();
    if (words[0] == "v") {
      if (words.size() < 4) return reader.error("a vertex needs three numbers");
      Vec3d point;
      for (int k = 0; k < 3; ++k) {
        LIMBER_TRY(point[k], reader.number(at(k) + 1));
      }
      surface.points.push_back(point);
    } else if (words[0] == "f") {
      std::vector<std::uint32_t> corners;
      for (std::size_t k = 1; k < words.size(); ++k) {
        LIMBER_TRY(const std::uint32_t corner, read_corner(reader, words[k], surface.points.size()));
        corners.push_back(corner);
      }
      for (std::size_t k = 2; k < corners.size(); ++k) {
        surface.triangles.push_back({corners[0], corners[k - 1], corners[k]});
      }
    }
  }
  if (surface.points.empty()) return Error{"has no vertices", name};
  return surface;
}

}  // namespace limber::rig
