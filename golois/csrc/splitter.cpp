#include "splitter.hpp"

#include <algorithm>
#include <array>

#include "decimal.hpp"

namespace golois {

namespace {

// Properties that open a root node; after "(;" at the start of a line they mean a new game.
constexpr std::array<std::string_view, 5> kRootProperties = {"GM[", "FF[", "SZ[", "CA[", "AP["};
constexpr size_t kHeadLength = 5;  // of "(;GM["

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
  if (node == kNone && !is_finished_ && buffer_.size() - next_ < kMaxGameBytes) return Step::kNeedsBytes;
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
  if (c == '\n') {
    const bool is_cut_short = buffer_.size() - next_ <= kHeadLength;
    if (is_cut_short && !is_finished_) return Step::kNeedsBytes;
    ++next_;
    return begins_game(next_) ? Step::kGameEnds : Step::kContinue;
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

bool SgfSplitter::begins_game(size_t at) const {
  const std::string_view head = std::string_view(buffer_).substr(at, kHeadLength);
  return head.size() == kHeadLength && head.substr(0, 2) == "(;" &&
         std::find(kRootProperties.begin(), kRootProperties.end(), head.substr(2)) != kRootProperties.end();
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
