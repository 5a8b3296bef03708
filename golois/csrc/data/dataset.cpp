#include "data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "data/later.hpp"
#include "data/replay.hpp"
#include "games/nogo_rules.hpp"
#include "go/score.hpp"
#include "go/symmetry.hpp"
#include "kit/error.hpp"
#include "kit/share_out.hpp"
#include "planes/features.hpp"
#include "planes/zero_planes.hpp"
#include "records/ladder_words.hpp"

namespace golois {

namespace {

// The index of the move that follows the game's n-th training position; -1 where the game, damaged,
// has fewer.
int find_training_position(const PackedGame &game, uint32_t n) {
  for (int i = 0; i < game.num_moves(); ++i)
    if (game.is_training_position(i) && n-- == 0) return i;
  return -1;
}

float result_white(const GameRow &row) {
  return row.winner == kWhite ? 1.0f : row.winner == kBlack ? 0.0f : 0.5f;
}

// What the file says of a position.
float label_white(const PackedGame &game, int index, const PackedTarget &target) {
  const float known = known_value(game, index, target);
  return std::isnan(known) ? result_white(game.row()) : known;
}

float value_white(const PackedGame &game, int index, const PackedTarget &target,
                  float result_share) {
  const float label = label_white(game, index, target);
  return has_result(game.row()) ? label + result_share * (result_white(game.row()) - label) : label;
}

int num_planes(PlaneSet set) {
  switch (set) {
    case PlaneSet::kCourse: return kNumPlanes;
    case PlaneSet::kZero: return kNumZeroPlanes;
    case PlaneSet::kNoGo: return kNumNoGoPlanes;
    case PlaneSet::kHex: return kNumHexPlanes;
  }
  throw Error("there is no such set of planes");
}

void write_row_planes(const PlaneWords &words, PlanesShape shape, int symmetry, int64_t row,
                      const RowBuffers &buffers) {
  switch (buffers.planes_format) {
    case PlanesFormat::kFloat32:
      return write_planes(words, shape, symmetry,
                          static_cast<float *>(buffers.planes) + row * shape.num_numbers());
    case PlanesFormat::kUint8:
      return write_planes(words, shape, symmetry,
                          static_cast<uint8_t *>(buffers.planes) + row * shape.num_numbers());
    case PlanesFormat::kBits:
      return write_packed_planes(words, shape, symmetry,
                                 static_cast<uint8_t *>(buffers.planes) + row * shape.num_bytes());
  }
}

// One-hot of a move of the policy, zero for any other.
void write_move(int point, const GameType &type, int symmetry, float *policy) {
  std::fill_n(policy, type.policy_size(), 0.0f);
  const int index = type.policy_index(point);
  if (index >= 0) policy[symmetries(type.size)[symmetry][index]] = 1.0f;
}

void write_ownership(const Stones &last, Colour to_play, int size, int symmetry, float *ownership) {
  std::fill_n(ownership, 2 * size * size, 0.0f);
  const auto &to = symmetries(size)[symmetry];
  last.of(to_play).for_each([&](int p) { ownership[2 * to[p]] = 1.0f; });
  last.of(opponent(to_play)).for_each([&](int p) { ownership[2 * to[p] + 1] = 1.0f; });
}

// What the colours have in the end, nothing where the game was not played out; uses the board up.
Area last_area(const PackedGame &game, Replay &replay, Board &board) {
  if (!game.is_played_out()) return {};
  replay.advance_to(game.num_moves());
  board.set_stones(replay.stones().black, replay.stones().white);
  return game.type().kind == GameKind::kNoGo ? dominion(board) : area(board);
}

void write_area(const Area &last, Colour to_play, int size, int symmetry, float *area) {
  std::fill_n(area, size * size, 0.0f);
  const auto &to = symmetries(size)[symmetry];
  const float black = to_play == kBlack ? 1.0f : -1.0f;
  last.black.for_each([&](int p) { area[to[p]] = black; });
  last.white.for_each([&](int p) { area[to[p]] = -black; });
}

// `white` is White's ownership, null where no teacher gave it.
void write_owners(const int8_t *white, const Area &last, Colour to_play, int size, int symmetry,
                  float *owners) {
  if (!white) return write_area(last, to_play, size, symmetry, owners);
  const auto &to = symmetries(size)[symmetry];
  const float whole = to_play == kWhite ? kWholeOwnership : -kWholeOwnership;
  for (int p = 0; p < size * size; ++p) owners[to[p]] = white[p] / whole;
}

void write_later(const Later &later, int64_t row, const RowBuffers &buffers) {
  const auto &[values, surprise] = later;
  if (buffers.later_values)
    std::copy(values.begin(), values.end(), buffers.later_values + row * values.size());
  if (buffers.surprise)
    std::copy(surprise.begin(), surprise.end(), buffers.surprise + row * surprise.size());
}

// The point that answers a move; kNowhere where nothing does: the same colour again, the end of the
// game.
int reply_to(const PackedGame &game, int index) {
  constexpr int kNowhere = kPass19 + 1;
  const int next = index + 1;
  return next < game.num_moves() && game.colour(next) != game.colour(index)
             ? game.move(next).point()
             : kNowhere;
}

// Numbers the chains from 1 by their lowest stones, which set_stones names them by.
void write_groups(const Board &board, int symmetry, float *groups) {
  const auto &to = symmetries(board.size())[symmetry];
  std::array<float, kMaxPoints + 1> number_of;
  number_of[Board::kNoChain] = 0.0f;
  int num_chains = 0;
  for (int p = 0; p < board.num_points(); ++p) {
    num_chains += board.chain_at(p) == p;
    number_of[p] = static_cast<float>(num_chains);  // used only where p is a name
    groups[to[p]] = number_of[board.chain_at(p)];
  }
}

// The planes of the position before a move; afterwards the board has its stones. `ladders` are null
// where the file has none.
PlaneWords shown_words(const PackedGame &game, int index, PlaneSet set, LadderWords ladders,
                       Replay &replay, Board &board) {
  const int num_states = set == PlaneSet::kCourse ? kNumStates
                         : set == PlaneSet::kHex  ? 1
                                                  : kNumZeroStates;
  ZeroPast past{};
  for (int ago = std::min(index, num_states - 1); ago >= 0; --ago) {
    replay.advance_to(index - ago);
    past[ago] = replay.stones();
  }
  board.set_stones(past[0].black, past[0].white);
  const Colour to_play = replay.to_play();
  switch (set) {
    case PlaneSet::kCourse: {
      Past<kNumStates> recent;
      std::copy_n(past.begin(), kNumStates, recent.begin());
      const PlanesInput input{board, recent, to_play, game.row().komi_quarters / 4.0};
      return ladders.begin ? plane_words(input, marked_stones(ladders, index)) : plane_words(input);
    }
    case PlaneSet::kZero: return zero_plane_words(board.size(), past, to_play);
    case PlaneSet::kNoGo: return nogo_plane_words(board, past, to_play);
    default:
      return hex_plane_words(board.size(), past[0].of(to_play), past[0].of(opponent(to_play)),
                             to_play);
  }
}

}  // namespace

void Split::add(uint32_t game, uint32_t num_positions) {
  games_.push_back(game);
  ends_.push_back(this->num_positions() + num_positions);
}

Split::Location Split::locate(int64_t position) const {
  const uint64_t wanted = static_cast<uint64_t>(position);
  if (wanted >= num_positions())
    throw Error("there is no position " + std::to_string(position) + ": the split has " +
                std::to_string(num_positions()));
  const size_t i = std::upper_bound(ends_.begin(), ends_.end(), wanted) - ends_.begin();
  return {games_[i], static_cast<uint32_t>(wanted - (i == 0 ? 0 : ends_[i - 1]))};
}

Dataset::Dataset(const PackedFile &file, const uint8_t *is_validation, int64_t num_games)
    : file_(file) {
  if (static_cast<uint64_t>(num_games) != file_.num_games())
    throw Error("the split must be of " + std::to_string(file_.num_games()) + " games, not " +
                std::to_string(num_games));
  for (uint32_t game = 0; game < file_.num_games(); ++game)
    (is_validation[game] ? validation_ : train_).add(game, file_.row(game).num_positions);
}

void Dataset::fill(const Rows &rows, const RowBuffers &buffers, int num_threads) const {
  share_out(rows.count, num_threads, [&](int64_t begin, int64_t end) {
    Board board(file_.type().size);
    for (int64_t row = begin; row < end; ++row) fill_row(rows, row, buffers, board);
  });
}

void Dataset::fill_row(const Rows &rows, int64_t row, const RowBuffers &buffers,
                       Board &board) const {
  const Split::Location location = split(rows.validation).locate(rows.positions[row]);
  const GameType &type = file_.type();
  const int symmetry = rows.symmetries[row] % kNumSymmetries, size = type.size,
            num_points = type.num_points();
  if (type.kind == GameKind::kHex && symmetry != 0 && symmetry != kHalfTurn)
    throw Error("Hex has no symmetry " + std::to_string(symmetry) + ": only 0 and " +
                std::to_string(kHalfTurn));
  const PackedGame game = file_.game(location.game);
  const int index = find_training_position(game, location.position);
  if (index < 0) file_.refuse_row(location.game, "fewer training positions than its row says");

  Replay replay(game);
  const LadderWords ladders = file_.has_ladders() ? file_.ladders(location.game) : LadderWords{};
  const PlaneWords words = shown_words(game, index, buffers.plane_set, ladders, replay, board);
  const Colour to_play = replay.to_play();
  write_row_planes(words, {size, num_planes(buffers.plane_set)}, symmetry, row, buffers);

  const uint64_t position = game.row().first_position + location.position;
  const PackedTarget target = file_.target(position);
  const int8_t *ownership = file_.ownership(position);
  const int point = game.move(index).point();
  const int64_t first_move = row * type.policy_size();
  if (buffers.played) write_move(point, type, symmetry, buffers.played + first_move);
  if (buffers.policy && !write_policy(target, type, symmetry, buffers.policy + first_move))
    write_move(point, type, symmetry, buffers.policy + first_move);
  if (buffers.value_white)
    buffers.value_white[row] = value_white(game, index, target, buffers.result_share);
  if (buffers.ownership_known) buffers.ownership_known[row] = game.is_played_out();
  if (buffers.ownership) {
    const bool is_shown = buffers.all_ownership || game.is_played_out();
    if (is_shown) replay.advance_to(game.num_moves());
    write_ownership(is_shown ? replay.stones() : Stones{}, to_play, size, symmetry,
                    buffers.ownership + row * 2 * num_points);
  }
  if (buffers.groups) write_groups(board, symmetry, buffers.groups + row * num_points);
  if (buffers.reply) write_move(reply_to(game, index), type, symmetry, buffers.reply + first_move);
  if (buffers.owners_known) buffers.owners_known[row] = ownership || game.is_played_out();
  const bool needs_area = buffers.area || (buffers.owners && !ownership);
  const Area last = needs_area ? last_area(game, replay, board) : Area{};
  if (buffers.area) write_area(last, to_play, size, symmetry, buffers.area + row * num_points);
  if (buffers.owners)
    write_owners(ownership, last, to_play, size, symmetry, buffers.owners + row * num_points);
  if (buffers.later_values || buffers.surprise)
    write_later(later(file_, game, index, position, to_play), row, buffers);
}

}  // namespace golois
