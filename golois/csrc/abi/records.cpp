// The C surface of packed files and of the import.
#include <algorithm>
#include <cstring>
#include <string>

#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "importing/importer.hpp"
#include "kit/error.hpp"
#include "records/game_packer.hpp"
#include "records/record.hpp"

struct golois_importer {
  golois::Importer importer;
};

using golois::Colour;
using golois::DropReason;
using golois::Error;
using golois::guarded;
using golois::require_capacity;

namespace {

// A pointer to the element, or null past the end.
template <typename Elements>
const typename Elements::value_type *find(const Elements &elements, int64_t index) {
  const bool exists = index >= 0 && static_cast<size_t>(index) < elements.size();
  return exists ? &elements[static_cast<size_t>(index)] : nullptr;
}

template <typename Element>
void copy_all(const std::vector<Element> &from, Element *to, int64_t capacity) {
  require_capacity(capacity, from.size());
  std::copy(from.begin(), from.end(), to);
}

bool copy_entry(const std::vector<golois::TallyEntry> &entries, int64_t index,
                golois_tally_entry *entry) {
  const auto *found = find(entries, index);
  if (found == nullptr) return false;
  *entry = {found->reason.c_str(), found->cause.c_str(), found->example.c_str(), found->num_games};
  return true;
}

template <typename Make>
golois_importer *created(Make make) {
  golois_importer *importer = nullptr;
  const int32_t status = guarded([&] { importer = make(); });
  return status == golois::kOk ? importer : nullptr;
}

template <typename Use>
void for_each_target(const golois::PackedFile &file, int64_t index, Use use) {
  const golois::GameRow &row = file.game(static_cast<uint64_t>(index)).row();
  for (uint64_t i = 0; i < row.num_positions; ++i) use(file.target(row.first_position + i));
}

// Gives a game the targets of its training positions; none where there are no words.
void attach_targets(golois::PackedRecord &game, const uint16_t *words, int64_t num_words) {
  for (const golois::Target &target : golois::read_targets(words, static_cast<size_t>(num_words))) {
    game.target_starts.push_back(static_cast<uint32_t>(game.target_words.size()));
    golois::append_target(target, game.target_words);
  }
  const size_t num_targets = game.target_starts.size();
  if (num_targets != 0 && num_targets != game.row.num_positions)
    throw Error("a game of " + std::to_string(game.row.num_positions) +
                " training positions needs as many targets, not " + std::to_string(num_targets));
}

golois::GameType to_game_type(const golois_game_type &type) {
  return {static_cast<golois::GameKind>(type.kind), type.size, type.has_pass, type.has_swap};
}

golois::RecordedMove checked_move(int point, int colour, int value) {
  const bool is_value = value <= 100 || value == golois::kNoValue;
  if (point > golois::kPass19 || colour < golois::kBlack || colour > golois::kWhite || !is_value)
    throw Error("a move needs a point up to 361, a colour of 1 or 2 and a value up to 100, not " +
                std::to_string(point) + ", " + std::to_string(colour) + ", " +
                std::to_string(value));
  return {static_cast<golois::Point>(point), static_cast<Colour>(colour),
          static_cast<uint8_t>(value)};
}

}  // namespace

golois_packed_file *golois_packed_file_open(const uint8_t *bytes, int64_t num_bytes) {
  golois_packed_file *file = nullptr;
  const int32_t status = guarded([&] {
    file = new golois_packed_file{golois::PackedFile(bytes, static_cast<size_t>(num_bytes))};
  });
  return status == golois::kOk ? file : nullptr;
}

void golois_packed_file_close(golois_packed_file *file) { delete file; }

golois_file_layout golois_packed_file_layout(const golois_packed_file *file) {
  const golois::FileHeader &header = file->file.header();
  const golois::GameType &type = file->file.type();
  return {header.num_games,
          header.num_words,
          header.num_positions,
          header.words_offset,
          header.games_offset,
          header.provenance_offset,
          header.file_size,
          header.words_crc,
          header.games_crc,
          header.provenance_crc,
          header.targets_crc,
          header.targets_offset,
          header.num_target_words,
          {static_cast<int32_t>(type.kind), type.size, type.has_pass, type.has_swap},
          header.ladders_offset,
          header.num_ladder_words,
          header.ladders_crc,
          (header.extras & golois::kHasManyTexts) != 0,
          file->file.ownership_offset(),
          header.ownership_crc};
}

