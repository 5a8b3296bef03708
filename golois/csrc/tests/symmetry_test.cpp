#include "go/symmetry.hpp"

#include "check.hpp"

using namespace golois;

TEST(each_symmetry_is_a_permutation_that_its_inverse_takes_back) {
  for (int size = kMinSize; size <= kMaxSize; ++size)
    for (int s = 0; s < kNumSymmetries; ++s) {
      const auto &to = symmetries(size)[s], &back = symmetries(size)[inverse_symmetry(s)];
      for (int p = 0; p < size * size; ++p)
        CHECK(to[p] >= 0 && to[p] < size * size && back[to[p]] == p);
      CHECK(to[size * size] == size * size);
    }
}

TEST(a_half_turn_takes_each_point_to_the_other_end) {
  for (int size = kMinSize; size <= kMaxSize; ++size)
    for (int p = 0; p < size * size; ++p)
      CHECK(symmetries(size)[kHalfTurn][p] == size * size - 1 - p);
}

TEST(symmetries_keep_neighbours_and_form_a_group) {
  const SymmetryTable &table = symmetries(kMaxSize);
  for (int s = 0; s < kNumSymmetries; ++s) {
    for (int p = 0; p < kMaxPoints; ++p)
      for (int q : geometry(kMaxSize).neighbours[p]) {
        if (q == kOffBoard) continue;
        bool still_adjacent = false;
        for (int r : geometry(kMaxSize).neighbours[table[s][p]]) still_adjacent |= r == table[s][q];
        CHECK(still_adjacent);
      }
    for (int t = 0; t < kNumSymmetries; ++t) {
      int num_equal = 0;
      for (int u = 0; u < kNumSymmetries; ++u) {
        bool equal = true;
        for (int p = 0; p < kMaxPoints; ++p) equal &= table[u][p] == table[t][table[s][p]];
        num_equal += equal;
      }
      CHECK(num_equal == 1);
    }
  }
}
