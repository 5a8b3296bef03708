#include "katago/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "go/life.hpp"

namespace golois {

namespace {

enum Plane : int {
  kBoardPlane = 0,
  kOwnPlane = 1,
  kTheirPlane = 2,
  kLibertiesPlane = 3,  // 1, 2, 3
  kForbiddenPlane = 6,
  kMovesPlane = 9,      // the last move, … the fifth last
  kLadderPlane = 14,    // now, one move ago, two moves ago
  kWorkingPlane = 17,
  kOwnAreaPlane = 18,
  kTheirAreaPlane = 19,
};

enum Global : int {
  kPasses = 0,
  kKomi = 5,
  kHasSuperko = 6,
  kSuperko = 7,
  kSuicide = 8,
  kPassEnds = 14,
  kParity = 18
};

void show_stones(const KatagoGame &game, KatagoInputs &inputs) {
  const Board &board = game.board();
  inputs.planes[kBoardPlane] = geometry(kMaxSize).points;
  inputs.planes[kOwnPlane] = board.stones(game.to_play());
  inputs.planes[kTheirPlane] = board.stones(opponent(game.to_play()));
  board.for_each_chain([&](int chain) {
    if (board.num_liberties(chain) > 3) return;
    PointSet &plane = inputs.planes[kLibertiesPlane + board.num_liberties(chain) - 1];
    board.for_each_stone(chain, [&](int p) { plane.insert(p); });
  });
}

void show_legal_moves(const KatagoGame &game, KatagoInputs &inputs) {
  const KatagoGame::Moves moves = game.moves();
  inputs.planes[kForbiddenPlane] = moves.forbidden;
  inputs.legal = moves.possible - moves.forbidden;
  inputs.legal.insert(kPass19);
}

// The last moves, and ladders of the boards before them; boards out of view are shown as the oldest
// that is in view.
void show_past(const KatagoGame &game, int num_moves, KatagoInputs &inputs) {
  for (int ago = 0; ago < num_moves; ++ago) {
    const int point = game.move_ago(ago).point;
    if (point == kPass19) inputs.globals[kPasses + ago] = 1;
    else inputs.planes[kMovesPlane + ago].insert(point);
  }
  for (int ago = 0; ago < KatagoGame::kShownBoards; ++ago)
    inputs.planes[kLadderPlane + ago] = game.ladders_ago(std::min(ago, num_moves)).caught;
  inputs.planes[kWorkingPlane] = game.ladders_ago(0).working[game.to_play()];
}

// What settles a colour's points, then empty regions that only one colour touches, then the stones
// that are left.
void show_area(const KatagoGame &game, bool pass_alive, KatagoInputs &inputs) {
  const Board &board = game.board();
  const Geometry &points = geometry(kMaxSize);
  const Vital vital =
      pass_alive || game.rules().allows_suicide ? Vital::kAllPoints : Vital::kEmptyPoints;
  const PointSet empty = board.empty_points(), white_settled = settled_points(board, kWhite, vital);
  const PointSet black_settled = settled_points(board, kBlack, vital) - white_settled;
  std::array<PointSet, 3> reached;
  for (Colour colour : {kBlack, kWhite})
    reached[colour] = points.connected(points.beside(board.stones(colour)) & empty, empty);
  const auto area = [&](Colour colour, const PointSet &own, const PointSet &theirs) {
    PointSet rest = reached[colour] - reached[opponent(colour)];
    rest |= board.stones(colour);
    rest = rest - theirs;
    return rest |= own;
  };
  inputs.planes[game.to_play() == kBlack ? kOwnAreaPlane : kTheirAreaPlane] =
      area(kBlack, black_settled, white_settled);
  inputs.planes[game.to_play() == kBlack ? kTheirAreaPlane : kOwnAreaPlane] =
      area(kWhite, white_settled, black_settled);
}

// A wave of komi: the parity of the board makes a point matter every second step.
float parity_of(float komi) {
  const float odd = std::floor((komi - 1) / 2) * 2 + 1, over = komi - odd;
  return over < 0.5F ? over : over < 1.5F ? 1 - over : over - 2;
}

void show_rules(const KatagoGame &game, KatagoInputs &inputs) {
  constexpr float kMostKomi = kMaxPoints + 20;
  const auto komi =
      static_cast<float>(game.to_play() == kWhite ? game.rules().komi : -game.rules().komi);
  const float own_komi = std::clamp(komi, -kMostKomi, kMostKomi);
  inputs.globals[kKomi] = own_komi / 20;
  inputs.globals[kParity] = parity_of(own_komi);
  if (game.rules().ko != KoRule::kSimple) {
    inputs.globals[kHasSuperko] = 1;
    inputs.globals[kSuperko] = game.rules().ko == KoRule::kPositional ? 0.5F : -0.5F;
  }
  inputs.globals[kSuicide] = game.rules().allows_suicide;
}

}  // namespace

KatagoInputs katago_inputs(const KatagoGame &game, const KatagoOptions &options) {
  KatagoInputs inputs{};
  const bool pass_ends = game.pass_would_end(), is_hidden = pass_ends && options.hides_end;
  inputs.globals[kPassEnds] = pass_ends && !is_hidden;
  show_stones(game, inputs);
  show_legal_moves(game, inputs);
  show_past(game, is_hidden ? 0 : game.num_shown_moves(), inputs);
  show_area(game, options.pass_alive, inputs);
  show_rules(game, inputs);
  return inputs;
}

void write_plane_bits(const KatagoInputs &inputs, uint8_t *bytes) {
  constexpr int kNumWords = (kNumKatagoPlanes * kMaxPoints + 63) / 64;
  // the lowest bit first, with room for what the last set's words reach
  std::array<uint64_t, kNumWords + PointSet::kWords + 1> words{};
  for (int plane = 0; plane < kNumKatagoPlanes; ++plane)
    for (int i = 0, at = plane * kMaxPoints; i < PointSet::kWords; ++i, at += 64) {
      const uint64_t word = inputs.planes[plane].word(i);
      words[at / 64] |= word << at % 64;
      if (at % 64 != 0) words[at / 64 + 1] |= word >> (64 - at % 64);
    }
  for (uint64_t &word : words) {  // turn each byte round
    word = (word >> 1 & 0x5555555555555555) | (word & 0x5555555555555555) << 1;
    word = (word >> 2 & 0x3333333333333333) | (word & 0x3333333333333333) << 2;
    word = (word >> 4 & 0x0F0F0F0F0F0F0F0F) | (word & 0x0F0F0F0F0F0F0F0F) << 4;
  }
  // processors of the kit are little-endian
  std::memcpy(bytes, words.data(), kKatagoShape.num_bytes());
}

PlaneWords plane_words(const KatagoInputs &inputs) {
  PlaneWords words{};
  for (int plane = 0; plane < kNumKatagoPlanes; ++plane)
    inputs.planes[plane].for_each([&](int p) { words[p] |= plane_bit(plane); });
  return words;
}

PlaneWords search_plane_words(const KatagoInputs &inputs, Colour to_play) {
  uint32_t everywhere = to_play == kWhite ? plane_bit(kNumKatagoPlanes) : 0;
  for (int ago = 0; ago < KatagoGame::kShownMoves; ++ago)
    if (inputs.globals[kPasses + ago] != 0) everywhere |= plane_bit(kNumKatagoPlanes + 1 + ago);
  PlaneWords words = plane_words(inputs);
  for (uint32_t &word : words) word |= everywhere;
  return words;
}

}  // namespace golois
