// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/content_checksum.h"

#include "limber/batch/batch_testing.h"

namespace limber::batch {
namespace {

class ContentChecksum : public BatchTest {
 protected:
  /// Whether the sum of a model changes with a file.
  bool depends(const std::filesystem::path& model, const std::string& file) const {
    write(file, "before");
    const std::uint64_t before = content_checksum(model).value();
    write(file, "after");
    return content_checksum(model).value() != before;
  }
};

TEST_F(ContentChecksum, IsOfTheFilesThatAModelNames) {
  const auto gltf = write("a/fox.gltf", R"({"buffers": [{"uri": "fox.bin"}, {"uri": "the%20fox.bin"}]})");
  EXPECT_TRUE(depends(gltf, "a/fox.bin"));
  EXPECT_TRUE(depends(gltf, "a/the fox.bin")) << "a name that is percent-encoded";
  EXPECT_FALSE(depends(gltf, "a/cow.bin"));
  EXPECT_TRUE(depends(write("a/fox.obj", "mtllib fox.mtl\nv 0 0 0\n"), "a/fox.mtl"));
}

TEST_F(ContentChecksum, LooksBelowTheModelAlone) {
  const std::string above = (folder_ / "fox.bin").string();
  const auto gltf = write("a/fox.gltf", R"({"buffers": [{"uri": "../fox.bin"}, {"uri": ")" + above + R"("}]})");
  EXPECT_FALSE(depends(gltf, "fox.bin"));
  EXPECT_FALSE(depends(write("a/fox.obj", "mtllib ../fox.bin\nmtllib " + above + "\n"), "fox.bin"));

  std::filesystem::create_symlink(folder_ / "fox.bin", folder_ / "a/link.bin");
  EXPECT_FALSE(depends(write("a/link.gltf", R"({"images": [{"uri": "link.bin"}]})"), "fox.bin"));
}

}  // namespace
}  // namespace limber::batch
