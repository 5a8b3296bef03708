#include "data/replay.hpp"

#include "check.hpp"
#include "fuzz/packed_bytes.hpp"
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

TEST(a_replay_shows_every_game_at_every_size) {
  for (const GameType &type : game_types()) {
    PackedBytes bytes(finished_bytes(type, 8));
    const PackedFile file = bytes.open();
    for (uint64_t i = 0; i < file.num_games(); ++i) {
      const PackedGame packed = file.game(i);
      Replay replay(packed);
      const std::unique_ptr<Game> game = start_of(type);
      for (int k = 0; k <= packed.num_moves(); ++k) {
        replay.advance_to(k);
        CHECK(replay.stones().black == game->stones(kBlack) &&
              replay.stones().white == game->stones(kWhite));
        CHECK(replay.to_play() == game->to_play());
        if (k == packed.num_moves()) break;
        const int point = packed.move(k).point();
        game->play(point == kPass19 ? game->shape().pass() : point);
      }
      CHECK(game->is_over());
    }
  }
}

TEST(a_swap_is_shown_wherever_the_first_stone_is) {
  const GameType type{GameKind::kHex, 3, false, true};
  for (int first = 0; first < type.num_points(); ++first) {
    RecordedGame record;
    for (int move = 0; move < 2; ++move)
      record.moves.push_back({static_cast<Point>(first), kBlack});
    record.result = {true, kWhite, kMarginResign};
    Packer packer;
    packer.add(pack_finished(*start_of(type), type, record));
    PackedBytes bytes(file_bytes(packer, type));
    const PackedFile file = bytes.open();
    const PackedGame game = file.game(0);
    Replay replay(game);
    replay.advance_to(2);
    PointSet mirrored;
    mirrored.insert(first % 3 * 3 + first / 3);
    CHECK(replay.stones().black.empty() && replay.stones().white == mirrored);
  }
}
