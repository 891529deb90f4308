//===- tile/profile.h - Records of when the statements of a role begin ----===//
//
// The records that `tkc --profile` adds to a kernel. One thread of each role, and of each
// warpgroup of consumers, writes a record where the role begins something else:
//
//     profile.record(12, k); // wait full
//
// The time from a record to the next one of the same thread is that of the first.
// The number says which statement it is; NAME.profile.json has its line, source
// and reason. In loops that are sampled, `sample` records in some iterations,
// last of all where others follow them. tile/profile_format.h says how the records lie in global memory.
//
// All threads of a warpgroup count, but only one has room to write in: a branch
// would part its warp.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_PROFILE_H
#define TK_TILE_PROFILE_H

#include <ptx/clock.h>
#include <ptx/memory.h>
#include <tile/profile_format.h>

namespace tk {

// Where the records of a launch go.
struct profile_buffer {
  uint32_t *words;
  uint32_t capacity; // records of one stream
  uint32_t size;     // words
};

class profile_stream {
public:
  // `writes` is true in one thread of the role.
  TK_DEVICE profile_stream(const profile_buffer &to, uint64_t build, int kernel, int streams, int stream, bool writes)
      : buffer(to), next(0), end(0) {
    if (!writes)
      return;
    const uint32_t facts = profile_header_words + (blockIdx.x * uint32_t(streams) + uint32_t(stream)) *
                                                      (profile_stream_words + profile_record_words * buffer.capacity);
    next = (facts + profile_stream_words) / profile_record_words;
    end = next + buffer.capacity;
    if (blockIdx.x == 0 && stream == 0) {
      st_global_v4_b32(buffer.words, profile_magic, profile_format, uint32_t(build), uint32_t(build >> 32));
      st_global_v4_b32(buffer.words + 4, uint32_t(kernel), gridDim.x, uint32_t(streams), buffer.capacity);
      st_global_v4_b32(buffer.words + 8, buffer.size, 0, 0, 0);
      st_global_v4_b32(buffer.words + 12, 0, 0, 0, 0);
    }
    st_global_v2_b32(buffer.words + facts, profile_unfinished, sm_index());
    sample(facts + 2);
  }

  // The statement of this number begins, in the iteration of its loop that `iteration` says.
  TK_DEVICE void record(uint32_t number, int iteration = 0) { write(clock_low(), uint32_t(iteration) << 16 | number); }

  // The same in the first iteration of a loop and in one of 32.
  TK_DEVICE void sample(uint32_t number, int iteration) {
    if (samples(iteration))
      record(number, iteration);
  }

  // A tile begins.
  TK_DEVICE void tile(uint32_t number, int x, int y = 0, int z = 0, int w = 0) {
    record(number);
    write(uint32_t(x), uint32_t(y));
    write(uint32_t(z), uint32_t(w));
  }

  // The role is over.
  TK_DEVICE void finish() {
    if (end == 0)
      return;
    const uint32_t begin = end - buffer.capacity, facts = begin * profile_record_words - profile_stream_words;
    sample(facts + 6);
    st_global_v2_b32(buffer.words + facts + 10, 0, 0);
    st_global_b32(buffer.words + facts, next - begin);
  }

private:
  // Kernels have few registers left: these two numbers of records, counted from the buffer's begin, are all that a
  // role keeps. Threads that do not write have no end.
  const profile_buffer &buffer;
  uint32_t next, end;

  // Of those in which the software pipeline is full, the fifth is the first.
  TK_DEVICE static bool samples(int iteration) { return iteration == 0 || uint32_t(iteration) % 32 == 4; }

  TK_DEVICE void write(uint32_t low, uint32_t high) {
    if (next < end)
      st_global_v2_b32(buffer.words + uint64_t(next) * profile_record_words, low, high);
    ++next;
  }

  TK_DEVICE void sample(uint32_t to) const {
    const uint64_t time = global_timer(), clock = clock_cycles();
    st_global_v2_b32(buffer.words + to, uint32_t(time), uint32_t(time >> 32));
    st_global_v2_b32(buffer.words + to + 2, uint32_t(clock), uint32_t(clock >> 32));
  }
};

} // namespace tk

#endif // TK_TILE_PROFILE_H
