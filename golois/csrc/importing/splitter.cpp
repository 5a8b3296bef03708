#include "importing/splitter.hpp"

#include <algorithm>

#include "importing/sgf_properties.hpp"
#include "kit/decimal.hpp"

namespace golois {

namespace {

constexpr size_t kMaxHead = 512;  // of a node, that is searched for properties of a root

bool is_winner(char c) { return c == 'W' || c == 'B'; }

}  // namespace

void Splitter::feed(std::string_view bytes) {
  count_lines(consumed_);
  next_ -= consumed_;
  if (begin_ != kNone) begin_ -= consumed_;
  buffer_.erase(0, consumed_);
  consumed_ = counted_ = 0;
  buffer_.append(bytes);
}

bool Splitter::next(Slice &slice) {
  size_t begin = 0, end = 0;
  const bool found = find(begin, end);
  consumed_ = found ? end : first_needed();
  count_lines(found ? begin : consumed_);
  if (found) slice = {std::string_view(buffer_).substr(begin, end - begin), line_};
  return found;
}

void Splitter::count_lines(size_t end) {
  line_ += static_cast<size_t>(std::count(buffer_.data() + counted_, buffer_.data() + end, '\n'));
  counted_ = end;
}

bool SgfSplitter::find(size_t &begin, size_t &end) {
  Step result = Step::kContinue;
  while (result == Step::kContinue && next_ < buffer_.size()) {
    result = begin_ == kNone ? seek_game() : step();
    if (begin_ != kNone && next_ - begin_ >= kMaxGameBytes) result = Step::kGameEnds;
  }
  const bool is_last = is_finished_ && begin_ != kNone && next_ == buffer_.size();
  if (result != Step::kGameEnds && !is_last) return false;
  begin = begin_;
  end = next_;
  begin_ = kNone;
  return true;
}

// Between games: looks for "(" and, after white space, ";".
SgfSplitter::Step SgfSplitter::seek_game() {
  next_ = std::min(buffer_.find('(', next_), buffer_.size());
  const size_t node = buffer_.find_first_not_of(" \t\r\n", next_ + 1);
  if (node == kNone && !is_finished_ && buffer_.size() - next_ < kMaxGameBytes)
    return Step::kNeedsBytes;
  if (node != kNone && buffer_[node] == ';') {
    begin_ = next_;
    depth_ = 1;
    in_value_ = false;
  }
  if (next_ < buffer_.size()) ++next_;
  return Step::kContinue;
}

SgfSplitter::Step SgfSplitter::step() {
  const char c = buffer_[next_];
  const bool ends_line = c == '\n' || c == '\r';
  if (ends_line || (c == '(' && !in_value_)) {
    const size_t at = ends_line ? next_ + 1 : next_;
    const Answer answer = begins_game(at, ends_line);
    if (answer == Answer::kNeedsBytes) return Step::kNeedsBytes;
    next_ = at;
    if (answer == Answer::kYes) return Step::kGameEnds;
    if (ends_line) return Step::kContinue;
  }
  ++next_;
  if (in_value_) {
    if (c == ']') in_value_ = false;
    if (c != '\\') return Step::kContinue;
    if (next_ < buffer_.size()) {
      ++next_;
    } else if (!is_finished_) {
      --next_;
      return Step::kNeedsBytes;
    }
    return Step::kContinue;
  }
  if (c == '[') in_value_ = true;
  if (c == '(') ++depth_;
  return c == ')' && --depth_ == 0 ? Step::kGameEnds : Step::kContinue;
}

// Whether a parenthesis and a node with a property of a root stand here. Properties of a game may
// also stand in a variation, where several games were merged, so that they count at the beginning
// of a line only. Within a value the node may be quoted: then its brackets are escaped.
SgfSplitter::Answer SgfSplitter::begins_game(size_t at, bool begins_line) const {
  const std::string_view head = std::string_view(buffer_).substr(at, kMaxHead);
  const Answer at_end = head.size() < kMaxHead && !is_finished_ ? Answer::kNeedsBytes : Answer::kNo;
  std::string_view rest = head;
  for (const char expected : {'(', ';'}) {
    if (rest.empty()) return at_end;
    if (rest[0] != expected) return Answer::kNo;
    rest.remove_prefix(1);
    skip_space(rest);
  }
  while (!rest.empty()) {
    const SgfProperty *property = find_sgf_property(read_sgf_name(rest));
    skip_space(rest);
    if (rest.empty()) return at_end;
    if (rest[0] != '[') return Answer::kNo;
    const bool is_of_root = property != nullptr && property->kind == PropertyKind::kRoot;
    const bool is_of_game = property != nullptr && property->kind == PropertyKind::kGame;
    const bool counts = is_of_root || (is_of_game && begins_line);
    if (counts && !in_value_) return Answer::kYes;
    while (!rest.empty() && rest[0] == '[') {
      size_t end = rest.find_first_of("\\]");
      while (end != kNone && rest[end] == '\\') {
        if (in_value_) return Answer::kNo;
        end = rest.find_first_of("\\]", end + 2);
      }
      if (end == kNone) return at_end;
      if (counts) return Answer::kYes;
      rest.remove_prefix(end + 1);
      skip_space(rest);
    }
  }
  return at_end;
}

bool GamesTextSplitter::find(size_t &begin, size_t &end) {
  begin = begin_;
  for (; next_ < buffer_.size(); ++next_) {
    const bool is_inside = begin_ != kNone;
    if (is_winner(buffer_[next_])) {
      end = begin_ = start_of_game(next_++);
      if (is_inside) return true;
      begin = begin_;
    } else if (is_inside && next_ - begin_ >= kMaxGameBytes) {
      end = begin_ = next_;
      return true;
    }
  }
  if (!is_finished_ || begin_ == kNone) return false;
  end = next_;
  begin_ = kNone;
  return true;
}

bool LineSplitter::find(size_t &begin, size_t &end) {
  for (; begin_ == kNone && next_ < buffer_.size(); ++next_)
    if (!is_space(buffer_[next_])) begin_ = next_;
  if (begin_ == kNone) return false;
  const size_t line_end = buffer_.find('\n', next_);
  const bool is_long = buffer_.size() - begin_ >= kMaxGameBytes;
  if (line_end == kNone && !is_finished_ && !is_long) {
    next_ = buffer_.size();
    return false;
  }
  begin = begin_;
  end = next_ = std::min({line_end, buffer_.size(), begin_ + kMaxGameBytes});
  begin_ = kNone;
  return true;
}

// The komi before the winner, which unlike a colour has a decimal point; else the winner itself.
size_t GamesTextSplitter::start_of_game(size_t winner_at) const {
  size_t floor = 0;
  if (begin_ != kNone) {
    const size_t previous_winner = buffer_.find_first_of("WB", begin_);
    floor = previous_winner < winner_at ? previous_winner + 1 : begin_;
  }
  size_t last = winner_at;
  while (last > floor && is_space(buffer_[last - 1])) --last;
  size_t first = last;
  while (first > floor && !is_space(buffer_[first - 1])) --first;
  const bool is_komi = std::string_view(buffer_).substr(first, last - first).find('.') != kNone;
  return is_komi ? first : winner_at;
}

std::unique_ptr<Splitter> make_splitter(std::string_view first_bytes, bool is_all) {
  constexpr size_t kLongestNumber = 32;
  is_all |= first_bytes.size() >= Splitter::kMaxGameBytes;
  skip_space(first_bytes);
  size_t length = 0;
  while (length < first_bytes.size() && !is_space(first_bytes[length])) ++length;
  const bool is_token_complete = length < first_bytes.size() || length > kLongestNumber || is_all;
  if (!is_token_complete) return nullptr;

  std::string_view token = first_bytes.substr(0, length);
  const bool is_winner_token = token.size() == 1 && is_winner(token[0]);
  const bool is_number = length <= kLongestNumber && read_decimal(token, 1) && token.empty();
  if (is_winner_token || is_number) return std::make_unique<GamesTextSplitter>();
  return std::make_unique<SgfSplitter>();
}

}  // namespace golois
