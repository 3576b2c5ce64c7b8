// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/device_steps.h"

#include <algorithm>

namespace limber::scene {

Result<int> take_steps(CudaScene& scene, kinematics::CudaMotion& motion, const DeviceSteps& steps) {
  if (!scene.start_unwaited()) return 0;
  int next = 0, begins[2] = {0, 0};
  int place = 0, awaited = 0;  // where the next run of steps is kept; runs whose room is not known yet
  while (scene.ok() && (next < steps.count || awaited > 0)) {
    if (next < steps.count) {
      if (!steps.go_on(next)) return cancelled("fit");
      motion.keep(place);
      begins[place] = next;
      for (const int end = std::min(next + kStepsAtOnce, steps.count); next < end; ++next) {
        scene.forward_unwaited(motion.pose());
        motion.step(scene.backward_unwaited(steps.compare()), steps.how(next));
      }
      scene.ask_room(place);
      place = 1 - place, ++awaited;
    }
    if (awaited < 2 && next < steps.count) continue;
    const int oldest = awaited == 2 ? place : 1 - place;
    const CudaScene::Room room = scene.check_room(oldest);
    if (room == CudaScene::Room::kEnough) {
      --awaited;
      continue;
    }
    motion.go_back(oldest);
    if (room == CudaScene::Room::kNever) return begins[oldest];
    next = begins[oldest], awaited = 0;
  }
  return steps.count;
}

}  // namespace limber::scene
