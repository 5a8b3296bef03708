// The passes of instruction_sets.hpp, see vectors.hpp.

// Reads p, and brings into the second cache what lies `ahead` numbers after it, which is read next:
// the following rows, or the next position. `to_write` does so for what is written.
template <class S>
GOLOIS_INLINE Vec fetch(const S *p, int ahead) {
  __builtin_prefetch(p + ahead, 0, 2);
  return load(p);
}
GOLOIS_INLINE uint16_t *to_write(uint16_t *p, int ahead) {
  __builtin_prefetch(p + ahead, 0, 2);
  return p;
}
// Most of these are written past the caches.
GOLOIS_INLINE float *to_write(float *p, int) { return p; }

// Saves rows of z as S, and adds up what was saved and its squares.
template <class S>
GOLOIS_INLINE void save_counting(const float *z, int rows, int n, S *out, float *sums) {
  for (int c = 0; c < n; c += kLanes) {
    Vec total{}, squares{};
    for (int r = 0; r < rows; ++r) {
      const Vec v = rounded(load(z + r * n + c), to_write(out + r * n + c, rows * n));
      total += v;
      squares += v * v;
    }
    add(sums + c, total);
    add(sums + n + c, squares);
  }
}

template <class A, class S, class C>
GOLOIS_INLINE void activate(const S *z, int rows, int n, const Norm &norm, C *out) {
  for (int c = 0; c < n; c += kLanes) {
    const Vec scale = load(norm.scale + c), shift = load(norm.shift + c);
    for (int r = 0; r < rows; ++r)
      save(out + r * n + c, A::value(fetch(z + r * n + c, rows * n) * scale + shift));
  }
}

// A(v), with the derivative in `slope` where it takes long to compute again.
template <class A>
GOLOIS_INLINE Vec activated(Vec v, float *slope) {
  if (A::kQuickSlope) return A::value(v);
  Vec derivative;
  const Vec value = A::value(v, derivative);
  save(slope, derivative);
  return value;
}

template <class A, class S, class C>
GOLOIS_INLINE void activate(const S *z, int rows, int n, const Norm &norm, C *out, float *slopes) {
  for (int c = 0; c < n; c += kLanes) {
    const Vec scale = load(norm.scale + c), shift = load(norm.shift + c);
    for (int r = 0; r < rows; ++r)
      save(out + r * n + c,
           activated<A>(fetch(z + r * n + c, rows * n) * scale + shift, slopes + r * n + c));
  }
}

// The rows of g lie `stride` apart.
template <class G, class S, class C>
GOLOIS_INLINE void gradient_before_norm(const G *g, int stride, const S *z, int rows,
                                        const NormGradient &norm, int n, C *out) {
  for (int c = 0; c < n; c += kLanes) {
    const Vec scale = load(norm.scale + c), slope = load(norm.slope + c),
              offset = load(norm.offset + c);
    for (int r = 0; r < rows; ++r)
      save(out + r * n + c,
           fetch(g + r * stride + c, rows * stride) * scale +
               (fetch(z + r * n + c, rows * n) * slope + offset));
  }
}

template <class S>
GOLOIS_INLINE void count_rows(const float *g, const S *z, int rows, const Norm &norm, int n,
                              float *sums) {
  for (int c = 0; c < n; c += kLanes) {
    const Vec mean = load(norm.mean + c), inverse = load(norm.inverse + c);
    Vec total{}, product{};
    for (int r = 0; r < rows; ++r) {
      const Vec v = load(g + r * n + c);
      total += v;
      product += v * ((fetch(z + r * n + c, rows * n) - mean) * inverse);
    }
    add(sums + c, total);
    add(sums + n + c, product);
  }
}

// d = g times the slopes of an activation A, with its sums, for the vector of channels from c. g,
// slopes and d point to channel c, and z to channel 0. Rows of g and slopes lie `from` apart, those
// of d `to`, those of z n.
template <class A, class S>
GOLOIS_INLINE void save_gradient(const float *g, const float *slopes, int from, int rows,
                                 const S *z, const Norm &norm, int c, int n, S *d, int to,
                                 float *sums) {
  const Vec mean = load(norm.mean + c), inverse = load(norm.inverse + c),
            scale = load(norm.scale + c), shift = load(norm.shift + c);
  Vec total{}, product{};
  for (int r = 0; r < rows; ++r) {
    const Vec before = load(z + r * n + c);
    Vec slope;
    if (A::kQuickSlope) A::value(before * scale + shift, slope);
    else slope = load(slopes + r * from);
    const Vec v = load(g + r * from) * slope;
    save(to_write(d + r * to, rows * to), v);
    total += v;
    product += v * ((before - mean) * inverse);
  }
  add(sums + c, total);
  add(sums + n + c, product);
}

