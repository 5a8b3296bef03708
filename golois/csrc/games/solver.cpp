#include "games/solver.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "go/zobrist.hpp"
#include "kit/error.hpp"

namespace golois {

namespace {

// Identifies the stones and the side to move, up to the game's symmetries.
uint64_t symmetric_key(const Game &game) {
  const GameShape &shape = game.shape();
  std::array<uint64_t, kNumSymmetries> keys{};
  for (Colour colour : {kBlack, kWhite})
    game.stones(colour).for_each([&](int p) {
      for (int i = 0; i < shape.num_symmetries; ++i)
        keys[i] ^= kZobrist[symmetries(shape.size())[shape.symmetry(i)][p]][colour];
    });
  return mix64(*std::min_element(keys.begin(), keys.begin() + shape.num_symmetries) ^
               game.to_play());
}

class Solver {
 public:
  Solver(Game &game, int64_t max_positions) : game_(game), max_positions_(max_positions) {}

  // Whether the side to move wins after a move of its opponent, which is taken back.
  bool wins_after(int move) {
    game_.play(move);
    const bool wins = wins_now();
    game_.take_back();
    return wins;
  }

 private:
  bool wins_now() {
    if (game_.is_over()) return game_.outcome_white() == (game_.to_play() == kWhite ? 1.0 : 0.0);
    const uint64_t key = symmetric_key(game_);
    const auto known = wins_.find(key);
    if (known != wins_.end()) return known->second;
    if (static_cast<int64_t>(wins_.size()) >= max_positions_)
      throw Error("the search for the winner took more than " + std::to_string(max_positions_) +
                  " positions: try a smaller board, or a later position");
    const bool wins = wins_by(game_.candidates());
    return wins_[key] = wins;
  }

  // Tries the moves, first those that have won most often.
  bool wins_by(PointSet moves) {
    while (!moves.empty()) {
      int best = moves.first();
      moves.for_each([&](int move) { best = num_wins_[move] > num_wins_[best] ? move : best; });
      if (!wins_after(best)) return ++num_wins_[best] > 0;
      moves.erase(best);
    }
    return false;
  }

  Game &game_;
  int64_t max_positions_;
  std::unordered_map<uint64_t, bool> wins_;
  std::array<int64_t, kMaxPoints + 1> num_wins_{};
};

}  // namespace

PointSet winning_moves(const Game &game, int64_t max_positions) {
  const std::unique_ptr<Game> copy = game.clone();
  Solver solver(*copy, max_positions);
  PointSet winning;
  if (!game.is_over())
    game.candidates().for_each(
        [&](int move) { winning.insert_if(!solver.wins_after(move), move); });
  return winning;
}

}  // namespace golois
