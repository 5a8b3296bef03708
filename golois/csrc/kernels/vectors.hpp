// Vectors of channels, activations and products. plain.cpp, avx2.cpp, avx512.cpp, avx512_bf16.cpp
// and amx.cpp each include this once, and passes.hpp after it, within an anonymous namespace, after
// they have chosen an instruction set by a pragma. So there is nothing of the standard library
// here: its templates would be compiled for that instruction set, and the linker might take them
// for the whole core.
//
// Before: kLanes, the numbers in a register, since GCC keeps longer vectors in memory; kTileRows
// and kTileWeights, how much of a product stays in registers; GOLOIS_AVX512 and GOLOIS_AVX512_BF16,
// where there are these instructions: the pragma doesn't define the compiler's own names for them.

// Every function below is inlined: none is called with vectors in the way that the warning means.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define GOLOIS_INLINE inline __attribute__((always_inline))

typedef float Vec __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
typedef uint32_t Bits __attribute__((vector_size(4 * kLanes), aligned(4)));
typedef uint16_t Half __attribute__((vector_size(2 * kLanes), aligned(2), may_alias));

GOLOIS_INLINE Vec load(const float *p) { return *reinterpret_cast<const Vec *>(p); }
GOLOIS_INLINE void save(float *p, Vec v) { *reinterpret_cast<Vec *>(p) = v; }

