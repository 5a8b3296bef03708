#include "records/record.hpp"

#include <array>
#include <cstring>
#include <string>

#include "kit/error.hpp"

namespace golois {

namespace {

constexpr size_t kRowAlignment = alignof(GameRow);

constexpr std::array<uint32_t, 256> make_crc_table() {
  constexpr uint32_t kReversedPolynomial = 0xedb88320;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kReversedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kCrcTable = make_crc_table();

uint32_t header_crc(FileHeader header) {
  header.header_crc = 0;
  return crc32(reinterpret_cast<const uint8_t *>(&header), sizeof header);
}

void require(bool condition, size_t offset, const std::string &fault) {
  if (!condition) throw DamagedFile(fault + " (header, at byte " + std::to_string(offset) + ")");
}

void require_size(uint64_t actual, uint64_t expected) {
  if (actual != expected)
    throw DamagedFile("the file has " + std::to_string(actual) + " bytes, not the " +
                      std::to_string(expected) + " that its header names at byte " +
                      std::to_string(offsetof(FileHeader, file_size)));
}

bool holds_targets(const FileHeader &header, uint64_t end) {
  if (header.targets_offset % kRowAlignment != 0 || end < header.targets_offset) return false;
  const uint64_t num_bytes = end - header.targets_offset;
  return header.num_positions <= num_bytes / sizeof(uint32_t) &&
         header.num_target_words <=
             (num_bytes - header.num_positions * sizeof(uint32_t)) / sizeof(uint16_t);
}

bool holds_ladders(const FileHeader &header) {
  if (header.ladders_offset % kRowAlignment != 0 || header.ladders_offset < header.words_offset ||
      header.games_offset < header.ladders_offset)
    return false;
  const uint64_t num_bytes = header.games_offset - header.ladders_offset;
  return header.num_games <= num_bytes / sizeof(uint32_t) &&
         header.num_ladder_words <=
             (num_bytes - header.num_games * sizeof(uint32_t)) / sizeof(uint16_t);
}

uint32_t version_of(const FileHeader &header) {
  if (header.extras & kHasOwnership) return kVersionWithOwnership;
  if (header.extras != 0) return kVersionOfManyTexts;
  if (header.ladders_offset != 0) return kVersionWithLadders;
  if (header.game_kind != 0 || header.board_size != 0 || header.game_options != 0)
    return kVersionOfAnyGame;
  return header.targets_offset ? kVersionWithTargets : kFormatVersion;
}

// Throws where the header names no game that there is.
GameType game_type(const FileHeader &header) {
  const auto kind = static_cast<GameKind>(header.game_kind);
  const int known_options = kind == GameKind::kGo    ? kPolicyHasPass
                            : kind == GameKind::kHex ? kHasSwap
                                                     : 0;
  const int size = header.board_size == 0 ? kMaxSize : header.board_size;
  require(header.game_kind <= static_cast<uint8_t>(GameKind::kHex) &&
              header.board_size < kMaxSize && size >= kMinSize &&
              (header.game_options & ~known_options) == 0,
          offsetof(FileHeader, game_kind),
          "the game is not Go, NoGo or Hex on a board from 2×2 to 19×19");
  return {kind, size, (header.game_options & kPolicyHasPass) != 0,
          (header.game_options & kHasSwap) != 0};
}

// The ownership ends where the provenance begins.
uint64_t ownership_bytes(const FileHeader &header, int num_points) {
  return header.extras & kHasOwnership ? header.num_positions * num_points : 0;
}

// The sections lie in order, without overlap, and every count fits into its section.
void require_layout(const FileHeader &header, int num_points) {
  require(header.words_offset == sizeof(FileHeader), offsetof(FileHeader, words_offset),
          "the words do not follow the header");
  require(!header.ladders_offset || holds_ladders(header), offsetof(FileHeader, ladders_offset),
          "the ladders do not lie between the words and the games");
  const uint64_t words_end = header.ladders_offset ? header.ladders_offset : header.games_offset;
  require(header.games_offset >= header.words_offset && header.games_offset % kRowAlignment == 0 &&
              header.num_words <= (words_end - header.words_offset) / sizeof(uint16_t),
          offsetof(FileHeader, games_offset), "the games do not follow the words");
  const uint64_t games_end =
      header.targets_offset ? header.targets_offset : header.provenance_offset;
  require(games_end >= header.games_offset &&
              header.num_games <= (games_end - header.games_offset) / sizeof(GameRow),
          header.targets_offset ? offsetof(FileHeader, targets_offset)
                                : offsetof(FileHeader, provenance_offset),
          header.targets_offset ? "the targets do not follow the games"
                                : "the provenance does not follow the games");
  require(!(header.extras & kHasOwnership) ||
              (header.targets_offset &&
               header.num_positions <= header.provenance_offset / num_points),
          offsetof(FileHeader, extras), "the ownership does not follow the targets");
  const uint64_t targets_end = header.provenance_offset - ownership_bytes(header, num_points);
  require(!header.targets_offset || holds_targets(header, targets_end),
          offsetof(FileHeader, num_target_words), "the targets do not end before the provenance");
  require(header.file_size >= header.provenance_offset, offsetof(FileHeader, file_size),
          "the provenance is outside of the file");
}

}  // namespace

uint32_t crc32(const uint8_t *bytes, size_t num_bytes) {
  uint32_t crc = ~uint32_t{0};
  for (size_t i = 0; i < num_bytes; ++i) crc = crc >> 8 ^ kCrcTable[(crc ^ bytes[i]) & 0xff];
  return ~crc;
}

void set_game_type(FileHeader &header, const GameType &type) {
  header.game_kind = static_cast<uint8_t>(type.kind);
  header.board_size = static_cast<uint8_t>(type.size == kMaxSize ? 0 : type.size);
  header.game_options =
      static_cast<uint8_t>((type.has_pass ? kPolicyHasPass : 0) | (type.has_swap ? kHasSwap : 0));
}

void seal(FileHeader &header) {
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = version_of(header);
  header.header_crc = header_crc(header);
}

PackedFile::PackedFile(const uint8_t *bytes, size_t num_bytes) {
  require(num_bytes >= sizeof kMagic && std::memcmp(bytes, kMagic, sizeof kMagic) == 0, 0,
          "this is not a packed file");
  if (num_bytes < sizeof(FileHeader))
    throw DamagedFile("the header is cut short: " + std::to_string(num_bytes) + " of " +
                      std::to_string(sizeof(FileHeader)) + " bytes");
  if (reinterpret_cast<uintptr_t>(bytes) % kRowAlignment != 0)
    throw Error("the bytes must be aligned to 8");
  std::memcpy(&header_, bytes, sizeof header_);
  require(header_.version == version_of(header_), offsetof(FileHeader, version),
          "the version is not " + std::to_string(kFormatVersion) + ", " +
              std::to_string(kVersionWithTargets) + " with targets, " +
              std::to_string(kVersionOfAnyGame) + " for another game or board, " +
              std::to_string(kVersionWithLadders) + " with ladders, " +
              std::to_string(kVersionOfManyTexts) + " with many texts, or " +
              std::to_string(kVersionWithOwnership) + " with ownership");
  require(header_.header_crc == header_crc(header_), offsetof(FileHeader, header_crc),
          "the header is damaged");
  type_ = game_type(header_);
  require((header_.extras & ~(kHasManyTexts | kHasOwnership)) == 0, offsetof(FileHeader, extras),
          "the extras are not from 0 to 3");
  require_layout(header_, type_.num_points());
  require_size(num_bytes, header_.file_size);
  words_ = reinterpret_cast<const uint16_t *>(bytes + header_.words_offset);
  rows_ = reinterpret_cast<const GameRow *>(bytes + header_.games_offset);
  if (has_ladders()) {
    require(type_.kind == GameKind::kGo, offsetof(FileHeader, ladders_offset),
            "only Go has ladders");
    ladder_index_ = reinterpret_cast<const uint32_t *>(bytes + header_.ladders_offset);
    ladder_words_ = reinterpret_cast<const uint16_t *>(ladder_index_ + header_.num_games);
  }
  if (!has_targets()) return;
  if (const uint64_t at = ownership_offset())
    ownership_ = reinterpret_cast<const int8_t *>(bytes + at);
  target_index_ = reinterpret_cast<const uint32_t *>(bytes + header_.targets_offset);
  target_words_ = reinterpret_cast<const uint16_t *>(target_index_ + header_.num_positions);
}

PackedGame PackedFile::game(uint64_t game) const {
  if (game >= num_games())
    throw Error("there is no game " + std::to_string(game) + ": the file has " +
                std::to_string(num_games()));
  const GameRow &row = rows_[game];
  if (row.num_moves > kMaxMoves)
    refuse_row(game, "more than " + std::to_string(kMaxMoves) + " moves");
  const uint64_t num_words = PackedGame::num_words(row);
  if (row.first_word > header_.num_words || num_words > header_.num_words - row.first_word)
    refuse_row(game, "words outside of the file");
  return {row, words_ + row.first_word, type_};
}

PackedTarget PackedFile::target(uint64_t position) const {
  if (!has_targets()) return {};
  if (position < header_.num_positions) {
    const uint64_t start = target_index_[position];
    const uint64_t available =
        start < header_.num_target_words ? header_.num_target_words - start : 0;
    if (available >= PackedTarget::kHeadWords &&
        PackedTarget(target_words_ + start).num_words() <= available)
      return PackedTarget(target_words_ + start);
  }
  throw DamagedFile("the target of position " + std::to_string(position) +
                    " is outside of the file: its index at byte " +
                    std::to_string(header_.targets_offset + position * sizeof(uint32_t)) +
                    " or its words are damaged");
}

uint64_t PackedFile::ownership_offset() const {
  if (!(header_.extras & kHasOwnership)) return 0;
  return header_.provenance_offset - ownership_bytes(header_, type_.num_points());
}

const int8_t *PackedFile::ownership(uint64_t position) const {
  if (!ownership_) return nullptr;
  if (position >= header_.num_positions)
    throw DamagedFile("the ownership of position " + std::to_string(position) +
                      " is outside of the file");
  const int8_t *bytes = ownership_ + position * type_.num_points();
  return bytes[0] == kNoOwnership ? nullptr : bytes;
}

LadderWords PackedFile::ladders(uint64_t game) const {
  const uint32_t begin = ladder_index_[game];
  const uint32_t end = game + 1 < num_games() ? ladder_index_[game + 1] : header_.num_ladder_words;
  if (begin > end || end > header_.num_ladder_words)
    throw DamagedFile("the ladders of game " + std::to_string(game) +
                      " are outside of the file: their index at byte " +
                      std::to_string(header_.ladders_offset + game * sizeof(uint32_t)) +
                      " is damaged");
  return {ladder_words_ + begin, ladder_words_ + end};
}

void PackedFile::refuse_row(uint64_t game, const std::string &fault) const {
  throw DamagedFile("game " + std::to_string(game) + " has " + fault + ": its row at byte " +
                    std::to_string(header_.games_offset + game * sizeof(GameRow)) +
                    " or its words are damaged");
}

}  // namespace golois
