//===- host/tile_counter.h - The atomic tile counter of each launch -------===//
//
// The dynamic tile scheduler (tile/scheduler.h) needs two words in global memory that
// are zero when the kernel starts; the kernel leaves zeros. Two launches that run at
// the same time must never have the same words: each would miss the tiles that the
// other takes. So the words belong to the stream, which keeps launches apart, and a
// launch that nothing keeps apart has none:
//
//   - A launch in a stream has the stream's words. Launches of one stream follow one
//     another, also with programmatic dependent launch: a block takes tiles from the
//     counter after griddepcontrol.wait, which returns when the launch before it is
//     over and its writes are visible. Kernels in between must wait too, as PTX asks
//     of every dependent launch.
//   - A captured launch has none of its own. Instances of one graph, its clones and the graphs
//     it is a child of may all run at once, all with the arguments of the capture.
//     Its blocks take their tiles in a static order, which shares nothing.
//   - A stream is known by its number, which is never used again. A handle is, even
//     while work of its former stream still runs. The per-thread stream goes by a
//     number of the thread. A number has the same place in all contexts, and each
//     context has its own memory.
//   - Places are never given back: nobody knows when a stream's work is over. A
//     stream that finds no place has the static order, too.
//
// A launch that is refused has touched no counter. A kernel that dies takes its
// context with it, and so the words.
//
// Rejected: slots round robin (the last launch with a slot may still wait for an event,
// or be a node of a graph); cudaMallocAsync for each launch (two more calls and a
// memset, and a graph with allocations can be instantiated only once); an epoch in
// place of zeros (a graph replays its arguments). docs/launch.md has the rest.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_TILE_COUNTER_H
#define TK_HOST_TILE_COUNTER_H

#include <host/counter_places.h>
#include <host/device.h>
#include <tile/scheduler.h>

#include <utility>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

static __device__ uint32_t tile_counter_words[tile_counters + 1][2]; // the last ones are for the static order

// The words of this file in the current context.
static inline cudaError_t find_tile_counters(unsigned long long context, uint32_t *&words) {
  static std::mutex lock;
  static std::vector<std::pair<unsigned long long, uint32_t *>> known;

  const std::lock_guard<std::mutex> guard(lock);
  for (const std::pair<unsigned long long, uint32_t *> &each : known)
    if (each.first == context) {
      words = each.second;
      return cudaSuccess;
    }
  const beside_captures loads;
  void *address = nullptr;
  const cudaError_t error = cudaGetSymbolAddress(&address, tile_counter_words);
  if (error == cudaSuccess) {
    words = static_cast<uint32_t *>(address);
    known.emplace_back(context, words);
  }
  return error;
}

// The stream that this thread has of its own.
inline bool is_per_thread(tk_stream stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
  return stream == nullptr || stream == cudaStreamPerThread;
#else
  return stream == cudaStreamPerThread;
#endif
}

inline cudaError_t stream_number(tk_stream stream, uint64_t &number) {
  if (is_per_thread(stream)) {
    static std::atomic<uint64_t> threads{0};
    thread_local const uint64_t own = UINT64_C(1) << 63 | threads++;
    number = own;
    return cudaSuccess;
  }
  unsigned long long id = 0;
  const cudaError_t error = cudaStreamGetId(stream, &id);
  number = uint64_t(id) + 1;
  return error;
}

// The counter of the next launch of the kernel called `name` in `stream`, or the static order.
static inline tk_status next_tile_counter(const char *name, tk_stream stream, tile_counter &counter) {
  device_facts device;
  const tk_status status = current_device(name, device);
  if (status.code != TK_OK)
    return status;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaError_t error = cudaStreamIsCapturing(stream, &capture);
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the stream takes no launch: %s", cudaGetErrorString(error));
  uint64_t number = 0;
  uint32_t *words = nullptr;
  const bool is_captured = capture != cudaStreamCaptureStatusNone;
  if (!is_captured)
    error = stream_number(stream, number);
  if (error == cudaSuccess)
    error = find_tile_counters(device.context, words);
  if (error != cudaSuccess)
    return make_status(TK_LAUNCH_FAILED, name, "the CUDA runtime has no place for the kernel's counters: %s",
                       cudaGetErrorString(error));
  const unsigned place = is_captured ? tile_counters : tile_counter_place(number);
  counter = {words + 2 * place, place == tile_counters};
  return ok_status();
}

} // namespace host
} // namespace tk

#endif // TK_HOST_TILE_COUNTER_H
