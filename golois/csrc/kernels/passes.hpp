// The passes of instruction_sets.hpp, see vectors.hpp.

// Saves rows of z as S, and adds up what was saved and its squares.
template <class S>
GOLOIS_INLINE void save_counting(const float *z, int rows, int n, S *out, float *sums) {
  for (int c = 0; c < n; c += kLanes) {
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

template <class A, class S, class C>
GOLOIS_INLINE void activate(const S *z, int rows, int n, const Norm &norm, C *out) {
  for (int c = 0; c < n; c += kLanes) {
    const Vec scale = load(norm.scale + c), shift = load(norm.shift + c);
    for (int r = 0; r < rows; ++r)
      save(out + r * n + c, A::value(load(z + r * n + c) * scale + shift));
  }
}

template <class A, class S, class C>
GOLOIS_INLINE void activate(const S *z, int rows, int n, const Norm &norm, C *out, float *slopes) {
  for (int c = 0; c < n; c += kLanes) {
    const Vec scale = load(norm.scale + c), shift = load(norm.shift + c);
    for (int r = 0; r < rows; ++r) {
      Vec slope;
      save(out + r * n + c, A::value(load(z + r * n + c) * scale + shift, slope));
      save(slopes + r * n + c, slope);
    }
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
           load(g + r * stride + c) * scale + (load(z + r * n + c) * slope + offset));
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
      product += v * ((load(z + r * n + c) - mean) * inverse);
    }
    add(sums + c, total);
    add(sums + n + c, product);
  }
}

