// in_flight.cu - Launches of one kernel that are in flight at once, on a GPU.
//
// in_flight ROUNDS       each situation below, so many times; a JSON object of what was wrong
// in_flight --host-time  what a call costs the host; a JSON object of microseconds
//
// Causal attention has the dynamic tile scheduler, and so an atomic tile counter (runtime/host/tile_counter.h). Each
// situation brings two of its launches together that must not notice each other. Every output is poisoned before a
// launch and compared bit by bit with that of a launch that was alone: a tile's arithmetic does not depend on the block
// that computes it. Uses the C interface alone, so that it also builds against an older runtime.
#include "attention.h"
#include "gemm.h"
#include "gemm_layouts.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

static void check(cudaError_t error, const char *what, int line) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "in_flight.cu:%d: %s: %s\n", line, what, cudaGetErrorString(error));
  exit(1);
}
#define CHECK(call) check(call, #call, __LINE__)

static void check(const tk_status &status) {
  if (status.code == TK_OK)
    return;
  fprintf(stderr, "%s\n", status.message);
  exit(1);
}

__global__ void fill(uint16_t *values, int64_t count, uint32_t seed) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < count; i += int64_t(gridDim.x) * blockDim.x) {
    uint32_t bits = (uint32_t(i) + seed) * 2654435761u;
    bits ^= bits >> 15;
    values[i] = uint16_t((bits & 0x8000) | 0x3e00 | (bits & 0x1ff)); // bf16 of about 1/8 to 1/2, of both signs
  }
}

__global__ void compare(const uint32_t *found, const uint32_t *wanted, int64_t words, uint8_t *wrong) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < words; i += int64_t(gridDim.x) * blockDim.x)
    if (found[i] != wanted[i])
      *wrong = 1;
}

// Until the host has set it.
__global__ void hold(const volatile int *released) {
  while (!*released)
    __nanosleep(1000);
}

template <typename T> static T *allocate(int64_t count) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, size_t(count) * sizeof(T)));
  return memory;
}

static tk_tensor contiguous(void *data, tk_dtype dtype, std::vector<int64_t> extents) {
  tk_tensor tensor = {};
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.rank = int32_t(extents.size());
  int64_t stride = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    tensor.extents[i] = extents[size_t(i)];
    tensor.strides[i] = stride;
    stride *= extents[size_t(i)];
  }
  return tensor;
}

// Causal attention of one batch, head size 128: `heads` * `rows` / 128 tiles.
struct attention_problem {
  int64_t heads, rows, count;
  uint16_t *q, *k, *v, *wanted;
  float *l; // all launches write the same to it
  static constexpr int most_verdicts = 1 << 20;
  uint8_t *wrong;                         // of each launch that was judged
  mutable std::atomic<int> verdicts{0};

  attention_problem(int64_t heads, int64_t rows) : heads(heads), rows(rows), count(heads * rows * 128) {
    q = allocate<uint16_t>(count), k = allocate<uint16_t>(count), v = allocate<uint16_t>(count);
    uint32_t seed = 1;
    for (uint16_t *values : {q, k, v})
      fill<<<132, 256>>>(values, count, seed += 1000003);
    l = allocate<float>(heads * rows);
    wrong = allocate<uint8_t>(most_verdicts);
    CHECK(cudaMemset(wrong, 0, most_verdicts));
    wanted = output();
    CHECK(cudaDeviceSynchronize());
    run(wanted, nullptr);
    CHECK(cudaDeviceSynchronize());
    uint16_t *again = output();
    run(again, nullptr);
    judge(again, nullptr);
    if (mistakes())
      fprintf(stderr, "two launches that were alone differ\n"), exit(1);
    CHECK(cudaFree(again));
  }

  uint16_t *output() const {
    uint16_t *memory = allocate<uint16_t>(count);
    CHECK(cudaMemset(memory, 0xff, size_t(count) * 2));
    return memory;
  }
  void poison(uint16_t *o, cudaStream_t stream) const {
    CHECK(cudaMemsetAsync(o, 0xff, size_t(count) * 2, stream)); // NaN
  }
  void launch(uint16_t *o, cudaStream_t stream) const {
    const tk_tensor Q = contiguous(q, TK_BF16, {1, heads, rows, 128}), K = contiguous(k, TK_BF16, {1, heads, rows, 128}),
                    V = contiguous(v, TK_BF16, {1, heads, rows, 128}), O = contiguous(o, TK_BF16, {1, heads, rows, 128}),
                    L = contiguous(l, TK_F32, {1, heads, rows});
    check(attention_causal(&Q, &K, &V, &O, &L, 0.088f, stream));
  }
  void run(uint16_t *o, cudaStream_t stream) const {
    poison(o, stream);
    launch(o, stream);
  }
  void judge(const uint16_t *o, cudaStream_t stream) const {
    compare<<<16, 256, 0, stream>>>(reinterpret_cast<const uint32_t *>(o), reinterpret_cast<const uint32_t *>(wanted),
                                    count / 2, wrong + verdicts++ % most_verdicts);
    CHECK(cudaGetLastError());
  }
  // Wrong launches since the last call.
  long mistakes() const {
    std::vector<uint8_t> found(most_verdicts);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(found.data(), wrong, most_verdicts, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(wrong, 0, most_verdicts));
    verdicts = 0;
    return std::count(found.begin(), found.end(), 1);
  }
};

static cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

// What `work` does in `stream`, as a graph.
static cudaGraph_t captured(cudaStream_t stream, const std::function<void()> &work) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  work();
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

static cudaGraphExec_t instance(cudaGraph_t graph) {
  cudaGraphExec_t result = nullptr;
  CHECK(cudaGraphInstantiate(&result, graph, 0));
  return result;
}

struct results {
  bool first = true, all_right = true;
  void report(const char *what, long launches, long wrong, double seconds) {
    printf("%s\n  \"%s\": {\"launches\": %ld, \"wrong\": %ld, \"seconds\": %.2f}", first ? "{" : ",", what, launches,
           wrong, seconds);
    fflush(stdout);
    first = false;
    all_right &= wrong == 0;
  }
};

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static int run_all(int rounds) {
  const attention_problem big(16, 2048), small(1, 128), middle(40, 512); // 256, 1 and 160 tiles
  cudaStream_t one = new_stream(), two = new_stream(), three = new_stream();
  uint16_t *a = big.output(), *b = big.output(), *c = small.output();
  results all;

  { // Nodes that were captured 1024 launches apart.
    const double start = now();
    cudaGraph_t first = captured(one, [&] { big.run(a, one); });
    cudaGraph_t between = captured(one, [&] {
      for (int i = 0; i < 1023; ++i)
        small.launch(c, one);
    });
    cudaGraph_t last = captured(one, [&] { big.run(b, one); });
    CHECK(cudaGraphDestroy(between));
    cudaGraphExec_t left = instance(first), right = instance(last);
    for (int round = 0; round < rounds; ++round) {
      CHECK(cudaGraphLaunch(left, one));
      CHECK(cudaGraphLaunch(right, two));
      big.judge(a, one), big.judge(b, two);
      CHECK(cudaStreamSynchronize(one));
      CHECK(cudaStreamSynchronize(two));
    }
    all.report("two graphs, captured 1024 launches apart", 2L * rounds, big.mistakes(), now() - start);
  }

  { // One stream waits for an event while another makes 1024 launches.
    const double start = now();
    int *released = nullptr;
    CHECK(cudaMallocHost(&released, sizeof *released));
    cudaEvent_t go;
    CHECK(cudaEventCreateWithFlags(&go, cudaEventDisableTiming));
    for (int round = 0; round < rounds; ++round) {
      *static_cast<volatile int *>(released) = 0;
      hold<<<1, 1, 0, three>>>(released);
      CHECK(cudaEventRecord(go, three));
      big.poison(a, one), big.poison(b, two);
      CHECK(cudaStreamWaitEvent(one, go, 0));
      big.launch(a, one);
      for (int i = 0; i < 1023; ++i)
        small.launch(c, two);
      CHECK(cudaStreamWaitEvent(two, go, 0));
      big.launch(b, two);
      *static_cast<volatile int *>(released) = 1;
      big.judge(a, one), big.judge(b, two);
      CHECK(cudaDeviceSynchronize());
    }
    all.report("a stream that waits beside 1024 launches of another", 2L * rounds, big.mistakes(), now() - start);
  }

  // Host threads, with a stream each, with the stream that CUDA has for each, and all in one stream.
  for (const char *which : {"a stream each", "cudaStreamPerThread", "one stream"}) {
    const double start = now();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        uint16_t *o = middle.output();
        CHECK(cudaDeviceSynchronize());
        cudaStream_t own = !strcmp(which, "a stream each") ? new_stream() : nullptr;
        cudaStream_t stream = own ? own : !strcmp(which, "one stream") ? one : cudaStreamPerThread;
        for (int round = 0; round < rounds; ++round) {
          middle.run(o, stream);
          middle.judge(o, stream);
        }
        CHECK(cudaStreamSynchronize(stream));
      });
    for (std::thread &thread : threads)
      thread.join();
    all.report((std::string("8 host threads, ") + which).c_str(), 8L * rounds, middle.mistakes(), now() - start);
  }

  { // A long graph beside launches of its own stream's neighbour.
    const double start = now();
    constexpr int nodes = 3000, outputs = 16;
    std::vector<uint16_t *> o;
    for (int i = 0; i <= outputs; ++i)
      o.push_back(middle.output());
    cudaGraphExec_t graph = instance(captured(one, [&] {
      for (int i = 0; i < nodes; ++i)
        middle.launch(o[size_t(i % outputs)], one);
    }));
    const int replays = std::max(1, rounds / 50);
    for (int replay = 0; replay < replays; ++replay) {
      for (int i = 0; i < outputs; ++i)
        middle.poison(o[size_t(i)], one);
      CHECK(cudaGraphLaunch(graph, one));
      for (int i = 0; i < 50; ++i) {
        middle.run(o[outputs], two);
        middle.judge(o[outputs], two);
        CHECK(cudaStreamSynchronize(two));
      }
      for (int i = 0; i < outputs; ++i)
        middle.judge(o[size_t(i)], one);
      CHECK(cudaStreamSynchronize(one));
    }
    all.report("a graph of 3000 launches beside others", long(replays) * (nodes + 50), middle.mistakes(), now() - start);
  }

  { // Two instances of one graph, which is twice a child of a third, too.
    const double start = now();
    cudaGraph_t graph = captured(one, [&] { big.launch(a, one); });
    cudaGraph_t parent = nullptr;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&parent, 0));
    for (int i = 0; i < 2; ++i)
      CHECK(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph));
    cudaGraphExec_t left = instance(graph), right = instance(graph), both = instance(parent);
    for (int round = 0; round < rounds; ++round) {
      big.poison(a, one);
      CHECK(cudaStreamSynchronize(one));
      CHECK(cudaGraphLaunch(left, one));
      big.judge(a, one); // right when this instance is over, whatever the other one does
      CHECK(cudaGraphLaunch(right, two));
      big.judge(a, two);
      CHECK(cudaGraphLaunch(both, three));
      big.judge(a, three);
      CHECK(cudaDeviceSynchronize());
    }
    all.report("instances and clones of one graph", 4L * rounds, big.mistakes(), now() - start);
  }

  { // A stream is destroyed with work in it, and its handle comes back; more streams than there are places for.
    const double start = now();
    const int streams = rounds < 1000 ? rounds : 5 * rounds;
    for (int i = 0; i < streams; ++i) {
      cudaStream_t gone = new_stream();
      middle.run(a, gone);
      middle.judge(a, gone);
      CHECK(cudaStreamDestroy(gone));
      cudaStream_t next = new_stream();
      middle.run(b, next);
      middle.judge(b, next);
      CHECK(cudaStreamDestroy(next));
      CHECK(cudaDeviceSynchronize());
    }
    all.report("streams that are destroyed with work in them", 2L * streams, middle.mistakes(), now() - start);
  }
  printf("\n}\n");
  return all.all_right ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// Host time