// Calls work(first, rows) for all points, kRows of them at a time.
template <class Work>
GOLOIS_INLINE void in_rows(const BottleneckShape &s, Work work) {
  for (int first = 0; first < s.points(); first += kRows) {
    const int left = s.points() - first;
    work(first, left < kRows ? left : kRows);
  }
}

// Numbers of a row of a board with its border, a vector of channels of it.
GOLOIS_INLINE int padded_row(const BottleneckShape &s) { return s.padded_size() * kLanes; }

// Point (row, column) of that board.
GOLOIS_INLINE float *at(float *padded, const BottleneckShape &s, int row, int column) {
  return padded + (row + s.border()) * padded_row(s) + (column + s.border()) * kLanes;
}

// Calls fill(h) for each row of a board, and row(h) as soon as the `border` rows after it are
// filled, so that all that it reads is still in the nearest cache.
template <class Fill, class Row>
GOLOIS_INLINE void by_rows(const BottleneckShape &s, int border, Fill fill, Row row) {
  for (int h = 0; h < s.size + border; ++h) {
    if (h < s.size) fill(h);
    if (h >= border) row(h - border);
  }
}

// Calls work(first column, how many of them) for all points of a row. The number is a constant, so
// that the compiler keeps what belongs to them in registers.
template <int N>
struct Constant {
  static constexpr int value = N;
};
template <class Work>
GOLOIS_INLINE void in_columns(const BottleneckShape &s, Work work) {
  int w = 0;
  for (; w + 4 <= s.size; w += 4) work(w, Constant<4>{});
  for (; w < s.size; ++w) work(w, Constant<1>{});
}

// For each of N points side by side and each tap of a kernel: calls work(point, tap, number there),
// and reads each number once. p is the corner of what is around the first point.
template <int K, int N, class Work>
GOLOIS_INLINE void around(const float *p, int padded_row, Work work) {
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < N + K - 1; ++j) {
      const Vec v = load(p + i * padded_row + kLanes * j);
      for (int q = 0; q < N; ++q)
        if (0 <= j - q && j - q < K) work(q, K * i + j - q, v);
    }
}

// What is around N points times the numbers of a kernel.
template <int K, int N>
GOLOIS_INLINE void convolved(const float *p, int padded_row, const Vec *k, Vec *sums) {
  for (int q = 0; q < N; ++q) sums[q] = Vec{};
  around<K, N>(p, padded_row, [&](int q, int tap, Vec v) __attribute__((always_inline)) {
    sums[q] += k[tap] * v;
  });
}

// The numbers of a kernel lie `filters` apart.
template <int K>
GOLOIS_INLINE void load_kernel(const BottleneckShape &s, const float *wd, Vec *k) {
  for (int i = 0; i < K * K; ++i) k[i] = load(wd + i * s.filters);
}

// The gradient before a normalization, of row h of one vector of channels.
template <class S>
GOLOIS_INLINE void gradient_row(const BottleneckShape &s, const S *g, const S *z,
                                const NormGradient &norm, int c, int h, float *out) {
  const Vec scale = load(norm.scale + c), slope = load(norm.slope + c),
            offset = load(norm.offset + c);
  for (int w = 0; w < s.size; ++w) {
    const int i = (h * s.size + w) * s.wide() + c, ahead = s.points() * s.wide();
    save(out + kLanes * w, fetch(g + i, ahead) * scale + (fetch(z + i, ahead) * slope + offset));
  }
}

// Row h of z2: one vector of channels convolved by one kernel; sums of z2 and z2².
template <int K, class S>
GOLOIS_INLINE void convolve_row(const BottleneckShape &s, float *padded, int h, const float *wd,
                                S *z2, float *sums) {
  Vec k[K * K], total{}, squares{};
  load_kernel<K>(s, wd, k);
  in_columns(s, [&](int w, auto points) __attribute__((always_inline)) {
    Vec result[points.value];
    convolved<K, points.value>(at(padded, s, h - K / 2, w - K / 2), padded_row(s), k, result);
    for (int q = 0; q < points.value; ++q) {
      S *to = z2 + (h * s.size + w + q) * s.wide();
      const Vec v = rounded(result[q], to_write(to, s.points() * s.wide()));
      total += v;
      squares += v * v;
    }
  });
  add(sums, total);
  add(sums + s.wide(), squares);
}

