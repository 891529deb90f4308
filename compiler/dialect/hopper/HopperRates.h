//===- HopperRates.h - What an SM does in a clock -------------------------===//
//
// For predictions, beside the limits in HopperLimits.h. "guide" is the CUDA C++
// programming guide.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERRATES_H
#define TKC_DIALECT_HOPPER_HOPPERRATES_H

#include <cstdint>

namespace tkc::hopper {

// Multiprocessors of an H100 SXM and of an H200 (data sheets).
inline constexpr int64_t multiprocessors = 132;
// Operations of products of 16-bit elements. H100 whitepaper: 989 TFLOP/s dense are 132 SMs x 4096
// x 1.83 GHz; 8-bit elements take half the time, tf32 twice.
inline constexpr int64_t productOperationsPerClock = 4096;
// exp2, log2, reciprocals, square roots. Guide, "Throughput of Native Arithmetic Instructions".
inline constexpr int64_t specialFunctionsPerClock = 16;
// Bytes of shared memory: 32 banks of 4. Guide, "Shared Memory".
inline constexpr int64_t sharedBytesPerClock = 128;
// Bytes from L2 to one SM while all load: 6150 for the chip. DeepGEMM, jit_kernels/heuristics.
inline constexpr double l2BytesPerClock = 46.6;
// Bytes from HBM to one SM while all load: 4.8 TB/s of an H200 over 132 SMs at 1.83 GHz (data
// sheet).
inline constexpr double memoryBytesPerClock = 19.9;

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_HOPPERRATES_H
