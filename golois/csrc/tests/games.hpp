// Games that several tests need.
#pragma once

#include <string>
#include <vector>

#include "games/go.hpp"
#include "games/hex.hpp"
#include "games/nogo.hpp"
#include "go/position.hpp"
#include "importing/importer.hpp"
#include "kit/rng.hpp"
#include "records/game_packer.hpp"

namespace golois::testing {

inline const std::string kHead = "(;FF[4]GM[1]SZ[19]KM[7.5]RE[B+R]";
inline const std::string kShortGame = kHead + ";B[pd];W[dd];B[pq])";
inline const std::string kCaptureGame = kHead + ";W[aa];B[ab];W[pd];B[ba];W[dd])";
inline const std::string kTextGame = "6.5 W 3 72 1 -1.00 0.00 60 0 0.53 0.40 361 1 0.07 -3.10 ";

// Plays a random legal move, or passes where a few tries find none.
inline int play_random(Position &position, Rng &rng) {
  for (int tries = 0; tries < 8; ++tries) {
    const int point = static_cast<int>(rng.below(position.board().num_points()));
    if (position.play(point, position.to_play()) == Legality::kLegal) return point;
  }
  position.play_unchecked(position.pass(), position.to_play());
  return position.pass();
}

// A 19×19 game of random moves, some with a value.
inline RecordedGame random_game(uint64_t seed, int num_moves) {
  Rng rng(seed);
  Position position(kMaxSize);
  RecordedGame game;
  game.komi_quarters = 30;
  game.result = {true, kWhite, 7};
  game.rules = "any";
  for (int i = 0; i < num_moves; ++i) {
    const Colour colour = position.to_play();
    const auto point = static_cast<Point>(play_random(position, rng));
    game.moves.push_back(
        {point, colour, static_cast<uint8_t>(i % 5 == 0 ? kNoValue : rng.below(101))});
  }
  return game;
}

// The same with a target for each move.
inline RecordedGame random_labelled_game(uint64_t seed, int num_moves) {
  Rng rng(seed + 1);
  RecordedGame game = random_game(seed, num_moves);
  for (size_t i = 0; i < game.moves.size(); ++i) {
    Target target;
    target.value = static_cast<uint16_t>(rng.below(kWholeShare));
    target.lead_tenths = static_cast<int16_t>(rng.below(400)) - 200;
    for (uint64_t k = rng.below(4); k > 0; --k)
      target.moves.push_back({static_cast<uint16_t>(rng.below(kPass19 + 1)),
                              static_cast<uint16_t>(rng.below(kWholeShare))});
    game.targets.push_back(target);
  }
  return game;
}

template <typename Element>
std::string bytes_of(const std::vector<Element> &elements) {
  return {reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(Element)};
}

// The start of a game of a type.
inline std::unique_ptr<Game> start_of(const GameType &type) {
  switch (type.kind) {
    case GameKind::kGo: {
      const GoRules rules{0.5, type.has_pass, 2 * type.num_points()};
      return std::make_unique<GoGame>(Position(type.size), rules, GoPlanes::kCourse);
    }
    case GameKind::kNoGo: return std::make_unique<NoGoGame>(type.size, NoGoPlanes::kNoGo);
    default: return std::make_unique<HexGame>(type.size, type.has_swap);
  }
}

// A game of random moves to its end, with a policy of all legal moves for most positions.
inline PackedRecord random_finished(const GameType &type, uint64_t seed) {
  Rng rng(seed);
  RecordedGame record;
  const std::unique_ptr<Game> start = start_of(type), game = start->clone();
  while (!game->is_over()) {
    std::vector<uint16_t> legal;
    game->candidates().for_each([&](int move) {
      legal.push_back(static_cast<uint16_t>(move == game->shape().pass() ? kPass19 : move));
    });
    Target target;
    const bool is_labelled = rng.below(5) != 0;
    for (size_t i = 0; is_labelled && i < legal.size() && i < Target::kMaxMoves; ++i)
      target.moves.push_back({legal[i], static_cast<uint16_t>(1 + rng.below(1000))});
    if (is_labelled) target.value = static_cast<uint16_t>(rng.below(kWholeShare));
    record.targets.push_back(target);
    const uint16_t point = legal[rng.below(legal.size())];
    const auto value = static_cast<uint8_t>(is_labelled ? rng.below(101) : kNoValue);
    record.moves.push_back({static_cast<Point>(point), kBlack, value, !is_labelled});
    game->play(point == kPass19 ? game->shape().pass() : point);
  }
  const double outcome = game->outcome_white();
  record.result = {true, outcome == 1 ? kWhite : outcome == 0 ? kBlack : kEmpty, kMarginUnknown};
  return pack_finished(*start, type, record);
}

// Every kind of game, on boards small and large.
inline std::vector<GameType> game_types() {
  return {{GameKind::kGo, 2, true, false},    {GameKind::kGo, 5, true, false},
          {GameKind::kGo, 7, false, false},   {GameKind::kGo, 19, true, false},
          {GameKind::kNoGo, 3, false, false}, {GameKind::kNoGo, 6, false, false},
          {GameKind::kHex, 2, false, true},   {GameKind::kHex, 5, false, true},
          {GameKind::kHex, 11, false, false}};
}

// The bytes of a packed file of the packer's games, without provenance.
inline std::string file_bytes(const Packer &packer, const GameType &type = {},
                              const std::vector<int8_t> &ownership = {}) {
  std::vector<uint16_t> words = packer.words();
  FileHeader header{};
  header.num_words = words.size();
  header.num_games = packer.rows().size();
  header.num_positions = packer.num_positions();
  words.resize((words.size() + 3) / 4 * 4);
  header.words_offset = sizeof header;
  header.games_offset = sizeof header + words.size() * sizeof words[0];
  const std::string games = bytes_of(packer.rows());
  const std::string targets = bytes_of(packer.target_index()) + bytes_of(packer.target_words());
  header.provenance_offset = header.file_size =
      header.games_offset + games.size() + targets.size() + ownership.size();
  if (!ownership.empty()) header.extras |= kHasOwnership;
  if (!targets.empty()) header.targets_offset = header.games_offset + games.size();
  header.num_target_words = packer.target_words().size();
  set_game_type(header, type);
  seal(header);
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) + bytes_of(words) +
         games + targets + bytes_of(ownership);
}

// The bytes of a packed file of random games of a type.
inline std::string finished_bytes(const GameType &type, int num_games) {
  Packer packer;
  for (int seed = 0; seed < num_games; ++seed)
    packer.add(random_finished(type, static_cast<uint64_t>(seed)));
  return file_bytes(packer, type);
}

}  // namespace golois::testing
