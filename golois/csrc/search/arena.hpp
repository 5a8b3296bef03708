// Memory for many small arrays that are all released at once; it keeps its blocks for reuse.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace golois {

class Arena {
 public:
  // Room for `size` uninitialised elements. It stays where it is until clear().
  template <typename Element>
  Element *allocate(int size) {
    static_assert(std::is_trivially_copyable_v<Element> && alignof(Element) <= kAlignment);
    const std::size_t num_bytes =
        (size * sizeof(Element) + kAlignment - 1) / kAlignment * kAlignment;
    if (num_used_ + num_bytes > kBlockBytes) {
      ++block_;
      num_used_ = 0;
    }
    if (block_ == blocks_.size()) blocks_.emplace_back(new std::byte[kBlockBytes]);
    std::byte *first = blocks_[block_].get() + num_used_;
    num_used_ += num_bytes;
    return reinterpret_cast<Element *>(first);
  }

  void clear() { block_ = num_used_ = 0; }

 private:
  static constexpr std::size_t kAlignment = 8, kBlockBytes = 1 << 18;

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t block_ = 0, num_used_ = 0;
};

}  // namespace golois
