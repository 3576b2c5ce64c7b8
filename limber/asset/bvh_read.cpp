// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "limber/asset/read.h"
#include "limber/base/memory_budget.h"

namespace limber::asset {
namespace {

constexpr int kMaxDepth = 16384;  // of joints below one another
constexpr int kMaxChannels = 12;  // of one joint; real files have up to 9
constexpr std::size_t kMaxName = 256;
constexpr std::uint64_t kJointBytes = 1024;   // with its name and its place in lists
constexpr std::uint64_t kBytesOfNumber = 24;  // in the table, and as a time and a quaternion in the clip
constexpr std::size_t kNumbersAtOnce = 1 << 16;
constexpr double kUsualFps = 30;     // for files that do not say
constexpr double kMaxSeconds = 1e7;  // keys further apart than a float can tell are nonsense

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

/// Words of the text: runs of anything but white space; braces stand alone.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// The next word, empty at the end.
  std::string_view next() {
    const std::string_view word = peek();
    position_ += word.size();
    return word;
  }

  std::string_view peek() {
    while (position_ < text_.size() && is_space(text_[position_])) {
      if (text_[position_] == '\n') ++line_;
      ++position_;
    }
    std::size_t end = position_;
    if (end < text_.size() && is_brace(text_[end])) return text_.substr(end, 1);
    while (end < text_.size() && !is_space(text_[end]) && !is_brace(text_[end])) ++end;
    return text_.substr(position_, end - position_);
  }

  /// What is left of the line up to a brace, without white space at the ends: names may contain spaces.
  std::string_view rest_of_line() {
    std::size_t end = position_;
    while (end < text_.size() && text_[end] != '\n' && !is_brace(text_[end])) ++end;
    std::string_view rest = text_.substr(position_, end - position_);
    position_ = end;
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
    return rest;
  }

  int line() const { return line_; }

 private:
  static bool is_brace(char c) { return c == '{' || c == '}'; }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<double> to_number(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(static_cast<float>(value))) return std::nullopt;
  return value;
}

/// One column of the motion table.
struct Column {
  int axis = 0;
  bool rotates = false;
};

std::optional<Column> to_column(std::string_view word) {
  if (word.size() < 2) return std::nullopt;
  const std::size_t axis = std::string_view("xyzXYZ").find(word.front());
  if (axis == std::string_view::npos) return std::nullopt;
  const bool rotates = same_word(word.substr(1), "rotation");
  if (!rotates && !same_word(word.substr(1), "position")) return std::nullopt;
  return Column{static_cast<int>(axis % 3), rotates};
}

class BvhReader {
 public:
  BvhReader(std::string_view text, const std::string& name) : words_(text), name_(name) {}

  Result<Asset> read() {
    LIMBER_CHECK_OK(read_hierarchy());
    if (asset_.nodes.empty()) return error("no ROOT joint");
    LIMBER_CHECK_OK(read_motion());
    asset_.name = name_;
    Scene scene;
    scene.roots = roots_;
    asset_.scenes.push_back(std::move(scene));
    asset_.scene = 0;
    return std::move(asset_);
  }

 private:
  struct OpenJoint {
    std::size_t node;
    bool end_site;
  };

  Error error(std::string what) const { return {std::move(what), fmt::format("{}:{}", name_, words_.line())}; }
  Error expected(std::string_view what, std::string_view word) const {
    if (word.empty()) return error(fmt::format("the file ends where {} should be", what));
    return error(fmt::format("expected {}, found '{}'", what, word.substr(0, 40)));
  }

  Status read_hierarchy() {
    if (const std::string_view word = words_.next(); !same_word(word, "HIERARCHY")) return expected("HIERARCHY", word);
    while (true) {
      const std::string_view word = words_.peek();
      if (word.empty() || same_word(word, "MOTION")) return Done{};
      words_.next();
      if (!same_word(word, "ROOT")) return expected("ROOT or MOTION", word);
      LIMBER_CHECK_OK(read_joint_tree());
    }
  }

