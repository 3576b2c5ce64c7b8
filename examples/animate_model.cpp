// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Lets a model do what a prompt says; one without a skeleton gets one: animate_model fox.glb "a fox trots" out.glb
#include <cstdio>
#include <utility>

#include "limber/animate/animate_asset.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"

namespace {

limber::Status animate_model(const char* model, const char* prompt, const char* output) {
  LIMBER_TRY(limber::asset::Asset asset, limber::asset::read_asset(model));
  limber::animate::Request request;
  request.prompt = prompt;
  request.quality = limber::animate::Quality::kDraft;  // the defaults take longer, and the result is better
  request.sampling.candidates = 1;
  request.sampling.steps = 4;
  LIMBER_TRY(const limber::animate::AnimatedAsset result,
             limber::animate::animate_asset(std::move(asset), limber::animate::find_models(), request));
  for (const limber::Warning& warning : result.warnings) std::fprintf(stderr, "%s\n", in_words(warning).c_str());
  std::printf("%.1f heights a second\n", norm(result.animation.gait.velocity));
  return limber::asset::write_asset(result.asset, output);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: animate_model model.glb PROMPT out.glb\n"), 2;
  const limber::Status status = animate_model(argv[1], argv[2], argv[3]);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.error().message().c_str()), 1;
  return 0;
}
