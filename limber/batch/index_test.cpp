// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/index.h"

#include <algorithm>

#include "limber/batch/batch_testing.h"
#include "limber/batch/item_lock.h"

namespace limber::batch {
namespace {

class Index : public BatchTest {
 protected:
  Index() : results_(Results::open(folder_ / "out").value()) {}

  void finish(const Item& item, const std::string& reason = "") const {
    const std::filesystem::path work = results_.start_work(item.id).value();
    std::ofstream(work / "log.txt") << "first\nlast words of " << item.input << "\n";
    std::ofstream(work / item.result) << "bytes";
    if (reason.empty()) std::ofstream(work / "thumbnail.png") << "picture";
    ASSERT_TRUE(results_.finish(item, {reason.empty(), reason, 1, 2.5, 2, 1 << 20}).ok());
  }

  Results results_;
};

TEST_F(Index, IsMadeFromTheFilesAlone) {
  Item done = item(1, "done"), failed = item(2, "failed"), running = item(3, "running"), pending = item(4, "pending");
  const Item earlier = item(5, "earlier");
  done.output = "named.glb";
  ASSERT_TRUE(results_.keep_items({done, failed, running, pending}).ok());
  finish(done), finish(failed, "has no triangles"), finish(earlier);
  const auto lock = ItemLock::take(results_.lock_file(), running.id).value();
  ASSERT_TRUE(lock);

  const std::vector<Row> rows = survey(results_).value();
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].state, State::kDone);
  EXPECT_EQ(rows[1].state, State::kFailed);
  EXPECT_EQ(rows[2].state, State::kRunning);
  EXPECT_EQ(rows[3].state, State::kPending);
  EXPECT_EQ(rows[4].item.id, earlier.id);
  EXPECT_FALSE(rows[4].asked);
  const Counts counts = count(rows);
  EXPECT_EQ(counts.all(), 4);
  EXPECT_EQ(counts.done, 1);
  EXPECT_DOUBLE_EQ(counts.cpu_seconds, 4);

  ASSERT_TRUE(write_index(results_, rows).ok());
  EXPECT_EQ(read(results_.folder() / "named.glb"), "bytes");
  const std::string lines = read(results_.folder() / "index.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 5);
  EXPECT_NE(lines.find("\"reason\":\"has no triangles\""), std::string::npos);
  const std::string failures = read(results_.folder() / "failures.md");
  EXPECT_NE(failures.find("| 1 | has no triangles |"), std::string::npos) << failures;
  EXPECT_NE(failures.find("    last words of /models/failed"), std::string::npos) << failures;
  const std::string page = read(results_.folder() / "index.html");
  EXPECT_NE(page.find(done.id + "/thumbnail.png"), std::string::npos);
  EXPECT_EQ(page.find(failed.id + "/thumbnail.png"), std::string::npos);
  EXPECT_NE(page.find("1 of 4 done"), std::string::npos);
}

TEST_F(Index, NamesOfOthersDoNothingOnThePage) {
  Item hostile = item(1, "<script>alert(1)</script>\".glb");
  hostile.prompt = "a <b>bold</b> fox", hostile.output = "a \"b\"/#?.glb";
  ASSERT_TRUE(results_.keep_items({hostile}).ok());
  finish(hostile);
  const std::string page = index_pages(results_, survey(results_).value()).front();
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<b>bold"), std::string::npos);
  EXPECT_NE(page.find("./a%20%22b%22/%23%3F.glb"), std::string::npos) << page;
}

TEST_F(Index, OfManyItemsHasSeveralPages) {
  std::vector<Item> items;
  for (std::uint64_t k = 1; k <= kRowsOfPage + 1; ++k) items.push_back(item(k, "fox"));
  ASSERT_TRUE(results_.keep_items(items).ok());
  ASSERT_TRUE(write_index(results_, survey(results_).value()).ok());
  EXPECT_NE(read(results_.folder() / "index.html").find("index-2.html"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(results_.folder() / "index-2.html"));
  items.pop_back();
  ASSERT_TRUE(results_.keep_items(items).ok());
  ASSERT_TRUE(write_index(results_, survey(results_).value()).ok());
  EXPECT_FALSE(std::filesystem::exists(results_.folder() / "index-2.html"));
}

TEST_F(Index, AStatusThatCannotBeReadIsNone) {
  const Item fox = item(1, "fox");
  ASSERT_TRUE(results_.keep_items({fox}).ok());
  finish(fox);
  std::ofstream(results_.of(fox.id) / "status.json") << "{\"state\": 3}";
  EXPECT_EQ(survey(results_).value().front().state, State::kPending);
  EXPECT_EQ(unfinished_items(results_, {fox, fox}, false).size(), 1u) << "two lines that ask for the same";
  EXPECT_FALSE(Results::find(folder_ / "elsewhere").ok());
}

}  // namespace
}  // namespace limber::batch
