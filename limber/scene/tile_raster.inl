// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of tile_raster.h, included into an unnamed namespace once per instruction set: nothing in here may be
// shared between those. A pixel's eight samples are one vector.

// GCC's and Clang's own vectors: eight lanes, in one register or in two.
typedef float Numbers __attribute__((vector_size(32), may_alias));
typedef std::int32_t Masks __attribute__((vector_size(32), may_alias));

inline Numbers broadcast(float x) { return Numbers{x, x, x, x, x, x, x, x}; }
inline Masks broadcast(std::int32_t x) { return Masks{x, x, x, x, x, x, x, x}; }
inline Numbers load(const float* from) { return *reinterpret_cast<const Numbers*>(from); }

inline float smaller(float a, float b) { return a < b ? a : b; }
inline float larger(float a, float b) { return a > b ? a : b; }
inline float magnitude(float a) { return a < 0 ? -a : a; }

/// The columns of a row that may be inside all edges.
struct Span {
  int first, last;
};

inline Span row_span(const TileTriangle& t, float y) {
  auto low = static_cast<float>(t.first_column), high = static_cast<float>(t.last_column);
  for (int e = 0; e < 3; ++e) {
    // No sample is farther than 7/16 pixel from its centre in either direction.
    const float rest = t.b[e] * y + t.c[e] + 0.4375f * (magnitude(t.a[e]) + magnitude(t.b[e]));
    if (t.a[e] > 0) {
      low = larger(low, -rest / t.a[e] - 0.01f);
    } else if (t.a[e] < 0) {
      high = smaller(high, -rest / t.a[e] + 0.01f);
    } else if (rest < 0) {
      return {1, 0};
    }
  }
  if (!(low <= high)) return {1, 0};
  const int last = static_cast<int>(high);  // not negative here
  return {static_cast<int>(low) + (low > static_cast<float>(static_cast<int>(low)) ? 1 : 0), last};
}

/// The triangle at a pixel's samples.
struct SamplesOfPixel {
  Numbers nearness;
  Masks inside;
};

inline SamplesOfPixel at_pixel(const TileTriangle& t, float x, float y) {
  const auto edge = [&](int e) {
    return load(t.edge_offset[e]) + (t.a[e] * x + (t.b[e] * y + t.c[e])) > broadcast(t.threshold[e]);
  };
  const Numbers nearness = load(t.nearness_offset) + (t.nearness_dx * x + (t.nearness_dy * y + t.nearness));
  const Numbers far = broadcast(t.farthest), near = broadcast(t.nearest);
  const Numbers above = nearness > far ? nearness : far;
  return {above < near ? above : near, edge(0) & edge(1) & edge(2)};
}

void fill(const TileTriangle& t, TileSamples& samples) {
  const Masks id = broadcast(static_cast<std::int32_t>(t.id));
  for (int row = t.first_row; row <= t.last_row; ++row) {
    const auto y = static_cast<float>(row);
    const Span span = row_span(t, y);
    for (int column = span.first; column <= span.last; ++column) {
      const SamplesOfPixel here = at_pixel(t, static_cast<float>(column), y);
      const int first = (row * kTileSide + column) * kSamples;
      auto* nearness = reinterpret_cast<Numbers*>(samples.nearness.data() + first);
      auto* triangle = reinterpret_cast<Masks*>(samples.triangle.data() + first);
      const Masks seen = here.inside & (here.nearness > *nearness);
      *nearness = seen ? here.nearness : *nearness;
      *triangle = seen ? id : *triangle;
    }
  }
}

int probe(const TileTriangle& t, const TileSamples& samples, TouchedPixel* touched) {
  int count = 0;
  for (int row = t.first_row; row <= t.last_row; ++row) {
    const auto y = static_cast<float>(row);
    const Span span = row_span(t, y);
    for (int column = span.first; column <= span.last; ++column) {
      const SamplesOfPixel here = at_pixel(t, static_cast<float>(column), y);
      const int pixel = row * kTileSide + column;
      const Masks seen =
          here.inside & (here.nearness > *reinterpret_cast<const Numbers*>(samples.nearness.data() + pixel * kSamples));
      unsigned mask = 0;
      for (int s = 0; s < kSamples; ++s) mask |= (seen[s] != 0 ? 1u : 0u) << s;
      if (mask == 0) continue;
      touched[count++] = {static_cast<std::uint16_t>(pixel), static_cast<std::uint8_t>(mask)};
    }
  }
  return count;
}

constexpr TileKernels kKernels{fill, probe};
