#include "games/hex.hpp"

#include "go/zobrist.hpp"
#include "planes/zero_planes.hpp"

namespace golois {

namespace {

// The six neighbours of each of a set's points, and points below the board.
PointSet beside(const PointSet &set, const Geometry &points) {
  PointSet beside = points.beside(set);
  beside |= (set - points.right_edge).shifted_down(points.size - 1);
  beside |= (set - points.left_edge).shifted_up(points.size - 1);
  return beside;
}

}  // namespace

HexGame::HexGame(int size, bool has_swap)
    : Game({{size, kNumHexPlanes}, size * size, 2}), has_swap_(has_swap) {
  const Geometry &points = geometry(size);
  first_edge_[kBlack] = points.left_edge;
  last_edge_[kBlack] = points.right_edge;
  for (int column = 0; column < size; ++column) {
    first_edge_[kWhite].insert(column);
    last_edge_[kWhite].insert(size * (size - 1) + column);
  }
}

PointSet HexGame::candidates() const {
  if (is_over()) return {};
  PointSet moves = geometry(shape().size()).points - now_.stones[kWhite];
  return may_swap() ? moves : moves - now_.stones[kBlack];
}

Legality HexGame::legality(int move) const {
  if (move == shape().pass()) return Legality::kNoPass;
  if (move < 0 || move > shape().pass()) return Legality::kOutOfRange;
  if (now_.stones[kWhite].contains(move)) return Legality::kOccupied;
  return now_.stones[kBlack].contains(move) && !may_swap() ? Legality::kOccupied : Legality::kLegal;
}

void HexGame::play(int move) {
  const Colour colour = to_play();
  past_.push_back(now_);
  if (now_.stones[kBlack].contains(move)) {  // the swap
    toggle(move, kBlack);
    now_.joined[kBlack].clear();
    const int size = shape().size();
    move = move % size * size + move / size;
  }
  toggle(move, colour);
  join(move, colour);
}

void HexGame::take_back() {
  now_ = past_.back();
  past_.pop_back();
}

void HexGame::toggle(int point, Colour colour) {
  PointSet stone;
  stone.insert(point);
  now_.stones[colour] ^= stone;
  now_.key ^= kZobrist[point][colour];
}

// Joins a new stone, and all that it connects, with its colour's first edge, if it touches what is
// joined with it.
void HexGame::join(int point, Colour colour) {
  const Geometry &points = geometry(shape().size());
  PointSet &joined = now_.joined[colour];
  PointSet found;
  found.insert(point);
  if (!first_edge_[colour].contains(point) && !beside(found, points).meets(joined)) return;
  while (!found.empty()) {
    joined |= found;
    found = (beside(found, points) & now_.stones[colour]) - joined;
  }
  if (joined.meets(last_edge_[colour])) now_.winner = colour;
}

void HexGame::write_planes(int symmetry, LadderReadings, std::vector<LadderReading> &readings,
                           float *planes) {
  readings.clear();
  const PointSet &own = now_.stones[to_play()], &theirs = now_.stones[opponent(to_play())];
  golois::write_planes(hex_plane_words(shape().size(), own, theirs, to_play()), shape().planes,
                       symmetry, planes);
}

}  // namespace golois
