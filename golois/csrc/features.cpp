#include "features.hpp"

#include <algorithm>

#include "ladder.hpp"

namespace golois {

namespace {

class PlanesWriter {
 public:
  PlanesWriter(int symmetry, float *planes) : to_(kSymmetry[symmetry]), planes_(planes) {
    std::fill_n(planes, kPlanesSize, 0.0f);
  }

  void set(int point, int plane) { planes_[to_[point] * kNumPlanes + plane] = 1.0f; }
  void set(const PointSet &points, int plane) {
    points.for_each([&](int p) { set(p, plane); });
  }
  void fill(int plane) {
    for (int p = 0; p < kMaxPoints; ++p) planes_[p * kNumPlanes + plane] = 1.0f;
  }

 private:
  const std::array<Point, kMaxPoints> &to_;
  float *planes_;
};

PointSet stones_of(const Board &board, int chain) {
  PointSet stones;
  board.for_each_stone(chain, [&](int p) { stones.insert(p); });
  return stones;
}

// The stones of all enemy chains beside a chain.
PointSet adjacent_enemies(const Board &board, int chain) {
  PointSet enemies;
  board.for_each_stone(chain, [&](int p) {
    for (int q : board.neighbours(p))
      if (board.at(q) == opponent(board.at(p)) && !enemies.contains(q))
        enemies |= stones_of(board, board.chain_at(q));
  });
  return enemies;
}

void write_ladder(Board &board, int chain, int plane, PlanesWriter &writer) {
  writer.set(stones_of(board, chain), plane);
  writer.set(adjacent_enemies(board, chain), plane + 1);
}

// Liberties and ladders, chain by chain.
void write_chains(Board &board, PlanesWriter &writer) {
  LadderReader reader(board);
  for (int p = 0; p < kMaxPoints; ++p) {
    if (board.at(p) == kEmpty || board.chain_at(p) != p) continue;
    const int num_liberties = board.liberties(p).size();
    if (num_liberties == 0) continue;  // no legal position, but a damaged file can ask for it
    writer.set(stones_of(board, p), kLibertiesPlane + std::min(num_liberties, 6) - 1);
    if (num_liberties == 1 && reader.is_lost(p)) write_ladder(board, p, kLostPlane, writer);
    if (num_liberties == 2 && reader.can_be_caught(p))
      write_ladder(board, p, kCatchablePlane, writer);
  }
}

}  // namespace

void write_planes(const PlanesInput &input, int symmetry, float *planes) {
  PlanesWriter writer(symmetry, planes);
  if (input.to_play == kBlack) writer.fill(kBlackToPlayPlane);
  write_chains(input.board, writer);
  for (int ago = 0; ago < Position::kHistory; ++ago) {
    writer.set(input.recent[ago].of(input.to_play), kStonesPlane + 2 * ago);
    writer.set(input.recent[ago].of(opponent(input.to_play)), kStonesPlane + 2 * ago + 1);
  }
  const int komi = static_cast<int>(input.komi);
  if (input.komi >= 0 && komi <= 9) writer.fill(kKomiPlane + komi);
}

}  // namespace golois
