#include "importing/games_text.hpp"

#include <string>

#include "kit/decimal.hpp"
#include "records/drop.hpp"

namespace golois {

namespace {

// Numbers are kept in hundredths, which is exact for all that a file holds.
constexpr int64_t kOne = 100;

int64_t read_number(std::string_view &text) {
  const auto number = read_decimal(text, 2);
  if (!number || (!text.empty() && !is_space(text[0])))
    throw Dropped(DropReason::kMalformed,
                  "'" + shown(text.substr(0, text.find(' '))) + "' is not a number");
  skip_space(text);
  return *number;
}

std::vector<int64_t> read_numbers(std::string_view text) {
  std::vector<int64_t> numbers;
  numbers.reserve(text.size() / 4);
  skip_space(text);
  while (!text.empty()) numbers.push_back(read_number(text));
  return numbers;
}

// Where a game's numbers stand: `numbers[0]` is the number of moves.
struct Layout {
  size_t first_move_at, numbers_per_move;
};

Layout find_layout(const std::vector<int64_t> &numbers, bool has_komi) {
  const int64_t num_moves = numbers.empty() ? -1 : numbers[0] / kOne;
  if (num_moves < 0)
    throw Dropped(DropReason::kMalformed, "the number of moves must follow the winner");
  const auto has = [&](int64_t per_move, int64_t before) {
    return static_cast<int64_t>(numbers.size()) == before + per_move * num_moves;
  };
  if (has_komi && has(4, 1)) return {1, 4};
  if (!has_komi && has(2, 2)) return {2, 2};
  if (!has_komi && has(2, 1)) return {1, 2};
  const std::string need = std::string(" moves need ") + (has_komi ? "4" : "2") + " numbers each";
  const std::string found = ": there are " + std::to_string(numbers.size() - 1) + " numbers";
  throw Dropped(DropReason::kMalformed, std::to_string(num_moves) + need + found, need);
}

std::string in_decimals(int64_t hundredths) {
  const std::string digits = std::to_string(kOne + std::abs(hundredths) % kOne);
  return (hundredths < 0 ? "-" : "") + std::to_string(std::abs(hundredths) / kOne) + "." +
         digits.substr(1);
}

RecordedMove read_move(const int64_t *numbers, size_t numbers_per_move) {
  const int64_t point = numbers[0], colour = numbers[1];
  const bool has_value = numbers_per_move == 4 && numbers[2] != -kOne;
  const bool is_point = point % kOne == 0 && point >= 0 && point <= kPass19 * kOne;
  const bool is_colour = colour == 0 || colour == kOne;
  const bool is_value = !has_value || (numbers[2] >= 0 && numbers[2] <= kOne);
  if (!is_point || !is_colour || !is_value) {
    const std::string why = "a move's point, colour or value is out of range";
    const std::string value = has_value ? " " + in_decimals(numbers[2]) : "";
    throw Dropped(DropReason::kMalformed,
                  why + ": " + in_decimals(point) + " " + in_decimals(colour) + value, why);
  }
  RecordedMove move{static_cast<Point>(point / kOne), colour == 0 ? kWhite : kBlack};
  if (has_value) move.value = static_cast<uint8_t>(numbers[2]);
  move.is_unlabelled = numbers_per_move == 4 && !has_value;
  return move;
}

}  // namespace

void parse_games_text(std::string_view text, RecordedGame &game) {
  game.clear();
  const size_t winner_at = text.find_first_of("WB");
  if (winner_at == std::string_view::npos)
    throw Dropped(DropReason::kMalformed, "no winner, W or B: " + shown(text));
  const bool has_komi = winner_at > 0;
  if (has_komi) set_komi(game, text.substr(0, winner_at));
  game.result = {true, text[winner_at] == 'W' ? kWhite : kBlack, kMarginUnknown};

  const std::vector<int64_t> numbers = read_numbers(text.substr(winner_at + 1));
  const Layout layout = find_layout(numbers, has_komi);
  for (size_t at = layout.first_move_at; at < numbers.size(); at += layout.numbers_per_move)
    game.moves.push_back(read_move(&numbers[at], layout.numbers_per_move));
  if (layout.first_move_at == 2)
    for (size_t i = 0; i < game.moves.size() && static_cast<int64_t>(i) < numbers[1] / kOne; ++i)
      game.moves[i].is_unlabelled = true;
}

}  // namespace golois
