// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Thousands of damaged files, the same ones every time: each is read or refused, and what is read can be written and
// read again. tests/fuzz does the same for as long as one likes.
#include <gtest/gtest.h>

#include <chrono>

#include "limber/asset/gltf_testing.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/base/rng.h"

namespace limber::asset {
namespace {

using namespace gltf_testing;

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : rng_(seed) {}

  Bytes mutated(const std::vector<Bytes>& seeds) {
    Bytes bytes = seeds[below(seeds.size())];
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count && !bytes.empty(); ++i) mutate(bytes, seeds[below(seeds.size())]);
    return bytes;
  }

 private:
  std::size_t below(std::size_t bound) { return rng_.below(static_cast<std::uint32_t>(bound)); }

  void mutate(Bytes& bytes, const Bytes& other) {
    const std::size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:  // a bit
        bytes[at] ^= static_cast<std::byte>(1u << below(8));
        break;
      case 1:  // a byte
        bytes[at] = static_cast<std::byte>(below(256));
        break;
      case 2:  // cut short, with a header that agrees half of the time
        bytes.resize(at);
        if (bytes.size() > 12 && below(2) == 0) set_length(bytes);
        break;
      case 3: {  // a piece of another file
        const std::size_t from = below(other.size()), size = std::min(other.size() - from, 1 + below(64));
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), other.begin() + static_cast<std::ptrdiff_t>(from),
                     other.begin() + static_cast<std::ptrdiff_t>(from + size));
        break;
      }
      default:  // a number in the JSON, the likeliest way in
        edit_number(bytes, at);
    }
  }

  static void set_length(Bytes& bytes) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data() + 8, &size, sizeof(size));
  }

  /// Replaces digits of the first number after `at` by as many others, so that the lengths stay right.
  void edit_number(Bytes& bytes, std::size_t at) {
    const auto is_digit = [&](std::size_t i) { return bytes[i] >= std::byte{'0'} && bytes[i] <= std::byte{'9'}; };
    while (at < bytes.size() && !is_digit(at)) ++at;
    for (; at < bytes.size() && is_digit(at); ++at) bytes[at] = static_cast<std::byte>('0' + below(10));
  }

  Rng rng_;
};

std::vector<Bytes> mutation_seeds() {
  std::vector<Bytes> seeds = {write_glb(everything()).value()};
  seeds.push_back(
      to_bytes(R"({"asset":{"version":"2.0"},"buffers":[{"uri":"data:;base64,AAAAAAAAgD8AAABA","byteLength":12}],
    "bufferViews":[{"buffer":0,"byteLength":12}],"accessors":[{"componentType":5126,"count":9,"type":"VEC3",
    "sparse":{"count":1,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0}}}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]})"));
  for (const auto& path : shared_gltf_files()) {
    if (std::filesystem::file_size(path) < 20'000) seeds.push_back(read_file(path).value());
  }
  return seeds;
}

TEST(MutatedGltf, IsReadOrRefusedAndNeverCrashes) {
  const auto seeds = mutation_seeds();
  Mutator mutator(2026);
  ReadLimits limits;
  limits.decoded_slack = 8 << 20;
  int read = 0, refused = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 4000; ++i) {
    const Bytes bytes = mutator.mutated(seeds);
    const auto asset = read_gltf(bytes, "mutant", {}, limits);
    if (!asset.ok()) {
      ASSERT_EQ(asset.error().where.rfind("mutant", 0), 0u) << asset.error().message();
      ++refused;
    } else {
      const auto written = write_glb(*asset);
      ASSERT_TRUE(written.ok()) << "mutant " << i << ": " << written.error().message();
      const auto again = read_gltf(*written, "mutant", {}, limits);
      ASSERT_TRUE(again.ok()) << "mutant " << i << ": " << again.error().message();
      ASSERT_EQ(write_glb(*again).value(), *written) << "mutant " << i;
      ++read;
    }
    // Under a sanitizer, on a busy machine: enough is enough.
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(8)) break;
  }
  EXPECT_GT(read, 20);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace limber::asset
