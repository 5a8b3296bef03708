#include "records/packer.hpp"

#include <algorithm>

#include "records/drop.hpp"

namespace golois {

namespace {

constexpr int kWordBits = 16;

void require_usable(const RecordedGame &game) {
  if (game.game_type != 1)
    throw Dropped(DropReason::kNotGo, "GM is " + std::to_string(game.game_type));
  if (game.size != kMaxSize)
    throw Dropped(DropReason::kBoardSize, "the board's size is '" + shown(game.size_text) + "'");
  if (!game.fault.empty()) throw Dropped(DropReason::kMalformed, game.fault, game.fault_cause);
  if (!game.is_komi_valid)
    throw Dropped(DropReason::kKomi,
                  shown(game.komi_text) + " is no multiple of 1/4 from -100 to 100");
  if (!game.result.is_known) {
    const std::string result =
        game.result_text.empty() ? "there is no RE" : "RE[" + shown(game.result_text) + "]";
    throw Dropped(DropReason::kNoResult, result + (game.result_text.empty() ? ", " : " is ") +
                                             "neither a winner nor a draw");
  }
  if (game.moves.size() > kMaxMoves)
    throw Dropped(DropReason::kTooLong, std::to_string(game.moves.size()) + " moves");
}

// If any move has its own label, every move has its own or none: then the result is not a label.
bool has_own_labels(const RecordedGame &game) {
  return std::any_of(game.moves.begin(), game.moves.end(), [](const RecordedMove &move) {
    return move.value != kNoValue || move.is_unlabelled;
  });
}

bool alternates(const std::vector<RecordedMove> &moves) {
  for (size_t i = 0; i < moves.size(); ++i)
    if (moves[i].colour != (i % 2 == 0 ? kBlack : kWhite)) return false;
  return true;
}

[[noreturn]] void refuse_move(const RecordedGame &game, size_t index, Legality legality) {
  const RecordedMove &move = game.moves[index];
  const std::string cause = describe(legality);
  const std::string text = "move " + std::to_string(index + 1) + ": " + cause + ": " +
                           (move.colour == kBlack ? "B" : "W") + names_of(move.point);
  if (game.has_fixed_handicap) {
    const std::string handicap =
        "HA[" + std::to_string(game.handicap) + "] without AB does not fit the fixed points";
    throw Dropped(DropReason::kHandicap, handicap + ": " + text, handicap);
  }
  throw Dropped(DropReason::kIllegalMove, text, cause);
}

std::vector<uint16_t> captures_of(const RecordedGame &game) {
  std::vector<uint16_t> words;
  Board board(kMaxSize);
  Colour last_mover = kEmpty;
  for (size_t i = 0; i < game.moves.size(); ++i) {
    const RecordedMove &move = game.moves[i];
    // ko binds only the opponent of the last mover
    if (move.colour == last_mover) board.clear_ko();
    last_mover = move.colour;
    if (move.point == kPass19) {
      board.clear_ko();
      continue;
    }
    const Legality legality = board.legality(move.point, move.colour);
    if (legality != Legality::kLegal) refuse_move(game, i, legality);
    Board::Undo undo;
    if (board.play(move.point, move.colour, undo) == 0) continue;
    words.push_back(static_cast<uint16_t>(kCaptureMark | i));
    for (int chain = 0; chain < undo.num_captured; ++chain)
      board.for_each_stone(undo.captured[chain],
                           [&](int point) { words.push_back(static_cast<uint16_t>(point)); });
  }
  return words;
}

void pack_moves(const RecordedGame &game, const GameType &type, PackedRecord &packed) {
  for (const RecordedMove &move : game.moves)
    packed.words.push_back(static_cast<uint16_t>(move.point | move.value << 9));
  if (packed.row.flags & kColoursListed) {
    const size_t first_colour = packed.words.size();
    packed.words.resize(first_colour + (game.moves.size() + kWordBits - 1) / kWordBits);
    for (size_t i = 0; i < game.moves.size(); ++i)
      if (game.moves[i].colour == kWhite)
        packed.words[first_colour + i / kWordBits] |= static_cast<uint16_t>(1 << i % kWordBits);
  }
  const PackedGame view(packed.row, packed.words.data(), type);
  for (int i = 0; i < view.num_moves(); ++i)
    packed.row.num_positions += view.is_training_position(i);
}

void pack_targets(const RecordedGame &game, const GameType &type, PackedRecord &packed) {
  if (game.targets.empty()) return;
  const PackedGame view(packed.row, packed.words.data(), type);
  for (int i = 0; i < view.num_moves(); ++i) {
    if (!view.is_training_position(i)) continue;
    packed.target_starts.push_back(static_cast<uint32_t>(packed.target_words.size()));
    append_target(game.targets[i], packed.target_words);
  }
}

void pack_captures(const std::vector<uint16_t> &captures, PackedRecord &packed) {
  if (captures.size() > kMaxCaptureWords) throw Dropped(DropReason::kTooLong, "too many captures");
  packed.row.num_capture_words = static_cast<uint16_t>(captures.size());
  packed.words.insert(packed.words.end(), captures.begin(), captures.end());
}

PackedRecord pack_without_captures(const RecordedGame &game, const GameType &type) {
  PackedRecord packed;
  GameRow &row = packed.row;
  row.num_moves = static_cast<uint16_t>(game.moves.size());
  row.komi_quarters = game.komi_quarters;
  row.margin_halves = game.result.margin_halves;
  row.winner = game.result.winner;
  if (game.is_played_out) row.flags |= kPlayedOut;
  if (has_own_labels(game)) row.flags |= kHasValues;
  if (!alternates(game.moves)) row.flags |= kColoursListed;
  pack_moves(game, type, packed);
  pack_targets(game, type, packed);
  packed.rules = game.rules;
  packed.source = game.source;
  return packed;
}

}  // namespace

const char *describe(Legality legality) {
  switch (legality) {
    case Legality::kLegal: return "legal";
    case Legality::kOutOfRange: return "not on the board";
    case Legality::kOccupied: return "an occupied point";
    case Legality::kSuicide: return "suicide";
    case Legality::kKo: return "ko";
    case Legality::kSuperko: return "superko";
    case Legality::kCapture: return "a capture";
    case Legality::kNoPass: return "a pass";
  }
  return "not on the board";
}

uint32_t TextTable::index_of(const Texts &texts) {
  const auto found = indices_.find(texts);
  if (found != indices_.end()) return found->second;
  const auto index = static_cast<uint32_t>(texts_.size());
  texts_.push_back(texts);
  indices_.emplace(texts, index);
  return index;
}

PackedRecord pack(const RecordedGame &game) {
  require_usable(game);
  PackedRecord packed = pack_without_captures(game, {});
  if (packed.row.num_positions == 0) {
    const std::string moves = std::to_string(game.moves.size()) + " moves";
    throw Dropped(DropReason::kNoPositions, "no labelled move on the board, of " + moves);
  }
  pack_captures(captures_of(game), packed);
  return packed;
}

PackedRecord pack(const RecordedGame &game, const GameType &type,
                  const std::vector<uint16_t> &captures) {
  PackedRecord packed = pack_without_captures(game, type);
  pack_captures(captures, packed);
  return packed;
}

void Packer::add(const PackedRecord &game) {
  GameRow row = game.row;
  row.first_word = num_words_cleared_ + words_.size();
  row.first_position = num_positions_;
  const uint32_t text = texts_.index_of({game.rules, game.source});
  row.text = static_cast<uint16_t>(text);
  row.text_high = static_cast<uint16_t>(text >> 16);
  add_targets(game);
  words_.insert(words_.end(), game.words.begin(), game.words.end());
  rows_.push_back(row);
  num_positions_ += row.num_positions;
}

// The first words stand for no target: positions of games without targets share them.
void Packer::add_targets(const PackedRecord &game) {
  if (game.target_words.empty() && target_words_.empty()) return;
  if (target_words_.empty()) {
    append_target({}, target_words_);
    target_index_.resize(num_positions_);
  }
  if (target_words_.size() + game.target_words.size() > UINT32_MAX)
    throw Dropped(DropReason::kTooLong, "more targets than a file can hold");
  const auto first = static_cast<uint32_t>(target_words_.size());
  for (const uint32_t start : game.target_starts) target_index_.push_back(first + start);
  target_index_.resize(num_positions_ + game.row.num_positions);
  target_words_.insert(target_words_.end(), game.target_words.begin(), game.target_words.end());
}

void Packer::clear_words() {
  num_words_cleared_ += words_.size();
  words_.clear();
}

}  // namespace golois
