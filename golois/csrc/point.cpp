#include "point.hpp"

#include <memory>

namespace golois {

namespace {

using AllSizes = std::array<Geometry, kMaxSize + 1>;

std::unique_ptr<const AllSizes> build_all_sizes() {
  auto sizes = std::make_unique<AllSizes>();
  for (int n = kMinSize; n <= kMaxSize; ++n)
    for (int p = 0; p < n * n; ++p) {
      Neighbours &neighbours = (*sizes)[n][p];
      if (p >= n) neighbours.add(p - n);
      if (p % n != 0) neighbours.add(p - 1);
      if (p % n != n - 1) neighbours.add(p + 1);
      if (p < n * (n - 1)) neighbours.add(p + n);
    }
  return sizes;
}

}  // namespace

const Geometry &geometry(int size) {
  static const std::unique_ptr<const AllSizes> all_sizes = build_all_sizes();
  return (*all_sizes)[size];
}

}  // namespace golois
