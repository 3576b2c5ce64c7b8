// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

#include "limber/base/expect.h"
#include "limber/base/memory_budget.h"

namespace limber::asset {
namespace {

enum class Type : std::uint8_t { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };

std::optional<Type> type_from_name(std::string_view name) {
  struct Named {
    std::string_view name;
    Type type;
  };
  static constexpr Named kNames[] = {
      {"char", Type::kInt8},   {"int8", Type::kInt8},     {"uchar", Type::kUint8},   {"uint8", Type::kUint8},
      {"short", Type::kInt16}, {"int16", Type::kInt16},   {"ushort", Type::kUint16}, {"uint16", Type::kUint16},
      {"int", Type::kInt32},   {"int32", Type::kInt32},   {"uint", Type::kUint32},   {"uint32", Type::kUint32},
      {"float", Type::kFloat}, {"float32", Type::kFloat}, {"double", Type::kDouble}, {"float64", Type::kDouble},
  };
  for (const Named& entry : kNames) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

std::size_t size_of(Type type) {
  switch (type) {
    case Type::kInt8:
    case Type::kUint8:
      return 1;
    case Type::kInt16:
    case Type::kUint16:
      return 2;
    case Type::kInt32:
    case Type::kUint32:
    case Type::kFloat:
      return 4;
    case Type::kDouble:
      return 8;
  }
  return 1;
}

template <class T>
double value_as(const std::byte* from, bool swap) {
  std::byte raw[sizeof(T)];
  std::memcpy(raw, from, sizeof(T));
  if (swap) std::reverse(raw, raw + sizeof(T));
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return static_cast<double>(value);
}

double binary_value(Type type, const std::byte* from, bool swap) {
  switch (type) {
    case Type::kInt8:
      return value_as<std::int8_t>(from, swap);
    case Type::kUint8:
      return value_as<std::uint8_t>(from, swap);
    case Type::kInt16:
      return value_as<std::int16_t>(from, swap);
    case Type::kUint16:
      return value_as<std::uint16_t>(from, swap);
    case Type::kInt32:
      return value_as<std::int32_t>(from, swap);
    case Type::kUint32:
      return value_as<std::uint32_t>(from, swap);
    case Type::kFloat:
      return value_as<float>(from, swap);
    case Type::kDouble:
      return value_as<double>(from, swap);
  }
  return 0;
}

struct Property {
  std::string name;
  Type type = Type::kFloat;
  std::optional<Type> count_type;  ///< of lists
};
struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<Property> properties;
};

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) return result;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    result.push_back(line.substr(at, end - at));
    at = end;
  }
}

class PlyReader {
 public:
  PlyReader(std::span<const std::byte> bytes, const std::string& name) : text_(as_text(bytes)), name_(name) {}

  Result<PlyVertices> read() {
    LIMBER_CHECK_OK(read_header());
    for (const Element& element : elements_) {
      PlyVertices table;
      LIMBER_CHECK_OK(read_element(element, table));
      if (element.name == "vertex") return table;
    }
    return error("header", "there is no element vertex");
  }

 private:
  Error error(const std::string& where, const std::string& what) const { return Error{what, name_ + "#/" + where}; }

  /// The next line, without its end; nothing at the end of the file.
  std::optional<std::string_view> next_line() {
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return line;
  }

  Status read_header() {
    const auto magic = next_line();
    if (!magic || words(*magic) != std::vector<std::string_view>{"ply"}) return error("header", "not a PLY file");
    bool has_format = false;
    while (const auto line = next_line()) {
      const std::vector<std::string_view> w = words(*line);
      if (w.empty() || w[0] == "comment" || w[0] == "obj_info") continue;
      if (w[0] == "end_header") {
        if (!has_format) return error("header", "no format line");
        return Done{};
      }
      if (w[0] == "format" && w.size() == 3) {
        if (w[1] != "ascii" && w[1] != "binary_little_endian" && w[1] != "binary_big_endian") {
          return error("header", fmt::format("unknown format {}", w[1]));
        }
        has_format = true;
        ascii_ = w[1] == "ascii";
        swap_ = (w[1] == "binary_big_endian") == (std::endian::native == std::endian::little);
      } else if (w[0] == "element" && w.size() == 3) {
        Element element{std::string(w[1]), 0, {}};
        const auto parsed = std::from_chars(w[2].data(), w[2].data() + w[2].size(), element.count);
        if (parsed.ec != std::errc() || parsed.ptr != w[2].data() + w[2].size()) {
          return error("header", fmt::format("element {} has no count", w[1]));
        }
        elements_.push_back(std::move(element));
      } else if (w[0] == "property") {
        LIMBER_CHECK_OK(read_property(w));
      } else {
        return error("header", "a line that is neither element nor property");
      }
    }
    return error("header", "no end_header");
  }

