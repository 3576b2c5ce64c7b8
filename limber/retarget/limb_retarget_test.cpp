// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/limb_retarget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/kinematics/forward.h"
#include "limber/retarget/person_testing.h"
#include "limber/rig/changed_rig.h"

namespace limber::retarget {
namespace {

/// Shorter legs, other sections, wider hips, arms that hang at rest, another spine.
ToyPerson other_person() {
  ToyPerson person;
  person.thigh = 0.15f, person.shin = 0.19f, person.ankle = 0.07f, person.hips = 0.13f;
  person.spine = 2, person.arms_down = true, person.size = 1.3f;
  return person;
}

Vec3 place(const std::vector<Affine>& joints, const rig::Rig& rig, int frame, const char* name) {
  return joints[static_cast<std::size_t>(frame * rig.joint_count() + rig.find(name))].translation;
}

TEST(LimbRetarget, ToTheSameRigChangesNothing) {
  const rig::Rig rig = make_person_rig();
  const kinematics::Motion walk = walk_of(rig);
  const kinematics::Motion same = retarget_by_limbs(walk, rig, rig).value();
  ASSERT_EQ(same.frame_count(), walk.frame_count());
  for (std::size_t i = 0; i < walk.angles.size(); ++i) EXPECT_LT(norm(same.angles[i] - walk.angles[i]), 1e-4f) << i;
  for (std::size_t f = 0; f < walk.root_translations.size(); ++f) {
    EXPECT_LT(norm(same.root_translations[f] - walk.root_translations[f]), 1e-5f) << f;
  }
}

TEST(LimbRetarget, StandingFeetDoNotSlideOnOtherProportions) {
  const rig::Rig from = make_person_rig(), to = make_person_rig(other_person());
  const kinematics::Motion walk = walk_of(from);
  const kinematics::Motion result = retarget_by_limbs(walk, from, to).value();
  const std::vector<Affine> joints = kinematics::joint_matrices(to, result);
  for (const Affine& joint : joints) ASSERT_TRUE(is_finite(joint.translation));
  const float rest = to.world_from_rest()[static_cast<std::size_t>(to.find("LeftToeBase"))].translation.y;
  for (int f = 2; f < kToyStep - 1; ++f) {
    const Vec3 left = place(joints, to, f, "LeftToeBase"), right = place(joints, to, f + kToyStep, "RightToeBase");
    EXPECT_LT(norm(left - place(joints, to, 2, "LeftToeBase")), 1e-3f) << f;
    EXPECT_LT(norm(right - place(joints, to, 2 + kToyStep, "RightToeBase")), 1e-3f) << f;
    EXPECT_NEAR(left.y, rest, 1e-3f) << f;
  }
  // It goes as far as legs of this length would.
  const float way = result.root_translations.back().z - result.root_translations.front().z;
  const float source_way = walk.root_translations.back().z - walk.root_translations.front().z;
  EXPECT_NEAR(way / source_way, 1.3f * (0.15f + 0.19f) / (0.25f + 0.23f), 0.02f);
}

TEST(LimbRetarget, ArmsPointTheSameWayWhateverTheRestPose) {
  const rig::Rig from = make_person_rig(), to = make_person_rig(other_person());
  const kinematics::Motion walk = walk_of(from);
  const kinematics::Motion result = retarget_by_limbs(walk, from, to).value();
  const std::vector<Affine> a = kinematics::joint_matrices(from, walk), b = kinematics::joint_matrices(to, result);
  for (int f = 0; f < walk.frame_count(); f += 5) {
    for (const auto& bone : {std::pair("LeftArm", "LeftForeArm"), std::pair("RightForeArm", "RightHand")}) {
      const Vec3 source = normalized(place(a, from, f, bone.second) - place(a, from, f, bone.first));
      const Vec3 target = normalized(place(b, to, f, bone.second) - place(b, to, f, bone.first));
      EXPECT_LT(norm(source - target), 1e-3f) << bone.first << " in frame " << f;
    }
  }
}

TEST(LimbRetarget, OfAMirroredClipIsTheMirroredResult) {
  const Mat3 mirror = Mat3::diagonal({-1, 1, 1});
  const rig::Rig from = make_person_rig(), to = make_person_rig(other_person());
  kinematics::Motion walk = walk_of(from);
  const kinematics::Motion result = retarget_by_limbs(walk, from, to).value();
  for (Vec3& at : walk.root_translations) at = mirror * at;
  const rig::Rig mirrored_from = rig::changed_rig(from, mirror).value(),
                 mirrored_to = rig::changed_rig(to, mirror).value();
  const kinematics::Motion mirrored = retarget_by_limbs(walk, mirrored_from, mirrored_to).value();
  const std::vector<Affine> a = kinematics::joint_matrices(to, result);
  const std::vector<Affine> b = kinematics::joint_matrices(mirrored_to, mirrored);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(norm(mirror * a[i].translation - b[i].translation), 1e-4f) << i;
  }
}

TEST(LimbRetarget, BodiesWithoutToesStandOnTheirAnkles) {
  ToyPerson person = other_person();
  person.toes = false;
  const rig::Rig from = make_person_rig(), to = make_person_rig(person);
  const std::vector<Affine> joints = kinematics::joint_matrices(to, retarget_by_limbs(walk_of(from), from, to).value());
  for (int f = 2; f < kToyStep - 1; ++f) {
    EXPECT_LT(norm(place(joints, to, f, "LeftFoot") - place(joints, to, 2, "LeftFoot")), 1e-3f) << f;
  }
}

TEST(LimbRetarget, WhoHasNoTwoArmsAndLegsDoesNotMoveLikePeople) {
  EXPECT_TRUE(moves_like_people(make_person_rig()));
  rig::RigDraft draft;
  draft.joints.resize(2);
  draft.joints[0].name = "body", draft.joints[0].rest.translation = {0, 0.5f, 0};
  draft.joints[1].name = "foot", draft.joints[1].parent = 0, draft.joints[1].rest.translation = {0, -0.5f, 0};
  const rig::Rig hopper = rig::build_rig(draft).value();
  EXPECT_FALSE(moves_like_people(hopper));
  EXPECT_FALSE(retarget_by_limbs(kinematics::rest_motion(hopper, 2, 12), hopper, make_person_rig()).has_value());
}

}  // namespace
}  // namespace limber::retarget
