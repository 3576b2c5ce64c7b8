// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/training_clips.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include "limber/base/threads.h"
#include "limber/training/captions.h"

namespace limber::training {
namespace {

prior::SketchModel model() { return {}; }

ClipSettings few() {
  ClipSettings settings;
  settings.creatures = 6;
  return settings;
}

TEST(TrainingClips, AreTheSameForTheSameNumber) {
  const prior::ClipSource a = zoo_clips(model(), few()), b = zoo_clips(model(), few());
  const prior::SketchClip last = a(7).value();
  for (const std::uint64_t index : {3u, 5u, 7u}) {
    const prior::SketchClip clip = b(index).value();
    if (index != 7) continue;
    EXPECT_EQ(clip.video, last.video);
    EXPECT_EQ(clip.rest, last.rest);
    EXPECT_EQ(clip.captions, last.captions);
  }
}

TEST(TrainingClips, HaveTheModelsShapeAndMove) {
  const prior::SketchModel shape = model();
  const prior::ClipSource source = zoo_clips(shape, few());
  const std::size_t frame = static_cast<std::size_t>(3 * shape.size * shape.size);
  double moved = 0;
  for (std::uint64_t index = 0; index < 12; ++index) {
    const Result<prior::SketchClip> clip = source(index);
    ASSERT_TRUE(clip.ok()) << clip.error().message();
    ASSERT_EQ(clip->video.size(), frame * static_cast<std::size_t>(shape.views * shape.frames));
    ASSERT_EQ(clip->rest.size(), frame * static_cast<std::size_t>(shape.views));
    ASSERT_EQ(clip->captions.size(), static_cast<std::size_t>(prior::kClipCaptions));
    double change = 0;
    for (std::size_t i = 0; i < frame; ++i) {
      change += std::abs(static_cast<int>(clip->video[i]) - static_cast<int>(clip->video[frame * 6 + i]));
    }
    moved += change / static_cast<double>(frame) / 12;
  }
  EXPECT_GT(moved, 1.0);
}

TEST(TrainingClips, ShowTheBodyInBothViewsWithRoomAround) {
  const prior::SketchModel shape = model();
  const prior::ClipSource source = zoo_clips(shape, few());
  const auto side = static_cast<std::size_t>(shape.size), plane = side * side;
  for (std::uint64_t index = 0; index < 8; ++index) {
    const prior::SketchClip clip = source(index).value();
    for (std::size_t view = 0; view < 2; ++view) {
      // The ground and sky are grey, the body is not.
      std::size_t colored = 0, border = 0;
      for (std::size_t p = 0; p < plane; ++p) {
        const std::uint8_t* pixel = clip.rest.data() + view * 3 * plane + p;
        const bool body =
            std::abs(int(pixel[0]) - int(pixel[plane])) + std::abs(int(pixel[0]) - int(pixel[2 * plane])) > 24;
        colored += body;
        border += body && (p % side == 0 || p % side == side - 1 || p < side || p >= plane - side);
      }
      EXPECT_GT(colored, plane / 50) << "clip " << index << ", view " << view;
      EXPECT_LT(border, 6u) << "clip " << index << ", view " << view;
    }
  }
}

TEST(TrainingClips, OfAnyBodySayWhatIsDoneAndHow) {
  ClipSettings settings = few();
  settings.creatures = 24, settings.any_body = 1;
  prior::SketchModel small = model();
  small.size = 16, small.patch = 4;
  const prior::ClipSource source = zoo_clips(small, settings);
  const std::vector<actions::ActionWords>& taught = actions::built_in().taught();
  std::set<std::string> named, manners;
  for (std::uint64_t index = 0; index < 150; ++index) {
    const Result<prior::SketchClip> clip = source(index);
    ASSERT_TRUE(clip.ok()) << clip.error().message();
    for (const std::string& said : clip->captions) {
      const std::vector<std::string> actions = prior::guess_action(taught, said).named;
      ASSERT_EQ(actions.size(), 1u) << said;
      named.insert(actions.front());
      for (const char* word : {"left", "right", "limping", "tired", "backward", "slow", "fast"}) {
        if (said.find(word) != std::string::npos) manners.insert(word);
      }
    }
  }
  EXPECT_GT(named.size(), 20u);
  EXPECT_EQ(manners.size(), 7u);
}

TEST(TrainingClips, ValidateWithOtherCreatures) {
  const prior::ClipSource source = zoo_clips(model(), few());
  EXPECT_NE(source(0)->video, source(prior::kValidationClips)->video);
}

}  // namespace
}  // namespace limber::training
