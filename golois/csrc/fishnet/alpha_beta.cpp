#include "fishnet/alpha_beta.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace golois {

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

// By colour, what its player takes to be likely.
using Seen = std::array<Likelihoods, 3>;

class Search {
 public:
  Search(const FishNet &game, const AlphaBetaOptions &options)
      : options_(options),
        afterstates_(game.network(), game.options()),
        position_(game.position()) {
    if (options.selection != nullptr)
      options.selection->evaluate(options.selection->empty_inputs(), selected_);
  }

  AlphaBetaResult best(const Seen &seen) {
    AlphaBetaResult result{position_.pass(), 0, 0};
    result.value = best_value(seen, 0, -kInfinite, kInfinite, &result.move);
    result.num_evaluations = num_evaluations_;
    return result;
  }

  // See selection_of().
  std::vector<float> selection(const Likelihoods &seen) {
    const Colour player = position_.to_play();
    options_.selection->update(afterstates_.inputs(position_.board(), player, seen), selected_,
                               selection_memory_);
    std::vector<float> values(position_.pass() + 1, std::numeric_limits<float>::quiet_NaN());
    values[position_.pass()] = 0;
    for (int move = 0; move < position_.pass(); ++move)
      if (position_.legality(move, player) == Legality::kLegal)
        values[move] = selected_.sums[options_.selection->padded(move)][0];
    return values;
  }

 private:
  // The value of a position to its side to move, within the bounds.
  float best_value(const Seen &seen, int ply, float lowest, float highest,
                   int *best_move = nullptr) {
    const bool is_last = ply + 1 == options_.depth;
    std::vector<float> values;
    float best = -kInfinite;
    for (int move : candidates(seen, ply, values)) {
      const bool ends = move == position_.pass() && position_.opponent_has_passed();
      const float value = is_last || ends
                              ? values[move]
                              : -value_after(seen, ply, move, -highest, -std::max(lowest, best));
      if (value > best) {
        best = value;
        if (best_move != nullptr) *best_move = move;
      }
      if (best >= highest) break;
    }
    return best;
  }

  // The value to the opponent after a move.
  float value_after(const Seen &seen, int ply, int move, float lowest, float highest) {
    const Colour player = position_.to_play();
    Seen after = seen;
    for (Colour colour : {kBlack, kWhite})
      afterstates_.adjust(position_.board(), move, colour == player, after[colour]);
    Position::Undo undo;
    position_.play_unchecked(move, player, undo);
    const float value = best_value(after, ply + 1, lowest, highest);
    position_.undo(undo);
    return value;
  }

  // The moves to search, the most promising first. `values` has what they are worth on the last
  // ply, and the pass on every ply.
  std::vector<int> candidates(const Seen &seen, int ply, std::vector<float> &values) {
    const Colour player = position_.to_play();
    if (options_.selection == nullptr) {
      evaluate(seen[player], geometry(position_.size()).points, values);
      return best_first(values);
    }
    std::vector<int> moves = best_first(selection(seen[player]));
    moves.erase(std::find(moves.begin(), moves.end(), position_.pass()));
    const auto width = static_cast<std::size_t>(
        options_.widths[std::min<std::size_t>(ply, options_.widths.size() - 1)]);
    moves.resize(std::min(moves.size(), width));
    PointSet points;
    if (ply + 1 == options_.depth)
      for (int move : moves) points.insert(move);
    evaluate(seen[player], points, values);
    moves.push_back(position_.pass());
    return moves;
  }

  void evaluate(const Likelihoods &seen, const PointSet &points, std::vector<float> &values) {
    afterstates_.write_values(position_, position_.to_play(), seen, points, values);
    num_evaluations_ +=
        std::count_if(values.begin(), values.end(), [](float value) { return !std::isnan(value); });
  }

  static std::vector<int> best_first(const std::vector<float> &values) {
    std::vector<int> moves;
    for (int move = 0; move < static_cast<int>(values.size()); ++move)
      if (!std::isnan(values[move])) moves.push_back(move);
    std::stable_sort(moves.begin(), moves.end(),
                     [&](int a, int b) { return values[a] > values[b]; });
    return moves;
  }

  const AlphaBetaOptions &options_;
  Afterstates afterstates_;
  Position position_;
  IsnState selected_;
  IsnMemory selection_memory_;
  int64_t num_evaluations_ = 0;
};

}  // namespace

AlphaBetaResult alpha_beta(const FishNet &game, const AlphaBetaOptions &options) {
  Seen seen;
  for (Colour colour : {kBlack, kWhite}) seen[colour] = game.seen(colour);
  return Search(game, options).best(seen);
}

std::vector<float> selection_of(const FishNet &game, const Isn &selection) {
  const AlphaBetaOptions options{1, &selection, {}};
  return Search(game, options).selection(game.seen(game.position().to_play()));
}

}  // namespace golois
