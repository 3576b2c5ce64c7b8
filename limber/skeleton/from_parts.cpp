// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/from_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"
#include "limber/base/nesting.h"

namespace limber::skeleton {
namespace {

using Json = nlohmann::json;

constexpr int kMaxParts = 4096;
constexpr std::uint64_t kMaxLabelBytes = std::uint64_t{1} << 28;
constexpr std::uint64_t kBytesOfLetter = 16;  // that JSON takes in memory for each in the file: "0,0,0"

Result<PartLabels> labels_from_json(const Json& document, const std::string& where) {
  const Json* faces = &document;
  PartLabels labels;
  if (document.is_object()) {
    const auto entry = document.find("face_labels");
    if (entry == document.end()) return Error{"has no \"face_labels\"", where};
    faces = &*entry;
    const auto names = document.find("part_names");
    if (names != document.end() && names->is_array()) {
      for (const Json& name : *names) labels.names.push_back(name.is_string() ? name.get<std::string>() : "");
    }
  }
  if (!faces->is_array()) return Error{"is no list of labels", where};
  for (const Json& label : *faces) {
    if (!label.is_number_integer())
      return Error{fmt::format("label {} is no whole number", labels.faces.size()), where};
    const auto value = label.get<std::int64_t>();
    if (value >= kMaxParts) return Error{fmt::format("label {}: at most {} parts", value, kMaxParts), where};
    labels.faces.push_back(value < 0 ? -1 : static_cast<int>(value));
  }
  return labels;
}

/// A border between two parts.
struct Border {
  double length = 0;
  Vec3d middle;  ///< sum over its edges, by length
};

struct Parts {
  std::vector<int> of_triangle;  ///< of the welded surface, numbered from 0 without gaps
  std::vector<std::string> names;
  std::vector<double> area;
  std::vector<Vec3d> middle;
  std::map<std::pair<int, int>, Border> borders;  ///< (smaller, larger)
};

struct Edge {
  std::uint32_t low, high, triangle;
  bool operator<(const Edge& o) const { return std::tie(low, high, triangle) < std::tie(o.low, o.high, o.triangle); }
};

std::vector<Edge> sorted_edges(const body::WeldedSurface& surface) {
  std::vector<Edge> edges;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = surface.triangles[t][k], b = surface.triangles[t][(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(t)});
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

template <class Visit>
void for_edge_groups(const std::vector<Edge>& edges, Visit visit) {
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
    visit(begin, end);
  }
}

/// Triangles without a label take that of their neighbours, wave by wave.
void spread_labels(const std::vector<Edge>& edges, std::vector<int>& labels) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<int> before = labels;
    for_edge_groups(edges, [&](std::size_t begin, std::size_t end) {
      int known = -1;
      for (std::size_t e = begin; e < end; ++e) known = std::max(known, before[edges[e].triangle]);
      if (known < 0) return;
      for (std::size_t e = begin; e < end; ++e) {
        if (labels[edges[e].triangle] < 0) labels[edges[e].triangle] = known, changed = true;
      }
    });
  }
  for (int& label : labels) label = std::max(label, 0);
}

Parts find_parts(const body::WeldedSurface& surface, const PartLabels& labels) {
  Parts parts;
  const std::vector<Edge> edges = sorted_edges(surface);
  std::vector<int> given;
  for (const std::uint32_t t : surface.source) given.push_back(labels.faces[t]);
  spread_labels(edges, given);
  std::map<int, int> number;
  for (const int label : given) number.try_emplace(label, 0);
  for (auto& [label, index] : number) {
    index = static_cast<int>(parts.names.size());
    const bool named = label < static_cast<int>(labels.names.size()) && !labels.names[at(label)].empty();
    parts.names.push_back(named ? labels.names[at(label)] : fmt::format("part.{}", label));
  }
  parts.area.resize(parts.names.size()), parts.middle.resize(parts.names.size());
  for (std::size_t t = 0; t < given.size(); ++t) {
    const int part = number[given[t]];
    parts.of_triangle.push_back(part);
    const body::Triangle& c = surface.triangles[t];
    const Vec3d a = surface.points[c[0]], b = surface.points[c[1]], d = surface.points[c[2]];
    const double area = 0.5 * norm(cross(b - a, d - a));
    parts.area[at(part)] += area, parts.middle[at(part)] += area / 3 * (a + b + d);
  }
  for (std::size_t p = 0; p < parts.area.size(); ++p) {
    if (parts.area[p] > 0) parts.middle[p] = (1 / parts.area[p]) * parts.middle[p];
  }
  for_edge_groups(edges, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i + 1; j < end; ++j) {
        const auto [p, q] = std::minmax(parts.of_triangle[edges[i].triangle], parts.of_triangle[edges[j].triangle]);
        if (p == q) continue;
        const Vec3d a = surface.points[edges[i].low], b = surface.points[edges[i].high];
        Border& border = parts.borders[{p, q}];
        border.length += norm(b - a), border.middle += 0.5 * norm(b - a) * (a + b);
      }
    }
  });
  return parts;
}

