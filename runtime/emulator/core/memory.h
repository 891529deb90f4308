//===- core/memory.h - Shared memory that knows who touched it ------------===//
//
// Every access passes here first, in cells of 8 bytes, and is compared with
// the accesses before it by their vector clocks:
//
//   read     the last write must come before it. If the reader is the async
//            proxy (TMA, wgmma) and the writer an ordinary store, a
//            fence.proxy.async of the writer must come between.
//   write    the last write and all reads since then must come before it. If the
//            writer is the async proxy, a fence.proxy.async must follow each
//            ordinary read and write that it overwrites.
//
// An asynchronous access counts from its issue, when it may happen at once, to
// the wait that covers it, when it must have happened. So a missing wait, fence
// or barrier is found whatever this run's timing is.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_MEMORY_H
#define TK_EMULATOR_CORE_MEMORY_H

#include "core/machine.h"

namespace tk::emulator {

enum class proxy { generic, async };

// Whoever is about to access memory: one thread, or the threads of a warpgroup that issue an MMA
// together.
class observer {
public:
  observer(thread &t, proxy through) : single(&t), threads(&single), count(1), through(through) {}
  observer(thread *const *threads, int count)
      : single(threads[0]), threads(threads), count(count), through(proxy::async) {}
  observer(const observer &) = delete;

  // Up to where all of them know what the component did.
  uint32_t knows(uint32_t component) {
    if (component != last_component) {
      last_component = component;
      last_counter = threads[0]->clock[component];
      for (int i = 1, different = differing(); i < different; ++i)
        last_counter = std::min(last_counter, threads[i]->clock[component]);
    }
    return last_counter;
  }
  bool knows(const epoch &e) { return e.counter <= knows(e.component); }

  cluster &together() const { return *single->home->home; }
  bool is_async() const { return through == proxy::async; }

private:
  thread *single;
  thread *const *threads;
  int count;
  proxy through;
  uint32_t last_component = UINT32_MAX, last_counter = 0;
  int differing_threads = 0; // 0: not counted yet

  // The number of threads whose vector clocks join to that of all. Those of one history
  // differ in their owners' components alone, of which the owner knows most: then two are enough.
  int differing() {
    if (differing_threads == 0) {
      const uint64_t history = threads[0]->clock.history;
      const bool are_alike = std::all_of(
          threads, threads + count, [&](const thread *t) { return t->clock.history == history; });
      differing_threads = are_alike ? std::min(count, 2) : count;
    }
    return differing_threads;
  }
};

// The bytes [address, address + bytes) are shared memory of the running thread's block and aligned,
// or it faults.
void check_range(uint32_t address, uint32_t bytes, uint32_t alignment);
// The same for an address of any block of the cluster, which must still run.
block &check_cluster_range(uint32_t address, uint32_t bytes, uint32_t alignment);

// One access to all cells of a range of a block that check_range has seen, on behalf of the running
// thread.
void note_read(observer &who, block &home, uint32_t address, uint32_t bytes, epoch as);
void note_write(observer &who, block &home, uint32_t address, uint32_t bytes, epoch as,
                cell::content_kind content);

// What was in flight there has landed.
void note_landed(block &home, uint32_t address, uint32_t bytes);

// The running thread's own accesses.
epoch own_epoch();
void note_own_read(uint32_t address, uint32_t bytes);
void note_own_write(uint32_t address, uint32_t bytes);
void note_own_atomic(uint32_t address, uint32_t bytes);

// Where the swizzle of a span puts a byte.
inline uint32_t swizzled(uint32_t address, uint32_t span) {
  return address ^ (address >> 7 & (span / 16 - 1)) << 4;
}

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_MEMORY_H
