// Products of bfloat16 in AMX's tiles of 16 rows of 64 bytes; amx.cpp includes it, after pairs.hpp,
// within an anonymous namespace.
//
// A product adds a tile of 16 × 32 numbers, by rows, times one of 32 × 16, whose rows lie in pairs:
// two numbers of a column side by side. In a sum over the rows of a and z, aᵀ z, z lies in pairs as
// well, and a's pairs are transposed.

// What the processor is told about its eight tiles.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kTileConfig;

// GCC 12 doesn't know that a tile's instruction reads memory: what was written before must be
// there.
GOLOIS_INLINE void finish_writing() { __asm__ volatile("" ::: "memory"); }

struct TileProducts : PairProducts {
  static constexpr int kMultiple = 32;
  static constexpr int kTile = 512;  // numbers

  static void begin_thread() { _tile_loadconfig(&kTileConfig); }

  // Tile (i, j) has rows 32 i … and columns 16 j … of w.
  static void pack(const float *w, int k, int n, void *packed) {
    uint16_t *tile = static_cast<uint16_t *>(packed);
    for (int i = 0; i < k; i += 32)
      for (int j = 0; j < n; j += 16, tile += kTile)
        for (int p = 0; p < 16; ++p) {
          uint16_t rows[2][16];
          for (int odd = 0; odd < 2; ++odd) save(rows[odd], load(w + (i + 2 * p + odd) * n + j));
          for (int c = 0; c < 32; ++c) tile[32 * p + c] = rows[c % 2][c / 2];
        }
  }

  // All kRows rows, whose last ones may be anything.
  static GOLOIS_INLINE void product(const uint16_t *a, int, int k, const void *packed, int n,
                                    float *out) {
    const uint16_t *tiles = static_cast<const uint16_t *>(packed);
    finish_writing();
    for (int j = 0; j < n; j += 16) {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
      for (int i = 0; i < k; i += 32) {
        const uint16_t *p = a + i;
        _tile_loadd(7, tiles + (i / 32 * (n / 16) + j / 16) * kTile, 64);
        _tile_loadd(4, p, 2 * k);
        _tile_dpbf16ps(0, 4, 7);
        _tile_loadd(5, p + 16 * k, 2 * k);
        _tile_dpbf16ps(1, 5, 7);
        _tile_loadd(6, p + 32 * k, 2 * k);
        _tile_dpbf16ps(2, 6, 7);
        _tile_loadd(4, p + 48 * k, 2 * k);
        _tile_dpbf16ps(3, 4, 7);
      }
      float *q = out + j;
      _tile_stored(0, q, 4 * n);
      _tile_stored(1, q + 16 * n, 4 * n);
      _tile_stored(2, q + 32 * n, 4 * n);
      _tile_stored(3, q + 48 * n, 4 * n);
    }
  }

  // Rows beyond the last must be 0 in one of the two, and finite in the other. `work` has
  // 2 (k + n) / 16 tiles.
  static GOLOIS_INLINE void add_outer(const uint16_t *a, int, int k, const uint16_t *z, int n,
                                      float *dw, uint16_t *work) {
    uint16_t *at = work, *zt = work + 2 * (k / 16) * kTile;
    for (int half = 0; half < 2; ++half) {
      for (int i = 0; i < k / 16; ++i)
        transpose_pairs(a + 32 * half * k + 16 * i, k, at + (2 * i + half) * kTile);
      for (int j = 0; j < n / 16; ++j)
        copy_pairs(z + 32 * half * n + 16 * j, n, zt + (2 * j + half) * kTile);
    }
    finish_writing();
    for (int i = 0; i < k / 16; i += 2)
      for (int j = 0; j < n / 16; j += 2) {
        float *q = dw + 16 * i * n + 16 * j;
        _tile_loadd(0, q, 4 * n);
        _tile_loadd(1, q + 16, 4 * n);
        _tile_loadd(2, q + 16 * n, 4 * n);
        _tile_loadd(3, q + 16 * n + 16, 4 * n);
        for (int half = 0; half < 2; ++half) {
          _tile_loadd(4, at + (2 * i + half) * kTile, 64);
          _tile_loadd(5, at + (2 * i + 2 + half) * kTile, 64);
          _tile_loadd(6, zt + (2 * j + half) * kTile, 64);
          _tile_loadd(7, zt + (2 * j + 2 + half) * kTile, 64);
          _tile_dpbf16ps(0, 4, 6);
          _tile_dpbf16ps(1, 4, 7);
          _tile_dpbf16ps(2, 5, 6);
          _tile_dpbf16ps(3, 5, 7);
        }
        _tile_stored(0, q, 4 * n);
        _tile_stored(1, q + 16, 4 * n);
        _tile_stored(2, q + 16 * n, 4 * n);
        _tile_stored(3, q + 16 * n + 16, 4 * n);
      }
  }

  // 32 rows of 16 columns.
  static GOLOIS_INLINE void copy_pairs(const uint16_t *a, int n, uint16_t *tile) {
    for (int p = 0; p < 16; ++p) _mm512_store_si512(tile + 32 * p, pair(a + 2 * p * n, n));
  }

  // The same, transposed: row c has the 32 numbers of column c.
  static GOLOIS_INLINE void transpose_pairs(const uint16_t *a, int n, uint16_t *tile) {
    __m512i v[16], u[16];
    for (int p = 0; p < 16; ++p) v[p] = pair(a + 2 * p * n, n);
    for (int i = 0; i < 16; i += 2) {
      u[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
      u[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
      v[i] = _mm512_unpacklo_epi64(u[i], u[i + 2]);
      v[i + 1] = _mm512_unpackhi_epi64(u[i], u[i + 2]);
      v[i + 2] = _mm512_unpacklo_epi64(u[i + 1], u[i + 3]);
      v[i + 3] = _mm512_unpackhi_epi64(u[i + 1], u[i + 3]);
    }
    // Now lane l of v[4 g + j] has pairs 4 g … 4 g + 3 of column 4 l + j.
    for (int j = 0; j < 4; ++j) {
      const __m512i even = _mm512_shuffle_i32x4(v[j], v[4 + j], 0x88),
                    odd = _mm512_shuffle_i32x4(v[j], v[4 + j], 0xdd);
      const __m512i later_even = _mm512_shuffle_i32x4(v[8 + j], v[12 + j], 0x88);
      const __m512i later_odd = _mm512_shuffle_i32x4(v[8 + j], v[12 + j], 0xdd);
      _mm512_store_si512(tile + 32 * j, _mm512_shuffle_i32x4(even, later_even, 0x88));
      _mm512_store_si512(tile + 32 * (4 + j), _mm512_shuffle_i32x4(odd, later_odd, 0x88));
      _mm512_store_si512(tile + 32 * (8 + j), _mm512_shuffle_i32x4(even, later_even, 0xdd));
      _mm512_store_si512(tile + 32 * (12 + j), _mm512_shuffle_i32x4(odd, later_odd, 0xdd));
    }
  }
};
