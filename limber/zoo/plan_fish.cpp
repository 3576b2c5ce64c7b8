// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/body_plan.h"

/// Fish and snakes: bodies that move by waves.
namespace limber::zoo {
namespace {

struct Fish {
  double height, width;  // half height at the deepest, width / height
  double tail_fin, dorsal, pectoral, snout, fork;
};

Fish draw_fish(Rng& rng) {
  Fish f;
  f.height = rng.uniform(0.1, 0.2);
  f.width = rng.uniform(0.42, 0.7);
  f.tail_fin = rng.uniform(0.12, 0.2);
  f.dorsal = rng.uniform(0.07, 0.16);
  f.pectoral = rng.uniform(0.12, 0.2);
  f.snout = rng.uniform(0.1, 0.2);
  f.fork = rng.uniform(0.3, 0.8);
  return f;
}

}  // namespace

BodyPlan plan_fish(Rng rng) {
  const Fish f = draw_fish(rng);
  BodyPlan plan;
  plan.coat = draw_coat(rng);
  plan.coat.socks = 0;
  plan.flat_ground = false;
  plan.cell_aspect = {0.6, 1, 1};
  const double level = 0.52;
  const int trunk = plan.limb({}, 0, 1, 0.03);
  const Vec3d flat{f.width, 1, 1}, fin{0.22, 1, 1};
  const auto on_axis = [&](double z) { return Vec3d{0, level, z}; };

  // The body swells to the shoulder and tapers to the tail; the root is where it sways least.
  const int root = plan.joint("body", -1, on_axis(0.16), JointAxes::kTrunk, {6.3, 1.3, 1.4});
  const int head = plan.joint("head", root, on_axis(0.26), JointAxes::kTrunk, {0.4, 0.3, 0.4});
  plan.belongs(head, rig::LimbKind::kHead, 1);
  plan.flesh(root, trunk, on_axis(0.26), 0.9 * f.height, on_axis(0.08), f.height, flat);
  plan.flesh(head, trunk, on_axis(0.26), 0.9 * f.height, on_axis(0.3 + f.snout), 0.38 * f.height, flat);
  const Vec3d hinge{0, level - 0.3 * f.height, 0.3 + 0.4 * f.snout};
  const int jaw = plan.joint("jaw", head, hinge, JointAxes::kTrunk, {-0.1, -0.1, -0.05}, {0.1, 0.1, 0.6});
  plan.belongs(jaw, rig::LimbKind::kJaw, 1);
  plan.flesh(jaw, trunk, hinge, 0.34 * f.height, {0, level - 0.36 * f.height, 0.29 + f.snout}, 0.2 * f.height, flat);
  int parent = root;
  const double ends[] = {0.08, -0.06, -0.19, -0.31, -0.41};
  const double radii[] = {1.0, 0.82, 0.55, 0.34, 0.24};
  std::array<int, 5> tail{};
  for (int i = 0; i < 4; ++i) {
    parent = plan.joint(numbered("tail", i + 1), parent, on_axis(ends[i]), JointAxes::kTrunk, {0.6, 0.3, 0.4});
    plan.belongs(parent, rig::LimbKind::kTail);
    tail[static_cast<std::size_t>(i)] = parent;
    plan.flesh(parent, trunk, on_axis(ends[i]), radii[i] * f.height, on_axis(ends[i + 1]), radii[i + 1] * f.height,
               flat);
  }
  const int last = plan.joint("tail.5", parent, on_axis(-0.4), JointAxes::kTrunk, {0.8, 0.3, 0.5});
  const int fan = plan.limb(on_axis(-0.4), 0.03, 0.2, 0.02);
  for (const double s : {1.0, -1.0}) {
    const Vec3d end{0, level + s * f.tail_fin, -0.42 - (0.35 + 0.65 * f.fork) * f.tail_fin};
    plan.flesh(last, fan, on_axis(-0.39), 0.2 * f.height, lerp(on_axis(-0.41), end, 0.5), 0.06, fin);
    plan.flesh(last, fan, lerp(on_axis(-0.41), end, 0.5), 0.06, end, 0.04, fin);
  }
  // Dorsal and anal fins are flesh of the body.
  const int dorsal = plan.limb({0, level + 0.9 * f.height, 0.0}, 0.03, 0.3, 0.02);
  plan.flesh(tail[0], dorsal, {0, level + 0.85 * f.height, 0.05}, 0.05, {0, level + 0.85 * f.height + f.dorsal, -0.06},
             0.04, fin);
  plan.flesh(tail[0], dorsal, {0, level + 0.8 * f.height, -0.02}, 0.06,
             {0, level + 0.7 * f.height + 0.6 * f.dorsal, -0.12}, 0.035, fin);
  const int anal = plan.limb({0, level - 0.55 * f.height, -0.18}, 0.03, 0.2, 0.02);
  plan.flesh(tail[2], anal, {0, level - 0.45 * f.height, -0.2}, 0.045,
             {0, level - 0.5 * f.height - 0.6 * f.dorsal, -0.27}, 0.035, fin);
  for (const int side : {1, -1}) {
    const Vec3d base{side * 0.85 * f.width * f.height, level - 0.35 * f.height, 0.2};
    const Vec3d end = base + f.pectoral * Vec3d{0.75 * side, -0.3, -0.6};
    const int limb = plan.limb(base, 0.03, 0.2, 0.02);
    const int joint = plan.joint(sided("fin", side), root, base, JointAxes::kWing, {-1.2, -0.7, -1.0}, {1.2, 0.7, 1.0});
    plan.belongs(joint, rig::LimbKind::kFin, 1);
    plan.flesh(joint, limb, base, 0.035, end, 0.05, {1, 0.4, 1});
    plan.eye(head, trunk, {side * 0.62 * f.width * f.height, level + 0.22 * f.height, 0.27 + 0.45 * f.snout},
             0.2 * f.height + 0.005);
  }
  return plan;
}

BodyPlan plan_snake(Rng rng) {
  const double girth = rng.uniform(0.024, 0.042), head_size = girth * rng.uniform(1.05, 1.35);
  const double slender = rng.uniform(0.3, 0.5);  // girth of the tail's tip
  const int front = 8 + static_cast<int>(rng.below(3)), back = 9 + static_cast<int>(rng.below(3));
  BodyPlan plan;
  plan.coat = draw_coat(rng);
  plan.coat.socks = 0;
  plan.cell_aspect = {0.7, 0.7, 0.9};
  const int trunk = plan.limb({}, 0, 1, 0.2 * girth);
  const double link = 0.86 / (front + back);
  const auto on_axis = [&](double z, double radius) { return Vec3d{0, 0.92 * radius, z}; };
  const auto radius_at = [&](double z) {
    const double t = std::clamp((0.43 - z) / 0.86, 0.0, 1.0);  // 0 at the neck, 1 at the tip
    return girth * (0.72 + 0.28 * std::sin(kPi * std::min(1.0, 1.6 * t))) * (1 - (1 - slender) * t * t * t);
  };
  const int root = plan.joint("hips", -1, on_axis(0, radius_at(0)), JointAxes::kTrunk, {6.3, 1.2, 1.3});
  const Vec3d bend{0.75, 0.4, 0.8};
  int parent = root;
  plan.flesh(root, trunk, on_axis(0, radius_at(0)), radius_at(0), on_axis(link, radius_at(link)), radius_at(link));
  for (int i = 1; i < front; ++i) {
    const double z = i * link, next = z + link;
    parent = plan.joint(numbered("spine", i), parent, on_axis(z, radius_at(z)), JointAxes::kTrunk, bend);
    plan.flesh(parent, trunk, on_axis(z, radius_at(z)), radius_at(z), on_axis(next, radius_at(next)), radius_at(next));
  }
  const Vec3d neck = on_axis(front * link, radius_at(front * link));
  const int head = plan.joint("head", parent, neck, JointAxes::kTrunk, {0.8, 0.4, 1.0});
  plan.belongs(head, rig::LimbKind::kHead, 1);
  const int head_limb = plan.limb(neck, 0.03, 0.12, 0.01);
  const Vec3d snout = neck + Vec3d{0, 0.1 * girth, 2.6 * head_size};
  plan.flesh(head, head_limb, neck + Vec3d{0, 0, 0.6 * head_size}, head_size, snout, 0.55 * head_size, {1.05, 0.75, 1});
  const int jaw = plan.joint("jaw", head, neck + Vec3d{0, -0.3 * girth, 0.8 * head_size}, JointAxes::kTrunk,
                             {-0.1, -0.1, -0.05}, {0.1, 0.1, 0.9});
  plan.belongs(jaw, rig::LimbKind::kJaw, 1);
  plan.flesh(jaw, head_limb, plan.at(jaw), 0.5 * head_size, snout + Vec3d{0, -0.32 * head_size, -0.3 * head_size},
             0.4 * head_size, {1.05, 0.75, 1});
  for (const int side : {1, -1}) {
    plan.eye(head, head_limb, neck + head_size * Vec3d{0.72 * side, 0.55, 1.35}, 0.27 * head_size);
  }
  parent = root;
  for (int i = 0; i < back; ++i) {
    const double z = -i * link, next = z - link;
    parent =
        plan.joint(numbered("tail", i + 1), parent, on_axis(z - 0.3 * link, radius_at(z)), JointAxes::kTrunk, bend);
    plan.belongs(parent, rig::LimbKind::kTail);
    plan.flesh(parent, trunk, on_axis(z, radius_at(z)), radius_at(z), on_axis(next, radius_at(next)), radius_at(next));
  }
  return plan;
}

}  // namespace limber::zoo
