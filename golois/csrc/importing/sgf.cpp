#include "importing/sgf.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "go/board.hpp"
#include "importing/server_habits.hpp"
#include "importing/sgf_properties.hpp"
#include "kit/decimal.hpp"
#include "records/drop.hpp"

namespace golois {

namespace {

constexpr int kNoSgfPoint = -1;
constexpr const char *kRemovesStones = "set-up that removes stones";

std::string set_up_name(Colour colour) {
  return colour == kBlack ? "AB" : colour == kWhite ? "AW" : "AE";
}

int parse_point(std::string_view text) {
  if (text.empty() || text == "tt") return kPass19;
  if (text.size() != 2) return kNoSgfPoint;
  const int column = text[0] - 'a', row = text[1] - 'a';
  const bool on_board = column >= 0 && column < kMaxSize && row >= 0 && row < kMaxSize;
  return on_board ? row * kMaxSize + column : kNoSgfPoint;
}

// "B" or "W", also in words and, in FF[3], 1 or 2; kEmpty for anything else.
Colour parse_colour(std::string_view text) {
  skip_space(text);
  switch (text.empty() ? '\0' : text[0]) {
    case 'B': case 'b': case '1': return kBlack;
    case 'W': case 'w': case '2': return kWhite;
    default: return kEmpty;
  }
}

// KataGo's comment "0.53 0.47 0.00 0.4 v=1": White wins, White loses, no result, White's lead; else
// kNoValue.
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

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// The stones on the board after some moves; made only where a game is set up again after its first
// move.
class BoardAfter {
 public:
  void follow(const std::vector<RecordedMove> &moves) {
    if (moves.empty()) return;
    if (!board_) board_.emplace(kMaxSize);
    for (; num_moves_ < moves.size(); ++num_moves_) {
      const RecordedMove &move = moves[num_moves_];
      board_->clear_ko();
      if (move.point != kPass19 && board_->legality(move.point, move.colour) == Legality::kLegal)
        board_->play(move.point, move.colour);
    }
  }
  Colour at(Point point) const { return board_ ? board_->at(point) : kEmpty; }

