// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/ground_speed.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "limber/base/threads.h"
#include "limber/lift/ground_search.h"
#include "limber/lift/view_fit.h"

namespace limber::lift {
namespace {

/// Heights that are tried: so many for the side of a square.
constexpr int kRisesOfCell = 16;
/// The error of the ground at a height, against that where the body would stand, for the height to be believed. Over
/// whole clips, samples of flights had 0.1 to 0.3, and what stands 1.3 at best.
constexpr double kClearly = 0.6;
/// Half a square higher the board looks nearly the same again where it is drawn a little blurred: of heights that are
/// nearly as good the lowest counts.
constexpr double kNearly = 1.3;

/// About every `step`-th frame, unevenly: at even distances a pace that skips a whole period of the board from one to
/// the next would look the same.
std::vector<int> spread_frames(int count, int step) {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<int> frames;
  for (int k = 0; k * step < count; ++k) {
    const int frame = k * step + static_cast<int>((kGolden * k - std::floor(kGolden * k)) * step);
    if (frame < count) frames.push_back(frame);
  }
  return frames;
}

GroundPixels ground_pixels(const Frames& video, std::vector<int> frames) {
  GroundPixels result;
  result.frames = std::move(frames);
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

GroundMatch compare(const GroundPixels& pixels, const Frames& video, const std::vector<scene::Camera>& cameras,
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

/// Courses beside some frames of a video.
class CourseScorer {
 public:
  CourseScorer(const Frames& video, const scene::CourseCameras& cameras, const scene::GroundSettings& ground,
               GroundPixels pixels, scene::Scene* scene)
      : video_(video), cameras_(cameras), ground_(ground), pixels_(std::move(pixels)) {
    if (scene != nullptr && scene->device() == Device::kCuda && ground.visible && scene->open_on_device().ok()) {
      there_.emplace(*scene->cuda(), ground, pixels_, video.width, video.height);
    }
  }

  std::vector<GroundMatch> score(std::span<const scene::Course> courses) {
    if (there_) return score_there(courses);
    std::vector<GroundMatch> found(courses.size());
    const auto compare_some = [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) found[i] = compare(pixels_, video_, cameras_(courses[i]), ground_);
    };
    if (courses.size() == 1) {
      compare_some(0, 1);  // whose rows are spread over threads
    } else {
      parallel_for(courses.size(), 1, compare_some);
    }
    return found;
  }

 private:
  /// Asks cameras of several courses on all threads, then compares them on the GPU.
  std::vector<GroundMatch> score_there(std::span<const scene::Course> courses) {
    const std::size_t each = pixels_.frames.size() * static_cast<std::size_t>(video_.views);
    std::vector<scene::Camera> all(courses.size() * each);
    parallel_for(courses.size(), 8, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::vector<scene::Camera> own = cameras_(courses[i]);
        std::size_t at = i * each;
        for (int view = 0; view < video_.views; ++view) {
          for (const int frame : pixels_.frames) {
            all[at++] = own[static_cast<std::size_t>(view * video_.frames + frame)];
          }
        }
      }
    });
    return there_->compare(all);
  }

