#include "go/life.hpp"

#include <vector>

namespace golois {

namespace {

// A connected set of points without own stones, and the chains that it is vital to, by name.
struct Region {
  PointSet points, vital_to;
};

PointSet points_beside(const Board &board, int chain) {
  PointSet stones;
  board.for_each_stone(chain, [&](int p) { stones.insert(p); });
  return geometry(board.size()).beside(stones);
}

// A chain that has all empty points of a region as liberties stands beside the first of them.
PointSet vital_chains(const Board &board, Colour colour, const PointSet &region, Vital vital) {
  PointSet chains;
  const PointSet enemies = region & board.stones(opponent(colour)), empty = region - enemies;
  if (empty.empty()) return chains;
  for (int q : board.neighbours(empty.first())) {
    const int chain = board.chain_at(q);
    if (board.at(q) != colour || !(empty - board.liberties(chain)).empty()) continue;
    if (vital == Vital::kEmptyPoints || (enemies - points_beside(board, chain)).empty())
      chains.insert(chain);
  }
  return chains;
}

// The regions that matter. An empty point that touches no own stone keeps its region from being
// vital; with a second such point beside it, there is room for two eyes.
std::vector<Region> find_regions(const Board &board, Colour colour, Vital vital) {
  const Geometry &points = geometry(board.size());
  PointSet rest = points.points - board.stones(colour);
  const PointSet far = rest - points.beside(board.stones(colour));
  const PointSet open = far & board.empty_points() & points.beside(far);
  rest = rest - points.connected(open, rest);
  const PointSet single = rest - points.beside(rest);
  std::vector<Region> regions;
  while (!rest.empty()) {
    const int first = rest.first();
    PointSet region;
    region.insert(first);
    if (!single.contains(first)) region = points.connected(region, rest);
    regions.push_back({region, vital_chains(board, colour, region, vital)});
    rest = rest - region;
  }
  return regions;
}

// The stones that don't live unconditionally: chains with fewer than two vital regions, found
// repeatedly, since a region that touches such a chain no longer counts.
PointSet mortal_stones(const Board &board, Colour colour, const std::vector<Region> &regions) {
  PointSet chains, mortal;
  board.stones(colour).for_each([&](int p) { chains.insert_if(board.chain_at(p) == p, p); });
  bool is_final = false;
  while (!is_final) {
    is_final = true;
    const PointSet beside_mortal = geometry(board.size()).beside(mortal);
    std::array<Point, kMaxPoints> num_vital{};
    for (const Region &region : regions)
      if (!region.points.meets(beside_mortal))
        region.vital_to.for_each([&](int chain) { ++num_vital[chain]; });
    chains.for_each([&](int chain) {
      if (num_vital[chain] >= 2) return;
      chains.erase(chain);
      board.for_each_stone(chain, [&](int p) { mortal.insert(p); });
      is_final = false;
    });
  }
  return mortal;
}

// Where a colour has room for eyes, so that nothing is settled for the other one: two neighbours
// that neither are enemy stones nor touch one, and what touches such a pair.
PointSet room_for_eyes(const Board &board, Colour colour) {
  const Geometry &points = geometry(board.size());
  const PointSet &enemies = board.stones(opponent(colour));
  const PointSet far = points.points - enemies - points.beside(enemies);
  PointSet room = far & points.beside(far);
  room |= points.beside(room);
  return room - enemies;
}

}  // namespace

PointSet settled_points(const Board &board, Colour colour, Vital vital) {
  const Geometry &points = geometry(board.size());
  const std::vector<Region> regions = find_regions(board, colour, vital);
  const PointSet mortal = mortal_stones(board, colour, regions);
  PointSet settled = board.stones(colour) - mortal;
  if (settled.empty()) return settled;
  const PointSet far = points.points - points.beside(board.stones(colour));
  const PointSet beside_mortal = points.beside(mortal);
  for (const Region &region : regions)
    if (!region.points.meets(beside_mortal) && (region.points & far).size() <= 1)
      settled |= region.points;
  return settled;
}

PointSet unsettled_points(const Board &board, const PointSet &points) {
  return points - settled_points(board, kBlack) - settled_points(board, kWhite);
}

PointSet open_points(const Board &board) {
  return board.empty_points() & room_for_eyes(board, kBlack) & room_for_eyes(board, kWhite);
}

}  // namespace golois
