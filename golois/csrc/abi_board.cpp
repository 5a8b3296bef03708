// The C surface of Position: boards as callers see them.
#include <algorithm>
#include <string>

#include "abi_handles.hpp"
#include "error.hpp"
#include "features.hpp"
#include "golois.h"
#include "life.hpp"
#include "position.hpp"
#include "score.hpp"
#include "status.hpp"

using golois::Board;
using golois::Colour;
using golois::Error;
using golois::guarded;
using golois::require_capacity;

namespace {

// One element a point: 1 and 2 where the point is in a colour's set, else 0.
void write_owners(int num_points, const golois::PointSet &black, const golois::PointSet &white,
                  uint8_t *owners) {
  std::fill_n(owners, num_points, golois::kEmpty);
  black.for_each([&](int p) { owners[p] = golois::kBlack; });
  white.for_each([&](int p) { owners[p] = golois::kWhite; });
}

}  // namespace

golois_board *golois_board_create(int32_t size) {
  golois_board *board = nullptr;
  const int32_t status = guarded([&] {
    if (size < golois::kMinSize || size > golois::kMaxSize)
      throw Error("a board's size must be from 2 to 19, not " + std::to_string(size));
    board = new golois_board{golois::Position(size)};
  });
  return status == golois::kOk ? board : nullptr;
}

golois_board *golois_board_clone(const golois_board *board) {
  golois_board *copy = nullptr;
  const int32_t status = guarded([&] { copy = new golois_board(*board); });
  return status == golois::kOk ? copy : nullptr;
}

void golois_board_destroy(golois_board *board) { delete board; }

int32_t golois_board_size(const golois_board *board) { return board->position.size(); }

int32_t golois_board_to_play(const golois_board *board) { return board->position.to_play(); }

void golois_board_set_to_play(golois_board *board, int32_t colour) {
  board->position.set_to_play(static_cast<Colour>(colour));
}

int32_t golois_board_num_moves(const golois_board *board) { return board->position.num_moves(); }

int32_t golois_board_ko_point(const golois_board *board) {
  return board->position.board().ko_point();
}

uint64_t golois_board_key(const golois_board *board) { return board->position.board().key(); }

bool golois_board_is_consistent(const golois_board *board) {
  return board->position.board().is_consistent();
}

int32_t golois_board_legality(const golois_board *board, int32_t point, int32_t colour) {
  return static_cast<int32_t>(board->position.legality(point, static_cast<Colour>(colour)));
}

int32_t golois_board_play(golois_board *board, int32_t point, int32_t colour) {
  golois::Legality legality{};
  const int32_t status =
      guarded([&] { legality = board->position.play(point, static_cast<Colour>(colour)); });
  return status == golois::kOk ? static_cast<int32_t>(legality) : -1;
}

int32_t golois_board_play_unchecked(golois_board *board, int32_t point, int32_t colour) {
  return guarded([&] { board->position.play_unchecked(point, static_cast<Colour>(colour)); });
}

int32_t golois_board_stones(const golois_board *board, uint8_t *colours, int64_t capacity) {
  return guarded([&] {
    const Board &stones = board->position.board();
    require_capacity(capacity, stones.num_points());
    write_owners(stones.num_points(), stones.stones(golois::kBlack),
                 stones.stones(golois::kWhite), colours);
  });
}

int32_t golois_board_num_liberties(const golois_board *board, int16_t *num_liberties,
                                   int64_t capacity) {
  return guarded([&] {
    const Board &stones = board->position.board();
    require_capacity(capacity, stones.num_points());
    for (int p = 0; p < stones.num_points(); ++p)
      num_liberties[p] = stones.at(p) == golois::kEmpty
                             ? 0
                             : static_cast<int16_t>(stones.liberties(stones.chain_at(p)).size());
  });
}

int32_t golois_board_legal_moves(const golois_board *board, int32_t colour, uint8_t *is_legal,
                                 int64_t capacity) {
  return guarded([&] {
    const golois::Position &position = board->position;
    require_capacity(capacity, position.pass() + 1);
    for (int p = 0; p <= position.pass(); ++p)
      is_legal[p] =
          position.legality(p, static_cast<Colour>(colour)) == golois::Legality::kLegal;
  });
}

int32_t golois_board_area(const golois_board *board, uint8_t *owners, int64_t capacity) {
  return guarded([&] {
    const Board &stones = board->position.board();
    require_capacity(capacity, stones.num_points());
    const golois::Area owned = golois::area(stones);
    write_owners(stones.num_points(), owned.black, owned.white, owners);
  });
}

int32_t golois_board_settled(const golois_board *board, uint8_t *owners, int64_t capacity) {
  return guarded([&] {
    const Board &stones = board->position.board();
    require_capacity(capacity, stones.num_points());
    write_owners(stones.num_points(), golois::settled_points(stones, golois::kBlack),
                 golois::settled_points(stones, golois::kWhite), owners);
  });
}

int32_t golois_board_planes(const golois_board *board, double komi, int32_t symmetry,
                            float *planes, int64_t capacity) {
  return guarded([&] {
    require_capacity(capacity, golois::kPlanesSize);
    if (board->position.size() != golois::kMaxSize)
      throw Error("planes need a 19×19 board, not one of size " + std::to_string(board->position.size()));
    if (symmetry < 0 || symmetry >= golois::kNumSymmetries)
      throw Error("a symmetry must be from 0 to 7, not " + std::to_string(symmetry));
    Board stones = board->position.board();
    golois::write_planes(
        golois::plane_words({stones, board->position.recent(), board->position.to_play(), komi}),
        symmetry, planes);
  });
}

int32_t golois_symmetry_table(int16_t *points, int64_t capacity) {
  return guarded([&] {
    require_capacity(capacity, golois::kNumSymmetries * golois::kMaxPoints);
    for (const auto &symmetry : golois::kSymmetry)
      points = std::copy(symmetry.begin(), symmetry.end(), points);
  });
}
