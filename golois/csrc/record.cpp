#include "record.hpp"

#include <array>
#include <cstring>
#include <string>

#include "error.hpp"

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

void require(bool condition, size_t offset, const std::string &expectation) {
  if (!condition) throw DamagedFile("expected " + expectation + " at byte " + std::to_string(offset));
}

void require_size(uint64_t actual, uint64_t expected) {
  if (actual != expected)
    throw DamagedFile("expected a file of " + std::to_string(expected) + " bytes, as its header says at byte " +
                std::to_string(offsetof(FileHeader, file_size)) + ": got " + std::to_string(actual));
}

bool holds_targets(const FileHeader &header) {
  if (header.targets_offset % kRowAlignment != 0 || header.provenance_offset < header.targets_offset) return false;
  const uint64_t num_bytes = header.provenance_offset - header.targets_offset;
  return header.num_positions <= num_bytes / sizeof(uint32_t) &&
         header.num_target_words <= (num_bytes - header.num_positions * sizeof(uint32_t)) / sizeof(uint16_t);
}

// The sections lie in order, without overlap, and every count fits into its section.
void require_layout(const FileHeader &header) {
  require(header.words_offset == sizeof(FileHeader), offsetof(FileHeader, words_offset), "the words right after the header");
  require(header.games_offset >= header.words_offset && header.games_offset % kRowAlignment == 0 &&
              header.num_words <= (header.games_offset - header.words_offset) / sizeof(uint16_t),
          offsetof(FileHeader, games_offset), "the games after the words");
  const uint64_t games_end = header.targets_offset ? header.targets_offset : header.provenance_offset;
  require(games_end >= header.games_offset && header.num_games <= (games_end - header.games_offset) / sizeof(GameRow),
          header.targets_offset ? offsetof(FileHeader, targets_offset) : offsetof(FileHeader, provenance_offset),
          header.targets_offset ? "the targets after the games" : "the provenance after the games");
  require(!header.targets_offset || holds_targets(header), offsetof(FileHeader, num_target_words),
          "the targets before the provenance");
  require(header.file_size >= header.provenance_offset, offsetof(FileHeader, file_size), "the provenance inside of the file");
}

}  // namespace

uint32_t crc32(const uint8_t *bytes, size_t num_bytes) {
  uint32_t crc = ~uint32_t{0};
  for (size_t i = 0; i < num_bytes; ++i) crc = crc >> 8 ^ kCrcTable[(crc ^ bytes[i]) & 0xff];
  return ~crc;
}

void seal(FileHeader &header) {
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = header.targets_offset ? kVersionWithTargets : kFormatVersion;
  header.header_crc = header_crc(header);
}

PackedFile::PackedFile(const uint8_t *bytes, size_t num_bytes) {
  require(num_bytes >= sizeof kMagic && std::memcmp(bytes, kMagic, sizeof kMagic) == 0, 0, "the mark of a packed file");
  if (num_bytes < sizeof(FileHeader))
    throw DamagedFile("expected a header of " + std::to_string(sizeof(FileHeader)) + " bytes: got " + std::to_string(num_bytes));
  if (reinterpret_cast<uintptr_t>(bytes) % kRowAlignment != 0) throw Error("expected bytes aligned to 8");
  std::memcpy(&header_, bytes, sizeof header_);
  require(header_.version == (header_.targets_offset ? kVersionWithTargets : kFormatVersion), offsetof(FileHeader, version),
          "version " + std::to_string(kFormatVersion) + ", or " + std::to_string(kVersionWithTargets) + " with targets,");
  require(header_.header_crc == header_crc(header_), offsetof(FileHeader, header_crc), "the header's checksum");
  require_layout(header_);
  require_size(num_bytes, header_.file_size);
  words_ = reinterpret_cast<const uint16_t *>(bytes + header_.words_offset);
  rows_ = reinterpret_cast<const GameRow *>(bytes + header_.games_offset);
  if (!has_targets()) return;
  target_index_ = reinterpret_cast<const uint32_t *>(bytes + header_.targets_offset);
  target_words_ = reinterpret_cast<const uint16_t *>(target_index_ + header_.num_positions);
}

PackedGame PackedFile::game(uint64_t game) const {
  if (game >= num_games())
    throw Error("expected a game below " + std::to_string(num_games()) + ": got " + std::to_string(game));
  const GameRow &row = rows_[game];
  const uint64_t num_words = PackedGame::num_words(row);
  if (row.first_word > header_.num_words || num_words > header_.num_words - row.first_word)
    refuse_row(game, "its words inside of the file");
  return {row, words_ + row.first_word};
}

PackedTarget PackedFile::target(uint64_t position) const {
  if (!has_targets()) return {};
  if (position < header_.num_positions) {
    const uint64_t start = target_index_[position];
    const uint64_t available = start < header_.num_target_words ? header_.num_target_words - start : 0;
    if (available >= PackedTarget::kHeadWords && PackedTarget(target_words_ + start).num_words() <= available)
      return PackedTarget(target_words_ + start);
  }
  throw DamagedFile("expected the target of position " + std::to_string(position) + " inside of the file: its index at byte " +
                    std::to_string(header_.targets_offset + position * sizeof(uint32_t)) + " or its words are damaged");
}

void PackedFile::refuse_row(uint64_t game, const std::string &expectation) const {
  throw DamagedFile("expected of game " + std::to_string(game) + " " + expectation + ": its row at byte " +
                    std::to_string(header_.games_offset + game * sizeof(GameRow)) + " or its words are damaged");
}

}  // namespace golois
