#include "planes/plane_words.hpp"

// Compiles a function for AVX2 as well: eight numbers at a time. Which version runs is decided when
// the library is loaded.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define GOLOIS_ALSO_FOR_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define GOLOIS_ALSO_FOR_AVX2
#endif

namespace golois {

namespace {

constexpr int kLanes = 8;  // numbers of a vector

// Writes a whole number of vectors for a point.
template <int num_numbers, typename Number>
inline void write_point(uint32_t word, Number *numbers) {
  static constexpr auto kBits = [] {
    std::array<uint32_t, PlanesShape::kMaxPlanes> bits{};
    for (int plane = 0; plane < PlanesShape::kMaxPlanes; ++plane) bits[plane] = plane_bit(plane);
    return bits;
  }();
  for (int plane = 0; plane < num_numbers; ++plane)
    numbers[plane] = (word & kBits[plane]) != 0 ? Number{1} : Number{0};
}

// The next point overwrites what the last vector writes beyond it; so the last point is written
// number by number.
template <int num_numbers, typename Number>
inline void write_points(const PlaneWords &words, PlanesShape shape, const Point *shown_at,
                         Number *planes) {
  const int last = shape.num_points() - 1;
  for (int p = 0; p < last; ++p, planes += shape.num_planes)
    write_point<num_numbers>(words[shown_at[p]], planes);
  for (int plane = 0; plane < shape.num_planes; ++plane)
    planes[plane] = (words[shown_at[last]] & plane_bit(plane)) != 0 ? Number{1} : Number{0};
}

template <typename Number>
inline void write_numbers(const PlaneWords &words, PlanesShape shape, int symmetry,
                          Number *planes) {
  static_assert(2 * PlanesShape::kMinPlanes >= kLanes,
                "vectors may reach into the next point only");
  const Point *shown_at = symmetries(shape.size)[inverse_symmetry(symmetry)].data();
  switch ((shape.num_planes + kLanes - 1) / kLanes) {
    case 1: return write_points<1 * kLanes>(words, shape, shown_at, planes);
    case 2: return write_points<2 * kLanes>(words, shape, shown_at, planes);
    case 3: return write_points<3 * kLanes>(words, shape, shown_at, planes);
    default: return write_points<4 * kLanes>(words, shape, shown_at, planes);
  }
}

}  // namespace

GOLOIS_ALSO_FOR_AVX2 void write_planes(const PlaneWords &words, PlanesShape shape, int symmetry,
                                       float *planes) {
  write_numbers(words, shape, symmetry, planes);
}

GOLOIS_ALSO_FOR_AVX2 void write_planes(const PlaneWords &words, PlanesShape shape, int symmetry,
                                       uint8_t *planes) {
  write_numbers(words, shape, symmetry, planes);
}

void write_packed_planes(const PlaneWords &words, PlanesShape shape, int symmetry, uint8_t *bytes) {
  const auto &shown_at = symmetries(shape.size)[inverse_symmetry(symmetry)];
  uint64_t waiting = 0;  // bits not yet written, the lowest num_waiting of them
  int num_waiting = 0;
  for (int p = 0; p < shape.num_points(); ++p) {
    waiting = waiting << shape.num_planes |
              words[shown_at[p]] >> (PlanesShape::kMaxPlanes - shape.num_planes);
    num_waiting += shape.num_planes;
    if (num_waiting < 32) continue;
    num_waiting -= 32;
    const auto word = static_cast<uint32_t>(waiting >> num_waiting);
    for (int shift = 24; shift >= 0; shift -= 8) *bytes++ = static_cast<uint8_t>(word >> shift);
  }
  for (; num_waiting > 0; num_waiting -= 8)
    *bytes++ = static_cast<uint8_t>(num_waiting >= 8 ? waiting >> (num_waiting - 8)
                                                     : waiting << (8 - num_waiting));
}

}  // namespace golois
