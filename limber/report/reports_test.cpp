// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/reports.h"

#include <gtest/gtest.h>

#include "limber/exporter/exporter.h"
#include "limber/zoo/creature.h"

namespace limber::report {
namespace {

struct Fox {
  asset::Asset asset;
  rig::Subject subject;
};

Fox fox() {
  const zoo::Creature creature = zoo::make_creature({zoo::Plan::kQuadruped, 3, 30}).value();
  Fox fox{zoo::static_asset(creature), creature.subject};
  EXPECT_TRUE(exporter::add_rig(fox.asset, fox.subject).ok());
  return fox;
}

TEST(Reports, AnInspectionTellsWhatIsThere) {
  const asset::Asset asset = fox().asset;
  const Json report = to_json(asset, inspect(asset));
  EXPECT_EQ(report["mesh"]["closed_manifold"], true);
  EXPECT_EQ(report["hierarchy"].size(), asset.nodes.size());
  EXPECT_EQ(report["rig"]["joints"].get<std::size_t>(), asset.skins[0].joints.size());
}

TEST(Reports, TextIsJsonWhateverNamesHold) {
  const std::string said = text({{"name", "f\xff\"x"}});
  EXPECT_TRUE(Json::accept(said)) << said;
}

TEST(Reports, ARigIsNearItselfAndAnotherIsNot) {
  const Fox one = fox();
  const metrics::RiggedSurface truth = metrics::rigged_surface(one.asset, one.subject);
  metrics::RiggedSurface moved = truth;
  for (Vec3d& joint : moved.skeleton.joints) joint.y += 0.1;
  metrics::DistanceSummary summary;
  EXPECT_LT(compare_skeletons(truth, truth, &summary)["chamfer_x100"]["j2j"].get<double>(), 1e-6);
  EXPECT_GT(compare_skeletons(moved, truth)["chamfer_x100"]["j2j"].get<double>(), 1.0);
  EXPECT_EQ(summary.total, 1) << "the second was not to be counted";
  const Json skin = compare_skins(truth, truth, {.subject = &one.subject});
  EXPECT_NEAR(skin["puppeteer"]["precision"].get<double>(), 100, 1e-6);
  EXPECT_NEAR(skin["deformation"]["max"].get<double>(), 0, 1e-6);
}

TEST(Reports, FindingsKeepTheirOrderAndAreDataWithWords) {
  const Warning holes{"holes", {{"count", 3}}, {{"words", "edges on holes"}}, {{"weights", "voxel", "rig"}}};
  const std::vector<doctor::Finding> findings{{doctor::Severity::kNote, "holes", holes, "body"},
                                              {doctor::Severity::kError, "empty", {"no_triangles"}, ""}};
  const auto option = [](const std::string& field, const std::string& value) { return "-" + field + ":" + value; };
  const Json list = to_json(findings, option);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["what"], "3 edges on holes");
  EXPECT_NE(list[0]["help"].get<std::string>().find("-weights:voxel"), std::string::npos);
  EXPECT_EQ(list[0]["fields"], Json::array({{{"command", "rig"}, {"field", "weights"}, {"value", "voxel"}}}));
  EXPECT_EQ(list[0]["numbers"]["count"], 3);
  EXPECT_EQ(list[1]["severity"], "error");
  EXPECT_EQ(list[1]["code"], "no_triangles");
}

TEST(Reports, WarningsAreDataAndAText) {
  const Json list = to_json(std::vector<Warning>{{"unfit_alone", {}, {{"why", "it sinks"}}, {{"seed"}}}});
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["code"], "unfit_alone");
  EXPECT_EQ(list[0]["names"]["why"], "it sinks");
  EXPECT_TRUE(list[0]["fields"][0]["value"].is_null());
  EXPECT_NE(list[0]["text"].get<std::string>().find("`seed`"), std::string::npos);
}

}  // namespace
}  // namespace limber::report