// d = g times the slopes of channel c and the next of an activation, with its sums. Rows of g and
// of the slopes lie `from` apart, those of d `to`, those of z n.
template <class S>
GOLOIS_INLINE void save_gradient(const float *g, const float *slopes, int from, int rows,
                                 const S *z, const Norm &norm, int c, int n, S *d, int to,
                                 float *sums) {
  const Vec mean = load(norm.mean + c), inverse = load(norm.inverse + c);
  Vec total{}, product{};
  for (int r = 0; r < rows; ++r) {
    const Vec v = load(g + r * from) * load(slopes + r * from);
    save(d + r * to, v);
    total += v;
    product += v * ((load(z + r * n + c) - mean) * inverse);
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

// Calls work(point, its place on a padded board) for all points.
template <class Work>
GOLOIS_INLINE void on_board(const BottleneckShape &s, float *padded, Work work) {
  for (int h = 0, i = 0; h < s.size; ++h)
    for (int w = 0; w < s.size; ++w, ++i) work(i, at(padded, s, h, w));
}

// The numbers around a point, whose first one is at p, times those of a kernel.
template <int K>
GOLOIS_INLINE Vec convolved(const float *p, int padded_row, const Vec *k) {
  Vec columns[K] = {};
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < K; ++j) columns[j] += k[K * i + j] * load(p + i * padded_row + kLanes * j);
  for (int j = 1; j < K; ++j) columns[0] += columns[j];
  return columns[0];
}

// z2 = one vector of channels convolved by one kernel, whose numbers lie `filters` apart; sums of
// z2 and z2².
template <int K, class S>
GOLOIS_INLINE void convolve(const BottleneckShape &s, float *padded, const float *wd, S *z2,
                            float *sums) {
  const int to_corner = K / 2 * (padded_row(s) + kLanes);
  Vec k[K * K];
  for (int i = 0; i < K * K; ++i) k[i] = load(wd + i * s.filters);
  Vec total{}, squares{};
  on_board(s, padded, [&](int i, const float *p) __attribute__((always_inline)) {
    const Vec v = rounded(convolved<K>(p - to_corner, padded_row(s), k), z2 + i * s.wide());
    total += v;
    squares += v * v;
  });
  add(sums, total);
  add(sums + s.wide(), squares);
}

// The same backward, for channel c and the next of d and z2: a1 is padded, da1 in `out` and dwd
// grow.
template <int K, class S>
GOLOIS_INLINE void convolve_back(const BottleneckShape &s, const Scratch &scratch, const S *d,
                                 const S *z2, const NormGradient &gradient2, int c, const float *wd,
                                 float *dwd) {
  const int to_corner = K / 2 * (padded_row(s) + kLanes);
  const Vec scale = load(gradient2.scale + c), slope = load(gradient2.slope + c),
            offset = load(gradient2.offset + c);
  on_board(s, scratch.also_padded, [&](int i, float *p) __attribute__((always_inline)) {
    const int place = i * s.wide() + c;
    save(p, load(d + place) * scale + (load(z2 + place) * slope + offset));
  });
  Vec turned[K * K], dk[K * K] = {};
  for (int i = 0; i < K * K; ++i) turned[K * K - 1 - i] = load(wd + i * s.filters);
  const auto to_input = [&](int i, const float *p) __attribute__((always_inline)) {
    add(scratch.out + kLanes * i, convolved<K>(p - to_corner, padded_row(s), turned));
  };
  const auto to_kernel = [&](const float *p) __attribute__((always_inline)) {
    const float *a1 = scratch.padded + (p - scratch.also_padded) - to_corner;
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < K; ++j)
        dk[K * i + j] += load(p) * load(a1 + i * padded_row(s) + kLanes * j);
  };
  if (K == 3) {
    on_board(s, scratch.also_padded, [&](int i, const float *p) __attribute__((always_inline)) {
      to_input(i, p), to_kernel(p);
    });
  } else {  // so many numbers and sums don't fit into the registers together
    on_board(s, scratch.also_padded, to_input);
    on_board(s, scratch.also_padded,
             [&](int, const float *p) __attribute__((always_inline)) { to_kernel(p); });
  }
  for (int i = 0; i < K * K; ++i) add(dwd + i * s.filters, dk[i]);
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

  // A vector of channels at a time, whose padded board fits into the nearest cache.
  static void forward_depthwise(BottleneckShape s, const S *z1, const Norm &norm1, const float *wd,
                                S *z2, Scratch scratch, float *sums) {
    const int f = s.filters;
    for (int c = 0; c < f; c += kLanes) {
      const Vec scale = load(norm1.scale + c), shift = load(norm1.shift + c);
      on_board(s, scratch.padded, [&](int i, float *p) __attribute__((always_inline)) {
        save(p, A::value(load(z1 + i * f + c) * scale + shift));
      });
      convolve<3>(s, scratch.padded, wd + c, z2 + c, sums + c);
      if (s.kernels == 2) convolve<5>(s, scratch.padded, wd + 9 * f + c, z2 + f + c, sums + f + c);
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
        save_gradient(scratch.out + c, scratch.slopes + c, f, rows, z2 + first * f, norm2, c, f,
                      d + first * f + c, f, sums);
    });
  }

  static void backward_depthwise(BottleneckShape s, S *d, const S *z2,
                                 const NormGradient &gradient2, const S *z1, const Norm &norm1,
                                 const float *wd, float *dwd, Scratch scratch, float *sums) {
    const int f = s.filters;
    for (int c = 0; c < f; c += kLanes) {
      const Vec scale = load(norm1.scale + c), shift = load(norm1.shift + c);
      on_board(s, scratch.padded, [&](int i, float *p) __attribute__((always_inline)) {
        Vec slope;
        save(p, A::value(load(z1 + i * f + c) * scale + shift, slope));
        save(scratch.slopes + kLanes * i, slope);
        save(scratch.out + kLanes * i, Vec{});
      });
      convolve_back<3>(s, scratch, d, z2, gradient2, c, wd + c, dwd + c);
      if (s.kernels == 2)
        convolve_back<5>(s, scratch, d, z2, gradient2, f + c, wd + 9 * f + c, dwd + 9 * f + c);
      save_gradient(scratch.out, scratch.slopes, kLanes, s.points(), z1, norm1, c, f, d + c,
                    s.wide(), sums);
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
      for (int i = 0; i < rows * t; i += kLanes) add(g + start + i, load(scratch.out + i));
      if (norm3_before) count_rows(g + start, z3_before + start, rows, *norm3_before, t, sums);
    });
  }
};

template <class S, class P, class A, class K = Kernels<S, P, A>>
constexpr BottleneckKernels<S> kKernels{
    P::kMultiple,      sizeof(typename P::Cell), P::begin_thread,       P::pack,
    K::forward_first,  K::forward_depthwise,     K::forward_last,       K::finish,
    K::count_gradient, K::backward_last,         K::backward_depthwise, K::backward_first};
