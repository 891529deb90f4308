//===- SharedMemory.h - Memory that started programs see too --------------===//
#ifndef TKC_RUN_SHAREDMEMORY_H
#define TKC_RUN_SHAREDMEMORY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tkc::run {

/// A file without a name that grows by pieces. A program that is started inherits it and maps it as
/// a whole, so that addresses are told as offsets. Ends the process when memory runs out.
class SharedMemory {
public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// A piece, zeroed, at a multiple of the size of a page.
  uint8_t *take(size_t bytes);
  /// From the start of the file to an address in a piece.
  size_t offsetOf(const void *address) const;
  int file() const { return descriptor; }

private:
  struct Piece {
    uint8_t *start;
    size_t bytes, offset;
  };
  int descriptor;
  std::vector<Piece> pieces;
};

} // namespace tkc::run

#endif // TKC_RUN_SHAREDMEMORY_H
