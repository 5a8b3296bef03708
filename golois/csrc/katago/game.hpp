// A game as KataGo keeps it: its rules, the moves that its networks are shown, and what ko and
// superko forbid.
#pragma once

#include <array>
#include <cstdint>

#include "go/position.hpp"
#include "katago/ladder.hpp"

namespace golois {

enum class KoRule : int32_t { kPositional, kSituational, kSimple };

// Area scoring on 19×19 points, without taxes, buttons or bonuses.
struct KatagoRules {
  double komi;
  KoRule ko;
  bool allows_suicide;  // of two stones or more
};

// Throws Error unless boards of this size have inputs.
void require_katago_size(int size);

class KatagoGame {
 public:
  static constexpr int kShownMoves = 5;
  static constexpr int kShownBoards = 3;  // the present one and two before it
  struct Move {
    Point point;
    Colour colour;
  };

  // A game at its start, with stones set up. Throws Error for a chain without liberties.
  KatagoGame(const KatagoRules &rules, const Stones &setup, Colour first);

  // A game of the kit: superko is positional, and suicide illegal. Throws Error for a board of
  // another size.
  KatagoGame(double komi, const Position &position);

  // Plays a point of the side to move, or a pass. A ko or superko that forbids it does not matter:
  // records of people have such moves. Throws Error for a point that is occupied, suicide, or not
  // on the board.
  void play(int point);

  // Reads the ladders of the present board. inputs need those of all kShownBoards that their
  // history shows.
  void read_ladders();

  const KatagoRules &rules() const { return rules_; }
  const Board &board() const { return board_; }
  Colour to_play() const { return to_play_; }
  int num_moves() const { return num_moves_; }

  // The moves that a network is shown: at most five, as long as colours alternate, none before the
  // pass that ended the game.
  int num_shown_moves() const;
  // The last move (0), the one before it, …, of num_shown_moves().
  const Move &move_ago(int ago) const { return moves_[(num_moves_ - 1 - ago) % kShownMoves]; }
  const ShownLadders &ladders_ago(int ago) const { return ladders_[ago]; }

  // Whether a pass would end the game: after a pass; with simple ko also where this player has
  // passed in this position.
  bool pass_would_end() const;

  // What the side to move may play but for ko and superko, and which of these points, or of
  // suicides, those forbid.
  struct Moves {
    PointSet possible, forbidden;
  };
  Moves moves() const;

 private:
  void add_move(int point, Colour colour);
  void play_on_board(int point, Colour colour);
  void remember_position();
  bool is_suicide(int point) const;
  uint64_t key_after(int point) const;
  uint64_t key_of(uint64_t stones, Colour to_play) const;

  KatagoRules rules_;
  Board board_;
  Colour to_play_;
  int num_moves_ = 0, num_in_view_ = 0;
  std::array<Move, kShownMoves> moves_{};
  PointSet taken_;
  KeyHistory keys_;
  std::array<KeyHistory, 3> passed_;  // where each colour has passed, for simple ko
  std::array<ShownLadders, kShownBoards> ladders_{};
  KatagoLadders memory_;
  PointSet changed_;  // since memory_ has read
};

}  // namespace golois
