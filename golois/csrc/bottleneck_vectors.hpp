// The kernels of bottleneck_kernels.hpp in vectors of 16 channels. Each bottleneck_*.cpp includes this once, within an anonymous
// namespace, after it has chosen an instruction set by a pragma. So there is nothing of the standard library here: its templates
// would be compiled for that instruction set, and the linker might take them for the whole core.
//
// Before: kTileRows and kTileWeights, how much of a product stays in registers.

// Every function below is inlined: none is called with vectors in the way that the warning means.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define GOLOIS_INLINE inline __attribute__((always_inline))

typedef float Vec __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t Bits __attribute__((vector_size(64), aligned(4)));
typedef uint16_t Half __attribute__((vector_size(32), aligned(2), may_alias));

GOLOIS_INLINE Vec load(const float *p) { return *reinterpret_cast<const Vec *>(p); }
GOLOIS_INLINE void save(float *p, Vec v) { *reinterpret_cast<Vec *>(p) = v; }

GOLOIS_INLINE Vec load(const uint16_t *p) {
#ifdef __AVX512F__  // GCC 12 makes four instructions of the line below
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
  return reinterpret_cast<Vec>(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
#else
  return reinterpret_cast<Vec>(__builtin_convertvector(*reinterpret_cast<const Half *>(p), Bits) << 16);
#endif
}

// Rounds to the nearest bfloat16; of two as near, to the even one.
GOLOIS_INLINE void save(uint16_t *p, Vec v) {
#ifdef __AVX512BF16__
  *reinterpret_cast<Half *>(p) = reinterpret_cast<Half>(_mm512_cvtneps_pbh(reinterpret_cast<__m512>(v)));
#else
  const Bits bits = reinterpret_cast<Bits>(v);
  *reinterpret_cast<Half *>(p) = __builtin_convertvector((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16, Half);
#endif
}

// Saves v and returns what was saved.
GOLOIS_INLINE Vec rounded(Vec v, float *p) {
  save(p, v);
  return v;
}
GOLOIS_INLINE Vec rounded(Vec v, uint16_t *p) {
  save(p, v);
  return load(p);
}

GOLOIS_INLINE Vec positive(Vec v) { return v > 0.f ? v : Vec{}; }
GOLOIS_INLINE void add(float *p, Vec v) { save(p, load(p) + v); }

// out[rows, n] = a[rows, k] w[k, n], R rows and V vectors of outputs at a time.
template <int R, int V>
GOLOIS_INLINE void product_tile(const float *a, int k, const float *w, int n, float *out) {
  Vec sums[R][V] = {};
  for (int i = 0; i < k; ++i) {
    Vec row[V];
    for (int v = 0; v < V; ++v) row[v] = load(w + i * n + 16 * v);
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < V; ++v) sums[r][v] += a[r * k + i] * row[v];
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) save(out + r * n + 16 * v, sums[r][v]);
}

template <int V>
GOLOIS_INLINE void product_columns(const float *a, int rows, int k, const float *w, int n, float *out) {
  int r = 0;
  for (; r + kTileRows <= rows; r += kTileRows) product_tile<kTileRows, V>(a + r * k, k, w, n, out + r * n);
  for (; r < rows; ++r) product_tile<1, V>(a + r * k, k, w, n, out + r * n);
}

// dw[k, n] += aᵀ z of a[rows, k] and z[rows, n], K rows and V vectors of dw at a time.
template <int K, int V>
GOLOIS_INLINE void outer_tile(const float *a, int rows, int k, const float *z, int n, float *dw) {
  Vec sums[K][V];
  for (int i = 0; i < K; ++i)
    for (int v = 0; v < V; ++v) sums[i][v] = load(dw + i * n + 16 * v);
  for (int r = 0; r < rows; ++r) {
    Vec row[V];
    for (int v = 0; v < V; ++v) row[v] = load(z + r * n + 16 * v);
    for (int i = 0; i < K; ++i)
      for (int v = 0; v < V; ++v) sums[i][v] += a[r * k + i] * row[v];
  }
  for (int i = 0; i < K; ++i)
    for (int v = 0; v < V; ++v) save(dw + i * n + 16 * v, sums[i][v]);
}

template <int V>
GOLOIS_INLINE void outer_columns(const float *a, int rows, int k, const float *z, int n, float *dw) {
  for (int i = 0; i < k; i += kTileWeights) outer_tile<kTileWeights, V>(a + i, rows, k, z, n, dw + i * n);
}

// Products of float32 numbers in the vector unit.
struct VectorProducts {
  using Cell = float;
  static constexpr int kMultiple = 16;

  static void begin_thread() {}

  static void pack(const float *w, int k, int n, void *packed) { memcpy(packed, w, sizeof *w * k * n); }

  static GOLOIS_INLINE void product(const float *a, int rows, int k, const void *packed, int n, float *out) {
    const float *w = static_cast<const float *>(packed);
    int c = 0;
    for (; c + 32 <= n; c += 32) product_columns<2>(a, rows, k, w + c, n, out + c);
    if (c < n) product_columns<1>(a, rows, k, w + c, n, out + c);
  }

  static GOLOIS_INLINE void add_outer(const float *a, int rows, int k, const float *z, int n, float *dw, uint16_t *) {
    int c = 0;
    for (; c + 32 <= n; c += 32) outer_columns<2>(a, rows, k, z + c, n, dw + c);
    if (c < n) outer_columns<1>(a, rows, k, z + c, n, dw + c);
  }

  static GOLOIS_INLINE const float *cells(const float *p, int, int, float *) { return p; }
  static GOLOIS_INLINE const float *cells(const uint16_t *p, int rows, int n, float *copy) {
    for (int i = 0; i < rows * n; i += 16) save(copy + i, load(p + i));
    return copy;
  }

  static GOLOIS_INLINE void clear_rest(float *, int, int) {}
};

// Saves rows of z as S, and adds up what was saved and its squares.
template <class S>
GOLOIS_INLINE void save_counting(const float *z, int rows, int n, S *out, float *sums) {
  for (int c = 0; c < n; c += 16) {
    Vec total{}, squares{};
    for (int r = 0; r < rows; ++r) {
      const Vec v = rounded(load(z + r * n + c), out + r * n + c);
      total += v;
      squares += v * v;
    }
    add(sums + c, total);
    add(sums + n + c, squares);
  }
}

template <class S, class C>
GOLOIS_INLINE void normalise_positive(const S *z, int rows, int n, const Norm &norm, C *out) {
  for (int c = 0; c < n; c += 16) {
    const Vec scale = load(norm.scale + c), shift = load(norm.shift + c);
    for (int r = 0; r < rows; ++r) save(out + r * n + c, positive(load(z + r * n + c) * scale + shift));
  }
}

template <class G, class S, class C>
GOLOIS_INLINE void gradient_before_norm(const G *g, const S *z, int rows, const NormGradient &norm, int n, C *out) {
  for (int c = 0; c < n; c += 16) {
    const Vec scale = load(norm.scale + c), slope = load(norm.slope + c), offset = load(norm.offset + c);
    for (int r = 0; r < rows; ++r)
      save(out + r * n + c, load(g + r * n + c) * scale + (load(z + r * n + c) * slope + offset));
  }
}

template <class S>
GOLOIS_INLINE void count_rows(const float *g, const S *z, int rows, const Norm &norm, int n, float *sums) {
  for (int c = 0; c < n; c += 16) {
    const Vec mean = load(norm.mean + c), inverse = load(norm.inverse + c);
    Vec total{}, product{};
    for (int r = 0; r < rows; ++r) {
      const Vec v = load(g + r * n + c);
      total += v;
      product += v * ((load(z + r * n + c) - mean) * inverse);
    }
    add(sums + c, total);
    add(sums + n + c, product);
  }
}

// Calls work(first, rows) for all points, kRows of them at a time.
template <class Work>
GOLOIS_INLINE void in_rows(const BottleneckShape &s, Work work) {
  for (int first = 0; first < s.points(); first += kRows) {
    const int left = s.points() - first;
    work(first, left < kRows ? left : kRows);
  }
}

// Point (row, column) of an array with a border of one point.
GOLOIS_INLINE float *at(float *padded, const BottleneckShape &s, int row, int column) {
  return padded + ((row + 1) * (s.size + 2) + column + 1) * 16;
}

template <class S>
GOLOIS_INLINE void activate_row(const BottleneckShape &s, const S *z, int row, Vec scale, Vec shift, float *padded) {
  for (int w = 0; w < s.size; ++w)
    save(at(padded, s, row, w), positive(load(z + (row * s.size + w) * s.filters) * scale + shift));
}

template <class S>
GOLOIS_INLINE void gradient_row(const BottleneckShape &s, const S *d, const S *z, int row, Vec scale, Vec slope, Vec offset,
                                float *padded) {
  for (int w = 0; w < s.size; ++w) {
    const int i = (row * s.size + w) * s.filters;
    save(at(padded, s, row, w), load(d + i) * scale + (load(z + i) * slope + offset));
  }
}

// The kernels of one way to compute products, P.
template <class S, class P>
struct Kernels {
  using Cell = typename P::Cell;

  static Cell *narrow(const Scratch &scratch) { return static_cast<Cell *>(scratch.narrow); }
  static Cell *wide(const Scratch &scratch) { return static_cast<Cell *>(scratch.wide); }

  static void forward_first(const BottleneckShape &s, const Norm *before, const S *z3_before, float *x, S *kept, const void *w1, S *z1,
                            const Scratch &scratch, float *sums) {
    const int t = s.trunk, f = s.filters;
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      const int start = first * t;
      for (int c = 0; c < t; c += 16) {
        const Vec scale = before ? load(before->scale + c) : Vec{}, shift = before ? load(before->shift + c) : Vec{};
        for (int r = 0; r < rows; ++r) {
          const int i = start + r * t + c;
          Vec v = load(x + i);
          if (before) v += load(z3_before + i) * scale + shift;
          save(x + i, v);
          save(kept + i, v);
        }
      }
      P::product(P::cells(kept + start, rows, t, narrow(scratch)), rows, t, w1, f, scratch.out);
      save_counting(scratch.out, rows, f, z1 + first * f, sums);
    });
  }

  // A vector of channels at a time, whose padded board fits into the nearest cache; each row is written just before it is read.
  static void forward_depthwise(const BottleneckShape &s, const S *z1, const Norm &norm1, const float *wd, S *z2,
                                const Scratch &scratch, float *sums) {
    const int f = s.filters, stride = (s.size + 2) * 16;
    for (int c = 0; c < f; c += 16) {
      const Vec scale = load(norm1.scale + c), shift = load(norm1.shift + c);
      Vec k[9];
      for (int i = 0; i < 9; ++i) k[i] = load(wd + i * f + c);
      Vec total{}, squares{};
      activate_row(s, z1 + c, 0, scale, shift, scratch.padded);
      for (int h = 0; h < s.size; ++h) {
        if (h + 1 < s.size) activate_row(s, z1 + c, h + 1, scale, shift, scratch.padded);
        const float *p = at(scratch.padded, s, h - 1, -1);
        S *out = z2 + h * s.size * f + c;
        for (int w = 0; w < s.size; ++w, p += 16, out += f) {
          Vec left{}, middle{}, right{};
          for (int i = 0; i < 3; ++i) {
            left += k[3 * i] * load(p + i * stride);
            middle += k[3 * i + 1] * load(p + i * stride + 16);
            right += k[3 * i + 2] * load(p + i * stride + 32);
          }
          const Vec v = rounded(left + middle + right, out);
          total += v;
          squares += v * v;
        }
      }
      add(sums + c, total);
      add(sums + f + c, squares);
    }
  }

  static void forward_last(const BottleneckShape &s, const S *z2, const Norm &norm2, const void *w2, S *z3, const Scratch &scratch,
                           float *sums) {
    const int t = s.trunk, f = s.filters;
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      normalise_positive(z2 + first * f, rows, f, norm2, wide(scratch));
      P::product(wide(scratch), rows, f, w2, t, scratch.out);
      save_counting(scratch.out, rows, t, z3 + first * t, sums);
    });
  }

  static void finish(const BottleneckShape &s, const float *x, const S *z3, const Norm &norm3, float *out) {
    for (int c = 0; c < s.trunk; c += 16) {
      const Vec scale = load(norm3.scale + c), shift = load(norm3.shift + c);
      for (int i = c; i < s.points() * s.trunk; i += s.trunk) save(out + i, load(x + i) + (load(z3 + i) * scale + shift));
    }
  }

  static void count_gradient(const BottleneckShape &s, const float *g, const S *z3, const Norm &norm3, float *sums) {
    count_rows(g, z3, s.points(), norm3, s.trunk, sums);
  }

  static void backward_last(const BottleneckShape &s, const float *g, const S *z3, const NormGradient &gradient3, const S *z2,
                            const Norm &norm2, const void *w2_transposed, float *dw2_transposed, S *d, const Scratch &scratch,
                            float *sums) {
    const int t = s.trunk, f = s.filters;
    Cell *dz3 = narrow(scratch), *a2 = wide(scratch);
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      gradient_before_norm(g + first * t, z3 + first * t, rows, gradient3, t, dz3);
      P::clear_rest(dz3, rows, t);
      normalise_positive(z2 + first * f, rows, f, norm2, a2);
      P::add_outer(dz3, rows, t, a2, f, dw2_transposed, scratch.tiles);
      P::product(dz3, rows, t, w2_transposed, f, scratch.out);
      for (int c = 0; c < f; c += 16) {
        const Vec mean = load(norm2.mean + c), inverse = load(norm2.inverse + c);
        Vec total{}, product{};
        for (int r = 0; r < rows; ++r) {
          const int i = r * f + c, j = first * f + i;
          const Vec v = load(a2 + i) > 0.f ? load(scratch.out + i) : Vec{};
          save(d + j, v);
          total += v;
          product += v * ((load(z2 + j) - mean) * inverse);
        }
        add(sums + c, total);
        add(sums + f + c, product);
      }
    });
  }

  static void backward_depthwise(const BottleneckShape &s, S *d, const S *z2, const NormGradient &gradient2, const S *z1,
                                 const Norm &norm1, const float *wd, float *dwd, const Scratch &scratch, float *sums) {
    const int f = s.filters, stride = (s.size + 2) * 16;
    for (int c = 0; c < f; c += 16) {
      const Vec scale = load(gradient2.scale + c), slope = load(gradient2.slope + c), offset = load(gradient2.offset + c);
      const Vec scale1 = load(norm1.scale + c), shift1 = load(norm1.shift + c);
      const Vec mean = load(norm1.mean + c), inverse = load(norm1.inverse + c);
      const auto write_row = [&](int h) __attribute__((always_inline)) {
        activate_row(s, z1 + c, h, scale1, shift1, scratch.padded);
        gradient_row(s, d + c, z2 + c, h, scale, slope, offset, scratch.also_padded);
      };
      Vec k[9], dk[9];
      for (int i = 0; i < 9; ++i) k[i] = load(wd + i * f + c), dk[i] = Vec{};
      Vec total{}, product{};
      write_row(0);
      for (int h = 0; h < s.size; ++h) {
        if (h + 1 < s.size) write_row(h + 1);
        const float *a1 = at(scratch.padded, s, h - 1, -1), *dz2 = at(scratch.also_padded, s, h - 1, -1);
        for (int w = 0; w < s.size; ++w, a1 += 16, dz2 += 16) {
          const Vec here = load(dz2 + stride + 16);
          Vec left{}, middle{}, right{};
          for (int i = 0; i < 3; ++i) {
            dk[3 * i] += here * load(a1 + i * stride);
            dk[3 * i + 1] += here * load(a1 + i * stride + 16);
            dk[3 * i + 2] += here * load(a1 + i * stride + 32);
            left += k[8 - 3 * i] * load(dz2 + i * stride);
            middle += k[7 - 3 * i] * load(dz2 + i * stride + 16);
            right += k[6 - 3 * i] * load(dz2 + i * stride + 32);
          }
          const int i = (h * s.size + w) * f + c;
          const Vec v = load(a1 + stride + 16) > 0.f ? left + middle + right : Vec{};
          save(d + i, v);
          total += v;
          product += v * ((load(z1 + i) - mean) * inverse);
        }
      }
      for (int i = 0; i < 9; ++i) add(dwd + i * f + c, dk[i]);
      add(sums + c, total);
      add(sums + f + c, product);
    }
  }

  static void backward_first(const BottleneckShape &s, const S *d, const S *z1, const NormGradient &gradient1, const S *kept,
                             const void *w1_transposed, float *dw1, float *g, const S *z3_before, const Norm *norm3_before,
                             const Scratch &scratch, float *sums) {
    const int t = s.trunk, f = s.filters;
    Cell *dz1 = wide(scratch);
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      const int start = first * t;
      gradient_before_norm(d + first * f, z1 + first * f, rows, gradient1, f, dz1);
      P::clear_rest(dz1, rows, f);
      P::add_outer(P::cells(kept + start, rows, t, narrow(scratch)), rows, t, dz1, f, dw1, scratch.tiles);
      P::product(dz1, rows, f, w1_transposed, t, scratch.out);
      for (int i = 0; i < rows * t; i += 16) add(g + start + i, load(scratch.out + i));
      if (norm3_before) count_rows(g + start, z3_before + start, rows, *norm3_before, t, sums);
    });
  }
};

template <class S, class P>
constexpr BottleneckKernels<S> kernels_of() {
  using K = Kernels<S, P>;
  return {P::kMultiple,    sizeof(typename P::Cell), P::begin_thread,   P::pack,           K::forward_first,      K::forward_depthwise,
          K::forward_last, K::finish,                K::count_gradient, K::backward_last, K::backward_depthwise, K::backward_first};
}
