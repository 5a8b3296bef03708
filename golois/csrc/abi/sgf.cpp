// The C surface of single games of SGF.
#include <string>
#include <string_view>

#include "abi/golois.h"
#include "abi/status.hpp"
#include "importing/sgf.hpp"
#include "importing/sgf_properties.hpp"
#include "importing/splitter.hpp"
#include "kit/error.hpp"
#include "records/drop.hpp"

struct golois_sgf_game {
  golois::RecordedGame game;
};

using golois::Error;
using golois::guarded;

namespace {

golois::RecordedGame read_first_game(std::string_view text) {
  golois::SgfSplitter splitter;
  splitter.feed(text);
  splitter.finish();
  golois::Slice slice;
  if (!splitter.next(slice)) throw Error("there is no game tree of SGF");
  golois::RecordedGame game;
  golois::parse_sgf(slice.text, game);
  if (game.game_type != 1)
    throw Error("the game is not Go: its GM is " + std::to_string(game.game_type));
  if (game.size != golois::kMaxSize)
    throw Error("the board must have 19×19 points: its SZ is " + golois::shown(game.size_text));
  if (!game.is_komi_valid)
    throw Error("the komi must be a multiple of 1/4 from -100 to 100, not " +
                golois::shown(game.komi_text));
  if (!game.fault.empty()) throw Error(game.fault);
  return game;
}

}  // namespace

golois_sgf_game *golois_sgf_read(const uint8_t *bytes, int64_t num_bytes) {
  golois_sgf_game *game = nullptr;
  const int32_t status = guarded([&] {
    const auto *text = reinterpret_cast<const char *>(bytes);
    game = new golois_sgf_game{read_first_game({text, static_cast<size_t>(num_bytes)})};
  });
  return status == golois::kOk ? game : nullptr;
}

void golois_sgf_destroy(golois_sgf_game *game) { delete game; }

int32_t golois_sgf_to_play(const golois_sgf_game *game) { return game->game.to_play; }

int32_t golois_sgf_komi_quarters(const golois_sgf_game *game) { return game->game.komi_quarters; }

int64_t golois_sgf_num_moves(const golois_sgf_game *game) {
  return static_cast<int64_t>(game->game.moves.size());
}

int32_t golois_sgf_moves(const golois_sgf_game *game, uint16_t *points, uint8_t *colours,
                         uint8_t *is_set_up, int64_t capacity) {
  return guarded([&] {
    golois::require_capacity(capacity, game->game.moves.size());
    for (const golois::RecordedMove &move : game->game.moves) {
      *points++ = static_cast<uint16_t>(move.point);
      *colours++ = move.colour;
      *is_set_up++ = move.is_unlabelled;
    }
  });
}

const char *golois_sgf_text(const golois_sgf_game *game, int32_t which) {
  const golois::RecordedGame &from = game->game;
  switch (which) {
    case 0: return from.black.c_str();
    case 1: return from.white.c_str();
    case 2: return from.date.c_str();
    case 3: return from.result_text.c_str();
    case 4: return from.rules.c_str();
    default: return nullptr;
  }
}

const char *golois_sgf_property(int64_t index, int32_t column) {
  const golois::SgfProperty *property =
      index < 0 ? nullptr : golois::sgf_property(static_cast<size_t>(index));
  if (property == nullptr) return nullptr;
  switch (column) {
    case 0: return property->name.data();
    case 1: return golois::name_of(property->kind);
    case 2: return golois::name_of(property->type);
    default: return nullptr;
  }
}
