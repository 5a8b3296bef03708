#include "sgf.hpp"

#include <algorithm>
#include <cstring>

#include "decimal.hpp"
#include "drop.hpp"

namespace golois {

namespace {

constexpr size_t kMaxTextLength = 200;  // of the texts about a game
constexpr int kNoSgfPoint = -1;

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// The one- or two-letter identifiers as numbers, for a switch.
constexpr int id(char first, char second = '\0') { return first | second << 8; }

int parse_point(std::string_view text) {
  if (text.empty() || text == "tt") return kPass19;
  if (text.size() != 2) return kNoSgfPoint;
  const int column = text[0] - 'a', row = text[1] - 'a';
  const bool on_board = column >= 0 && column < kMaxSize && row >= 0 && row < kMaxSize;
  return on_board ? row * kMaxSize + column : kNoSgfPoint;
}

int parse_integer(std::string_view text, int otherwise) {
  skip_space(text);
  return static_cast<int>(read_decimal(text, 0).value_or(otherwise));
}

// A property's text without its escapes, at most kMaxTextLength bytes of it.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size() && plain.size() < kMaxTextLength; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

// KataGo's comment "0.53 0.47 0.00 0.4 v=1": White wins, White loses, no result, White's lead; else kNoValue.
uint8_t parse_value(std::string_view comment) {
  constexpr int kNumNumbers = 4;
  int64_t numbers[kNumNumbers];
  for (int64_t &number : numbers) {
    const auto read = read_decimal(comment, 2);
    const bool ends = comment.empty() || comment[0] == ' ';
    if (!read || !ends) return kNoValue;
    number = *read;
    skip_space(comment);
  }
  const auto is_probability = [](int64_t p) { return p >= 0 && p <= 100; };
  const bool are_probabilities = std::all_of(numbers, numbers + 3, is_probability);
  const int64_t sum = numbers[0] + numbers[1] + numbers[2];
  if (!are_probabilities || sum < 98 || sum > 102) return kNoValue;
  return static_cast<uint8_t>(numbers[0]);
}

class Parser {
 public:
  Parser(std::string_view text, RecordedGame &game)
      : next_(text.data()), end_(text.data() + text.size()), game_(game) {}

  void parse() {
    for (;;) {
      skip_spaces();
      if (next_ == end_) throw Dropped(DropReason::kMalformed, "the game tree has no end");
      const char c = *next_;
      if (c == ')') break;
      if (is_upper(c) || is_lower(c)) {
        parse_property();
      } else if (c == ';' || c == '(') {
        end_node();
        ++next_;
      } else {
        throw Dropped(DropReason::kMalformed, unexpected(c));
      }
    }
    end_node();
  }

 private:
  static std::string unexpected(char c) {
    return "a node or property cannot begin with " +
           (c > ' ' && c < '\x7f' ? std::string{'\'', c, '\''}
                                  : "byte " + std::to_string(static_cast<unsigned char>(c)));
  }

  void skip_spaces() {
    while (next_ != end_ && is_space(*next_)) ++next_;
  }

  void parse_property() {
    const int identifier = parse_identifier();
    skip_spaces();
    if (next_ == end_ || *next_ != '[')
      throw Dropped(DropReason::kMalformed, "a property's name must be followed by '['");
    while (next_ != end_ && *next_ == '[') {
      take(identifier, parse_value_text());
      skip_spaces();
    }
  }

  // Only capitals count: FF[3] writes "Black[dd]" as well. A name of more than two letters is never looked up.
  int parse_identifier() {
    int identifier = 0, num_capitals = 0;
    for (; next_ != end_ && (is_upper(*next_) || is_lower(*next_)); ++next_)
      if (is_upper(*next_)) identifier |= num_capitals < 2 ? *next_ << 8 * num_capitals++ : 1 << 16;
    return identifier;
  }

