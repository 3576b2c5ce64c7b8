// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/ground_speed.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "limber/base/threads.h"
#include "limber/lift/ground_search.h"
#include "limber/lift/view_fit.h"

namespace limber::lift {
namespace {

GroundPixels ground_pixels(const Frames& video, int step) {
  GroundPixels result;
  // About every `step`-th frame, unevenly: at even distances a pace that skips a whole period of the board from one to
  // the next would look the same.
  constexpr double kGolden = 0.6180339887498949;
  for (int k = 0; k * step < video.frames; ++k) {
    const int frame = k * step + static_cast<int>((kGolden * k - std::floor(kGolden * k)) * step);
    if (frame < video.frames) result.frames.push_back(frame);
  }
  const std::size_t plane = static_cast<std::size_t>(video.height) * static_cast<std::size_t>(video.width);
  for (int view = 0; view < video.views; ++view) {
    for (const int frame : result.frames) {
      const std::size_t image =
          static_cast<std::size_t>(view) * static_cast<std::size_t>(video.frames) + static_cast<std::size_t>(frame);
      const float* pixels = video.values.data() + 3 * plane * image;
      for (int row = 0; row < video.height; ++row) {
        for (int column = 0; column < video.width; ++column) {
          const std::size_t i =
              static_cast<std::size_t>(row) * static_cast<std::size_t>(video.width) + static_cast<std::size_t>(column);
          result.grey.push_back((pixels[i] + pixels[i + plane] + pixels[i + 2 * plane]) / 3);
          bool seen = true;
          for (int y = std::max(row - 1, 0); y <= std::min(row + 1, video.height - 1) && seen; ++y) {
            for (int x = std::max(column - 1, 0); x <= std::min(column + 1, video.width - 1) && seen; ++x) {
              seen = colourfulness(video, view, frame, y, x) < kBodyColour;
            }
          }
          result.seen.push_back(seen);
        }
      }
    }
  }
  return result;
}

Agreement compare(const GroundPixels& pixels, const Frames& video, const std::vector<scene::Camera>& cameras,
                  const scene::GroundSettings& ground) {
  const std::size_t plane = static_cast<std::size_t>(video.height) * static_cast<std::size_t>(video.width);
  std::vector<Vec3> drawn(plane);
  double squares = 0, sum = 0, sum_squares = 0, count = 0;
  std::size_t at = 0;
  for (int view = 0; view < video.views; ++view) {
    for (const int frame : pixels.frames) {
      const auto index = static_cast<std::size_t>(view * video.frames + frame);
      scene::draw_ground(cameras[index], ground, drawn);
      for (std::size_t i = 0; i < plane; ++i, ++at) {
        if (!pixels.seen[at]) continue;
        const double expected = (drawn[i].x + drawn[i].y + drawn[i].z) / 3;
        const double error = std::min(std::abs(pixels.grey[at] - expected), kMostGroundError);
        squares += error * error, sum += expected, sum_squares += expected * expected, count += 1;
      }
    }
  }
  return agreement_of(squares, sum, sum_squares, count);
}

/// Asks cameras of several courses on all threads, then compares them on the GPU.
std::vector<Agreement> compare_there(CudaGroundSearch& there, const GroundPixels& pixels, const Frames& video,
                                     const scene::CourseCameras& cameras, std::span<const scene::Course> courses) {
  const std::size_t each = pixels.frames.size() * static_cast<std::size_t>(video.views);
  std::vector<scene::Camera> all(courses.size() * each);
  parallel_for(courses.size(), 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::vector<scene::Camera> own = cameras(courses[i]);
      std::size_t at = i * each;
      for (int view = 0; view < video.views; ++view) {
        for (const int frame : pixels.frames) all[at++] = own[static_cast<std::size_t>(view * video.frames + frame)];
      }
    }
  });
  return there.compare(all);
}

}  // namespace

Agreement agreement_of(double squares, double sum, double sum_squares, double count) {
  if (count == 0) return {};
  return {squares / count, std::max(0.0, sum_squares / count - (sum / count) * (sum / count))};
}

GroundSpeed find_ground_speed(const Frames& video, const scene::CourseCameras& cameras,
                              const scene::GroundSettings& ground, Vec3 start, Vec3 forward, double slowest,
                              double fastest, scene::Scene* scene) {
  const GroundPixels pixels = ground_pixels(video, std::max(1, video.frames / 6));
  std::optional<CudaGroundSearch> there;
  if (scene != nullptr && scene->device() == Device::kCuda && ground.visible && scene->open_on_device().ok()) {
    there.emplace(*scene->cuda(), ground, pixels, video.width, video.height);
  }
  // The checkerboard repeats after two cells along the way; across it, the middle line may lie anywhere in a cell.
  constexpr int kPlaces = 8;
  const double pace_step = ground.cell / (2.5 * std::max(video.frames, 1));
  const int paces = std::max(1, static_cast<int>(std::ceil((fastest - slowest) / pace_step)) + 1);
  const auto course_at = [&](double pace, double place) {
    return scene::Course{start + static_cast<float>(place) * forward, static_cast<float>(pace) * forward};
  };
  struct Candidate {
    double pace = 0, place = 0;
    Agreement agreement;
  };
  std::vector<Candidate> candidates(static_cast<std::size_t>(paces * kPlaces) + kPlaces);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const int pace = static_cast<int>(i) / kPlaces;
    candidates[i].pace = pace < paces ? slowest + pace_step * pace : 0;
    candidates[i].place = 2 * ground.cell * static_cast<double>(i % kPlaces) / kPlaces;
  }
  const auto judge = [&](std::span<Candidate> some) {
    if (there) {
      std::vector<scene::Course> courses;
      for (const Candidate& candidate : some) courses.push_back(course_at(candidate.pace, candidate.place));
      const std::vector<Agreement> found = compare_there(*there, pixels, video, cameras, courses);
      for (std::size_t i = 0; i < some.size(); ++i) some[i].agreement = found[i];
      return;
    }
    const auto compare_some = [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        some[i].agreement = compare(pixels, video, cameras(course_at(some[i].pace, some[i].place)), ground);
      }
    };
    if (some.size() == 1) return compare_some(0, 1);  // whose rows are spread over threads
    parallel_for(some.size(), 1, compare_some);
  };
  judge(candidates);
  const auto better = [](const Candidate& a, const Candidate& b) { return a.agreement.error < b.agreement.error; };
  Candidate best = *std::min_element(candidates.begin(), candidates.end(), better);
  const Candidate still = *std::min_element(candidates.end() - kPlaces, candidates.end(), better);

  // Refined by halving steps.
  double pace_size = pace_step / 2, place_size = ground.cell / kPlaces;
  for (int round = 0; round < 5; ++round, pace_size /= 2, place_size /= 2) {
    for (const auto& [pace, place] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}}) {
      Candidate next{best.pace + pace * pace_size, best.place + place * place_size, {}};
      judge({&next, 1});
      if (better(next, best)) best = next;
    }
  }
  return {course_at(best.pace, best.place), best.agreement.error, still.agreement.error, best.agreement.contrast};
}

}  // namespace limber::lift
