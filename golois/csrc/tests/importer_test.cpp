#include "importing/importer.hpp"

#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

void import(Importer &importer, std::string_view bytes, size_t piece_size) {
  importer.begin_source("here", "source");
  for (size_t at = 0; at < bytes.size(); at += piece_size)
    importer.feed(bytes.substr(at, piece_size));
  importer.end_source("");
}

}  // namespace

TEST(games_are_the_same_in_whatever_pieces_and_threads) {
  const std::string broken = "(;GM[1]C[never ends\n";
  for (const std::string &source :
       {kShortGame + "\n" + broken + kCaptureGame, kTextGame + kTextGame}) {
    Importer whole(GameFilter{}, 1);
    import(whole, source, source.size());
    CHECK(whole.packer().rows().size() == 2);
    for (size_t piece_size = 1; piece_size < 50; ++piece_size) {
      Importer pieces(GameFilter{}, 1 + static_cast<int>(piece_size % 3));
      import(pieces, source, piece_size);
      CHECK(pieces.packer().words() == whole.packer().words() &&
            pieces.reports() == whole.reports());
    }
  }
}

TEST(a_number_too_long_for_a_game_is_none_in_whatever_pieces_it_comes) {
  const std::string source = "6." + std::string(40, '9') + "(;B[aa])";
  Importer whole(GameFilter{}, 1), pieces(GameFilter{}, 2);
  import(whole, source, source.size());
  import(pieces, source, 3);
  CHECK(whole.reports() == pieces.reports());
}

TEST(drops_are_reported_by_line_and_counted) {
  Importer importer(GameFilter{}, 1);
  import(importer, kShortGame + "\n(;GM[2];B[aa])\n" + kHead + ";B[aa];W[aa])", 1000);
  CHECK(importer.packer().rows().size() == 1 && importer.reports().size() == 2);
  CHECK(importer.num_dropped(DropReason::kNotGo) == 1 &&
        importer.num_dropped(DropReason::kIllegalMove) == 1);
  CHECK(importer.reports()[1] == "here:3: illegal move: move 2: an occupied point: W[aa], A19");
}

TEST(an_empty_source_is_one_drop) {
  Importer importer(GameFilter{}, 1);
  import(importer, "", 1);
  CHECK(importer.num_dropped(DropReason::kMalformed) == 1);
}

TEST(games_are_kept_by_rank_and_without_handicap) {
  GameFilter filter;
  filter.drops_handicap = true;
  filter.lowest_rank = parse_rank("4d");
  filter.highest_rank = parse_rank("9d");
  Importer importer(filter, 2);
  const std::string moves = ";B[pd];W[dd])\n", strong = "BR[4d]WR[9 dan]";
  import(importer,
         kHead + strong + moves + kHead + "BR[3d]WR[9d]" + moves + kHead + "BR[9d]WR[1p]" + moves +
             kHead + "BR[6d]" + moves + kHead + strong + "HA[2]" + moves + kHead + strong +
             "AB[qq]" + moves,
         1000);
  CHECK(importer.packer().rows().size() == 1);
  CHECK(importer.num_dropped(DropReason::kRank) == 3 &&
        importer.num_dropped(DropReason::kHandicap) == 2);
}

TEST(ranks_are_numbers_that_grow) {
  CHECK(parse_rank("30k") == 1 && parse_rank("1 kyu") == 30 && parse_rank("1D") == 31 &&
        parse_rank("9段") == 39);
  CHECK(parse_rank("1p") == 40 && parse_rank("9P") == 48);
  for (const char *text :
       {"", " ", "?", "d", "0d", "10d", "31k", "10p", "9", "-3d", "\xe6", "6\xe6"})
    CHECK(parse_rank(text) == kNoRank);
}
