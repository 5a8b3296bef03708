#include "planes/plane_words.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "kit/rng.hpp"

using namespace golois;

namespace {

// Whether floats, bytes and bits are those of the words, and nothing is written beyond them.
bool agree(const PlaneWords &words, PlanesShape shape, int symmetry) {
  std::vector<float> floats(shape.num_numbers() + 1, -1.0f);
  std::vector<uint8_t> bytes(shape.num_numbers() + 1, 9), bits(shape.num_bytes() + 1, 9);
  write_planes(words, shape, symmetry, floats.data());
  write_planes(words, shape, symmetry, bytes.data());
  write_packed_planes(words, shape, symmetry, bits.data());
  bool agree = floats.back() == -1.0f && bytes.back() == 9 && bits.back() == 9;
  for (int p = 0; p < shape.num_points(); ++p)
    for (int plane = 0; plane < shape.num_planes; ++plane) {
      const int expected = words[p] >> (31 - plane) & 1;
      const int k = symmetries(shape.size)[symmetry][p] * shape.num_planes + plane;
      agree &= floats[k] == static_cast<float>(expected) && bytes[k] == expected;
      agree &= (bits[k / 8] >> (7 - k % 8) & 1) == expected;
    }
  return agree;
}

}  // namespace

TEST(planes_of_every_number_and_size_are_those_of_the_words) {
  Rng rng(6);
  for (int num_planes = PlanesShape::kMinPlanes; num_planes <= PlanesShape::kMaxPlanes;
       ++num_planes)
    for (int size = kMinSize; size <= kMaxSize; ++size) {
      PlaneWords words;
      std::generate(words.begin(), words.end(), [&] { return static_cast<uint32_t>(rng.next()); });
      CHECK(agree(words, {size, num_planes}, static_cast<int>(rng.below(kNumSymmetries))));
    }
}

TEST(planes_are_shown_in_every_symmetry) {
  Rng rng(7);
  PlaneWords words;
  std::generate(words.begin(), words.end(), [&] { return static_cast<uint32_t>(rng.next()); });
  for (int symmetry = 0; symmetry < kNumSymmetries; ++symmetry)
    for (int num_planes : {4, 18, 21, 31}) CHECK(agree(words, {9, num_planes}, symmetry));
}
