// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "limber/animate/animate_asset.h"
#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/zoo/action.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  limber::Result<limber::zoo::Creature> creature = limber::zoo::make_creature({});
  if (!creature.ok()) return 1;
  limber::asset::Asset asset = limber::zoo::static_asset(*creature);
  if (!limber::exporter::add_rig(asset, creature->subject).ok()) return 1;

  // The whole product is linked; without a prior it can say so.
  limber::animate::Request request;
  request.prompt = "a dog walks";
  const auto animated = limber::animate::animate_asset(asset, {}, request);
  if (animated.ok() || animated.error().kind != limber::ErrorKind::kMissing) return 1;

  const limber::Status written = limber::asset::write_asset(asset, argv[1]);
  if (!written.ok()) std::fprintf(stderr, "%s\n", written.error().message().c_str());
  return written.ok() ? 0 : 1;
}
