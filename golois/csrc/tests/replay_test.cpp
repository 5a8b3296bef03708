#include "../replay.hpp"

#include "../fuzz/packed_bytes.hpp"
#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

TEST(a_replay_shows_what_the_board_shows_after_every_move) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Packer packer;
    packer.add(pack(random_game(seed, 400)));
    PackedBytes bytes(file_bytes(packer));
    const PackedFile file = bytes.open();
    const PackedGame game = file.game(0);
    Replay replay(game);
    Position position(kMaxSize);
    for (int i = 0; i < game.num_moves(); ++i) {
      replay.advance_to(i);
      CHECK(replay.stones().black == position.board().stones(kBlack));
      CHECK(replay.stones().white == position.board().stones(kWhite));
      CHECK(replay.to_play() == position.to_play());
      position.play_unchecked(game.move(i).point(), game.colour(i));
    }
    CHECK(game.row().num_capture_words > 0);
  }
}
