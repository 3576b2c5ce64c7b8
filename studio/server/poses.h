// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "limber/base/files.h"
#include "limber/pose_space/pose_denoiser.h"
#include "studio/server/shelf.h"

/// Poses of the models on the shelf, while somebody drags their joints. The engine works on one thread of its own;
/// calls wait for it. Safe from any thread.
namespace limber::studio {

struct PosedBody;

class Poses {
 public:
  Poses();
  ~Poses();
  Poses(const Poses&) = delete;
  Poses& operator=(const Poses&) = delete;

  /// `{"joints": [{"name", "parent", "node", "kind", "side"}], "confidence"}`. `kConflict` where there is no rig.
  Result<Json> skeleton(const Asset& asset);

  /// The pose that a page asks for, as docs/studio.md has it. `kCancelled` where a later question of the same asset
  /// came before this one's turn; one that is `final` is always answered.
  Result<Json> solve(const Asset& asset, const Json& question);

  /// Poses of a page as the first clip of a file, for `limber animate --keyframes`.
  Status write_keyframes(const Asset& asset, const Json& keyframes, const std::filesystem::path& file);

  /// The model as a GLB without compressed meshes.
  Result<Bytes> plain_glb(const Asset& asset);

 private:
  using Work = std::function<Result<Json>()>;
  struct Task {
    std::string replaced_by;  // a later one of this name comes instead; empty: none does
    Work work;
    std::promise<Result<Json>> promise;
  };
  Result<Json> ask(std::string replaced_by, Work work);
  void run();
  Result<std::shared_ptr<PosedBody>> body_of(const Asset& asset);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Task>> waiting_;
  bool stopped_ = false;
  std::deque<std::pair<std::string, std::shared_ptr<PosedBody>>> bodies_;  // of the thread alone; the latest first
  std::optional<pose_space::PoseDenoiser> network_;                        // likewise
  std::thread thread_;
};

}  // namespace limber::studio
