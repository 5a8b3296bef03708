#include "../symmetry.hpp"

#include "check.hpp"

using namespace golois;

TEST(each_symmetry_is_a_permutation_that_its_inverse_takes_back) {
  for (int s = 0; s < kNumSymmetries; ++s)
    for (int p = 0; p < kMaxPoints; ++p) {
      const int moved = kSymmetry[s][p];
      CHECK(moved >= 0 && moved < kMaxPoints);
      CHECK(kSymmetry[inverse_symmetry(s)][moved] == p);
    }
}

TEST(symmetries_keep_neighbours_and_form_a_group) {
  for (int s = 0; s < kNumSymmetries; ++s) {
    for (int p = 0; p < kMaxPoints; ++p)
      for (int q : geometry(kMaxSize).neighbours[p]) {
        if (q == kOffBoard) continue;
        bool still_adjacent = false;
        for (int r : geometry(kMaxSize).neighbours[kSymmetry[s][p]]) still_adjacent |= r == kSymmetry[s][q];
        CHECK(still_adjacent);
      }
    for (int t = 0; t < kNumSymmetries; ++t) {
      int num_equal = 0;
      for (int u = 0; u < kNumSymmetries; ++u) {
        bool equal = true;
        for (int p = 0; p < kMaxPoints; ++p) equal &= kSymmetry[u][p] == kSymmetry[t][kSymmetry[s][p]];
        num_equal += equal;
      }
      CHECK(num_equal == 1);
    }
  }
}
