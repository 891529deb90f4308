//===- host/tile_counter.h - The counters that launches draw tiles from ---===//
//
// A kernel whose blocks draw their tiles needs two words in global memory that are
// zero when it starts; it leaves zeros behind (tile/queue.h). Launches take turns
// with a fixed number of counters, so none has to be allocated or cleared. Two
// launches share one only if a thousand others lie between them; and then the first
// is over, since every block of such a kernel fills a multiprocessor.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_TILE_COUNTER_H
#define TK_HOST_TILE_COUNTER_H

#include <host/status.h>
#include <tile/queue.h>

#include <cuda_runtime.h>

#include <atomic>

namespace tk {
namespace host {

constexpr unsigned tile_counters = 1024;
static __device__ uint32_t tile_counter_words[tile_counters][2];

// A counter for the next launch of the kernel called `name`.
inline tk_status next_tile_counter(const char *name, tile_counter &counter) {
  static std::atomic<unsigned> launches{0};
  void *words = nullptr;
  const cudaError_t error = cudaGetSymbolAddress(&words, tile_counter_words);
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the CUDA runtime has no place for the kernel's counters: %s",
                       cudaGetErrorString(error));
  counter.words = static_cast<uint32_t *>(words) + 2 * (launches++ % tile_counters);
  return ok_status();
}

} // namespace host
} // namespace tk

#endif // TK_HOST_TILE_COUNTER_H
