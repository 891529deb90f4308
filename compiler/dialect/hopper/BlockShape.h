//===- BlockShape.h - Blocks of one tile, several on an SM ----------------===//
//
// A persistent block fills an SM and is set up once. A block that computes
// one tile and ends needs neither rings nor a warpgroup that loads: everything has a
// place of its own in shared memory, so one thread of the consumers starts all loads
// before they begin. Such a block is small, and several run on an SM at
// once: while one waits for its loads, others compute and store.
//
// For kernels that mostly move memory this is faster than a ring (measured on an
// H200, docs/performance.md): blocks start in the order of their tiles whenever one
// ends, so what runs at the same time reads and writes neighbouring memory.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_HOPPER_BLOCKSHAPE_H
#define TKC_DIALECT_HOPPER_BLOCKSHAPE_H

#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/HopperLimits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc::hopper {

// Resources that the blocks of an SM share. Guide, "Technical Specifications per Compute
// Capability".
inline constexpr int64_t smThreads = 2048;
inline constexpr int64_t smRegisters = 65536;
inline constexpr int64_t smSharedBytes = 233472;
// A block's is rounded up to a multiple of this. The table of CUDA's occupancy calculator for 9.0.
inline constexpr int64_t sharedGranularity = 128;
// Of it the system takes this much for each block. Guide, "Shared Memory" of compute
// capability 9.0.
inline constexpr int64_t reservedSharedBytes = 1024;
// Threads have registers in multiples of this. PTX, "setmaxnreg".
inline constexpr int64_t registerUnit = 8;

/// Marks a producer whose work a thread of the consumers does before they begin: it waits for
/// nobody.
inline constexpr llvm::StringLiteral joinedAttrName = "hopper.joined";

/// An I64Attr of a kernel: the blocks that an SM can run at once, which ptxas leaves
/// enough registers for; without it 1.
inline constexpr llvm::StringLiteral residentBlocksAttrName = "hopper.resident_blocks";

/// Marks a branch that only the leader of a warpgroup takes: it may wait there for mbarriers to
/// which the others would come phases too late.
inline constexpr llvm::StringLiteral leaderAttrName = "hopper.leader";

/// Marks a branch at the end of a loop's body whose other side ends the last iteration: it leaves
/// the loop, so that ptxas sees one body.
inline constexpr llvm::StringLiteral leavesLoopAttrName = "hopper.leaves_loop";

inline bool isJoined(RoleOp role) { return role->hasAttr(joinedAttrName); }

inline bool isForLeader(mlir::scf::IfOp branch) { return branch->hasAttr(leaderAttrName); }

/// True if a thread of the role starts loads: a producer's, or that of a reducer without one.
inline bool startsLoads(RoleOp role) {
  return role
      .walk([](mlir::Operation *op) {
        return getTileCompletedBy(op, Completion::Bytes) ? mlir::WalkResult::interrupt()
                                                         : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

inline bool isScanner(RoleOp role) { return role.getKind() == RoleKind::Scanner; }

/// The warpgroups that a role adds to the block: none where it shares another role's.
inline int64_t getOwnWarpgroups(RoleOp role) {
  return isJoined(role) || isScanner(role) ? 0 : role.getWarpgroups();
}

/// Registers with which a thread starts where so many threads share the SM; ptxas leaves one at
/// most 240.
inline int64_t getEntryRegisters(int64_t threads) {
  return std::min<int64_t>(240, smRegisters / threads / registerUnit * registerUnit);
}

/// Shared memory that each of `blocks` blocks on an SM may use.
inline int64_t getSharedBudget(int64_t blocks) {
  return smSharedBytes / blocks / sharedGranularity * sharedGranularity - reservedSharedBytes -
         sharedAlignmentSlack;
}
static_assert(smSharedBytes - reservedSharedBytes - sharedAlignmentSlack == sharedBudget);

inline int64_t getResidentBlocks(KernelOp kernel) {
  auto blocks = kernel->getAttrOfType<mlir::IntegerAttr>(residentBlocksAttrName);
  return blocks ? blocks.getInt() : 1;
}

/// Shared memory that a block of the kernel may use. Persistent blocks divide the SM's; of others,
/// as many are resident as have room.
inline int64_t getSharedBudget(KernelOp kernel) {
  return kernel.getPersistent().value_or(true) ? getSharedBudget(getResidentBlocks(kernel))
                                               : sharedBudget;
}

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_BLOCKSHAPE_H
