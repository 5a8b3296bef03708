// Damaged packed files, for the fuzzer and the native tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "records/record.hpp"

namespace golois {

// The bytes of a packed file, aligned as a memory map is.
class PackedBytes {
 public:
  explicit PackedBytes(const std::string &bytes)
      : words_(bytes.size() / sizeof(uint64_t) + 1), size_(bytes.size()) {
    std::memcpy(words_.data(), bytes.data(), bytes.size());
  }

  uint8_t *data() { return reinterpret_cast<uint8_t *>(words_.data()); }
  size_t size() const { return size_; }
  PackedFile open() { return PackedFile(data(), size_); }

  // Makes the header's checksum and the file's size right, so that damage behind them is reached.
  void reseal() {
    if (size_ < sizeof(FileHeader)) return;
    FileHeader header;
    std::memcpy(&header, data(), sizeof header);
    header.file_size = size_;
    seal(header);
    std::memcpy(data(), &header, sizeof header);
  }

 private:
  std::vector<uint64_t> words_;
  size_t size_;
};

// Opens, reads every record and fills batches as readers of a file do; only Error may come out, and
// is taken.
void read_all(PackedBytes &bytes);

}  // namespace golois
