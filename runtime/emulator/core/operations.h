//===- core/operations.h - What the scheduler asks of the mechanisms ------===//
#ifndef TK_EMULATOR_CORE_OPERATIONS_H
#define TK_EMULATOR_CORE_OPERATIONS_H

#include "core/machine.h"

namespace tk::emulator {

// An asynchronous operation takes place now.
void perform(async_operation operation);
void perform_load(const async_operation &load);
void perform_store_read(async_operation store);
void perform_store_write(const async_operation &store);
void perform_copy(const async_operation &copy);
void perform_mma(block &home, int warpgroup);

// A thread ends: nothing it started may still run.
void check_exit(thread &t);
// The cluster barrier completes if all threads that have not ended have arrived.
void complete_cluster_barrier(cluster &together);

// The meeting of the running thread's warp, for instructions that need all 32 lanes.
rendezvous &own_whole_warp();

inline content content_of(number type) {
  return bytes_of(type) == 1 ? content::bits : content::words;
}

// The running thread reads these registers: they are its own to read and, if their type rules out
// that a value looks like it, not without a value; else it faults.
void check_registers(const void *registers, int bytes, content);

// The running thread knows that the kernel before this one has finished, or faults.
void check_dependency();

// These bytes of global memory may be accessed by the running thread, or it faults. `bytes` is also
// the alignment.
void check_global(const void *address, int bytes);

void check_alignment(const void *address, int bytes);
// Tensors of the launch hold all of these bytes, if it says what its tensors are.
void check_global_range(const void *address, uint32_t bytes);

// The mbarrier at an address, for an instruction of the running thread. Faults if there is none.
mbarrier &barrier_at(uint32_t address);
mbarrier &barrier_at(block &home, uint32_t address);
// Arrivals of somebody who knows this much.
void arrive_at(const block &home, mbarrier &m, uint32_t count, const vector_clock &known);
// The running thread's fence makes the mbarriers that it has initialised visible.
void note_barriers_fenced();
// `bytes` of the copy issued in `phase` have landed.
void complete_bytes(block &home, const async_operation &load, uint32_t bytes);

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_OPERATIONS_H
