// Any text is a game of games.data that can be packed, or is dropped with a reason.
#include "importing/games_text.hpp"
#include "records/drop.hpp"
#include "records/packer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  golois::RecordedGame game;
  try {
    golois::parse_games_text({reinterpret_cast<const char *>(data), size}, game);
    golois::complete(game);
    golois::pack(game);
  } catch (const golois::Dropped &) {  // counted, as it should be
  }
  return 0;
}
