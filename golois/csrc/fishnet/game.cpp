#include "fishnet/game.hpp"

namespace golois {

FishNet::FishNet(const Isn &network, const FishNetOptions &options)
    : afterstates_(network, options), position_(network.size()) {
  network.evaluate(network.empty_inputs(), views_[kBlack].state);
  views_[kWhite].state = views_[kBlack].state;
  for (Colour colour : {kBlack, kWhite}) remember(colour);
}

void FishNet::play(int move, Colour colour) {
  for (Colour other : {kBlack, kWhite})
    afterstates_.adjust(position_.board(), move, other == colour, views_[other].seen);
  position_.play_unchecked(move, colour);
  View &view = views_[colour];
  afterstates_.update(position_.board(), colour, view.seen, view.state);
  remember(colour);
}

std::array<float, kNumPointOutputs> FishNet::outputs(int point, Colour colour) const {
  const PointState state = state_of(position_.board().at(point), colour);
  return outputs_of(state, views_[colour].state.sums[network().padded(point)]);
}

PointRewards FishNet::rewards(int point, Colour colour) const {
  const PointState state = state_of(position_.board().at(point), colour);
  return rewards_of(state, outputs(point, colour).data(), options().captured);
}

void FishNet::write_values(std::vector<float> &values) {
  const Colour colour = position_.to_play();
  afterstates_.write_values(position_, colour, views_[colour].seen,
                            geometry(position_.size()).points, values);
}

// Keeps what a player's evaluation says for its next one.
void FishNet::remember(Colour colour) {
  Likelihoods &seen = views_[colour].seen;
  for (int p = 0; p < position_.pass(); ++p) {
    const auto of_point = outputs(p, colour);
    switch (state_of(position_.board().at(p), colour)) {
      case PointState::kOwn:
        seen.own[p] = of_point[kZOwn], seen.eye[p] = 0, seen.enemy_eye[p] = of_point[kAOwn];
        break;
      case PointState::kEnemy:
        seen.own[p] = of_point[kZEnemy], seen.eye[p] = of_point[kAEnemy], seen.enemy_eye[p] = 0;
        break;
      default:
        seen.own[p] = of_point[kZEmpty], seen.eye[p] = of_point[kAEye],
        seen.enemy_eye[p] = of_point[kAEnemyEye];
    }
  }
}

}  // namespace golois