  Status read_property(const std::vector<std::string_view>& w) {
    if (elements_.empty()) return error("header", "a property before any element");
    const bool is_list = w.size() == 5 && w[1] == "list";
    if (!is_list && w.size() != 3) return error("header", "a property that is not understood");
    const auto type = type_from_name(w[is_list ? 3 : 1]), count_type = type_from_name(w[2]);
    if (!type || (is_list && !count_type))
      return error("header", fmt::format("property of unknown type: {}", w.back()));
    std::vector<Property>& properties = elements_.back().properties;
    for (const Property& p : properties) {
      if (p.name == w.back()) return error("header", fmt::format("two properties {}", w.back()));
    }
    properties.push_back({std::string(w.back()), *type, is_list ? count_type : std::nullopt});
    return Done{};
  }

  Status read_element(const Element& element, PlyVertices& table) {
    // Every value takes some bytes, so the count cannot promise more than the file holds.
    std::uint64_t row_bytes = 0;
    for (const Property& p : element.properties) {
      row_bytes += ascii_ ? 2 : size_of(p.count_type ? *p.count_type : p.type);
      if (!p.count_type) table.names.push_back(p.name);
    }
    const std::uint64_t left = text_.size() - at_ + (ascii_ ? 1 : 0);
    if (element.count > 0 && row_bytes > 0 && element.count > left / row_bytes) {
      return error(element.name, fmt::format("{} rows do not fit into {} bytes", element.count, left));
    }
    if (row_bytes == 0) return Done{};
    LIMBER_CHECK_OK(memory_.take(element.count * table.names.size() * sizeof(float), name_));
    table.columns.assign(table.names.size(), std::vector<float>(element.count));
    for (std::uint64_t row = 0; row < element.count; ++row) {
      std::size_t column = 0;
      for (const Property& p : element.properties) {
        double value = 0;
        if (!next_value(p.count_type ? *p.count_type : p.type, value)) {
          return error(fmt::format("{}/{}", element.name, row), "the file ends here, or holds no number");
        }
        if (!p.count_type) {
          table.columns[column++][row] = static_cast<float>(value);
          continue;
        }
        if (!(value >= 0 && value <= double(text_.size()))) {
          return error(fmt::format("{}/{}", element.name, row), "a list of impossible length");
        }
        for (auto i = static_cast<std::uint64_t>(value); i > 0; --i) {
          if (!next_value(p.type, value)) return error(fmt::format("{}/{}", element.name, row), "a list ends early");
        }
      }
    }
    return Done{};
  }

  bool next_value(Type type, double& value) {
    if (!ascii_) {
      const std::size_t size = size_of(type);
      if (text_.size() - at_ < size) return false;
      value = binary_value(type, reinterpret_cast<const std::byte*>(text_.data()) + at_, swap_);
      at_ += size;
      return true;
    }
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    // Numbers beyond a double's range become infinite or zero elsewhere; here they are errors.
    if (parsed.ec != std::errc()) return false;
    at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
    return at_ == text_.size() || std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  bool ascii_ = false, swap_ = false;
  std::vector<Element> elements_;
  MemoryShare memory_;
};

}  // namespace

const std::vector<float>* PlyVertices::find(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &columns[i];
  }
  return nullptr;
}

Result<PlyVertices> read_ply_vertices(std::span<const std::byte> bytes, const std::string& name) {
  return PlyReader(bytes, name).read();
}

Bytes write_ply_vertices(const PlyVertices& vertices) {
  static_assert(std::endian::native == std::endian::little);
  LIMBER_EXPECT(vertices.columns.size() == vertices.names.size(), fmt::format("{} names", vertices.names.size()));
  std::string header =
      fmt::format("ply\nformat binary_little_endian 1.0\ncomment made by limber\nelement vertex {}\n", vertices.rows());
  for (const std::string& name : vertices.names) header += fmt::format("property float {}\n", name);
  header += "end_header\n";
  Bytes bytes(header.size() + vertices.rows() * vertices.columns.size() * sizeof(float));
  std::memcpy(bytes.data(), header.data(), header.size());
  std::byte* to = bytes.data() + header.size();
  for (const std::vector<float>& column : vertices.columns) {
    LIMBER_EXPECT(column.size() == vertices.rows(), fmt::format("{} values", column.size()));
  }
  for (std::size_t row = 0; row < vertices.rows(); ++row) {
    for (const std::vector<float>& column : vertices.columns) {
      std::memcpy(to, &column[row], sizeof(float));
      to += sizeof(float);
    }
  }
  return bytes;
}

}  // namespace limber::asset
