// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/part_contacts.h"

#include <algorithm>

#include "limber/body/union_find.h"
#include "limber/skeleton/read_cues.h"

namespace limber::skeleton {
namespace {

constexpr double kTrusted = 0.8;  // readings below cut nothing

struct Contact {
  int from = 0, to = 0;
  double length = 0;
};

}  // namespace

bool are_joined(anatomy::Region a, anatomy::Region b) {
  if (a > b) std::swap(a, b);
  if (a == b || b == anatomy::Region::kOther) return true;
  // What leaves the trunk: thighs and upper arms, middle legs, wings and side fins.
  const auto leaves = [](anatomy::Region r) {
    return (anatomy::is_limb(r) && anatomy::limb_section(r) == 0) ||
           (r >= anatomy::Region::kMiddleLeft && r <= anatomy::Region::kWingRight);
  };
  const bool upper = leaves(b);
  switch (a) {
    case anatomy::Region::kTrunk:
      return !anatomy::is_limb(b) || upper;  // also neck, head, tail, fins
    case anatomy::Region::kNeck:
      return b == anatomy::Region::kHead ||
             (upper && (b < anatomy::Region::kHindUpperLeft || b > anatomy::Region::kHindEndRight));
    case anatomy::Region::kHead:
      return b == anatomy::Region::kWingLeft || b == anatomy::Region::kWingRight;  // fins behind the gills
    case anatomy::Region::kTail:
      return upper || b == anatomy::Region::kFin;
    default:
      break;
  }
  if (anatomy::is_limb(a) && anatomy::is_limb(b) && anatomy::upper_section(a) == anatomy::upper_section(b))
    return std::abs(anatomy::limb_section(a) - anatomy::limb_section(b)) == 1;
  return leaves(a) && leaves(b);  // they meet in the trunk
}

int cut_contacts(const anatomy::BodyReading& reading, body::BodyShape& body) {
  const ReadCues cues(body, reading);
  if (cues.trust() < kTrusted) return 0;
  std::vector<anatomy::Region> regions;
  for (int s = 0; s < body.graph.count(); ++s) regions.push_back(cues.region(s));
  body::UnionFind joined(regions.size());
  std::vector<Contact> contacts;
  for (int s = 0; s < body.graph.count(); ++s) {
    auto& edges = body.graph.edges[static_cast<std::size_t>(s)];
    const auto touch = [&](const body::SphereGraph::Edge& edge) {
      return !are_joined(regions[static_cast<std::size_t>(s)], regions[static_cast<std::size_t>(edge.to)]);
    };
    for (const body::SphereGraph::Edge& edge : edges) {
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
  if (cut > 0) body::find_paths(body);
  return cut;
}

}  // namespace limber::skeleton