  // One ROOT with all below it; `open_` holds the joints whose brace is open, so depth costs no stack.
  Status read_joint_tree() {
    LIMBER_CHECK_OK(open_joint(/*end_site=*/false));
    while (!open_.empty()) {
      const std::string_view word = words_.next();
      if (word == "}") {
        open_.pop_back();
      } else if (same_word(word, "OFFSET")) {
        LIMBER_CHECK_OK(read_offset());
      } else if (open_.back().end_site) {
        return expected("OFFSET or '}'", word);
      } else if (same_word(word, "CHANNELS")) {
        LIMBER_CHECK_OK(read_channels());
      } else if (same_word(word, "JOINT")) {
        LIMBER_CHECK_OK(open_joint(/*end_site=*/false));
      } else if (same_word(word, "End")) {
        LIMBER_CHECK_OK(open_joint(/*end_site=*/true));
      } else {
        return expected("OFFSET, CHANNELS, JOINT, End Site or '}'", word);
      }
    }
    return Done{};
  }

  Status open_joint(bool end_site) {
    const std::string_view title = words_.rest_of_line();
    if (const std::string_view word = words_.next(); word != "{") return expected("'{'", word);
    if (open_.size() >= kMaxDepth) return error(fmt::format("joints are nested more than {} deep", kMaxDepth));
    LIMBER_CHECK_OK(memory_.take(kJointBytes, name_));
    const std::size_t node = asset_.nodes.size();
    Node joint;
    joint.name = std::string(title.substr(0, kMaxName));
    if (open_.empty()) {
      roots_.push_back(static_cast<int>(node));
    } else {
      Node& parent = asset_.nodes[open_.back().node];
      parent.children.push_back(static_cast<int>(node));
      if (end_site) joint.name = parent.name + "_end";
    }
    asset_.nodes.push_back(std::move(joint));
    columns_.emplace_back();
    open_.push_back({node, end_site});
    return Done{};
  }

  Status read_offset() {
    Vec3& offset = asset_.nodes[open_.back().node].local.translation;
    for (int i = 0; i < 3; ++i) {
      const std::string_view word = words_.next();
      const std::optional<double> number = to_number(word);
      if (!number) return expected("a number", word);
      offset[i] = static_cast<float>(*number);
    }
    return Done{};
  }

  Status read_channels() {
    const std::string_view word = words_.next();
    const std::optional<double> count = to_number(word);
    if (!count || *count < 0 || *count > kMaxChannels) {
      return expected(fmt::format("a number of channels up to {}", kMaxChannels), word);
    }
    std::vector<Column>& columns = columns_[open_.back().node];
    if (!columns.empty()) return error("a joint with CHANNELS twice");
    for (int i = 0; i < static_cast<int>(*count); ++i) {
      const std::string_view channel = words_.next();
      const std::optional<Column> column = to_column(channel);
      if (!column) return expected("a channel such as Xrotation or Yposition", channel);
      columns.push_back(*column);
    }
    column_count_ += columns.size();
    return Done{};
  }

  Status read_motion() {
    const std::string_view word = words_.next();
    if (word.empty()) {
      asset_.warnings.push_back("the file has no MOTION");
      return Done{};
    }
    LIMBER_TRY(const double claimed, read_frame_count());
    LIMBER_TRY(double step, read_frame_time());
    LIMBER_TRY(const std::vector<float> table, read_table(claimed));
    const std::size_t frames = column_count_ ? table.size() / column_count_ : 0;
    if (frames == 0) {
      asset_.warnings.push_back("the file has no frames");
      return Done{};
    }
    if (step <= 0) {
      step = 1 / kUsualFps;
      asset_.warnings.push_back(fmt::format("no valid frame time; took {} frames a second", kUsualFps));
    }
    if (step * static_cast<double>(frames) > kMaxSeconds) return error(fmt::format("a frame time of {} seconds", step));
    add_clip(table, frames, step);
    return Done{};
  }

  // "Frames: 12", "Frames:12", "Frames : 12".
  Result<double> read_frame_count() {
    std::string_view word = words_.next();
    if (word.size() < 6 || !same_word(word.substr(0, 6), "Frames")) return expected("Frames:", word);
    return number_after_colon(word.substr(6), "the number of frames");
  }

  // "Frame Time: .0083", "FrameTime:.0083", "Frame Time : .0083".
  Result<double> read_frame_time() {
    std::string_view word = words_.next();
    if (same_word(word, "Frame")) {
      word = words_.next();
    } else if (word.size() > 5 && same_word(word.substr(0, 5), "Frame")) {
      word.remove_prefix(5);
    }
    if (word.size() < 4 || !same_word(word.substr(0, 4), "Time")) return expected("Frame Time:", word);
    return number_after_colon(word.substr(4), "the frame time");
  }

