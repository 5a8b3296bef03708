#include "games/game.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "check.hpp"
#include "games/go.hpp"
#include "games/hex.hpp"
#include "games/nogo.hpp"
#include "games/solver.hpp"
#include "kit/error.hpp"
#include "kit/rng.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

// Every kind of game at a size.
std::vector<std::unique_ptr<Game>> games_of(int size) {
  std::vector<std::unique_ptr<Game>> games;
  for (const bool has_free_passes : {true, false})
    for (const GoPlanes planes : {GoPlanes::kCourse, GoPlanes::kZero})
      games.push_back(std::make_unique<GoGame>(
          Position(size), GoRules{0.5, has_free_passes, 3 * size * size}, planes));
  if (size == kMaxSize)
    games.push_back(std::make_unique<GoGame>(Position(size), GoRules{0.5, true, 3 * size * size},
                                             GoPlanes::kKatago));
  for (const NoGoPlanes planes : {NoGoPlanes::kNoGo, NoGoPlanes::kZero})
    games.push_back(std::make_unique<NoGoGame>(size, planes));
  for (const bool has_swap : {true, false})
    games.push_back(std::make_unique<HexGame>(size, has_swap));
  return games;
}

int random_candidate(const Game &game, Rng &rng) {
  const PointSet moves = game.candidates();
  int nth = static_cast<int>(rng.below(moves.size())), chosen = kNoPoint;
  moves.for_each([&](int move) { chosen = nth-- == 0 ? move : chosen; });
  return chosen;
}

// What a caller can ask of a position.
struct Answers {
  explicit Answers(Game &game)
      : key(game.key()),
        planes_key(game.planes_key()),
        moves(game.is_over() ? PointSet() : game.candidates()),
        to_play(game.to_play()),
        num_moves(game.num_moves()),
        is_over(game.is_over()),
        outcome(is_over ? game.outcome_white() : -1),
        planes(game.shape().planes.num_numbers()) {
    for (int move = -1; move <= game.shape().pass() + 1; ++move)
      legality.push_back(game.legality(move));
    std::vector<LadderReading> readings;
    const std::unique_ptr<Game> shown = game.clone();
    shown->write_planes(0, {}, readings, planes.data());
  }
  bool operator==(const Answers &other) const {
    return key == other.key && planes_key == other.planes_key && moves == other.moves &&
           to_play == other.to_play && num_moves == other.num_moves && is_over == other.is_over &&
           outcome == other.outcome && planes == other.planes && legality == other.legality;
  }

  uint64_t key, planes_key;
  PointSet moves;
  Colour to_play;
  int num_moves;
  bool is_over;
  double outcome;
  std::vector<float> planes;
  std::vector<Legality> legality;
};

// Whether stones of a colour join its edges, found anew by merging sets of points.
bool joins_edges(const Game &game, Colour colour) {
  const int size = game.shape().size(), first = size * size, last = first + 1;
  std::vector<int> parent(size * size + 2);
  for (int i = 0; i < last + 1; ++i) parent[i] = i;
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i];
    return i;
  };
  game.stones(colour).for_each([&](int p) {
    const int row = p / size, column = p % size, along = colour == kBlack ? column : row;
    if (along == 0) parent[root(p)] = root(first);
    if (along == size - 1) parent[root(p)] = root(last);
    for (const auto &[down, right] : {std::array{0, 1}, {1, 0}, {1, -1}}) {
      const int r = row + down, c = column + right;
      if (r < size && c >= 0 && c < size && game.stones(colour).contains(r * size + c))
        parent[root(p)] = root(r * size + c);
    }
  });
  return root(first) == root(last);
}

}  // namespace

TEST(taking_moves_back_restores_every_game_exactly) {
  for (int size : {2, 3, 5, 9})
    for (const auto &game : games_of(size)) {
      Rng rng(size);
      std::vector<Answers> before;
      while (!game->is_over()) {
        before.emplace_back(*game);
        game->play(random_candidate(*game, rng));
        if (rng.below(3) == 0) {
          game->take_back();
          CHECK(Answers(*game) == before.back());
          before.pop_back();
        }
      }
      CHECK(game->num_to_take_back() == static_cast<int>(before.size()));
      for (; !before.empty(); before.pop_back()) {
        game->take_back();
        CHECK(Answers(*game) == before.back());
      }
    }
}

TEST(candidates_are_legal_and_a_clone_goes_its_own_way) {
  for (const auto &game : games_of(4)) {
    Rng rng(4);
    const Answers start(*game);
    const std::unique_ptr<Game> played = game->clone();
    while (!played->is_over()) {
      played->candidates().for_each(
          [&](int move) { CHECK(played->legality(move) == Legality::kLegal); });
      played->play(random_candidate(*played, rng));
    }
    CHECK(Answers(*game) == start && played->num_moves() > 0);
  }
}

TEST(a_symmetry_of_a_game_keeps_its_moves_and_its_end) {
  for (int size : {3, 4, 6})
    for (const auto &game : games_of(size))
      for (int i = 0; i < game->shape().num_symmetries; ++i) {
        const auto &to = symmetries(size)[game->shape().symmetry(i)];
        Rng rng(i);
        const std::unique_ptr<Game> played = game->clone(), turned = game->clone();
        while (!played->is_over() && !turned->is_over()) {
          PointSet moves;
          played->candidates().for_each([&](int move) { moves.insert(to[move]); });
          CHECK(turned->candidates() == moves);
          const int move = random_candidate(*played, rng);
          played->play(move);
          turned->play(to[move]);
        }
        CHECK(played->is_over() && turned->is_over() &&
              played->outcome_white() == turned->outcome_white());
      }
}

TEST(a_full_board_of_hex_has_one_winner) {
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    Rng rng(size);
    std::vector<int> moves(size * size);
    for (int p = 0; p < size * size; ++p) moves[p] = p;
    int num_wins_black = 0;
    const int num_boards = size <= 7 ? 10'000 : size <= 13 ? 1'000 : 100;
    for (int board = 0; board < num_boards; ++board) {
      for (size_t i = moves.size(); i > 1; --i) std::swap(moves[i - 1], moves[rng.below(i)]);
      HexGame game(size, false);
      Colour winner = kEmpty;
      for (int move : moves) {
        game.play(move);
        if (winner == kEmpty && game.is_over())
          winner = game.outcome_white() == 1 ? kWhite : kBlack;
      }
      CHECK(joins_edges(game, winner) && !joins_edges(game, opponent(winner)));
      num_wins_black += winner == kBlack;
    }
    CHECK(num_wins_black > num_boards / 4 && num_wins_black < num_boards);
  }
}

TEST(the_winners_of_small_games_are_known) {
  for (int size : {2, 3}) {
    const NoGoGame nogo(size, NoGoPlanes::kNoGo);
    CHECK(winning_moves(nogo, 1'000) == nogo.candidates());
    CHECK(winning_moves(HexGame(size, false), 1'000).size() == (size == 2 ? 2 : 5));
    CHECK(winning_moves(HexGame(size, true), 10'000).empty());
  }
  CHECK(throws<Error>("more than 10 positions", [] { winning_moves(HexGame(4, false), 10); }));
}

TEST(what_is_no_move_of_a_game_is_refused) {
  const NoGoGame nogo(3, NoGoPlanes::kNoGo);
  const HexGame hex(3, false);
  for (const Game *game : {static_cast<const Game *>(&nogo), static_cast<const Game *>(&hex)}) {
    CHECK(game->legality(9) == Legality::kNoPass);
    for (int move : {-1, 10, 400}) CHECK(game->legality(move) == Legality::kOutOfRange);
  }
}
