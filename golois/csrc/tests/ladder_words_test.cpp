#include "records/ladder_words.hpp"

#include <vector>

#include "check.hpp"
#include "data/replay.hpp"
#include "games.hpp"
#include "planes/features.hpp"

using namespace golois;
using namespace golois::testing;

TEST(marked_stones_give_the_planes_of_ladders_that_are_read) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const PackedRecord packed = pack(random_game(seed, 160));
    const GameType type;
    const PackedGame game(packed.row, packed.words.data(), type);
    const std::vector<uint16_t> words = ladder_words(game);
    CHECK(!words.empty());
    const LadderWords ladders{words.data(), words.data() + words.size()};
    Replay replay(game);
    Board board(kMaxSize);
    for (int i = 0; i <= game.num_moves(); ++i) {
      replay.advance_to(i);
      board.set_stones(replay.stones().black, replay.stones().white);
      const PlanesInput input{board, {replay.stones()}, replay.to_play(), 7.5};
      CHECK(plane_words(input, marked_stones(ladders, i)) == plane_words(input));
    }
  }
}

TEST(words_of_damaged_ladders_mark_points_of_the_board_only) {
  const std::vector<uint16_t> words{511, 361, 400, 127 << 9 | 360, 1 << 9 | 7};
  const LadderWords ladders{words.data(), words.data() + words.size()};
  CHECK(marked_stones(ladders, 126).empty());
  CHECK(marked_stones(ladders, 127).size() == 1 && marked_stones(ladders, 127).contains(360));
  CHECK(marked_stones(ladders, 128).contains(7));
}
