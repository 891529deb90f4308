//===- ptx/cache_policy.h - How long L2 keeps what an access touches ------===//
//
// The operand of .L2::cache_hint, which copies, stores and reductions take. It is a
// hint: results are the same.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#cache-eviction-priority-hints
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-createpolicy
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_CACHE_POLICY_H
#define TK_PTX_CACHE_POLICY_H

#include <ptx/device.h>

namespace tk {

// createpolicy's results for all of the data.
enum class cache_policy : uint64_t {
  normal = 0x1000000000000000,
  evict_first = 0x12F0000000000000,
  evict_last = 0x14F0000000000000,
};

} // namespace tk

#endif // TK_PTX_CACHE_POLICY_H