int32_t golois_packed_file_header(const golois_file_layout *layout, uint8_t *bytes,
                                  int64_t capacity) {
  return guarded([&] {
    require_capacity(capacity, sizeof(golois::FileHeader));
    golois::FileHeader header{};
    header.num_games = layout->num_games;
    header.num_words = layout->num_words;
    header.num_positions = layout->num_positions;
    header.words_offset = layout->words_offset;
    header.games_offset = layout->games_offset;
    header.provenance_offset = layout->provenance_offset;
    header.file_size = layout->file_size;
    header.words_crc = layout->words_crc;
    header.games_crc = layout->games_crc;
    header.provenance_crc = layout->provenance_crc;
    header.targets_crc = layout->targets_crc;
    header.targets_offset = layout->targets_offset;
    header.num_target_words = layout->num_target_words;
    header.ladders_offset = layout->ladders_offset;
    header.num_ladder_words = layout->num_ladder_words;
    header.ladders_crc = layout->ladders_crc;
    if (layout->has_many_texts) header.extras |= golois::kHasManyTexts;
    if (layout->ownership_offset) header.extras |= golois::kHasOwnership;
    header.ownership_crc = layout->ownership_crc;
    golois::set_game_type(header, to_game_type(layout->game));
    golois::seal(header);
    std::memcpy(bytes, &header, sizeof header);
  });
}

int32_t golois_packed_file_moves(const golois_packed_file *file, int64_t index, uint16_t *points,
                                 uint8_t *colours, uint8_t *value_hundredths, int64_t capacity) {
  return guarded([&] {
    const golois::PackedGame game = file->file.game(static_cast<uint64_t>(index));
    require_capacity(capacity, static_cast<uint64_t>(game.num_moves()));
    for (int i = 0; i < game.num_moves(); ++i) {
      const golois::PackedMove move = game.move(i);
      points[i] = static_cast<uint16_t>(move.point());
      colours[i] = game.colour(i);
      value_hundredths[i] = static_cast<uint8_t>(move.value_hundredths());
    }
  });
}

int64_t golois_packed_file_num_target_words(const golois_packed_file *file, int64_t game) {
  int64_t num_words = 0;
  const int32_t status = guarded([&] {
    for_each_target(file->file, game, [&](const golois::PackedTarget &target) {
      num_words += static_cast<int64_t>(target.num_words());
    });
  });
  return status == golois::kOk ? num_words : -1;
}

int32_t golois_packed_file_targets(const golois_packed_file *file, int64_t game, uint16_t *words,
                                   int64_t capacity) {
  return guarded([&] {
    size_t num_words = 0;
    for_each_target(file->file, game, [&](const golois::PackedTarget &target) {
      require_capacity(capacity, num_words + target.num_words());
      std::copy_n(target.words(), target.num_words(), words + num_words);
      num_words += target.num_words();
    });
  });
}

int32_t golois_rank(const char *text) { return golois::parse_rank(text); }

golois_importer *golois_importer_create(const golois_game_filter *filter, int32_t num_threads) {
  return created([&] {
    const golois::GameFilter wanted{filter->drops_duplicates, filter->drops_handicap,
                                    filter->lowest_rank, filter->highest_rank};
    return new golois_importer{golois::Importer(wanted, num_threads)};
  });
}

golois_importer *golois_analysis_importer_create(int32_t winrates_of, double least_share,
                                                 int32_t num_threads) {
  return created([&] {
    if (winrates_of < golois::kEmpty || winrates_of > golois::kWhite)
      throw Error("winrates_of must be 0, 1 or 2");
    const golois::AnalysisOptions options{static_cast<Colour>(winrates_of), least_share};
    return new golois_importer{golois::Importer(options, num_threads)};
  });
}

void golois_importer_destroy(golois_importer *importer) { delete importer; }

int32_t golois_importer_begin_source(golois_importer *importer, const char *location,
                                     const char *source) {
  return guarded([&] { importer->importer.begin_source(location, source); });
}

int32_t golois_importer_feed(golois_importer *importer, const uint8_t *bytes, int64_t num_bytes) {
  return guarded([&] {
    importer->importer.feed(
        {reinterpret_cast<const char *>(bytes), static_cast<size_t>(num_bytes)});
  });
}

int32_t golois_importer_end_source(golois_importer *importer, const char *fault) {
  return guarded([&] { importer->importer.end_source(fault == nullptr ? "" : fault); });
}

int32_t golois_importer_finish(golois_importer *importer) {
  return guarded([&] { importer->importer.finish(); });
}

int32_t golois_importer_add(golois_importer *importer, const uint16_t *points,
                            const uint8_t *colours, const uint8_t *value_hundredths,
                            int64_t num_moves, int32_t komi_quarters, int32_t winner,
                            int32_t margin_halves, bool is_played_out, const char *rules,
                            const char *source, const uint16_t *target_words,
                            int64_t num_target_words) {
  return guarded([&] {
    golois::RecordedGame game;
    game.komi_quarters = static_cast<int16_t>(komi_quarters);
    game.result = {true, static_cast<Colour>(winner), static_cast<int16_t>(margin_halves)};
    game.is_played_out = is_played_out;
    game.rules = rules;
    game.source = source;
    for (int64_t i = 0; i < num_moves; ++i)
      game.moves.push_back(checked_move(points[i], colours[i], value_hundredths[i]));
    golois::PackedRecord packed = golois::pack(game);
    attach_targets(packed, target_words, num_target_words);
    importer->importer.packer().add(packed);
  });
}

