// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/part_contacts.h"

#include <algorithm>

#include "limber/rig/read_cues.h"
#include "limber/rig/union_find.h"

namespace limber::rig {
namespace {

constexpr double kTrusted = 0.8;  // readings below cut nothing

struct Contact {
  int from = 0, to = 0;
  double length = 0;
};

}  // namespace

bool are_joined(Region a, Region b) {
  if (a > b) std::swap(a, b);
  if (a == b || b == Region::kOther) return true;
  // What leaves the trunk: thighs and upper arms, middle legs, wings and side fins.
  const auto leaves = [](Region r) {
    return (is_limb(r) && limb_section(r) == 0) || (r >= Region::kMiddleLeft && r <= Region::kWingRight);
  };
  const bool upper = leaves(b);
  switch (a) {
    case Region::kTrunk:
      return !is_limb(b) || upper;  // also neck, head, tail, fins
    case Region::kNeck:
      return b == Region::kHead || (upper && (b < Region::kHindUpperLeft || b > Region::kHindEndRight));
    case Region::kHead:
      return b == Region::kWingLeft || b == Region::kWingRight;  // fins behind the gills
    case Region::kTail:
      return upper || b == Region::kFin;
    default:
      break;
  }
  if (is_limb(a) && is_limb(b) && upper_section(a) == upper_section(b))
    return std::abs(limb_section(a) - limb_section(b)) == 1;
  return leaves(a) && leaves(b);  // they meet in the trunk
}

int cut_contacts(const BodyReading& reading, BodyShape& body) {
  const ReadCues cues(body, reading);
  if (cues.trust() < kTrusted) return 0;
  std::vector<Region> regions;
  for (int s = 0; s < body.graph.count(); ++s) regions.push_back(cues.region(s));
  UnionFind joined(regions.size());
  std::vector<Contact> contacts;
  for (int s = 0; s < body.graph.count(); ++s) {
    auto& edges = body.graph.edges[static_cast<std::size_t>(s)];
    const auto touch = [&](const SphereGraph::Edge& edge) {
      return !are_joined(regions[static_cast<std::size_t>(s)], regions[static_cast<std::size_t>(edge.to)]);
    };
    for (const SphereGraph::Edge& edge : edges) {
      if (!touch(edge)) {
        joined.join(s, edge.to);
      } else if (s < edge.to) {
        contacts.push_back({s, edge.to, edge.length});
      }
    }
    edges.erase(std::remove_if(edges.begin(), edges.end(), touch), edges.end());
  }
  std::stable_sort(contacts.begin(), contacts.end(),
                   [](const Contact& x, const Contact& y) { return x.length < y.length; });
  int cut = static_cast<int>(contacts.size());
  for (const Contact& contact : contacts) {
    if (!joined.join(contact.from, contact.to)) continue;
    body.graph.edges[static_cast<std::size_t>(contact.from)].push_back({contact.to, contact.length});
    body.graph.edges[static_cast<std::size_t>(contact.to)].push_back({contact.from, contact.length});
    --cut;
  }
  for (auto& edges : body.graph.edges)
    std::sort(edges.begin(), edges.end(), [](const auto& x, const auto& y) { return x.to < y.to; });
  if (cut > 0) find_ways(body);
  return cut;
}

}  // namespace limber::rig
