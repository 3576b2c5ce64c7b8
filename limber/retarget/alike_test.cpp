// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/alike.h"

#include <gtest/gtest.h>

#include <functional>

#include "limber/retarget/person_testing.h"

namespace limber::retarget {
namespace {

TEST(Alike, CopyingToTheSameRigChangesNothing) {
  const rig::Rig rig = make_person_rig();
  ASSERT_TRUE(are_alike(rig, rig));
  kinematics::Motion walk = walk_of(rig);
  walk.overrides.push_back({1, {}, {}});
  for (int f = 0; f < walk.frame_count(); ++f) {
    walk.overrides[0].translations.push_back({0.01f * static_cast<float>(f), 0.1f, 0});
  }
  const kinematics::Motion same = copy_motion(walk, rig, rig);
  EXPECT_EQ(same.angles, walk.angles);
  EXPECT_EQ(same.root_translations, walk.root_translations);
  EXPECT_LT(norm(same.overrides.at(0).translations[5] - walk.overrides.at(0).translations[5]), 1e-6f);
}

TEST(Alike, RigsWithOtherNamesOrRestsAreNot) {
  const rig::Rig rig = make_person_rig();
  const auto with = [&](const std::function<void(rig::Joint&)>& edit) {
    rig::RigDraft draft;
    draft.joints.assign(rig.joints().begin(), rig.joints().end());
    for (rig::Joint& joint : draft.joints) edit(joint);
    return rig::build_rig(draft).value();
  };
  EXPECT_FALSE(are_alike(rig, with([](rig::Joint& j) { j.name += " of another"; })));
  EXPECT_FALSE(are_alike(rig, with([](rig::Joint& j) { j.rest.rotation = {1, 0, 0, 0}; })));
}

}  // namespace
}  // namespace limber::retarget
