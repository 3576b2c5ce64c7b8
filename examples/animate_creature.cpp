// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Makes a creature, gives it a skeleton and a walk, and writes it as a GLB: animate_creature out.glb
#include <cstdio>

#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace {

limber::Status make(const char* path) {
  LIMBER_TRY(limber::zoo::Creature creature,
             limber::zoo::make_creature({.plan = limber::zoo::Plan::kTheropod, .seed = 3}));
  LIMBER_TRY(const limber::zoo::Performance walk,
             limber::zoo::perform(creature, {.action = limber::zoo::Action::kWalk, .fps = 30}));

  limber::asset::Asset asset = limber::zoo::static_asset(creature);
  LIMBER_CHECK_OK(limber::exporter::add_rig(asset, creature.subject));
  LIMBER_CHECK_OK(limber::exporter::add_clip(asset, creature.subject, walk.motion, {.name = "walk"}));
  return limber::asset::write_asset(asset, path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: animate_creature out.glb\n"), 2;
  const limber::Status status = make(argv[1]);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.error().message().c_str()), 1;
  return 0;
}
