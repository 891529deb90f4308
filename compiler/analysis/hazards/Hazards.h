//===- Hazards.h - Ops that must still wait for asynchronous work ---------===//
//
// Walks the roles of a hopper.kernel and keeps book of the accesses in flight:
// MMAs, TMA stores that read staging buffers, shared-memory writes that the
// async proxy cannot see yet, registers not yet handed to the tensor cores.
// Wherever an operation meets one of these without a wait, fence or barrier in
// between, that is a hazard. A kernel without hazards is correct within each
// role; what roles do to each other is the mbarriers' business.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_HAZARDS_H
#define TKC_ANALYSIS_HAZARDS_H

#include "dialect/hopper/Hopper.h"
#include <optional>

namespace tkc {

class TripCount;

/// Marks a read of a stage that only the next iteration of the loop gives back.
inline constexpr llvm::StringLiteral readAheadAttrName = "hopper.read_ahead";

enum class HazardKind {
  MmaInFlight,      ///< an MMA still uses registers or a stage: wait_wgmma
  MmaOpen,          ///< the same, but no group holds it yet: nothing can wait for it
  RegistersTouched, ///< registers of an MMA were used by this thread's code: fence_registers
  StoreReading,     ///< a TMA store still reads the buffer: wait_stores_read
  FreedUnknown,     ///< only the leader knows that it has read it, or others still read it:
                    ///< sync_warpgroup or sync_consumers
  WriteUnfenced,    ///< the async proxy cannot see what was written: fence_async_proxy
  ReadUnfenced,     ///< the stage is given back, but TMA may overtake this thread's reads of it:
                    ///< fence_async_proxy
  WriteUnsynced,    ///< other threads may not have written yet: sync_warpgroup or sync_consumers
  InitUnfenced,     ///< TMA cannot see initialised mbarriers: fence_barrier_init
  InitUnsynced,     ///< other threads cannot: sync_block
  GridUnwaited,     ///< the kernel before may still use the tensor: wait_grid_dependency
};

struct Hazard {
  HazardKind kind;
  /// The op that must wait; the role itself if it is its end.
  mlir::Operation *op;
  /// The op in flight.
  mlir::Operation *cause;
  /// For the waits: how many groups may stay in flight.
  int64_t pending = 0;
  /// True if the cause happened before the unrolled loop around `op` in every case.
  bool isFromBeforeLoop = false;
  /// For the barriers: true if it takes all consumers, not this warpgroup alone.
  bool isAcrossWarpgroups = false;
  /// The register value that `op` uses while an MMA does; null if it is about shared memory.
  mlir::Value value = {};
};

/// The hazards of a kernel: first those whose cause comes before the operation in the program, then
/// those that come round a loop, then those at the end of a role; each in program order. At most
/// one of each kind for each operation, the strictest.
mlir::SmallVector<Hazard> findHazards(hopper::KernelOp kernel);

/// The same for a kernel whose loops are known already; waits, fences and barriers that it has got
/// since do not matter to them.
mlir::SmallVector<Hazard> findHazards(hopper::KernelOp kernel, const TripCount &tripCount);

/// For each wait for MMAs, the accumulators that it gives back to this thread's code, in the
/// order of their variables: as the values that those hold there, if the code uses them at all.
llvm::SmallVector<std::pair<hopper::WaitWgmmaOp, llvm::SmallVector<mlir::Value>>>
findHandedBack(hopper::KernelOp kernel, const TripCount &tripCount);

/// The outermost loop marked for unrolling around `op`, or null.
mlir::Operation *getOutermostUnrolledLoop(mlir::Operation *op);

} // namespace tkc

#endif // TKC_ANALYSIS_HAZARDS_H