  Result<double> number_after_colon(std::string_view word, std::string_view what) {
    if (word.empty()) word = words_.next();
    if (!word.empty() && word.front() == ':') word.remove_prefix(1);
    if (word.empty()) word = words_.next();
    const std::optional<double> number = to_number(word);
    if (!number) return expected(what, word);
    return *number;
  }

  // Row by row; as many whole frames as there are, whatever the header claims.
  Result<std::vector<float>> read_table(double claimed) {
    std::vector<float> table;
    const double wanted = std::floor(claimed) * static_cast<double>(column_count_);
    while (static_cast<double>(table.size()) < wanted) {
      if (table.size() % kNumbersAtOnce == 0) LIMBER_CHECK_OK(memory_.take(kNumbersAtOnce * kBytesOfNumber, name_));
      const std::string_view word = words_.next();
      if (word.empty()) break;
      const std::optional<double> number = to_number(word);
      if (!number) return expected("a number", word);
      table.push_back(static_cast<float>(*number));
    }
    if (static_cast<double>(table.size()) < wanted) {
      const std::size_t whole = table.size() / column_count_;
      asset_.warnings.push_back(fmt::format("the header claims {} frames, the file has {}", claimed, whole));
      table.resize(whole * column_count_);
    } else if (!words_.peek().empty()) {
      asset_.warnings.push_back(fmt::format("ignored what follows the {} frames of the header", claimed));
    }
    return table;
  }

  void add_clip(const std::vector<float>& table, std::size_t frames, double step) {
    Clip clip;
    clip.name = "motion";
    std::vector<float> times(frames);
    for (std::size_t f = 0; f < frames; ++f) times[f] = static_cast<float>(static_cast<double>(f) * step);
    std::size_t first = 0;
    for (std::size_t node = 0; node < asset_.nodes.size(); ++node) {
      const std::vector<Column>& columns = columns_[node];
      const auto rotates = [](const Column& c) { return c.rotates; };
      for (const Path path : {Path::kTranslation, Path::kRotation}) {
        const bool rotation = path == Path::kRotation;
        if (std::all_of(columns.begin(), columns.end(), [&](const Column& c) { return rotates(c) != rotation; }))
          continue;
        Channel channel;
        channel.node = static_cast<int>(node);
        channel.path = path;
        channel.times = times;
        channel.values.reserve(frames * (rotation ? 4 : 3));
        for (std::size_t f = 0; f < frames; ++f) {
          const float* row = table.data() + f * column_count_ + first;
          rotation ? append_rotation(columns, row, channel.values)
                   : append_position(columns, row, asset_.nodes[node].local.translation, channel.values);
        }
        clip.channels.push_back(std::move(channel));
      }
      first += columns.size();
    }
    asset_.clips.push_back(std::move(clip));
  }

  // A position channel is the joint's place in its parent, instead of the OFFSET: what Blender and the large
  // motion-capture collections mean by it.
  static void append_position(const std::vector<Column>& columns, const float* row, Vec3 offset,
                              std::vector<float>& values) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].rotates) offset[columns[i].axis] = row[i];
    }
    values.insert(values.end(), {offset.x, offset.y, offset.z});
  }

  // Degrees about the joint's own axes, in the order of the file; the sign keeps to that of the frame before.
  static void append_rotation(const std::vector<Column>& columns, const float* row, std::vector<float>& values) {
    Quatd rotation;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].rotates) continue;
      Vec3d axis;
      axis[columns[i].axis] = 1;
      rotation = rotation * axis_angle(axis, std::remainder(static_cast<double>(row[i]), 720.0) * kPi / 180);
    }
    Quat q = normalized(rotation).cast<float>();
    if (values.size() >= 4) {
      const float* last = values.data() + values.size() - 4;
      if (dot(q, Quat{last[0], last[1], last[2], last[3]}) < 0) q = {-q.x, -q.y, -q.z, -q.w};
    }
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
  }

  Words words_;
  std::string name_;
  MemoryShare memory_;
  Asset asset_;
  std::vector<int> roots_;
  std::vector<OpenJoint> open_;
  std::vector<std::vector<Column>> columns_;  ///< per node
  std::size_t column_count_ = 0;
};

}  // namespace

Result<Asset> read_bvh(std::span<const std::byte> bytes, const std::string& name) {
  std::string_view text = as_text(bytes);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  return BvhReader(text, name).read();
}

}  // namespace limber::asset
