#include "games/nogo.hpp"

#include "games/nogo_rules.hpp"
#include "planes/zero_planes.hpp"

namespace golois {

namespace {

GameShape shape_of(int size, NoGoPlanes planes) {
  return {{size, planes == NoGoPlanes::kNoGo ? kNumNoGoPlanes : kNumZeroPlanes},
          size * size,
          kNumSymmetries};
}

}  // namespace

NoGoGame::NoGoGame(int size, NoGoPlanes planes)
    : StoneGame(shape_of(size, planes), Position(size)), planes_(planes) {}

uint64_t NoGoGame::planes_key() const { return position_.recent_key(kNumZeroStates); }

PointSet NoGoGame::candidates() const { return nogo_moves(position_.board(), to_play()); }

Legality NoGoGame::legality(int move) const {
  if (move == position_.pass()) return Legality::kNoPass;
  const Legality in_go = position_.board().legality(move, position_.to_play());
  if (in_go != Legality::kLegal) return in_go;
  return position_.board().contact_of(move, position_.to_play()).captures ? Legality::kCapture
                                                                          : Legality::kLegal;
}

void NoGoGame::write_planes(int symmetry, LadderReadings, std::vector<LadderReading> &readings,
                            float *planes) {
  readings.clear();
  const auto past = position_.recent<kNumZeroStates>();
  const PlaneWords words = planes_ == NoGoPlanes::kNoGo
                               ? nogo_plane_words(position_.board(), past, to_play())
                               : zero_plane_words(position_.size(), past, to_play());
  golois::write_planes(words, shape().planes, symmetry, planes);
}

}  // namespace golois