 private:
  std::optional<Board> board_;
  size_t num_moves_ = 0;
};

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
      if (is_letter(c)) {
        parse_property();
      } else if (c == ';' || c == '(') {
        end_node();
        ++next_;
      } else {
        throw Dropped(DropReason::kMalformed, unexpected(c));
      }
    }
    end_node();
    place_set_up();
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
    std::string_view rest{next_, static_cast<size_t>(end_ - next_)};
    const int id = read_sgf_name(rest);
    const std::string_view name{next_, static_cast<size_t>(rest.data() - next_)};
    next_ = rest.data();
    skip_spaces();
    if (next_ == end_ || *next_ != '[')
      throw Dropped(DropReason::kMalformed,
                    "a property's name must be followed by '[': " + shown(name));
    while (next_ != end_ && *next_ == '[') {
      take(id, parse_value_text());
      skip_spaces();
    }
  }

  // The text between the brackets, escapes left in place.
  std::string_view parse_value_text() {
    const char *begin = ++next_;
    while (next_ != end_ && *next_ != ']') next_ += *next_ == '\\' && end_ - next_ > 1 ? 2 : 1;
    if (next_ == end_) throw Dropped(DropReason::kMalformed, "a property's value has no end");
    return {begin, static_cast<size_t>(next_++ - begin)};
  }

  void take(int id, std::string_view value) {
    switch (id) {
      case sgf_id("B"): return add_move(value, kBlack);
      case sgf_id("W"): return add_move(value, kWhite);
      case sgf_id("C"): node_value_ = parse_value(value); return;
      case sgf_id("AB"): return set_up(value, kBlack);
      case sgf_id("AW"): return set_up(value, kWhite);
      case sgf_id("AE"): return set_up(value, kEmpty);
      case sgf_id("PL"): game_.to_play = parse_colour(value); return;
    }
    const SgfProperty *property = find_sgf_property(id);
    if (property != nullptr && property->read != nullptr) property->read(game_, value);
  }

  void add_move(std::string_view value, Colour colour) {
    place_set_up();
    const int point = checked_point(value);
    if (point != kNoSgfPoint) append({static_cast<Point>(point), colour});
    game_.to_play = kEmpty;
  }

  // Stops at once where a game is too long.
  void append(const RecordedMove &move) {
    if (game_.moves.size() >= kMaxMoves)
      throw Dropped(DropReason::kTooLong, "more than " + std::to_string(kMaxMoves) + " moves");
    game_.moves.push_back(move);
  }

  // The last value of a point counts, in however many nodes before the next move; "aa:cc" is a
  // rectangle, from any corner.
  void set_up(std::string_view value, Colour colour) {
    const bool is_rectangle = value.size() == 5 && value[2] == ':';
    const int first = checked_point(value.substr(0, is_rectangle ? 2 : std::string_view::npos));
    const int last = is_rectangle ? checked_point(value.substr(3)) : first;
    const auto is_on_board = [](int point) { return point != kNoSgfPoint && point != kPass19; };
    if (!is_on_board(first) || !is_on_board(last)) return;  // AB[] names no point
    const auto [top, bottom] = std::minmax({first / kMaxSize, last / kMaxSize});
    const auto [left, right] = std::minmax({first % kMaxSize, last % kMaxSize});
    for (int row = top; row <= bottom; ++row)
      for (int column = left; column <= right; ++column)
        set_up_[row * kMaxSize + column] = {++num_set_up_, colour};
  }

  // What is set up becomes moves without a label. Moves cannot say that a stone goes or changes its
  // colour.
  void place_set_up() {
    if (num_set_up_ == 0) return;
    std::vector<std::pair<int, Point>> points;
    for (int point = 0; point < kPass19; ++point)
      if (set_up_[point].order > 0)
        points.emplace_back(set_up_[point].order, static_cast<Point>(point));
    std::sort(points.begin(), points.end());
    board_.follow(game_.moves);
    for (const auto &[order, point] : points) {
      const Colour colour = set_up_[point].colour, before = board_.at(point);
      if (before == colour) continue;
      if (before == kEmpty)
        append({point, colour, kNoValue, true});
      else
        note_fault(kRemovesStones + (": " + set_up_name(colour) + names_of(point)), kRemovesStones);
    }
    set_up_ = {};
    num_set_up_ = 0;
  }

  int checked_point(std::string_view value) {
    const int point = parse_point(value);
    if (point != kNoSgfPoint) return point;
    const std::string fault = "'" + shown(unescaped(value)) + "' is not a point of a 19×19 board";
    note_fault(fault, fault);
    return kNoSgfPoint;
  }

  void note_fault(const std::string &text, const std::string &cause) {
    if (!game_.fault.empty()) return;
    game_.fault = text;
    game_.fault_cause = cause;
  }

  // A node's comment may stand before or after its move, so that values are given at the end of the
  // node.
  void end_node() {
    for (; num_valued_ < game_.moves.size(); ++num_valued_) {
      RecordedMove &move = game_.moves[num_valued_];
      if (!move.is_unlabelled) move.value = node_value_;
    }
    node_value_ = kNoValue;
  }

  struct SetUp {
    int order = 0;  // 0: not set up
    Colour colour = kEmpty;
  };

  const char *next_, *end_;
  RecordedGame &game_;
  std::array<SetUp, kPass19> set_up_{};
  int num_set_up_ = 0;
  BoardAfter board_;
  size_t num_valued_ = 0;
  uint8_t node_value_ = kNoValue;
};

}  // namespace

void parse_sgf(std::string_view text, RecordedGame &game) {
  game.clear();
  Parser(text, game).parse();
  read_as_meant(game);
}

}  // namespace golois
