// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Lets a model do what a video shows, in a program without LibTorch: follow_video model.glb video.mp4 out.glb
#include <cstdio>
#include <utility>

#include "limber/animate/animate_asset.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"

namespace {

limber::Status follow_video(const char* model, const char* video, const char* output) {
  LIMBER_TRY(limber::asset::Asset asset, limber::asset::read_asset(model));
  const limber::animate::Models models = limber::animate::find_models();
  limber::animate::Request request;
  request.prompt = "a dog walks";
  const auto refused = limber::animate::animate_asset(asset, models, request);
  if (refused.ok() || refused.error().kind != limber::ErrorKind::kUnsupported) {
    return limber::Error{"a prompt was not refused", "prompt"};
  }
  request.prompt.clear();
  request.video = video;
  LIMBER_TRY(const limber::animate::AnimatedAsset result,
             limber::animate::animate_asset(std::move(asset), models, request));
  return limber::asset::write_asset(result.asset, output);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: follow_video model.glb video.mp4 out.glb\n"), 2;
  const limber::Status status = follow_video(argv[1], argv[2], argv[3]);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.error().message().c_str()), 1;
  return 0;
}
