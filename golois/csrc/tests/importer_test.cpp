#include "../importer.hpp"

#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

void import(Importer &importer, std::string_view bytes, size_t piece_size) {
  importer.begin_source("here", "source");
  for (size_t at = 0; at < bytes.size(); at += piece_size) importer.feed(bytes.substr(at, piece_size));
  importer.end_source("");
}

}  // namespace

TEST(games_are_the_same_in_whatever_pieces_and_threads) {
  const std::string broken = "(;GM[1]C[never ends\n";
  for (const std::string &source : {kShortGame + "\n" + broken + kCaptureGame, kTextGame + kTextGame}) {
    Importer whole(false, 1);
    import(whole, source, source.size());
    CHECK(whole.packer().rows().size() == 2);
    for (size_t piece_size = 1; piece_size < 50; ++piece_size) {
      Importer pieces(false, 1 + static_cast<int>(piece_size % 3));
      import(pieces, source, piece_size);
      CHECK(pieces.packer().words() == whole.packer().words() && pieces.reports() == whole.reports());
    }
  }
}

TEST(a_number_too_long_for_a_game_is_none_in_whatever_pieces_it_comes) {
  const std::string source = "6." + std::string(40, '9') + "(;B[aa])";
  Importer whole(false, 1), pieces(false, 2);
  import(whole, source, source.size());
  import(pieces, source, 3);
  CHECK(whole.reports() == pieces.reports());
}

TEST(drops_are_reported_by_line_and_counted) {
  Importer importer(false, 1);
  import(importer, kShortGame + "\n(;GM[2];B[aa])\n" + kHead + ";B[aa];W[aa])", 1000);
  CHECK(importer.packer().rows().size() == 1 && importer.reports().size() == 2);
  CHECK(importer.num_dropped(DropReason::kNotGo) == 1 && importer.num_dropped(DropReason::kIllegalMove) == 1);
  CHECK(importer.reports()[1] == "here:3: illegal move: move 2: an occupied point");
}

TEST(an_empty_source_is_one_drop) {
  Importer importer(false, 1);
  import(importer, "", 1);
  CHECK(importer.num_dropped(DropReason::kMalformed) == 1);
}
