//===- HopperLimits.h - The numbers of the machine ------------------------===//
//
// sm_90a, each with its source: the CUDA programming guide ("guide"), the PTX
// ISA ("PTX"), cuda.h of CUDA 13.0, or ptxas 13.0.88 and runs on an H200
// ("measured").
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERLIMITS_H
#define TKC_DIALECT_HOPPER_HOPPERLIMITS_H

#include <cstdint>

namespace tkc::hopper {

// Threads. Guide, "Technical Specifications per Compute Capability".
inline constexpr int64_t warpgroupThreads = 128;
inline constexpr int64_t warpgroupWarps = 4;
inline constexpr int64_t warpLanes = 32;

// Rows of one wgmma and of one warpgroup's m64 block. PTX, "wgmma.mma_async": shapes are .m64nNkK.
inline constexpr int64_t mBlockRows = 64;
// Rows of one mma.sync, which is what a warp has of a tile of its own. PTX, "mma": .m16n8k16.
inline constexpr int64_t mmaSyncRows = 16;
// Columns of a fragment that are together in a thread's registers. PTX, the fragments of both.
inline constexpr int64_t fragmentCols = 8;
// Columns of one wgmma. PTX, the same table.
inline constexpr int64_t maxMmaWidth = 256;

// Shared memory a block may use with opt-in: 227 KB. Guide, the same table.
inline constexpr int64_t maxSharedBytes = 232448;
// Lost at most when the kernel rounds its base up to a 1024-byte boundary, the pattern of the
// 128-byte swizzle.
inline constexpr int64_t sharedAlignmentSlack = 1024;
inline constexpr int64_t sharedBudget = maxSharedBytes - sharedAlignmentSlack;
// One mbarrier. PTX, "Size and alignment of mbarrier object".
inline constexpr int64_t barrierBytes = 8;

// The dynamic tile scheduler: tk::tile_scheduler::slots and bytes.
inline constexpr int64_t tileSchedulerSlots = 2;
inline constexpr int64_t tileSchedulerBytes = 64;

// Named barriers: 0 is the block's, one for each consumer warpgroup comes next, then those of all
// consumers. PTX, "bar": a block has 16.
inline constexpr int64_t firstWarpgroupBarrier = 1;
inline constexpr int64_t firstConsumersBarrier = 5;
// One for each consumer warpgroup of a ping-pong at the tensor cores.
inline constexpr int64_t firstPingPongBarrier = 6;
// One for each time that a warpgroup hands tiles over to another.
inline constexpr int64_t firstHandOverBarrier = 10;
inline constexpr int64_t namedBarriers = 16;

// Bytes of the narrowest and of the widest swizzle. PTX, "Swizzling Modes".
inline constexpr int64_t leastSwizzle = 32;
inline constexpr int64_t widestSwizzle = 128;

// Elements of a TMA box along one dimension. cuda.h, cuTensorMapEncodeTiled: boxDim.
inline constexpr int64_t maxBoxExtent = 256;
// Bytes that one phase of an mbarrier can expect. PTX, "tx-count operations".
inline constexpr int64_t maxTransactionBytes = (1 << 20) - 1;

// Registers that one thread can name. Guide, "Technical Specifications per Compute Capability".
inline constexpr int64_t maxThreadRegisters = 255;

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_HOPPERLIMITS_H
