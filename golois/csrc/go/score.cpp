#include "go/score.hpp"

#include "go/life.hpp"

namespace golois {

Area area(const Board &board) {
  const Geometry &points = geometry(board.size());
  const PointSet black = board.stones(kBlack) - settled_points(board, kWhite);
  const PointSet white = board.stones(kWhite) - settled_points(board, kBlack);
  const PointSet reaches_black = points.connected(black, points.points - white);
  const PointSet reaches_white = points.connected(white, points.points - black);
  return {reaches_black - reaches_white, reaches_white - reaches_black};
}

int score_black(const Board &board) {
  const Area owned = area(board);
  return owned.black.size() - owned.white.size();
}

}  // namespace golois