//===----------------------------------------------------------------------===//

// Microseconds of one call, the median of many batches that the GPU has room to queue.
static double microseconds(cudaStream_t stream, const std::function<void()> &call) {
  constexpr int batches = 41, calls = 400;
  std::vector<double> each;
  for (int batch = 0; batch < batches; ++batch) {
    CHECK(cudaStreamSynchronize(stream));
    const double start = now();
    for (int i = 0; i < calls; ++i)
      call();
    each.push_back((now() - start) / calls * 1e6);
  }
  CHECK(cudaStreamSynchronize(stream));
  std::sort(each.begin(), each.end());
  return each[batches / 2];
}

static int host_time() {
  cudaStream_t stream = new_stream();
  const attention_problem small(1, 128);
  const attention_problem timed(16, 2048);
  uint16_t *o = small.output();
  uint16_t *x = allocate<uint16_t>(3 * 128 * 256);
  fill<<<132, 256>>>(x, 3 * 128 * 256, 1);
  CHECK(cudaDeviceSynchronize());
  const tk_tensor A = contiguous(x, TK_BF16, {128, 64}), B = contiguous(x + 128 * 256, TK_BF16, {64, 256}),
                  C = contiguous(x + 2 * 128 * 256, TK_BF16, {128, 256});
  const double gemm_us = microseconds(stream, [&] { check(gemm(&A, &B, &C, stream)); });
  const double nn_us = microseconds(stream, [&] { check(gemm_nn(&A, &B, &C, stream)); });
  const double attention_us = microseconds(stream, [&] { small.launch(o, stream); });

  // The GPU time of a launch with the dynamic tile scheduler, and of one in the static order.
  uint16_t *large = timed.output();
  cudaEvent_t first, last;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  constexpr int launches = 50;
  cudaGraphExec_t graph = instance(captured(stream, [&] {
    for (int i = 0; i < launches; ++i)
      timed.launch(large, stream);
  }));
  float dynamic_ms = 1e9f, static_ms = 1e9f;
  for (int round = 0; round < 20; ++round) {
    float ms = 0;
    CHECK(cudaEventRecord(first, stream));
    for (int i = 0; i < launches; ++i)
      timed.launch(large, stream);
    CHECK(cudaEventRecord(last, stream));
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaEventElapsedTime(&ms, first, last));
    dynamic_ms = std::min(dynamic_ms, ms);
    CHECK(cudaEventRecord(first, stream));
    CHECK(cudaGraphLaunch(graph, stream));
    CHECK(cudaEventRecord(last, stream));
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaEventElapsedTime(&ms, first, last));
    static_ms = std::min(static_ms, ms);
  }
  printf("{\"gemm\": %.3f, \"gemm_nn\": %.3f, \"attention_causal\": %.3f,\n \"attention_causal 16x2048 on the GPU, "
         "launches\": %.3f, \"... in a graph\": %.3f}\n",
         gemm_us, nn_us, attention_us, dynamic_ms * 1e3 / launches, static_ms * 1e3 / launches);
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "--host-time"))
    return host_time();
  return run_all(count == 2 ? atoi(arguments[1]) : 1000);
}
