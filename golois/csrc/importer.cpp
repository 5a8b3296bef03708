#include "importer.hpp"

#include "games_text.hpp"
#include "sgf.hpp"

namespace golois {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

void Importer::begin_source(const std::string &location, const std::string &source) {
  location_ = location;
  source_ = source;
  splitter_.reset();
  first_bytes_.clear();
  has_games_ = false;
}

void Importer::feed(std::string_view bytes) {
  if (splitter_) {
    splitter_->feed(bytes);
  } else {
    first_bytes_.append(bytes);
    choose_splitter(false);
  }
  take_games();
}

void Importer::end_source(const std::string &fault) {
  if (!splitter_) choose_splitter(true);
  splitter_->finish();
  take_games();
  if (!fault.empty())
    drop(splitter_->line(), DropReason::kUnreadable, fault);
  else if (!has_games_)
    drop(splitter_->line(), DropReason::kMalformed, "expected games in SGF or games.data: got none");
  splitter_.reset();
}

void Importer::choose_splitter(bool is_all) {
  std::string_view bytes = first_bytes_;
  if (bytes.size() < kByteOrderMark.size() && !is_all) return;
  if (bytes.substr(0, kByteOrderMark.size()) == kByteOrderMark) bytes.remove_prefix(kByteOrderMark.size());
  splitter_ = make_splitter(bytes, is_all);
  if (!splitter_) return;
  splitter_->feed(bytes);
  first_bytes_.clear();
}

void Importer::take_games() {
  Slice slice;
  while (splitter_ && splitter_->next(slice)) {
    has_games_ = true;
    take_game(slice);
  }
}

void Importer::take_game(const Slice &slice) {
  try {
    if (slice.text.substr(0, 1) == "(")
      parse_sgf(slice.text, game_);
    else
      parse_games_text(slice.text, game_);
    if (game_.source.empty()) game_.source = source_;
    complete(game_);
    if (drops_duplicates_)
      pack_unless_seen();
    else
      packer_.pack(game_);
  } catch (const Dropped &dropped) {
    drop(slice.line, dropped.reason(), dropped.what());
  }
}

void Importer::pack_unless_seen() {
  const uint64_t key = symmetric_key(game_.moves);
  if (seen_.contains(key)) throw Dropped(DropReason::kDuplicate, "the moves of an earlier game, turned or not");
  packer_.pack(game_);
  seen_.insert(key);
}

void Importer::drop(size_t line, DropReason reason, const std::string &why) {
  const auto index = static_cast<size_t>(reason);
  ++num_dropped_[index];
  if (reports_.size() < kMaxReports)
    reports_.push_back(location_ + ":" + std::to_string(line) + ": " + kDropReasonNames[index] + ": " + why);
}

}  // namespace golois