int32_t golois_importer_add_finished(golois_importer *importer, const golois_game *start,
                                     const golois_game_type *type, const int32_t *moves,
                                     const uint8_t *value_hundredths, int64_t num_moves,
                                     int32_t komi_quarters, int32_t winner, int32_t margin_halves,
                                     const uint16_t *target_words, int64_t num_target_words) {
  return guarded([&] {
    golois::RecordedGame game;
    game.komi_quarters = static_cast<int16_t>(komi_quarters);
    game.result = {true, static_cast<Colour>(winner), static_cast<int16_t>(margin_halves)};
    const int pass = start->game->shape().pass();
    for (int64_t i = 0; i < num_moves; ++i) {
      if (moves[i] < 0 || moves[i] > pass)
        throw Error("move " + std::to_string(i + 1) + ": " + std::to_string(moves[i]) +
                    " is not on the board");
      const int point = moves[i] == pass ? golois::kPass19 : moves[i];
      game.moves.push_back(checked_move(point, golois::kBlack, value_hundredths[i]));
      game.moves.back().is_unlabelled = value_hundredths[i] == golois::kNoValue;
    }
    game.targets = golois::read_targets(target_words, static_cast<size_t>(num_target_words));
    importer->importer.packer().add(
        golois::pack_finished(*start->game, to_game_type(*type), std::move(game)));
  });
}

int64_t golois_importer_num_words(const golois_importer *importer) {
  return static_cast<int64_t>(importer->importer.packer().words().size());
}

int32_t golois_importer_take_words(golois_importer *importer, uint16_t *words, int64_t capacity) {
  return guarded([&] {
    golois::Packer &packer = importer->importer.packer();
    copy_all(packer.words(), words, capacity);
    packer.clear_words();
  });
}

int64_t golois_importer_num_games(const golois_importer *importer) {
  return static_cast<int64_t>(importer->importer.packer().rows().size());
}

uint64_t golois_importer_num_positions(const golois_importer *importer) {
  return importer->importer.packer().num_positions();
}

int32_t golois_importer_rows(const golois_importer *importer, uint8_t *rows, int64_t capacity) {
  return guarded([&] {
    const auto &all = importer->importer.packer().rows();
    require_capacity(capacity, all.size() * sizeof(golois::GameRow));
    if (!all.empty()) std::memcpy(rows, all.data(), all.size() * sizeof(golois::GameRow));
  });
}

int64_t golois_importer_num_target_words(const golois_importer *importer) {
  return static_cast<int64_t>(importer->importer.packer().target_words().size());
}

int32_t golois_importer_target_index(const golois_importer *importer, uint32_t *index,
                                     int64_t capacity) {
  return guarded([&] { copy_all(importer->importer.packer().target_index(), index, capacity); });
}

int32_t golois_importer_target_words(const golois_importer *importer, uint16_t *words,
                                     int64_t capacity) {
  return guarded([&] { copy_all(importer->importer.packer().target_words(), words, capacity); });
}

const char *golois_importer_rules(const golois_importer *importer, int64_t text) {
  const auto *texts = find(importer->importer.packer().texts().all(), text);
  return texts == nullptr ? nullptr : texts->first.c_str();
}

const char *golois_importer_source(const golois_importer *importer, int64_t text) {
  const auto *texts = find(importer->importer.packer().texts().all(), text);
  return texts == nullptr ? nullptr : texts->second.c_str();
}

const char *golois_importer_report(const golois_importer *importer, int64_t index) {
  const auto *report = find(importer->importer.reports(), index);
  return report == nullptr ? nullptr : report->c_str();
}

bool golois_importer_drop(const golois_importer *importer, int64_t index,
                          golois_tally_entry *entry) {
  return copy_entry(importer->importer.drops(), index, entry);
}

bool golois_importer_assumption(const golois_importer *importer, int64_t index,
                                golois_tally_entry *entry) {
  return copy_entry(importer->importer.assumptions(), index, entry);
}

const char *golois_drop_reason(int32_t reason) {
  const auto *name = find(golois::kDropReasonNames, reason);
  return name == nullptr ? nullptr : *name;
}

uint64_t golois_importer_num_dropped(const golois_importer *importer, int32_t reason) {
  return golois_drop_reason(reason) == nullptr
             ? 0
             : importer->importer.num_dropped(static_cast<DropReason>(reason));
}
