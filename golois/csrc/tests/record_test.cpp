#include "records/record.hpp"

#include "check.hpp"
#include "fuzz/packed_bytes.hpp"
#include "games.hpp"
#include "kit/error.hpp"
#include "records/drop.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

Packer packed_games(int num_games) {
  Packer packer;
  for (int i = 0; i < num_games; ++i) packer.add(pack(random_game(i, 40 + 60 * i)));
  return packer;
}

// Every second game has targets.
Packer labelled_games(int num_games) {
  Packer packer;
  for (int i = 0; i < num_games; ++i)
    packer.add(
        pack(i % 2 == 1 ? random_labelled_game(i, 40 + 30 * i) : random_game(i, 40 + 30 * i)));
  return packer;
}

// The third point of every second position is White's for certain; the others have none.
std::string owned_games(int num_games) {
  const Packer packer = labelled_games(num_games);
  std::vector<int8_t> ownership(packer.num_positions() * kMaxPoints, kNoOwnership);
  for (uint64_t position = 0; position < packer.num_positions(); position += 2) {
    std::fill_n(ownership.begin() + position * kMaxPoints, kMaxPoints, int8_t{0});
    ownership[position * kMaxPoints + 2] = kWholeOwnership;
  }
  return file_bytes(packer, {}, ownership);
}

std::string damaged(std::string bytes, Rng &rng) {
  if (rng.below(4) == 0) bytes.resize(rng.below(bytes.size() + 1));
  for (uint64_t flips = rng.below(6); flips > 0 && !bytes.empty(); --flips)
    bytes[rng.below(bytes.size())] = static_cast<char>(rng.next());
  return bytes;
}

void survive_damage(const std::string &whole, uint64_t seed, int rounds = 300) {
  Rng rng(seed);
  for (int i = 0; i < rounds; ++i) {
    PackedBytes bytes(damaged(whole, rng));
    if (i % 4 != 0) bytes.reseal();
    read_all(bytes);
  }
}

}  // namespace

TEST(what_is_packed_comes_back) {
  PackedBytes bytes(file_bytes(packed_games(6)));
  const PackedFile file = bytes.open();
  CHECK(file.num_games() == 6);
  for (uint64_t i = 0; i < file.num_games(); ++i) {
    const RecordedGame expected = random_game(i, 40 + 60 * static_cast<int>(i));
    const PackedGame game = file.game(i);
    CHECK(game.num_moves() == static_cast<int>(expected.moves.size()));
    for (int k = 0; k < game.num_moves(); ++k) {
      const RecordedMove &move = expected.moves[k];
      CHECK(game.move(k).point() == move.point && game.colour(k) == move.colour);
      CHECK(game.move(k).value_hundredths() == move.value);
    }
    CHECK(game.row().komi_quarters == 30 && game.row().margin_halves == 7 &&
          game.row().winner == kWhite);
  }
}

TEST(a_game_that_cannot_be_packed_is_dropped) {
  RecordedGame game = random_game(1, 30);
  game.moves.push_back(game.moves.front());
  CHECK(throws<Dropped>("occupied", [&] { pack(game); }));
  game.moves.clear();
  CHECK(throws<Dropped>("no labelled move", [&] { pack(game); }));
}

TEST(targets_come_back) {
  PackedBytes bytes(file_bytes(labelled_games(4)));
  const PackedFile file = bytes.open();
  CHECK(file.has_targets());
  for (uint64_t g = 0; g < file.num_games(); ++g) {
    const PackedGame game = file.game(g);
    const RecordedGame expected = random_labelled_game(g, game.num_moves());
    uint64_t position = game.row().first_position;
    for (int i = 0; i < game.num_moves(); ++i) {
      if (!game.is_training_position(i)) continue;
      const PackedTarget target = file.target(position++);
      const Target wanted = g % 2 == 1 ? expected.targets[i] : Target{};
      CHECK(target.value() == wanted.value && target.lead_tenths() == wanted.lead_tenths);
      CHECK(target.num_moves() == wanted.moves.size());
      for (size_t k = 0; k < wanted.moves.size(); ++k)
        CHECK(target.move(k).point == wanted.moves[k].point &&
              target.move(k).share == wanted.moves[k].share);
    }
  }
  CHECK(throws<DamagedFile>("outside of the file", [&] { file.target(file.num_positions()); }));
}

TEST(a_file_without_targets_is_of_version_1) {
  PackedBytes plain(file_bytes(packed_games(2))), labelled(file_bytes(labelled_games(2)));
  CHECK(plain.open().header().version == kFormatVersion && !plain.open().has_targets());
  CHECK(plain.open().target(0).num_moves() == 0 &&
        plain.open().target(0).value() == kNoTargetValue);
  CHECK(labelled.open().header().version == kVersionWithTargets);
}

TEST(ownership_comes_back_in_a_file_of_version_6) {
  PackedBytes bytes(owned_games(2));
  const PackedFile file = bytes.open();
  CHECK(file.header().version == kVersionWithOwnership && file.has_targets());
  CHECK(file.ownership_offset() + file.num_positions() * kMaxPoints == bytes.size());
  for (uint64_t position = 0; position < file.num_positions(); ++position) {
    const int8_t *owners = file.ownership(position);
    CHECK(position % 2 == 0 ? owners[0] == 0 && owners[2] == kWholeOwnership : owners == nullptr);
  }
  CHECK(throws<DamagedFile>("outside of the file", [&] { file.ownership(file.num_positions()); }));
}