/// Parts that touch nothing are tied to the nearest part of the rest.
void tie_loose_parts(Parts& parts, std::vector<std::string>& notes) {
  const std::size_t count = parts.names.size();
  std::vector<int> group(count, -1);
  auto flood = [&](int seed) {
    std::vector<int> stack{seed};
    group[at(seed)] = 0;
    while (!stack.empty()) {
      const int p = stack.back();
      stack.pop_back();
      for (const auto& [pair, border] : parts.borders) {
        for (const auto& [a, b] : {pair, std::pair{pair.second, pair.first}}) {
          if (a == p && group[at(b)] < 0) group[at(b)] = 0, stack.push_back(b);
        }
      }
    }
  };
  flood(static_cast<int>(std::max_element(parts.area.begin(), parts.area.end()) - parts.area.begin()));
  for (;;) {
    std::pair<int, int> nearest{-1, -1};
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        if (group[a] < 0 || group[b] >= 0) continue;
        const double apart = norm(parts.middle[a] - parts.middle[b]);
        if (apart < gap) gap = apart, nearest = {static_cast<int>(a), static_cast<int>(b)};
      }
    }
    if (nearest.first < 0) return;
    const auto [low, high] = std::minmax(nearest.first, nearest.second);
    Border& border = parts.borders[{low, high}];
    border.length = 1e-9, border.middle = 0.5e-9 * (parts.middle[at(low)] + parts.middle[at(high)]);
    notes.push_back(fmt::format("part '{}' touches nothing; it hangs on '{}'", parts.names[at(nearest.second)],
                                parts.names[at(nearest.first)]));
    flood(nearest.second);
  }
}

/// Mean number of steps to the other parts.
std::vector<double> mean_steps(const Parts& parts) {
  const std::size_t count = parts.names.size();
  std::vector<std::vector<int>> near(count);
  for (const auto& [pair, border] : parts.borders)
    near[at(pair.first)].push_back(pair.second), near[at(pair.second)].push_back(pair.first);
  std::vector<double> mean(count, 0);
  for (std::size_t p = 0; p < count; ++p) {
    std::vector<int> steps(count, -1);
    std::queue<int> queue;
    queue.push(static_cast<int>(p)), steps[p] = 0;
    while (!queue.empty()) {
      const int q = queue.front();
      queue.pop();
      mean[p] += steps[at(q)];
      for (const int n : near[at(q)]) {
        if (steps[at(n)] < 0) steps[at(n)] = steps[at(q)] + 1, queue.push(n);
      }
    }
    mean[p] /= static_cast<double>(std::max<std::size_t>(count - 1, 1));
  }
  return mean;
}

/// Uphill to the medial axis, not farther than the depth there.
Vec3d to_medial(const body::BodyShape& body, Vec3d p) {
  constexpr double kRidge = 0.35;  // slope of the depth below which a point is on the medial axis: one elsewhere
  constexpr int kMostSteps = 200;
  const double step = 0.5 * body.solid.grid.cell;
  for (int k = 0; k < kMostSteps; ++k) {
    const body::DistanceField::Sample here = body.field.sample(p);
    if (norm(here.gradient) < kRidge && here.depth > 0) break;
    const Vec3d next = p + step * normalized(here.gradient, Vec3d{});
    if (body.field.depth(next) <= here.depth) break;
    p = next;
  }
  return p;
}

/// The part with the largest area times centrality.
int root_part(const Parts& parts) {
  const std::vector<double> steps = mean_steps(parts);
  std::size_t root = 0;
  for (std::size_t p = 1; p < parts.area.size(); ++p) {
    if (parts.area[p] / (1 + steps[p]) > parts.area[root] / (1 + steps[root])) root = p;
  }
  return static_cast<int>(root);
}

/// Joints for all parts, and which is whose.
struct PartTree {
  std::vector<PlannedJoint> joints;
  std::vector<int> joint_of;  ///< per part
  std::vector<int> part_of;   ///< per joint
};

