#include "score.hpp"

namespace golois {

namespace {

// Gives the empty region around `first` its owner, and marks its points in `visited`.
void settle_region(const Board &board, int first, PointSet &visited, Owners &owners) {
  std::array<Point, kMaxPoints> region;
  int size = 0;
  bool reaches[kEdge + 1] = {};
  region[size++] = static_cast<Point>(first);
  visited.insert(first);
  for (int i = 0; i < size; ++i)
    for (int q : board.neighbours(region[i])) {
      reaches[board.at(q)] = true;
      if (board.at(q) == kEmpty && !visited.contains(q)) {
        visited.insert(q);
        region[size++] = static_cast<Point>(q);
      }
    }
  const Colour owner = reaches[kBlack] == reaches[kWhite] ? kEmpty : reaches[kBlack] ? kBlack : kWhite;
  for (int i = 0; i < size; ++i) owners[region[i]] = owner;
}

}  // namespace

Owners area(const Board &board) {
  Owners owners{};
  PointSet visited;
  for (int p = 0; p < board.num_points(); ++p) {
    if (board.at(p) != kEmpty)
      owners[p] = board.at(p);
    else if (!visited.contains(p))
      settle_region(board, p, visited, owners);
  }
  return owners;
}

int score_black(const Board &board) {
  const Owners owners = area(board);
  int score = 0;
  for (int p = 0; p < board.num_points(); ++p)
    score += (owners[p] == kBlack) - (owners[p] == kWhite);
  return score;
}

}  // namespace golois
