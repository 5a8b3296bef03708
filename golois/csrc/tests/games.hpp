// Games that several tests need.
#pragma once

#include <string>
#include <vector>

#include "../importer.hpp"
#include "../position.hpp"
#include "../rng.hpp"

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
    game.moves.push_back({point, colour, static_cast<uint8_t>(i % 5 == 0 ? kNoValue : rng.below(101))});
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
      target.moves.push_back({static_cast<uint16_t>(rng.below(kPass19 + 1)), static_cast<uint16_t>(rng.below(kWholeShare))});
    game.targets.push_back(target);
  }
  return game;
}

template <typename Element>
std::string bytes_of(const std::vector<Element> &elements) {
  return {reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(Element)};
}

// The bytes of a packed file of the packer's games, without provenance.
inline std::string file_bytes(const Packer &packer) {
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
  header.provenance_offset = header.file_size = header.games_offset + games.size() + targets.size();
  if (!targets.empty()) header.targets_offset = header.games_offset + games.size();
  header.num_target_words = packer.target_words().size();
  seal(header);
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) + bytes_of(words) + games + targets;
}

}  // namespace golois::testing
