// Products of pairs of bfloat16 in AVX-512's vector unit; avx512_bf16.cpp and amx.cpp include it
// within an anonymous namespace.
//
// An instruction multiplies two pairs and adds both products, for each of 16 columns. So what is
// summed over lies in pairs: two numbers of a column side by side. In aᵀ z, these are two rows of a
// and of z.

struct PairProducts {
  using Cell = uint16_t;
  static constexpr int kMultiple = 16;

  static void begin_thread() {}

  // Row i has rows 2 i and 2 i + 1 of w.
  static void pack(const float *w, int k, int n, void *packed) {
    uint16_t *q = static_cast<uint16_t *>(packed);
    for (int i = 0; i < k; i += 2)
      for (int j = 0; j < n; j += kLanes) {
        uint16_t rows[2][kLanes];
        for (int odd = 0; odd < 2; ++odd) save(rows[odd], load(w + (i + odd) * n + j));
        for (int c = 0; c < kLanes; ++c, q += 2) q[0] = rows[0][c], q[1] = rows[1][c];
      }
  }

  static GOLOIS_INLINE void product(const uint16_t *a, int rows, int k, const void *packed, int n,
                                    float *out) {
    const uint16_t *w = static_cast<const uint16_t *>(packed);
    int c = 0;
    for (; c + 2 * kLanes <= n; c += 2 * kLanes) columns<2>(a, rows, k, w + 2 * c, n, out + c);
    if (c < n) columns<1>(a, rows, k, w + 2 * c, n, out + c);
  }

  // Rows beyond the last must be 0 in one of the two, and finite in the other. `work` has room for
  // kRows rows of both.
  static GOLOIS_INLINE void add_outer(const uint16_t *a, int rows, int k, const uint16_t *z, int n,
                                      float *dw, uint16_t *work) {
    const int pairs = (rows + 1) / 2;
    uint16_t *ap = work, *zp = work + kRows * k;
    for (int p = 0; p < pairs; ++p) {
      for (int i = 0; i < k; i += kLanes) join(a + 2 * p * k + i, k, ap + 2 * (p * k + i));
      for (int j = 0; j < n; j += kLanes) join(z + 2 * p * n + j, n, zp + 2 * (p * n + j));
    }
    for (int i = 0; i < k; i += kTileWeights) {
      int c = 0;
      for (; c + 2 * kLanes <= n; c += 2 * kLanes)
        outer<2>(ap + 2 * i, pairs, k, zp + 2 * c, n, dw + i * n + c);
      if (c < n) outer<1>(ap + 2 * i, pairs, k, zp + 2 * c, n, dw + i * n + c);
    }
  }

  // Fewer rows than kRows are copied: the pair of an odd last row, and AMX's tiles, reach beyond
  // them. The copy has zeros or an earlier position's rows there.
  static GOLOIS_INLINE const uint16_t *cells(const uint16_t *p, int rows, int n, uint16_t *copy) {
    if (rows == kRows) return p;
    memcpy(copy, p, sizeof *p * rows * n);
    return copy;
  }

  static GOLOIS_INLINE void clear_rest(uint16_t *p, int rows, int n) {
    memset(p + rows * n, 0, sizeof *p * (kRows - rows) * n);
  }

  // Two rows of 16 columns, side by side.
  static GOLOIS_INLINE __m512i pair(const uint16_t *p, int n) {
    const __m512i low =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
    const __m512i high =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p + n)));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
  }

 private:
  static GOLOIS_INLINE void join(const uint16_t *p, int n, uint16_t *to) {
    _mm512_store_si512(to, pair(p, n));
  }

  static GOLOIS_INLINE __m512bh pairs_at(const uint16_t *p) {
    return reinterpret_cast<__m512bh>(_mm512_load_si512(p));
  }
  static GOLOIS_INLINE __m512bh everywhere(const uint16_t *p) {
    int32_t both;
    memcpy(&both, p, sizeof both);
    return reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
  }

  // R rows and V vectors of outputs at a time.
  template <int R, int V>
  static GOLOIS_INLINE void tile(const uint16_t *a, int k, const uint16_t *w, int n, float *out) {
    __m512 sums[R][V] = {};
    for (int i = 0; i < k; i += 2) {
      __m512bh row[V];
      for (int v = 0; v < V; ++v) row[v] = pairs_at(w + i * n + 2 * kLanes * v);
      for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v)
          sums[r][v] = _mm512_dpbf16_ps(sums[r][v], row[v], everywhere(a + r * k + i));
    }
    for (int r = 0; r < R; ++r)
      for (int v = 0; v < V; ++v) _mm512_storeu_ps(out + r * n + kLanes * v, sums[r][v]);
  }

  template <int V>
  static GOLOIS_INLINE void columns(const uint16_t *a, int rows, int k, const uint16_t *w, int n,
                                    float *out) {
    int r = 0;
    for (; r + kTileRows <= rows; r += kTileRows)
      tile<kTileRows, V>(a + r * k, k, w, n, out + r * n);
    for (; r + kFewRows <= rows; r += kFewRows) tile<kFewRows, V>(a + r * k, k, w, n, out + r * n);
    for (; r < rows; ++r) tile<1, V>(a + r * k, k, w, n, out + r * n);
  }

  // kTileWeights rows and V vectors of dw at a time.
  template <int V>
  static GOLOIS_INLINE void outer(const uint16_t *a, int pairs, int k, const uint16_t *z, int n,
                                  float *dw) {
    __m512 sums[kTileWeights][V];
    for (int i = 0; i < kTileWeights; ++i)
      for (int v = 0; v < V; ++v) sums[i][v] = _mm512_loadu_ps(dw + i * n + kLanes * v);
    for (int p = 0; p < pairs; ++p) {
      __m512bh row[V];
      for (int v = 0; v < V; ++v) row[v] = pairs_at(z + 2 * (p * n + kLanes * v));
      for (int i = 0; i < kTileWeights; ++i)
        for (int v = 0; v < V; ++v)
          sums[i][v] = _mm512_dpbf16_ps(sums[i][v], row[v], everywhere(a + 2 * (p * k + i)));
    }
    for (int i = 0; i < kTileWeights; ++i)
      for (int v = 0; v < V; ++v) _mm512_storeu_ps(dw + i * n + kLanes * v, sums[i][v]);
  }
};
