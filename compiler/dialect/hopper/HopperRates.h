//===- HopperRates.h - What an SM does in a cycle -------------------------===//
//
// For predictions, beside the limits in HopperLimits.h. "guide" is the CUDA C++
// programming guide.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERRATES_H
#define TKC_DIALECT_HOPPER_HOPPERRATES_H

#include <cstdint>

namespace tkc::hopper {

// SMs of an H100 SXM and of an H200 (data sheets).
inline constexpr int64_t numSms = 132;
// Operations of MMAs of 16-bit elements. H100 whitepaper: 989 TFLOP/s dense are 132 SMs x 4096
// x 1.83 GHz; 8-bit elements take half the time, tf32 twice.
inline constexpr int64_t mmaOperationsPerCycle = 4096;
// exp2, log2, reciprocals, square roots. Guide, "Throughput of Native Arithmetic Instructions".
inline constexpr int64_t specialFunctionsPerCycle = 16;
// Additions, products and comparisons of floats: 4 partitions of 32 lanes. The same table.
inline constexpr int64_t elementOperationsPerCycle = 128;
// The same of one warpgroup, each of whose warps has a scheduler to itself and starts one every
// other cycle; what a wait takes at an mbarrier whose phase is over; and a vote of a warp on what it
// has just computed, with the branch on it. Fitted to the mainloop of attention on an H200
// (docs/design/experiments/profile-cost.md).
inline constexpr int64_t warpgroupOperationsPerCycle = 64;
inline constexpr int64_t barrierWaitCycles = 100, voteCycles = 64;
// What follows was fitted to MMAs of bf16 on an H200, with tiles of 64 x 128 to 256 x 192 and
// sizes of 1024 to 8192 (docs/performance.md): it agrees with the measured times within 4 %.
//
// Cycles for which a warpgroup that runs alone waits for each stretch of MMAs, and that the
// barriers around it cost all of them.
inline constexpr int64_t mmaLatency = 120, stretchCycles = 8;
// Bytes that an SM rounds, stages and stores while it multiplies nothing.
inline constexpr double storedBytesPerCycle = 37;
// Bytes that arrive at one SM while all load tiles that others load too.
inline constexpr double arrivingBytesPerCycle = 64;
// A large MMA runs into the power limit, and each byte that it reads or writes lowers the
// cycle: of shared memory here, of L2 in runtime/host/choice.h.
inline constexpr double cyclesPerSharedByte = 0.0004;
// Bytes of shared memory: 32 banks of 4. Guide, "Shared Memory".
inline constexpr int64_t sharedBytesPerCycle = 128;
// Bytes from L2 to one SM while all load: 6150 for the chip. DeepGEMM, jit_kernels/heuristics.
inline constexpr double l2BytesPerCycle = 46.6;
// Bytes from HBM to one SM while all load: 4.8 TB/s of an H200 over 132 SMs at 1.83 GHz (data
// sheet).
inline constexpr double memoryBytesPerCycle = 19.9;

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_HOPPERRATES_H
