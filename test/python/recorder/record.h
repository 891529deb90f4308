//===- record.h - What a driver that records remembers of a launch --------===//
//
// Two drivers share it: the one that the native module calls (recorder.cpp), and the
// CUDA runtime that emitted launchers are compiled against (cuda_runtime.h). A tensor
// map is a digest of what it was encoded from.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TEST_RECORD_H
#define TK_TEST_RECORD_H

#include <initializer_list>
#include <stdint.h>
#include <string.h>

namespace record {

constexpr int num_sms = 132;
constexpr uintptr_t counters = 0x700000000000; // never read

struct launch {
  uint64_t count; // of all launches
  uint32_t grid[3], block[3], shared_bytes;
  uint32_t attribute_count;
  struct {
    uint32_t id, x, y, z;
  } attributes[2];
  uint64_t stream;
  uint32_t argument_count;
  uint32_t sizes[128];
  char kernel[256];
  char arguments[8192]; // one after another, without the gaps of an alignment
};

// A stream whose number ends with 1 is being captured.
inline bool is_captured(const void *stream) { return reinterpret_cast<uintptr_t>(stream) & 1; }

inline void encode(void *map, int type, uint32_t rank, const void *data, const uint64_t *extents,
                   const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                   int interleave, int swizzle, int promotion, int fill) {
  uint64_t words[16] = {};
  uint64_t hash = 14695981039346656037u;
  auto mix = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
  for (uint64_t value : {uint64_t(type), uint64_t(rank), uint64_t(interleave), uint64_t(swizzle),
                         uint64_t(promotion), uint64_t(fill)})
    mix(value);
  for (uint32_t i = 0; i < rank; ++i) {
    mix(extents[i]);
    mix(box[i]);
    mix(steps[i]);
    words[2 + i] = extents[i];
    if (i + 1 < rank) {
      mix(strides[i]);
      words[8 + i] = strides[i];
    }
  }
  words[0] = reinterpret_cast<uintptr_t>(data);
  words[1] = hash;
  memcpy(map, words, sizeof(words));
}

} // namespace record

#endif // TK_TEST_RECORD_H