  const Frames& video_;
  const scene::CourseCameras& cameras_;
  const scene::GroundSettings& ground_;
  GroundPixels pixels_;
  std::optional<CudaGroundSearch> there_;
};

/// A course that is tried: at a pace, from a place along the way, so far above where the body stands.
struct Tried {
  double pace = 0, place = 0, rise = 0;
  GroundMatch agreement;
};

scene::Course course_of(const Tried& tried, const GroundSearch& search) {
  const Vec3 middle = search.start + static_cast<float>(tried.place) * search.forward;
  return {middle + Vec3{0, static_cast<float>(tried.rise), 0}, static_cast<float>(tried.pace) * search.forward};
}

void score(CourseScorer& by, const GroundSearch& search, std::span<Tried> some) {
  std::vector<scene::Course> courses;
  for (const Tried& tried : some) courses.push_back(course_of(tried, search));
  const std::vector<GroundMatch> found = by.score(courses);
  for (std::size_t i = 0; i < some.size(); ++i) some[i].agreement = found[i];
}

bool better(const Tried& a, const Tried& b) { return a.agreement.error < b.agreement.error; }

/// The checkerboard repeats after two cells along the way; across it, the middle line may lie anywhere in a cell.
constexpr int kPlaces = 8;
double place_at(int index, const scene::GroundSettings& ground) {
  return 2 * double(ground.cell) * (index % kPlaces) / kPlaces;
}

/// Every frame by itself, at whatever place: how high a body keeps shows in the size of the squares, at any pace.
double find_rise(const Frames& video, const scene::CourseCameras& cameras, const scene::GroundSettings& ground,
                 const GroundSearch& search, const std::vector<int>& frames, scene::Scene* scene) {
  const double step = double(ground.cell) / kRisesOfCell;
  const int rises = 1 + static_cast<int>(std::floor(search.highest / step));
  std::vector<double> errors(static_cast<std::size_t>(rises));
  for (const int frame : frames) {
    CourseScorer one(video, cameras, ground, ground_pixels(video, {frame}), scene);
    std::vector<Tried> tried(static_cast<std::size_t>(rises * kPlaces));
    for (int i = 0; i < rises * kPlaces; ++i) {
      tried[static_cast<std::size_t>(i)].rise = step * (i / kPlaces);
      tried[static_cast<std::size_t>(i)].place = place_at(i, ground);
    }
    score(one, search, tried);
    for (std::size_t r = 0; r < errors.size(); ++r) {
      const auto first = tried.begin() + static_cast<std::ptrdiff_t>(r * kPlaces);
      errors[r] += std::min_element(first, first + kPlaces, better)->agreement.error;
    }
  }
  const double least = *std::min_element(errors.begin(), errors.end());
  if (!(least < kClearly * errors.front())) return 0;
  const auto lowest = std::find_if(errors.begin(), errors.end(), [&](double e) { return e <= kNearly * least; });
  return step * static_cast<double>(lowest - errors.begin());
}

}  // namespace

GroundMatch agreement_of(double squares, double sum, double sum_squares, double count) {
  if (count == 0) return {};
  return {squares / count, std::max(0.0, sum_squares / count - (sum / count) * (sum / count))};
}

GroundSpeed find_ground_speed(const Frames& video, const scene::CourseCameras& cameras,
                              const scene::GroundSettings& ground, const GroundSearch& search, scene::Scene* scene) {
  const std::vector<int> frames = spread_frames(video.frames, std::max(1, video.frames / 6));
  const double rise = search.highest > 0 ? find_rise(video, cameras, ground, search, frames, scene) : 0;
  CourseScorer compared(video, cameras, ground, ground_pixels(video, frames), scene);
  const double pace_step = ground.cell / (2.5 * std::max(video.frames, 1));
  const int paces = std::max(1, static_cast<int>(std::ceil((search.fastest - search.slowest) / pace_step)) + 1);
  std::vector<Tried> tried(static_cast<std::size_t>(paces * kPlaces) + kPlaces);
  for (int i = 0; i < (paces + 1) * kPlaces; ++i) {
    const int pace = i / kPlaces;
    tried[static_cast<std::size_t>(i)] = {
        pace < paces ? search.slowest + pace_step * pace : 0, place_at(i, ground), rise, {}};
  }
  score(compared, search, tried);
  Tried best = *std::min_element(tried.begin(), tried.end(), better);
  const Tried still = *std::min_element(tried.end() - kPlaces, tried.end(), better);

  // Refined by halving steps; what stands stays there.
  struct Size {
    double Tried::*of;
    double step;
  };
  std::vector<Size> sizes{{&Tried::pace, pace_step / 2}, {&Tried::place, ground.cell / kPlaces}};
  if (rise > 0) sizes.push_back({&Tried::rise, ground.cell / kRisesOfCell});
  for (int round = 0; round < 5; ++round) {
    for (Size& size : sizes) {
      for (const double sign : {1, -1}) {
        Tried next = best;
        next.*size.of += sign * size.step;
        if (next.rise < 0 || next.rise > search.highest) continue;
        score(compared, search, {&next, 1});
        if (better(next, best)) best = next;
      }
      size.step /= 2;
    }
  }
  return {course_of(best, search), best.agreement.error, still.agreement.error, best.agreement.contrast};
}

}  // namespace limber::lift