GOLOIS_INLINE Vec load(const uint16_t *p) {
#ifdef GOLOIS_AVX512  // GCC 12 makes four instructions of the line below
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
  return reinterpret_cast<Vec>(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
#else
  return reinterpret_cast<Vec>(__builtin_convertvector(*reinterpret_cast<const Half *>(p), Bits)
                               << 16);
#endif
}

// Rounds to the nearest bfloat16; of two as near, to the even one.
GOLOIS_INLINE void save(uint16_t *p, Vec v) {
#ifdef GOLOIS_AVX512_BF16
  *reinterpret_cast<Half *>(p) =
      reinterpret_cast<Half>(_mm512_cvtneps_pbh(reinterpret_cast<__m512>(v)));
#else
  const Bits bits = reinterpret_cast<Bits>(v);
  *reinterpret_cast<Half *>(p) =
      __builtin_convertvector((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16, Half);
#endif
}

// Saves v and returns what was saved. It is not read again before the rest of the batch is written,
// so that a line of it is written to memory without being read from there first.
GOLOIS_INLINE Vec rounded(Vec v, float *p) {
#ifdef GOLOIS_AVX512
  _mm512_stream_ps(p, reinterpret_cast<__m512>(v));
#else
  save(p, v);
#endif
  return v;
}
GOLOIS_INLINE Vec rounded(Vec v, uint16_t *p) {
  save(p, v);
  return load(p);
}

GOLOIS_INLINE void add(float *p, Vec v) { save(p, load(p) + v); }

GOLOIS_INLINE Vec all(float x) { return Vec{} + x; }

// An activation of v, and its derivative. kQuickSlope: to compute the derivative again is as quick
// as to keep it.
struct Relu {
  static constexpr bool kQuickSlope = true;
  static GOLOIS_INLINE Vec value(Vec v) { return v > 0.f ? v : Vec{}; }
  static GOLOIS_INLINE Vec value(Vec v, Vec &slope) {
    slope = v > 0.f ? all(1) : Vec{};
    return value(v);
  }
};

// 2 to the power of x, for |x| ≤ 126: the series of the logarithm's inverse for the nearest
// fraction, to 2e-7 of the result.
GOLOIS_INLINE Vec power_of_two(Vec x) {
  // 1.5 · 2²³: what is added to it is rounded to the nearest integer, in its lowest bits
  const float to_integer = 12582912;
  const Vec shifted = x + to_integer, f = x - (shifted - to_integer);
  const float terms[] = {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f,
                         2.4022651e-1f, 6.9314718e-1f, 1};
  Vec sum = all(1.5403530e-4f);
  for (const float term : terms) sum = sum * f + term;
  return reinterpret_cast<Vec>(reinterpret_cast<Bits>(sum) +
                               (reinterpret_cast<Bits>(shifted) << 23));
}

GOLOIS_INLINE Vec reciprocal(Vec v) {
#ifdef GOLOIS_AVX512  // an estimate and a step of Newton's, in a third of a division's time
  const Vec estimate = reinterpret_cast<Vec>(_mm512_rcp14_ps(reinterpret_cast<__m512>(v)));
  return estimate * (2.f - v * estimate);
#else
  return 1.f / v;
#endif
}

struct Swish {
  static constexpr bool kQuickSlope = false;
  static GOLOIS_INLINE Vec sigmoid(Vec v) {
    Vec x = v * -1.44269504f;  // e to the power of −v is 2 to this power
    x = x < -80.f ? all(-80) : x;
    x = x > 80.f ? all(80) : x;
    return reciprocal(1.f + power_of_two(x));
  }
  static GOLOIS_INLINE Vec value(Vec v) { return v * sigmoid(v); }
  static GOLOIS_INLINE Vec value(Vec v, Vec &slope) {
    const Vec s = sigmoid(v), result = v * s;
    slope = s + result * (1.f - s);
    return result;
  }
};

// out[rows, n] = a[rows, k] w[k, n], R rows and V vectors of outputs at a time.
template <int R, int V>
GOLOIS_INLINE void product_tile(const float *a, int k, const float *w, int n, float *out) {
  Vec sums[R][V] = {};
  for (int i = 0; i < k; ++i) {
    Vec row[V];
    for (int v = 0; v < V; ++v) row[v] = load(w + i * n + kLanes * v);
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < V; ++v) sums[r][v] += a[r * k + i] * row[v];
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) save(out + r * n + kLanes * v, sums[r][v]);
}

// Rows of what is left of a product: a row alone would wait for its own sums.
constexpr int kFewRows = 4;

template <int V>
GOLOIS_INLINE void product_columns(const float *a, int rows, int k, const float *w, int n,
                                   float *out) {
  int r = 0;
  for (; r + kTileRows <= rows; r += kTileRows)
    product_tile<kTileRows, V>(a + r * k, k, w, n, out + r * n);
  for (; r + kFewRows <= rows; r += kFewRows)
    product_tile<kFewRows, V>(a + r * k, k, w, n, out + r * n);
  for (; r < rows; ++r) product_tile<1, V>(a + r * k, k, w, n, out + r * n);
}

// dw[k, n] += aᵀ z of a[rows, k] and z[rows, n], K rows and V vectors of dw at a time.
template <int K, int V>
GOLOIS_INLINE void outer_tile(const float *a, int rows, int k, const float *z, int n, float *dw) {
  Vec sums[K][V];
  for (int i = 0; i < K; ++i)
    for (int v = 0; v < V; ++v) sums[i][v] = load(dw + i * n + kLanes * v);
  for (int r = 0; r < rows; ++r) {
    Vec row[V];
    for (int v = 0; v < V; ++v) row[v] = load(z + r * n + kLanes * v);
    for (int i = 0; i < K; ++i)
      for (int v = 0; v < V; ++v) sums[i][v] += a[r * k + i] * row[v];
  }
  for (int i = 0; i < K; ++i)
    for (int v = 0; v < V; ++v) save(dw + i * n + kLanes * v, sums[i][v]);
}

template <int V>
GOLOIS_INLINE void outer_columns(const float *a, int rows, int k, const float *z, int n,
                                 float *dw) {
  for (int i = 0; i < k; i += kTileWeights)
    outer_tile<kTileWeights, V>(a + i, rows, k, z, n, dw + i * n);
}

// Products of float32 numbers in the vector unit.
struct VectorProducts {
  using Cell = float;
  static constexpr int kMultiple = 16;

  static void begin_thread() {}

  static void pack(const float *w, int k, int n, void *packed) {
    memcpy(packed, w, sizeof *w * k * n);
  }

  static GOLOIS_INLINE void product(const float *a, int rows, int k, const void *packed, int n,
                                    float *out) {
    const float *w = static_cast<const float *>(packed);
    int c = 0;
    for (; c + 2 * kLanes <= n; c += 2 * kLanes) product_columns<2>(a, rows, k, w + c, n, out + c);
    if (c < n) product_columns<1>(a, rows, k, w + c, n, out + c);
  }

  static GOLOIS_INLINE void add_outer(const float *a, int rows, int k, const float *z, int n,
                                      float *dw, uint16_t *) {
    int c = 0;
    for (; c + 2 * kLanes <= n; c += 2 * kLanes) outer_columns<2>(a, rows, k, z + c, n, dw + c);
    if (c < n) outer_columns<1>(a, rows, k, z + c, n, dw + c);
  }

  static GOLOIS_INLINE const float *cells(const float *p, int, int, float *) { return p; }
  static GOLOIS_INLINE const float *cells(const uint16_t *p, int rows, int n, float *copy) {
    for (int i = 0; i < rows * n; i += kLanes) save(copy + i, load(p + i));
    return copy;
  }

  static GOLOIS_INLINE void clear_rest(float *, int, int) {}
};
