#include "records/game_packer.hpp"

#include <string>

#include "kit/error.hpp"

namespace golois {

namespace {

[[noreturn]] void refuse(size_t index, const std::string &why) {
  throw Error("move " + std::to_string(index + 1) + ": " + why);
}

int move_at(const Game &game, int point) { return point == kPass19 ? game.shape().pass() : point; }

void require_legal(const Game &game, const RecordedGame &record, size_t index) {
  if (game.is_over()) refuse(index, "the game is over");
  const Legality legality = game.legality(move_at(game, record.moves[index].point));
  if (legality != Legality::kLegal) refuse(index, describe(legality));
  if (record.targets.empty()) return;
  for (const MoveShare &share : record.targets[index].moves) {
    const Legality in_policy = game.legality(move_at(game, share.point));
    if (in_policy != Legality::kLegal)
      refuse(index, std::string("its policy has ") + describe(in_policy));
  }
}

// Plays a move and lists what it takes off the board, and where the stone stands if it is on one of
// those points.
void play(Game &game, int point, size_t index, std::vector<uint16_t> &captures) {
  const Colour mover = game.to_play();
  const PointSet own = game.stones(mover), theirs = game.stones(opponent(mover));
  game.play(move_at(game, point));
  const PointSet taken = theirs - game.stones(opponent(mover));
  if (taken.empty()) return;
  captures.push_back(static_cast<uint16_t>(kCaptureMark | index));
  taken.for_each([&](int p) { captures.push_back(static_cast<uint16_t>(p)); });
  if (taken.contains(point))
    (game.stones(mover) - own).for_each([&](int p) {
      captures.push_back(static_cast<uint16_t>(kPlacedMark | p));
    });
}

// Whether the last position says who owns the board: in Go it does after two passes, in Hex owning
// means nothing.
bool is_played_out(const Game &game, const GameType &type, const RecordedGame &record) {
  if (type.kind == GameKind::kHex || !game.is_over()) return false;
  const size_t n = record.moves.size();
  return type.kind == GameKind::kNoGo ||
         (n >= 2 && record.moves[n - 1].point == kPass19 && record.moves[n - 2].point == kPass19);
}

}  // namespace

PackedRecord pack_finished(const Game &start, const GameType &type, RecordedGame record) {
  if (record.moves.size() > kMaxMoves)
    throw Error("a game can have 32,767 moves, not " + std::to_string(record.moves.size()));
  if (!record.targets.empty() && record.targets.size() != record.moves.size())
    throw Error(std::to_string(record.moves.size()) + " moves need as many targets, not " +
                std::to_string(record.targets.size()));
  const std::unique_ptr<Game> game = start.clone();
  std::vector<uint16_t> captures;
  for (size_t i = 0; i < record.moves.size(); ++i) {
    require_legal(*game, record, i);
    record.moves[i].colour = game->to_play();
    play(*game, record.moves[i].point, i, captures);
  }
  if (game->is_over() && game->outcome_white() != (record.result.winner == kWhite   ? 1.0
                                                   : record.result.winner == kBlack ? 0.0
                                                                                    : 0.5))
    throw Error("the game is over, and the winner on the board is another one");
  record.is_played_out = is_played_out(*game, type, record);
  return pack(record, type, captures);
}

}  // namespace golois