// The same backward, from a padded gradient: row h of da1, and dwd grows. The 3 × 3 kernel is the
// first that writes da1.
template <int K>
GOLOIS_INLINE void convolve_row_back(const BottleneckShape &s, float *gradient, float *a1, int h,
                                     const float *wd, float *dwd, float *da1) {
  Vec turned[K * K], dk[K * K];
  for (int i = 0; i < K * K; ++i) turned[K * K - 1 - i] = load(wd + i * s.filters);
  load_kernel<K>(s, dwd, dk);
  in_columns(s, [&](int w, auto points) __attribute__((always_inline)) {
    Vec sums[points.value];
    convolved<K, points.value>(at(gradient, s, h - K / 2, w - K / 2), padded_row(s), turned, sums);
    for (int q = 0; q < points.value; ++q) {
      float *to = da1 + kLanes * (w + q);
      if (K == 3) save(to, sums[q]);
      else add(to, sums[q]);
    }
  });
  in_columns(s, [&](int w, auto points) __attribute__((always_inline)) {
    Vec g[points.value];
    for (int q = 0; q < points.value; ++q) g[q] = load(at(gradient, s, h, w + q));
    around<K, points.value>(at(a1, s, h - K / 2, w - K / 2), padded_row(s),
                            [&](int q, int tap, Vec v) __attribute__((always_inline)) {
                              dk[tap] += g[q] * v;
                            });
  });
  for (int i = 0; i < K * K; ++i) save(dwd + i * s.filters, dk[i]);
}

// The kernels of one way to compute products, P, and of an activation, A.
template <class S, class P, class A>
struct Kernels {
  using Cell = typename P::Cell;

  static Cell *narrow(Scratch scratch) { return static_cast<Cell *>(scratch.narrow); }
  static Cell *wide(Scratch scratch) { return static_cast<Cell *>(scratch.wide); }

