// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of kernels.h on vectors V of kLanes floats. Included by kernels_portable.cpp, kernels_avx2.cpp and
// kernels_avx512.cpp, in their own namespaces, after what they define: V, kLanes, kTileRows, kTilePanels; load, store,
// broadcast, fma, min and max (which pass a second operand on that is no number), add_exponent. Nothing here may call
// an inline function that is shared with other files, or the linker could take this copy for all of them.

constexpr int lesser(int a, int b) { return a < b ? a : b; }

// --- maths ----------------------------------------------------------------------------------------------------------

/// e^x within two units of the last digit; stays finite and above zero beyond what floats hold (Cephes' expf).
inline V exponential(V x) {
  x = min(broadcast(88.0f), max(broadcast(-87.0f), x));
  const V shifted = fma(x, broadcast(1.44269504f), broadcast(0x1.8p23f));
  const V n = shifted - broadcast(0x1.8p23f);
  const V r = fma(n, broadcast(2.12194440e-4f), fma(n, broadcast(-0.693359375f), x));
  V p = broadcast(1.9875691500e-4f);
  constexpr float kSeries[] = {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                               5.0000001201e-1f};
  for (const float c : kSeries) p = fma(p, r, broadcast(c));
  return add_exponent(fma(p, r * r, r + broadcast(1.0f)), shifted);
}

inline V silu_of(V x) { return x / (broadcast(1.0f) + exponential(broadcast(0.0f) - x)); }

/// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3) is x / (1 + e^(-2u)).
inline V gelu_of(V x) {
  const V inner = fma(x * x, broadcast(0.044715f), broadcast(1.0f));
  return x / (broadcast(1.0f) + exponential(broadcast(-1.5957691216f) * x * inner));
}

inline V activated(Activation then, V x) {
  if (then == Activation::kGelu) return gelu_of(x);
  return then == Activation::kSilu ? silu_of(x) : x;
}

// --- sixteen numbers side by side -----------------------------------------------------------------------------------

constexpr int kParts = kPanel / kLanes;
struct Sixteen {
  V part[kParts];
};

inline Sixteen all(float x) {
  Sixteen result;
  for (V& part : result.part) part = broadcast(x);
  return result;
}
inline Sixteen load_sixteen(const float* from) {
  Sixteen result;
  for (int k = 0; k < kParts; ++k) result.part[k] = load(from + k * kLanes);
  return result;
}
inline void store_sixteen(float* to, const Sixteen& x) {
  for (int k = 0; k < kParts; ++k) store(to + k * kLanes, x.part[k]);
}
/// The first `count`, and `rest` where there are fewer than sixteen.
inline Sixteen load_some(const float* from, int count, float rest) {
  if (count >= kPanel) return load_sixteen(from);
  float some[kPanel];
  for (int k = 0; k < kPanel; ++k) some[k] = k < count ? from[k] : rest;
  return load_sixteen(some);
}
inline void store_some(float* to, int count, const Sixteen& x) {
  if (count >= kPanel) return store_sixteen(to, x);
  float some[kPanel];
  store_sixteen(some, x);
  for (int k = 0; k < count; ++k) to[k] = some[k];
}
template <class Body>
inline Sixteen each(const Sixteen& a, const Body& body) {
  Sixteen result;
  for (int k = 0; k < kParts; ++k) result.part[k] = body(a.part[k]);
  return result;
}
template <class Body>
inline Sixteen each(const Sixteen& a, const Sixteen& b, const Body& body) {
  Sixteen result;
  for (int k = 0; k < kParts; ++k) result.part[k] = body(a.part[k], b.part[k]);
  return result;
}
/// Halves on halves, until one is left: the same order for all numbers of lanes.
template <class Join>
inline float joined(const Sixteen& x, const Join& join) {
  float some[kPanel];
  store_sixteen(some, x);
  for (int half = kPanel / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) some[k] = join(some[k], some[k + half]);
  }
  return some[0];
}
inline float sum_of(const Sixteen& x) {
  return joined(x, [](float a, float b) { return a + b; });
}

