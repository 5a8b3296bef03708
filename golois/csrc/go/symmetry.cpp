#include "go/symmetry.hpp"

#include <memory>

namespace golois {

namespace {

using AllSizes = std::array<SymmetryTable, kMaxSize + 1>;

std::unique_ptr<const AllSizes> build_all_sizes() {
  auto sizes = std::make_unique<AllSizes>();
  for (int n = kMinSize; n <= kMaxSize; ++n)
    for (int s = 0; s < kNumSymmetries; ++s) {
      auto &to = (*sizes)[n][s];
      for (int p = 0; p < n * n; ++p) {
        const int row = p / n, column = p % n, last = n - 1;
        const int r = s & 4 ? column : row, c = s & 4 ? row : column;
        to[p] = static_cast<Point>((s & 1 ? last - r : r) * n + (s & 2 ? last - c : c));
      }
      to[n * n] = static_cast<Point>(n * n);
    }
  return sizes;
}

}  // namespace

const SymmetryTable &symmetries(int size) {
  static const std::unique_ptr<const AllSizes> all_sizes = build_all_sizes();
  return (*all_sizes)[size];
}

}  // namespace golois
