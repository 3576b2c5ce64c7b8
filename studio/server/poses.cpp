// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/poses.h"

#include <algorithm>
#include <chrono>

#include "limber/base/process_memory.h"
#include "studio/server/posed_body.h"

namespace limber::studio {
namespace {

constexpr std::size_t kBodies = 3;  // kept open
constexpr auto kQuiet = std::chrono::seconds(1);

}  // namespace

Poses::Poses() : thread_([this] { run(); }) {}

Poses::~Poses() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

Result<Json> Poses::ask(std::string replaced_by, Work work) {
  auto task = std::make_shared<Task>();
  task->replaced_by = std::move(replaced_by), task->work = std::move(work);
  std::future<Result<Json>> answer = task->promise.get_future();
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return cancelled("poses");
    for (auto older = waiting_.begin(); older != waiting_.end();) {
      const bool late = !task->replaced_by.empty() && (*older)->replaced_by == task->replaced_by;
      if (late) (*older)->promise.set_value(Error{"a later question came", "solve", ErrorKind::kCancelled});
      older = late ? waiting_.erase(older) : std::next(older);
    }
    waiting_.push_back(task);
  }
  wake_.notify_all();
  return answer.get();
}

void Poses::run() {
  std::unique_lock lock(mutex_);
  bool worked = false;
  while (true) {
    const auto called = [this] { return stopped_ || !waiting_.empty(); };
    if (worked && !wake_.wait_for(lock, kQuiet, called)) {
      lock.unlock();
      give_memory_back();  // of bodies that were closed and questions that were answered; not between two of a drag
      lock.lock();
    }
    wake_.wait(lock, called);
    worked = true;
    if (waiting_.empty()) return;
    const std::shared_ptr<Task> task = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    try {
      task->promise.set_value(task->work());
    } catch (const std::exception& exception) {
      task->promise.set_value(Error{exception.what(), "poses"});
    }
    lock.lock();
  }
}

Result<std::shared_ptr<PosedBody>> Poses::body_of(const Asset& asset) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].first != asset.id) continue;
    std::rotate(bodies_.begin(), bodies_.begin() + static_cast<std::ptrdiff_t>(i),
                bodies_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return bodies_.front().second;
  }
  if (!asset.ready) return Error{"is still being read", asset.id, ErrorKind::kConflict};
  Result<std::shared_ptr<PosedBody>> opened = open_body(asset.file, asset.id);
  if (!opened.ok() && opened.error().kind == ErrorKind::kOutOfMemory && !bodies_.empty()) {
    // Those at hand take memory, too, and can be read again.
    bodies_.clear();
    opened = open_body(asset.file, asset.id);
  }
  LIMBER_TRY(std::shared_ptr<PosedBody> body, std::move(opened));
  bodies_.emplace_front(asset.id, body);
  if (bodies_.size() > kBodies) bodies_.pop_back();
  return body;
}

Result<Json> Poses::skeleton(const Asset& asset) {
  return ask("", [&]() -> Result<Json> {
    LIMBER_TRY(const std::shared_ptr<PosedBody> body, body_of(asset));
    return skeleton_json(*body);
  });
}

Result<Json> Poses::solve(const Asset& asset, const Json& question) {
  const bool last = question.is_object() && question.value("final", Json(false)) == Json(true);
  return ask(last ? "" : asset.id, [&, last]() -> Result<Json> {
    LIMBER_TRY(const std::shared_ptr<PosedBody> body, body_of(asset));
    return solve_question(*body, network_, question, last);
  });
}

Status Poses::write_keyframes(const Asset& asset, const Json& keyframes, const std::filesystem::path& file) {
  LIMBER_CHECK_OK(ask("", [&]() -> Result<Json> {
    LIMBER_TRY(const std::shared_ptr<PosedBody> body, body_of(asset));
    LIMBER_CHECK_OK(write_keyframe_file(*body, keyframes, file));
    return Json();
  }));
  return Done{};
}

Result<Bytes> Poses::plain_glb(const Asset& asset) {
  Bytes bytes;
  LIMBER_CHECK_OK(ask("", [&]() -> Result<Json> {
    LIMBER_TRY(bytes, plain_file(asset.file));
    return Json();
  }));
  return bytes;
}

}  // namespace limber::studio