// --- products -------------------------------------------------------------------------------------------------------

/// Some inputs of some rows by some panels. Sums start as y says.
struct Tile {
  const float* x;
  int x_stride, depth;
  const float* weights;  ///< of the first of these inputs
  std::ptrdiff_t panel;  ///< from one panel to the next
  float* y;
  int y_stride;
  Activation then;
};

template <int Rows, int Panels>
inline void multiply_tile(const Tile& tile) {
  constexpr int kVectors = Panels * kParts;
  V sums[Rows][kVectors];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < kVectors; ++v)
      sums[r][v] = load(tile.y + static_cast<std::ptrdiff_t>(r) * tile.y_stride + v * kLanes);
  }
  for (int i = 0; i < tile.depth; ++i) {
    V weights[kVectors];
    for (int v = 0; v < kVectors; ++v)
      weights[v] = load(tile.weights + v / kParts * tile.panel + i * kPanel + v % kParts * kLanes);
    for (int r = 0; r < Rows; ++r) {
      const V value = broadcast(tile.x[static_cast<std::ptrdiff_t>(r) * tile.x_stride + i]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = fma(value, weights[v], sums[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < kVectors; ++v)
      store(tile.y + static_cast<std::ptrdiff_t>(r) * tile.y_stride + v * kLanes, sums[r][v]);
  }
  // From memory: a loop over the sums themselves would keep them there from the start.
  if (tile.then == Activation::kNone) return;
  for (int r = 0; r < Rows; ++r) {
    float* row = tile.y + static_cast<std::ptrdiff_t>(r) * tile.y_stride;
    for (int v = 0; v < kVectors; ++v) store(row + v * kLanes, activated(tile.then, load(row + v * kLanes)));
  }
}

/// The last rows, at most `Most`.
template <int Panels, int Most>
inline void multiply_last(const Tile& tile, int rows) {
  if (rows == Most) {
    multiply_tile<Most, Panels>(tile);
  } else if constexpr (Most > 1) {
    multiply_last<Panels, Most - 1>(tile, rows);
  }
}

template <int Panels>
inline void multiply_rows(Tile tile, int rows) {
  for (; rows >= kTileRows; rows -= kTileRows) {
    multiply_tile<kTileRows, Panels>(tile);
    tile.x += static_cast<std::ptrdiff_t>(kTileRows) * tile.x_stride;
    tile.y += static_cast<std::ptrdiff_t>(kTileRows) * tile.y_stride;
  }
  if constexpr (kTileRows > 1) multiply_last<Panels, kTileRows - 1>(tile, rows);
}

/// Inputs at a time, so that what two panels have for them stays in the nearest cache while rows pass.
constexpr int kDepth = 320;

/// All inputs, some at a time. Sums wait in y meanwhile.
template <int Panels>
inline void multiply_panels(const Product& task, int panel, float* y, int stride) {
  const int in = task.x.columns, rows = task.x.rows, parts = in > 0 ? (in + kDepth - 1) / kDepth : 1;
  const int outputs = lesser(Panels * kPanel, task.outputs - panel * kPanel);
  for (int r = 0; r < rows; ++r) {
    float* row = y + static_cast<std::ptrdiff_t>(r) * stride;
    for (int k = 0; k < outputs; ++k) row[k] = task.bias != nullptr ? task.bias[panel * kPanel + k] : 0.0f;
    for (int k = outputs; k < Panels * kPanel; ++k) row[k] = 0;
  }
  for (int part = 0; part < parts; ++part) {
    const int first = static_cast<int>(std::int64_t{in} * part / parts);
    const int end = static_cast<int>(std::int64_t{in} * (part + 1) / parts);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(in) * kPanel;
    multiply_rows<Panels>({task.x.first + first, task.x.stride, end - first,
                           task.panels + panel * size + static_cast<std::ptrdiff_t>(first) * kPanel, size, y, stride,
                           part + 1 == parts ? task.then : Activation::kNone},
                          rows);
  }
}

/// The last panel, where it is not whole, is summed beside y.
inline void multiply_ragged(Product task, int panel) {
  float beside[kProductRows * kPanel];
  const int outputs = task.outputs - panel * kPanel, rows = task.x.rows;
  for (int first = 0; first < rows; first += kProductRows) {
    task.x.rows = lesser(kProductRows, rows - first);
    multiply_panels<1>(task, panel, beside, kPanel);
    for (int r = 0; r < task.x.rows; ++r) {
      float* row = task.y + static_cast<std::ptrdiff_t>(first + r) * task.stride + panel * kPanel;
      for (int k = 0; k < outputs; ++k) row[k] = beside[r * kPanel + k];
    }
    task.x.first += static_cast<std::ptrdiff_t>(task.x.rows) * task.x.stride;
  }
}

void product(const Product& task) {
  const int whole = task.outputs / kPanel;
  int panel = 0;
  for (; panel + kTilePanels <= whole; panel += kTilePanels)
    multiply_panels<kTilePanels>(task, panel, task.y + panel * kPanel, task.stride);
  for (; panel < whole; ++panel) multiply_panels<1>(task, panel, task.y + panel * kPanel, task.stride);
  if (whole * kPanel < task.outputs) multiply_ragged(task, whole);
}

// --- rows -----------------------------------------------------------------------------------------------------------

void activate(Activation then, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kPanel) {
    const int some = count - i < kPanel ? static_cast<int>(count - i) : kPanel;
    store_some(values + i, some, each(load_some(values + i, some, 0), [&](V x) { return activated(then, x); }));
  }
}

void softmax(float* values, int count, float scale, const float* bias) {
  constexpr float kLowest = -3e38f;
  Sixteen most = all(kLowest);
  for (int i = 0; i < count; i += kPanel) {
    Sixteen x = each(load_some(values + i, count - i, kLowest), [&](V v) { return v * broadcast(scale); });
    if (bias != nullptr) x = each(x, load_some(bias + i, count - i, 0), [](V a, V b) { return a + b; });
    store_some(values + i, count - i, x);
    most = each(most, x, [](V a, V b) { return max(a, b); });
  }
  const float highest = joined(most, [](float a, float b) { return a > b ? a : b; });
  Sixteen sum = all(0);
  for (int i = 0; i < count; i += kPanel) {
    const Sixteen x =
        each(load_some(values + i, count - i, kLowest), [&](V v) { return exponential(v - broadcast(highest)); });
    store_some(values + i, count - i, x);
    sum = each(sum, x, [](V a, V b) { return a + b; });  // what fills the last sixteen up is too small to count
  }
  const float share = 1 / sum_of(sum);
  for (int i = 0; i < count; i += kPanel) {
    store_some(values + i, count - i,
               each(load_some(values + i, count - i, 0), [&](V v) { return v * broadcast(share); }));
  }
}

void normalise(const float* x, float* y, int width, float eps, const float* weight, const float* bias) {
  Sixteen sum = all(0), squares = all(0);
  for (int i = 0; i < width; i += kPanel)
    sum = each(sum, load_some(x + i, width - i, 0), [](V a, V b) { return a + b; });
  const float mean = sum_of(sum) / static_cast<float>(width);
  for (int i = 0; i < width; i += kPanel) {
    squares = each(squares, load_some(x + i, width - i, mean), [&](V a, V b) {
      const V apart = b - broadcast(mean);
      return fma(apart, apart, a);
    });
  }
  const float inverse = 1 / __builtin_sqrtf(sum_of(squares) / static_cast<float>(width) + eps);
  for (int i = 0; i < width; i += kPanel) {
    Sixteen unit =
        each(load_some(x + i, width - i, 0), [&](V v) { return (v - broadcast(mean)) * broadcast(inverse); });
    if (weight != nullptr) {
      unit = each(unit, load_some(weight + i, width - i, 0), [](V a, V b) { return a * b; });
      unit = each(unit, load_some(bias + i, width - i, 0), [](V a, V b) { return a + b; });
    }
    store_some(y + i, width - i, unit);
  }
}

const Kernels kKernels{product, activate, softmax, normalise};
