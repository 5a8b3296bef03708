// The C surface of katago_inputs.
#include <cmath>
#include <string>

#include "abi/golois.h"
#include "abi/status.hpp"
#include "katago/inputs.hpp"
#include "kit/error.hpp"

using golois::Colour;
using golois::Error;
using golois::guarded;
using golois::KatagoGame;

namespace {

void require_room(const golois_katago_rows &rows, int64_t num_rows) {
  if (rows.planes_format < 0 || rows.planes_format > 2)
    throw Error("there is no format of planes " + std::to_string(rows.planes_format));
  golois::require_capacity(rows.num_rows, static_cast<uint64_t>(num_rows));
}

golois::KatagoRules rules_of(const golois_katago_rules &rules) {
  if (!std::isfinite(rules.komi)) throw Error("komi must be a number");
  if (rules.ko_rule < 0 || rules.ko_rule > 2)
    throw Error("there is no ko rule " + std::to_string(rules.ko_rule));
  return {rules.komi, static_cast<golois::KoRule>(rules.ko_rule), rules.allows_suicide};
}

golois::Stones stones_of(const uint8_t *colours) {
  golois::Stones stones;
  for (int p = 0; p < golois::kMaxPoints; ++p) {
    if (colours[p] > golois::kWhite)
      throw Error("there is no colour " + std::to_string(colours[p]));
    if (colours[p] != golois::kEmpty) stones.of(static_cast<Colour>(colours[p])).insert(p);
  }
  return stones;
}

void write_row(const KatagoGame &game, const golois::KatagoOptions &options,
               const golois_katago_rows &rows, int64_t row) {
  const golois::KatagoInputs inputs = golois::katago_inputs(game, options);
  const golois::PlanesShape &shape = golois::kKatagoShape;
  auto *bytes = static_cast<uint8_t *>(rows.planes);
  switch (rows.planes_format) {
    case 0:
      golois::write_planes(plane_words(inputs), shape, 0,
                           static_cast<float *>(rows.planes) + row * shape.num_numbers());
      break;
    case 1:
      golois::write_planes(plane_words(inputs), shape, 0, bytes + row * shape.num_numbers());
      break;
    default: golois::write_plane_bits(inputs, bytes + row * shape.num_bytes());
  }
  std::copy(inputs.globals.begin(), inputs.globals.end(),
            rows.globals + row * golois::kNumKatagoGlobals);
  for (int move = 0; move <= golois::kPass19; ++move)
    rows.legal[row * (golois::kPass19 + 1) + move] = inputs.legal.contains(move);
}

// Plays on to a turn, and reads the ladders of the last boards before it.
void play_to(KatagoGame &game, const int16_t *moves, int64_t turn) {
  while (game.num_moves() < turn) {
    const int move = game.num_moves();
    try {
      game.play(moves[move]);
    } catch (const Error &error) {
      throw Error("move " + std::to_string(move + 1) + ", point " + std::to_string(moves[move]) +
                  ", " + error.what());
    }
    if (game.num_moves() + KatagoGame::kShownBoards > turn) game.read_ladders();
  }
}

}  // namespace

int32_t golois_katago_game_inputs(const golois_katago_rules *rules, const uint8_t *setup,
                                  int32_t first, const int16_t *moves, int64_t num_moves,
                                  const int64_t *turns, const uint8_t *hides_end, int64_t num_turns,
                                  const golois_katago_rows *rows) {
  return guarded([&] {
    require_room(*rows, num_turns);
    if (first != golois::kBlack && first != golois::kWhite)
      throw Error("there is no colour " + std::to_string(first));
    KatagoGame game(rules_of(*rules), stones_of(setup), static_cast<Colour>(first));
    for (int64_t row = 0; row < num_turns; ++row) {
      if (turns[row] < game.num_moves() || turns[row] > num_moves)
        throw Error("turns must ascend from 0 to " + std::to_string(num_moves) +
                    ", the number of moves: got " + std::to_string(turns[row]));
      play_to(game, moves, turns[row]);
      write_row(game, {rules->pass_alive, hides_end[row] != 0}, *rows, row);
    }
  });
}
