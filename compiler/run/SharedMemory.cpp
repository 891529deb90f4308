//===- SharedMemory.cpp - Memory that started programs see too ------------===//
#include "run/SharedMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace tkc::run;

SharedMemory::SharedMemory() : descriptor(memfd_create("tkc-run", 0)) {
  if (descriptor < 0)
    llvm::report_fatal_error("no memory can be shared with another process",
                             /*gen_crash_diag=*/false);
}

SharedMemory::~SharedMemory() {
  for (const Piece &piece : pieces)
    munmap(piece.start, piece.bytes);
  close(descriptor);
}

uint8_t *SharedMemory::take(size_t bytes) {
  size_t offset = pieces.empty() ? 0 : pieces.back().offset + pieces.back().bytes;
  bytes = llvm::alignTo(bytes, uint64_t(sysconf(_SC_PAGESIZE)));
  void *start = MAP_FAILED;
  if (ftruncate(descriptor, off_t(offset + bytes)) == 0)
    start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset));
  if (start == MAP_FAILED)
    llvm::report_fatal_error("memory ran out", /*gen_crash_diag=*/false);
  pieces.push_back({static_cast<uint8_t *>(start), bytes, offset});
  return pieces.back().start;
}

size_t SharedMemory::offsetOf(const void *address) const {
  auto *byte = static_cast<const uint8_t *>(address);
  for (const Piece &piece : pieces)
    if (byte >= piece.start && byte < piece.start + piece.bytes)
      return piece.offset + size_t(byte - piece.start);
  llvm::report_fatal_error("an address is not in the shared memory");
}