/// Prim's tree over the firmest borders.
PartTree grow_tree(const body::BodyShape& body, const Parts& parts) {
  PartTree tree;
  tree.joint_of.assign(parts.names.size(), -1);
  auto add = [&](int part, int parent, Vec3d place) {
    tree.joint_of[at(part)] = static_cast<int>(tree.joints.size());
    tree.part_of.push_back(part);
    tree.joints.push_back({parts.names[at(part)], parent, to_medial(body, place), std::nullopt});
  };
  const int root = root_part(parts);
  add(root, -1, parts.middle[at(root)]);
  while (tree.joints.size() < parts.names.size()) {
    double best = -1;
    int from = -1, to = -1;
    const Border* over = nullptr;
    for (const auto& [pair, border] : parts.borders) {
      for (const auto& [a, b] : {pair, std::pair{pair.second, pair.first}}) {
        if (tree.joint_of[at(a)] < 0 || tree.joint_of[at(b)] >= 0) continue;
        const double firm = border.length / std::sqrt(std::max(std::min(parts.area[at(a)], parts.area[at(b)]), 1e-30));
        if (firm > best) best = firm, from = a, to = b, over = &border;
      }
    }
    add(to, tree.joint_of[at(from)], (1 / over->length) * over->middle);
  }
  return tree;
}

/// The far end of a part: its corner farthest from its joint, drawn inward.
Vec3d far_end(const body::WeldedSurface& surface, const Parts& parts, int part, Vec3d joint) {
  constexpr double kInward = 0.9;
  double farthest = -1;
  Vec3d end = joint;
  for (std::size_t t = 0; t < parts.of_triangle.size(); ++t) {
    if (parts.of_triangle[t] != part) continue;
    for (const std::uint32_t c : surface.triangles[t]) {
      const double apart = norm(surface.points[c] - joint);
      if (apart > farthest) farthest = apart, end = surface.points[c];
    }
  }
  return lerp(joint, end, kInward);
}

}  // namespace

Result<PartLabels> parse_labels(std::string_view text, const std::string& where) {
  if (nested_deeper(text)) return Error{"is nested too deep", where};
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_discarded() && (document.is_object() || document.is_array()))
    return labels_from_json(document, where);
  PartLabels labels;
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',') {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && (text[end] == '-' || (text[end] >= '0' && text[end] <= '9'))) ++end;
    const long value =
        end > i && end - i < 9 ? std::strtol(std::string(text.substr(i, end - i)).c_str(), nullptr, 10) : kMaxParts;
    if (end == i || value >= kMaxParts) return Error{"is no label", fmt::format("{}:{}", where, line)};
    labels.faces.push_back(value < 0 ? -1 : static_cast<int>(value));
    i = end;
  }
  return labels;
}

Result<PartLabels> read_labels(const std::filesystem::path& file) {
  MemoryShare memory;
  LIMBER_TRY(const Bytes bytes, read_file(file, kMaxLabelBytes, memory));
  LIMBER_CHECK_OK(memory.take(kBytesOfLetter * bytes.size(), file.filename().string()));
  return parse_labels(as_text(bytes), file.filename().string());
}

Result<PartLabels> labels_of_asset(const asset::Asset& asset) {
  const std::vector<bool> shown = asset::shown_nodes(asset);
  PartLabels all;
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (!shown[n] || asset.nodes[n].mesh < 0) continue;
    const std::string where = fmt::format("{}#/nodes/{}/extras", asset.name, n);
    const Json document = Json::parse(asset.nodes[n].extras, nullptr, false);
    if (!document.is_object()) return Error{"the node has a mesh but no \"face_labels\"", where};
    LIMBER_TRY(PartLabels labels, labels_from_json(document, where));
    all.faces.insert(all.faces.end(), labels.faces.begin(), labels.faces.end());
    if (all.names.size() < labels.names.size()) all.names = std::move(labels.names);
  }
  return all;
}

Result<PartsPlan> rig_from_parts(const body::BodyShape& body, std::size_t triangle_count, const PartLabels& labels) {
  if (labels.faces.size() != triangle_count || body.surface.triangles.empty()) {
    return Error{fmt::format("{} labels for {} triangles", labels.faces.size(), triangle_count), ""};
  }
  PartsPlan result;
  Parts parts = find_parts(body.surface, labels);
  tie_loose_parts(parts, result.notes);
  PartTree tree = grow_tree(body, parts);
  result.plan.joints = std::move(tree.joints);
  const auto children = result.plan.children();
  for (std::size_t j = 0; j < children.size(); ++j) {
    PlannedJoint& joint = result.plan.joints[j];
    if (children[j].empty()) joint.tail = far_end(body.surface, parts, tree.part_of[j], joint.at);
  }
  result.parts.assign(body.surface.points.size(), 0);
  for (std::size_t t = 0; t < parts.of_triangle.size(); ++t) {
    for (const std::uint32_t c : body.surface.triangles[t]) result.parts[c] = tree.joint_of[at(parts.of_triangle[t])];
  }
  return result;
}

}  // namespace limber::skeleton
