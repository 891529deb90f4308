//===- wire.h - What goes through a pipe ----------------------------------===//
#ifndef TKC_NVRTC_WIRE_H
#define TKC_NVRTC_WIRE_H

#include <stddef.h>
#include <stdint.h>

// Bytes that grow. Memory that runs out ends the process, which its reader hears of.
struct buffer {
  char *data = nullptr;
  size_t size = 0, capacity = 0;

  char *grow(size_t by); // where the new bytes begin
  void append(const void *bytes, size_t count);
  void append(uint32_t number) { append(&number, sizeof number); }
  void release();
};

// False where the other end is gone, or ends too early.
bool read_all(int file, void *bytes, size_t count);
bool write_all(int file, const void *bytes, size_t count);

// What a message holds, in order: numbers, and texts with their length before and a zero after
// them. A message that ends too early has zeros and empty texts instead.
struct reader {
  char *at, *end;
  bool is_whole = true;

  uint32_t number();
  const char *text();
};

#endif // TKC_NVRTC_WIRE_H
