// Any lines are queries and answers that are packed or refused, alike in whatever pieces they come.
#include <algorithm>
#include <cstdlib>

#include "importing/importer.hpp"

namespace {

void import(golois::Importer &importer, std::string_view bytes, size_t piece_size) {
  importer.begin_source("fuzz", "fuzz");
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_size, bytes.size())))
    importer.feed(bytes.substr(0, piece_size));
  importer.end_source("");
  importer.finish();
}

}  // namespace

// The first byte is the size of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  golois::Importer whole(golois::AnalysisOptions{golois::kEmpty}, 1),
      pieces(golois::AnalysisOptions{golois::kEmpty}, 1);
  import(whole, bytes, size);
  import(pieces, bytes, size_t{data[0]} + 1);
  const bool are_equal = whole.packer().words() == pieces.packer().words() &&
                         whole.reports() == pieces.reports() &&
                         whole.packer().target_words() == pieces.packer().target_words();
  if (!are_equal) std::abort();
  return 0;
}