  // The text between the brackets, escapes left in place.
  std::string_view parse_value_text() {
    const char *begin = ++next_;
    while (next_ != end_ && *next_ != ']') next_ += *next_ == '\\' && end_ - next_ > 1 ? 2 : 1;
    if (next_ == end_) throw Dropped(DropReason::kMalformed, "a property's value has no end");
    return {begin, static_cast<size_t>(next_++ - begin)};
  }

  void take(int identifier, std::string_view value) {
    switch (identifier) {
      case id('B'): add_move(value, kBlack); break;
      case id('W'): add_move(value, kWhite); break;
      case id('C'): node_value_ = parse_value(value); break;
      case id('A', 'B'): set_up(value, kBlack); break;
      case id('A', 'W'): set_up(value, kWhite); break;
      case id('A', 'E'): set_up(value, kEmpty); break;
      case id('K', 'M'): set_komi(game_, value); break;
      case id('R', 'E'): set_result(value); break;
      case id('S', 'Z'): game_.size = parse_integer(value, kMaxSize); break;
      case id('H', 'A'): game_.handicap = parse_integer(value, 0); break;
      case id('B', 'R'): game_.black_rank = parse_rank(value); break;
      case id('W', 'R'): game_.white_rank = parse_rank(value); break;
      case id('G', 'M'): game_.game_type = parse_integer(value, 1); break;
      case id('R', 'U'): game_.rules = unescaped(value); break;
      case id('S', 'O'): game_.source = unescaped(value); break;
      case id('P', 'B'): game_.black = unescaped(value); break;
      case id('P', 'W'): game_.white = unescaped(value); break;
      case id('D', 'T'): game_.date = unescaped(value); break;
    }
  }

  void set_result(std::string_view value) {
    game_.result = parse_result(value);
    game_.result_text = unescaped(value);
  }

  void add_move(std::string_view value, Colour colour) {
    const int point = checked_point(value);
    if (point != kNoSgfPoint) append({static_cast<Point>(point), colour});
  }

  // Stops at once where a game is too long: a rectangle of seven bytes is 361 moves.
  void append(const RecordedMove &move) {
    if (game_.moves.size() >= kMaxMoves)
      throw Dropped(DropReason::kTooLong, "more than " + std::to_string(kMaxMoves) + " moves");
    game_.moves.push_back(move);
  }

  // Stones of AB, AW become moves without a label; AE can't be said in moves. "aa:cc" is a rectangle.
  void set_up(std::string_view value, Colour colour) {
    const bool is_rectangle = value.size() == 5 && value[2] == ':';
    const int first = checked_point(value.substr(0, is_rectangle ? 2 : std::string_view::npos));
    const int last = is_rectangle ? checked_point(value.substr(3)) : first;
    if (first == kNoSgfPoint || last == kNoSgfPoint) return;
    if (colour == kEmpty || first == kPass19 || last == kPass19) {
      note_fault("set-up that removes stones or names no point");
      return;
    }
    for (int row = first / kMaxSize; row <= last / kMaxSize; ++row)
      for (int column = first % kMaxSize; column <= last % kMaxSize; ++column)
        append({static_cast<Point>(row * kMaxSize + column), colour, kNoValue, true});
  }

  int checked_point(std::string_view value) {
    const int point = parse_point(value);
    if (point == kNoSgfPoint) note_fault("'" + unescaped(value) + "' is not a point of a 19×19 board");
    return point;
  }

  void note_fault(const std::string &text) {
    if (game_.fault.empty()) game_.fault = text;
  }

  // A node's comment may stand before or after its move, so that values are given at the end of the node.
  void end_node() {
    for (; num_valued_ < game_.moves.size(); ++num_valued_) {
      RecordedMove &move = game_.moves[num_valued_];
      if (!move.is_unlabelled) move.value = node_value_;
    }
    node_value_ = kNoValue;
  }

  const char *next_, *end_;
  RecordedGame &game_;
  size_t num_valued_ = 0;
  uint8_t node_value_ = kNoValue;
};

}  // namespace

void parse_sgf(std::string_view text, RecordedGame &game) {
  game.clear();
  Parser(text, game).parse();
}

}  // namespace golois
