#include "go/point.hpp"

#include <memory>

namespace golois {

namespace {

using AllSizes = std::array<Geometry, kMaxSize + 1>;

std::unique_ptr<const AllSizes> build_all_sizes() {
  auto sizes = std::make_unique<AllSizes>();
  for (int n = kMinSize; n <= kMaxSize; ++n) {
    Geometry &geometry = (*sizes)[n];
    geometry.size = n;
    for (int p = 0; p < n * n; ++p) {
      const int row = p / n, column = p % n;
      const auto at = [](bool exists, int q) { return static_cast<Point>(exists ? q : kOffBoard); };
      geometry.neighbours[p] = {at(row > 0, p - n), at(column > 0, p - 1),
                                at(column < n - 1, p + 1), at(row < n - 1, p + n)};
      geometry.points.insert(p);
      geometry.left_edge.insert_if(column == 0, p);
      geometry.right_edge.insert_if(column == n - 1, p);
    }
  }
  return sizes;
}

}  // namespace

const Geometry &geometry(int size) {
  static const std::unique_ptr<const AllSizes> all_sizes = build_all_sizes();
  return (*all_sizes)[size];
}

}  // namespace golois