TEST(ownership_without_targets_or_room_is_refused) {
  PackedBytes plain(file_bytes(packed_games(2))), labelled(file_bytes(labelled_games(2)));
  for (PackedBytes *bytes : {&plain, &labelled}) {
    reinterpret_cast<FileHeader *>(bytes->data())->extras = kHasOwnership;
    bytes->reseal();
    CHECK(throws<DamagedFile>("header, at byte", [&] { bytes->open(); }));
  }
}

TEST(the_game_and_the_board_come_back) {
  for (const GameType &type : game_types()) {
    PackedBytes bytes(finished_bytes(type, 2));
    const PackedFile file = bytes.open();
    CHECK(file.header().version == kVersionOfAnyGame);
    CHECK(file.type().kind == type.kind && file.type().size == type.size);
    CHECK(file.type().has_pass == type.has_pass && file.type().has_swap == type.has_swap);
  }
}

TEST(a_game_that_there_is_not_is_refused) {
  FileHeader header{};
  header.words_offset = header.games_offset = header.provenance_offset = header.file_size =
      sizeof header;
  const auto refuses = [&](int kind, int size, int options) {
    header.game_kind = static_cast<uint8_t>(kind);
    header.board_size = static_cast<uint8_t>(size);
    header.game_options = static_cast<uint8_t>(options);
    seal(header);
    PackedBytes bytes(std::string(reinterpret_cast<const char *>(&header), sizeof header));
    return throws<DamagedFile>("the game is not Go, NoGo or Hex", [&] { bytes.open(); });
  };
  CHECK(!refuses(0, 0, 0) && !refuses(0, 0, kPolicyHasPass) && !refuses(0, 18, 0) &&
        !refuses(2, 2, kHasSwap));
  CHECK(refuses(3, 0, 0) && refuses(0, 1, 0) && refuses(0, 19, 0) && refuses(1, 255, 0));
  CHECK(refuses(0, 9, kHasSwap) && refuses(1, 9, kPolicyHasPass) && refuses(2, 9, kPolicyHasPass) &&
        refuses(2, 9, 4));
}

TEST(a_file_cut_anywhere_is_refused) {
  std::vector<std::string> files{file_bytes(packed_games(2)), file_bytes(labelled_games(2)),
                                 owned_games(2)};
  for (const GameType &type : game_types()) files.push_back(finished_bytes(type, 1));
  for (const std::string &whole : files)
    for (size_t size = 0; size < whole.size(); ++size) {
      PackedBytes bytes(whole.substr(0, size));
      CHECK(throws<Error>("", [&] { bytes.open(); }));
    }
}

TEST(a_header_altered_anywhere_is_refused) {
  const GameType hex{GameKind::kHex, 5, false, true};
  for (const std::string &whole :
       {file_bytes(packed_games(1)), file_bytes(labelled_games(2)), owned_games(2),
        finished_bytes(hex, 1)})
    for (size_t at = 0; at < sizeof(FileHeader); ++at) {
      std::string altered = whole;
      altered[at] = static_cast<char>(altered[at] ^ 0x40);
      PackedBytes bytes(altered);
      CHECK(throws<Error>("at byte", [&] { bytes.open(); }));
    }
}

TEST(a_game_outside_of_its_file_is_refused) {
  PackedBytes bytes(file_bytes(packed_games(2)));
  const PackedFile file = bytes.open();
  CHECK(throws<Error>("no game 2: the file has 2", [&] { file.game(2); }));
  CHECK(throws<Error>("the file has 2", [&] { file.game(UINT64_MAX); }));
}

// Behind the last capture, a replay of more moves would read words of no game.
TEST(a_row_of_too_many_moves_is_refused) {
  Packer packer;
  for (uint64_t seed = 0; packer.words().size() < kMaxMoves; ++seed)
    packer.add(pack(random_game(seed, 400)));
  PackedBytes bytes(file_bytes(packer));
  GameRow row = packer.rows()[0];
  row.num_moves = kMaxMoves + 1;
  row.num_capture_words = 0;
  row.flags = kPlayedOut;
  std::memcpy(bytes.data() + bytes.open().header().games_offset, &row, sizeof row);
  CHECK(throws<DamagedFile>("game 0 has more than 32767 moves: its row at byte",
                            [&] { bytes.open().game(0); }));
  read_all(bytes);
}

// With the sanitisers this is the test that damage is never a read outside of the file, nor worse.
TEST(any_damage_is_survived) {
  survive_damage(file_bytes(packed_games(3)), 9);
  survive_damage(file_bytes(labelled_games(4)), 10);
  survive_damage(owned_games(2), 8);
  uint64_t seed = 11;
  for (const GameType &type : game_types()) survive_damage(finished_bytes(type, 2), seed++, 50);
}

TEST(the_checksum_is_zlibs) {
  const std::string text = "123456789";
  CHECK(crc32(reinterpret_cast<const uint8_t *>(text.data()), text.size()) == 0xcbf43926);
}
