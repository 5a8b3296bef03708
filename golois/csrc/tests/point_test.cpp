#include "go/point.hpp"

#include <cstdlib>

#include "check.hpp"

using namespace golois;

TEST(neighbours_are_mutual_and_adjacent_on_every_size) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    int num_edges = 0;
    for (int p = 0; p < size * size; ++p)
      for (int q : geometry(size).neighbours[p]) {
        if (q == kOffBoard) continue;
        ++num_edges;
        const int distance = std::abs(p / size - q / size) + std::abs(p % size - q % size);
        CHECK(distance == 1);
      }
    CHECK(num_edges == 4 * size * (size - 1));
  }
}

TEST(a_set_of_points_is_one) {
  PointSet set;
  CHECK(set.empty());
  for (int p : {0, 63, 64, 200, 360}) set.insert(p);
  CHECK(set.size() == 5 && set.first() == 0 && set.contains(360) && !set.contains(359));
  set.erase(0);
  CHECK(set.first() == 63);
  int sum = 0;
  set.for_each([&](int p) { sum += p; });
  CHECK(sum == 63 + 64 + 200 + 360);
  PointSet other;
  other.insert(64);
  CHECK((set - other).size() == 3);
  other |= set;
  CHECK(other == set);
}
