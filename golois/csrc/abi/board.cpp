// The C surface of Position: boards as callers see them.
#include <algorithm>
#include <string>

#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "go/life.hpp"
#include "go/position.hpp"
#include "go/score.hpp"
#include "kit/error.hpp"
#include "planes/features.hpp"

using golois::Board;
using golois::Colour;
using golois::Error;
using golois::guarded;
using golois::require_capacity;
using golois::write_owners;

golois_board *golois_board_create(int32_t size) {
  golois_board *board = nullptr;
  const int32_t status = guarded([&] {
    board = new golois_board{golois::Position(golois::require_size(size))};
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
    const golois::Position &position = board->position;
    const golois::PlanesShape shape{position.size(), golois::kNumPlanes};
    require_capacity(capacity, shape.num_numbers());
    if (symmetry < 0 || symmetry >= golois::kNumSymmetries)
      throw Error("a symmetry must be from 0 to 7, not " + std::to_string(symmetry));
    Board stones = position.board();
    golois::write_planes(golois::plane_words({stones, position.recent<golois::kNumStates>(),
                                              position.to_play(), komi}),
                         shape, symmetry, planes);
  });
}

int32_t golois_symmetry_table(int32_t size, int16_t *points, int64_t capacity) {
  return guarded([&] {
    const int num_points = golois::require_size(size) * size;
    require_capacity(capacity, golois::kNumSymmetries * num_points);
    for (const auto &to : golois::symmetries(size))
      points = std::copy_n(to.begin(), num_points, points);
  });
}
