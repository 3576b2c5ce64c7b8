// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/events.h"

#include <gtest/gtest.h>

namespace limber::studio {
namespace {

TEST(Events, ReachEverybodyWhoListens) {
  Events events;
  const auto a = events.listen(2), b = events.listen(2);
  EXPECT_EQ(events.listen(2), nullptr) << "no more than so many";
  events.tell("job", "{}");
  EXPECT_EQ(a->next(), "event: job\ndata: {}\n\n");
  EXPECT_EQ(b->next(), "event: job\ndata: {}\n\n");
}

TEST(Events, BeatWhenNothingHappens) {
  Events events;
  EXPECT_EQ(events.listen(1)->next(), ":\n\n");
}

TEST(Events, GiveUpOnAReaderThatIsTooSlow) {
  Events events;
  const auto listener = events.listen(1);
  for (int i = 0; i < 3000; ++i) events.tell("job", "{}");
  EXPECT_FALSE(listener->next());
}

TEST(Events, EndWhenTheyAreClosed) {
  Events events;
  auto listener = events.listen(1);
  events.close();
  EXPECT_FALSE(listener->next());
  listener.reset();
  EXPECT_EQ(events.listen(1), nullptr);
}

}  // namespace
}  // namespace limber::studio