  static void forward_first(BottleneckShape s, const Norm *before, const S *z3_before, float *x,
                            S *kept, const void *w1, S *z1, Scratch scratch, float *sums) {
    const int t = s.trunk, f = s.filters;
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      const int start = first * t;
      for (int c = 0; c < t; c += kLanes) {
        const Vec scale = before ? load(before->scale + c) : Vec{},
                  shift = before ? load(before->shift + c) : Vec{};
        for (int r = 0; r < rows; ++r) {
          const int i = start + r * t + c;
          Vec v = fetch(x + i, rows * t);
          if (before) v += fetch(z3_before + i, rows * t) * scale + shift;
          save(x + i, v);
          save(to_write(kept + i, rows * t), v);
        }
      }
      P::product(P::cells(kept + start, rows, t, narrow(scratch)), rows, t, w1, f, scratch.out);
      save_counting(scratch.out, rows, f, z1 + first * f, sums);
    });
  }

  // A vector of channels at a time.
  static void forward_depthwise(BottleneckShape s, const S *z1, const Norm &norm1, const float *wd,
                                S *z2, Scratch scratch, float *sums) {
    const int f = s.filters;
    for (int c = 0; c < f; c += kLanes) {
      const Vec scale = load(norm1.scale + c), shift = load(norm1.shift + c);
      const auto fill = [&](int h) __attribute__((always_inline)) {
        float *p = at(scratch.padded, s, h, 0);
        const S *from = z1 + h * s.size * f + c;
        for (int w = 0; w < s.size; ++w)
          save(p + kLanes * w, A::value(fetch(from + w * f, s.points() * f) * scale + shift));
      };
      by_rows(s, s.border(), fill, [&](int h) __attribute__((always_inline)) {
        convolve_row<3>(s, scratch.padded, h, wd + c, z2 + c, sums + c);
        if (s.kernels == 2)
          convolve_row<5>(s, scratch.padded, h, wd + 9 * f + c, z2 + f + c, sums + f + c);
      });
    }
  }

  static void forward_last(BottleneckShape s, const S *z2, const Norm &norm2, const void *w2, S *z3,
                           Scratch scratch, float *sums) {
    const int t = s.trunk, f = s.wide();
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      activate<A>(z2 + first * f, rows, f, norm2, wide(scratch));
      P::product(wide(scratch), rows, f, w2, t, scratch.out);
      save_counting(scratch.out, rows, t, z3 + first * t, sums);
    });
  }

  static void finish(BottleneckShape s, const float *x, const S *z3, const Norm &norm3,
                     float *out) {
    for (int c = 0; c < s.trunk; c += kLanes) {
      const Vec scale = load(norm3.scale + c), shift = load(norm3.shift + c);
      for (int i = c; i < s.points() * s.trunk; i += s.trunk)
        save(out + i, load(x + i) + (load(z3 + i) * scale + shift));
    }
  }

  static void count_gradient(BottleneckShape s, const float *g, const S *z3, const Norm &norm3,
                             float *sums) {
    count_rows(g, z3, s.points(), norm3, s.trunk, sums);
  }

  static void backward_last(BottleneckShape s, const float *g, const S *z3,
                            const NormGradient &gradient3, const S *z2, const Norm &norm2,
                            const void *w2_transposed, float *dw2_transposed, S *d, Scratch scratch,
                            float *sums) {
    const int t = s.trunk, f = s.wide();
    Cell *dz3 = narrow(scratch), *a2 = wide(scratch);
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      gradient_before_norm(g + first * t, t, z3 + first * t, rows, gradient3, t, dz3);
      P::clear_rest(dz3, rows, t);
      activate<A>(z2 + first * f, rows, f, norm2, a2, scratch.slopes);
      P::add_outer(dz3, rows, t, a2, f, dw2_transposed, scratch.tiles);
      P::product(dz3, rows, t, w2_transposed, f, scratch.out);
      for (int c = 0; c < f; c += kLanes)
        save_gradient<A>(scratch.out + c, scratch.slopes + c, f, rows, z2 + first * f, norm2, c, f,
                         d + first * f + c, f, sums);
    });
  }

  static void backward_depthwise(BottleneckShape s, S *d, const S *z2,
                                 const NormGradient &gradient2, const S *z1, const Norm &norm1,
                                 const float *wd, float *dwd, Scratch scratch, float *sums) {
    const int f = s.filters;
    for (int c = 0; c < f; c += kLanes) {
      const Vec scale = load(norm1.scale + c), shift = load(norm1.shift + c);
      const auto fill_gradient = [&](int h, int channel) __attribute__((always_inline)) {
        gradient_row(s, d, z2, gradient2, channel, h, at(scratch.also_padded, s, h, 0));
      };
      const auto save_row = [&](int h) __attribute__((always_inline)) {
        const int first = h * s.size;
        save_gradient<A>(scratch.out + kLanes * first, scratch.slopes + kLanes * first, kLanes,
                         s.size, z1 + first * f, norm1, c, f, d + first * s.wide() + c, s.wide(),
                         sums);
      };
      by_rows(
          s, 1,
          [&](int h) __attribute__((always_inline)) {
            float *p = at(scratch.padded, s, h, 0);
            for (int w = 0; w < s.size; ++w) {
              const int i = h * s.size + w;
              const Vec z = fetch(z1 + i * f + c, s.points() * f) * scale + shift;
              save(p + kLanes * w, activated<A>(z, scratch.slopes + kLanes * i));
            }
            fill_gradient(h, c);
          },
          [&](int h) __attribute__((always_inline)) {
            convolve_row_back<3>(s, scratch.also_padded, scratch.padded, h, wd + c, dwd + c,
                                 scratch.out + kLanes * h * s.size);
            if (s.kernels == 1) save_row(h);
          });
      if (s.kernels == 1) continue;
      by_rows(
          s, 2, [&](int h) __attribute__((always_inline)) { fill_gradient(h, f + c); },
          [&](int h) __attribute__((always_inline)) {
            convolve_row_back<5>(s, scratch.also_padded, scratch.padded, h, wd + 9 * f + c,
                                 dwd + 9 * f + c, scratch.out + kLanes * h * s.size);
            save_row(h);
          });
    }
  }

  static void backward_first(BottleneckShape s, const S *d, const S *z1,
                             const NormGradient &gradient1, const S *kept,
                             const void *w1_transposed, float *dw1, float *g, const S *z3_before,
                             const Norm *norm3_before, Scratch scratch, float *sums) {
    const int t = s.trunk, f = s.filters;
    Cell *dz1 = wide(scratch);
    in_rows(s, [&](int first, int rows) __attribute__((always_inline)) {
      const int start = first * t;
      gradient_before_norm(d + first * s.wide(), s.wide(), z1 + first * f, rows, gradient1, f, dz1);
      P::clear_rest(dz1, rows, f);
      P::add_outer(P::cells(kept + start, rows, t, narrow(scratch)), rows, t, dz1, f, dw1,
                   scratch.tiles);
      P::product(dz1, rows, f, w1_transposed, t, scratch.out);
      for (int i = 0; i < rows * t; i += kLanes) {
        __builtin_prefetch(kept + start + i + rows * t, 0, 2);  // for `add_outer`
        save(g + start + i, fetch(g + start + i, rows * t) + load(scratch.out + i));
      }
      if (norm3_before) count_rows(g + start, z3_before + start, rows, *norm3_before, t, sums);
    });
  }
};

template <class S, class P, class A, class K = Kernels<S, P, A>>
constexpr BottleneckKernels<S> kKernels{
    P::kMultiple,      sizeof(typename P::Cell), P::begin_thread,       P::pack,
    K::forward_first,  K::forward_depthwise,     K::forward_last,       K::finish,
    K::count_gradient, K::backward_last,         K::backward_depthwise, K::backward_first};
