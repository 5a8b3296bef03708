// Any bytes are a packed file that is refused or read to its end.
#include "packed_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  golois::PackedBytes bytes(std::string(reinterpret_cast<const char *>(data), size));
  golois::read_all(bytes);
  bytes.reseal();
  golois::read_all(bytes);
  return 0;
}
