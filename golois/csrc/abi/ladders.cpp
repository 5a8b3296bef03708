// The C surface of ladder_words.
#include <algorithm>
#include <utility>
#include <vector>

#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "kit/error.hpp"
#include "kit/share_out.hpp"
#include "records/ladder_words.hpp"

using golois::guarded;
using golois::require_capacity;

struct golois_ladders {
  std::vector<std::vector<uint16_t>> games;
};

golois_ladders *golois_ladders_find(const golois_packed_file *file, int64_t first_game,
                                    int64_t num_games, int32_t num_threads) {
  golois_ladders *ladders = nullptr;
  const int32_t status = guarded([&] {
    std::vector<std::vector<uint16_t>> games(static_cast<size_t>(num_games));
    golois::share_out(num_games, num_threads, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto game = static_cast<uint64_t>(first_game + i);
        const golois::PackedGame recorded = file->file.game(game);
        try {
          games[static_cast<size_t>(i)] = golois::ladder_words(recorded);
        } catch (const golois::Error &error) {
          file->file.refuse_row(game, error.what());
        }
      }
    });
    ladders = new golois_ladders{std::move(games)};
  });
  return status == golois::kOk ? ladders : nullptr;
}

void golois_ladders_destroy(golois_ladders *ladders) { delete ladders; }

int64_t golois_ladders_num_words(const golois_ladders *ladders) {
  int64_t num_words = 0;
  for (const std::vector<uint16_t> &words : ladders->games)
    num_words += static_cast<int64_t>(words.size());
  return num_words;
}

int32_t golois_ladders_copy(const golois_ladders *ladders, uint32_t *num_words, int64_t num_games,
                            uint16_t *words, int64_t capacity) {
  return guarded([&] {
    require_capacity(num_games, ladders->games.size());
    require_capacity(capacity, static_cast<uint64_t>(golois_ladders_num_words(ladders)));
    for (const std::vector<uint16_t> &game : ladders->games) {
      *num_words++ = static_cast<uint32_t>(game.size());
      words = std::copy(game.begin(), game.end(), words);
    }
  });
}
