// The C surface of Game: what is played, on what board, and what a network sees of it.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "games/go.hpp"
#include "games/hex.hpp"
#include "games/nogo.hpp"
#include "games/rollouts.hpp"
#include "games/solver.hpp"
#include "kit/error.hpp"

using golois::Error;
using golois::Game;
using golois::guarded;
using golois::require_capacity;
using golois::require_size;

namespace {

// Of a handle that a body makes; NULL on failure.
template <typename Make>
golois_game *made(Make make) {
  golois_game *handle = nullptr;
  const int32_t status = guarded([&] { handle = new golois_game{make()}; });
  return status == golois::kOk ? handle : nullptr;
}

golois_game *made_go(const golois::Position &position, double komi, bool has_free_passes,
                     int32_t max_moves, int32_t planes) {
  const golois::GoRules rules{komi, has_free_passes, max_moves};
  return made([&] {
    if (planes < 0 || planes > 2) throw Error("Go has no planes " + std::to_string(planes));
    return std::make_unique<golois::GoGame>(position, rules, static_cast<golois::GoPlanes>(planes));
  });
}

void write_moves(const golois::PointSet &moves, int num_moves, uint8_t *is_in) {
  for (int move = 0; move < num_moves; ++move) is_in[move] = moves.contains(move);
}

}  // namespace

golois_game *golois_go_create(int32_t size, double komi, bool has_free_passes, int32_t max_moves,
                              int32_t planes) {
  std::optional<golois::Position> position;
  const int32_t status = guarded([&] { position.emplace(require_size(size)); });
  return status == golois::kOk ? made_go(*position, komi, has_free_passes, max_moves, planes)
                               : nullptr;
}

golois_game *golois_go_from_board(const golois_board *board, double komi, bool has_free_passes,
                                  int32_t max_moves, int32_t planes) {
  return made_go(board->position, komi, has_free_passes, max_moves, planes);
}

golois_game *golois_nogo_create(int32_t size, bool zero_planes) {
  return made([&] {
    return std::make_unique<golois::NoGoGame>(
        require_size(size), zero_planes ? golois::NoGoPlanes::kZero : golois::NoGoPlanes::kNoGo);
  });
}

golois_game *golois_hex_create(int32_t size, bool has_swap) {
  return made([&] { return std::make_unique<golois::HexGame>(require_size(size), has_swap); });
}

golois_game *golois_game_clone(const golois_game *game) {
  return made([&] { return game->game->clone(); });
}

void golois_game_destroy(golois_game *game) { delete game; }

golois_game_shape golois_game_get_shape(const golois_game *game) {
  const golois::GameShape &shape = game->game->shape();
  return {shape.size(), shape.planes.num_planes, shape.policy_size, shape.num_symmetries};
}

int32_t golois_game_to_play(const golois_game *game) { return game->game->to_play(); }

int32_t golois_game_num_moves(const golois_game *game) { return game->game->num_moves(); }

int32_t golois_game_num_to_take_back(const golois_game *game) {
  return game->game->num_to_take_back();
}

uint64_t golois_game_key(const golois_game *game) { return game->game->key(); }

bool golois_game_is_over(const golois_game *game) { return game->game->is_over(); }

double golois_game_outcome_white(const golois_game *game) { return game->game->outcome_white(); }

int32_t golois_game_legality(const golois_game *game, int32_t move) {
  return static_cast<int32_t>(game->game->legality(move));
}

int32_t golois_game_play(golois_game *game, int32_t move) {
  return guarded([&] { game->game->play(move); });
}

int32_t golois_game_take_back(golois_game *game) {
  return guarded([&] { game->game->take_back(); });
}

int32_t golois_game_stones(const golois_game *game, uint8_t *colours, int64_t capacity) {
  return guarded([&] {
    require_capacity(capacity, game->game->shape().pass());
    golois::write_owners(game->game->shape().pass(), game->game->stones(golois::kBlack),
                         game->game->stones(golois::kWhite), colours);
  });
}

int32_t golois_game_legal_moves(const golois_game *game, uint8_t *is_legal, int64_t capacity) {
  return guarded([&] {
    const int pass = game->game->shape().pass();
    require_capacity(capacity, pass + 1);
    for (int move = 0; move <= pass; ++move)
      is_legal[move] =
          !game->game->is_over() && game->game->legality(move) == golois::Legality::kLegal;
  });
}

int32_t golois_game_candidates(const golois_game *game, uint8_t *is_candidate, int64_t capacity) {
  return guarded([&] {
    const int num_moves = game->game->shape().pass() + 1;
    require_capacity(capacity, num_moves);
    write_moves(game->game->is_over() ? golois::PointSet() : game->game->candidates(), num_moves,
                is_candidate);
  });
}

int32_t golois_game_planes(const golois_game *game, int32_t symmetry, float *planes,
                           int64_t capacity) {
  return guarded([&] {
    const std::unique_ptr<Game> shown = game->game->clone();
    require_capacity(capacity, shown->shape().planes.num_numbers());
    if (!shown->shape().has_symmetry(symmetry))
      throw Error("the game has no symmetry " + std::to_string(symmetry));
    std::vector<golois::LadderReading> readings;
    shown->write_planes(symmetry, {}, readings, planes);
  });
}

golois_board *golois_game_board(const golois_game *game) {
  golois_board *board = nullptr;
  const int32_t status = guarded([&] {
    const auto *stones = dynamic_cast<const golois::StoneGame *>(game->game.get());
    if (stones == nullptr) throw Error("Hex isn't played on a Go board");
    board = new golois_board{stones->position()};
  });
  return status == golois::kOk ? board : nullptr;
}

int32_t golois_game_winning_moves(const golois_game *game, int64_t max_positions, uint8_t *wins,
                                  int64_t capacity) {
  return guarded([&] {
    const int num_moves = game->game->shape().pass() + 1;
    require_capacity(capacity, num_moves);
    if (dynamic_cast<const golois::GoGame *>(game->game.get()) != nullptr)
      throw Error(
          "only NoGo and Hex can be solved like this: in Go, what is legal depends on earlier "
          "positions");
    write_moves(golois::winning_moves(*game->game, max_positions), num_moves, wins);
  });
}

int32_t golois_game_rollout_move(const golois_game *game, int64_t num_playouts, uint64_t seed,
                                 int32_t *move) {
  return guarded([&] {
    if (dynamic_cast<const golois::GoGame *>(game->game.get()) != nullptr)
      throw Error("only NoGo and Hex can be searched like this: random moves fill the eyes of Go");
    *move = golois::rollout_move(*game->game, num_playouts, seed);
  });
}
