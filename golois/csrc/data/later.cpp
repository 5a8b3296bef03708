#include "data/later.hpp"

#include <cmath>
#include <limits>

namespace golois {

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// White's lead in points; NaN for none.
float known_lead(const PackedTarget &target) {
  return target.lead_tenths() == kNoLead ? kUnknown : target.lead_tenths() / 10.0f;
}

// Whether no move has another value than the result's label, which replaces missing values.
bool is_labelled_by_result(const PackedGame &game) {
  const uint8_t label = result_label(static_cast<Colour>(game.row().winner));
  for (int i = 0; i < game.num_moves(); ++i)
    if (game.move(i).has_value() && game.move(i).value_hundredths() != label) return false;
  return true;
}

class FadingMean {
 public:
  explicit FadingMean(double horizon) : fading_(1 - 1 / horizon) {}

  // The number of the next ply; NaN for none.
  void add(float number) {
    if (!std::isnan(number)) {
      sum_ += weight_ * number;
      weights_ += weight_;
    }
    weight_ *= fading_;
  }
  float mean() const { return weights_ > 0 ? static_cast<float>(sum_ / weights_) : kUnknown; }

 private:
  double fading_, weight_ = 1, sum_ = 0, weights_ = 0;
};

}  // namespace

float known_value(const PackedGame &game, int index, const PackedTarget &target) {
  if (target.value() != kNoTargetValue) return static_cast<float>(target.value()) / kWholeShare;
  const PackedMove move = game.move(index);
  return game.has_values() && move.has_value() ? move.value_hundredths() / 100.0f : kUnknown;
}

Later later(const PackedFile &file, const PackedGame &game, int index, uint64_t position,
            Colour to_play) {
  FadingMean values[]{FadingMean(kHorizons[0]), FadingMean(kHorizons[1]), FadingMean(kHorizons[2])};
  FadingMean lead(kHorizons[0]);
  const bool has_result_alone = is_labelled_by_result(game);
  const auto value_of = [&](int i, const PackedTarget &target) {
    const bool is_unknown = has_result_alone && target.value() == kNoTargetValue;
    return is_unknown ? kUnknown : known_value(game, i, target);
  };
  const PackedTarget now = file.target(position);
  for (int i = index + 1; i < game.num_moves(); ++i) {
    const PackedTarget target =
        game.is_training_position(i) ? file.target(++position) : PackedTarget();
    const float value = value_of(i, target);
    for (FadingMean &mean : values) mean.add(value);
    lead.add(known_lead(target));
  }
  const float sign = to_play == kWhite ? 1.0f : -1.0f;
  Later found{};
  for (size_t i = 0; i < kHorizons.size(); ++i)
    found.values[i] = to_play == kWhite ? values[i].mean() : 1 - values[i].mean();
  found.surprise = {sign * (values[0].mean() - value_of(index, now)),
                    sign * (lead.mean() - known_lead(now))};
  return found;
}

}  // namespace golois
