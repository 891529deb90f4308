//===- ptx/atomic.h - Adding to memory that others add to -----------------===//
//
// `red` adds, or keeps the larger or smaller number, and returns nothing; `atom` returns the value before. All are relaxed:
// they order nothing else. Float additions of many threads come in any order, so
// their sum may differ in its last bits from run to run.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-red
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-atom
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_ATOMIC_H
#define TK_PTX_ATOMIC_H

#include <ptx/cache_policy.h>
#include <ptx/device.h>

namespace tk {

// red.global.add: 4 bytes, to a multiple of 4. The x2 forms add two 16-bit floats. L2 may be told how long to keep them.
#define TK_RED(suffix, instruction, hinted, R, K)                                                                      \
  TK_DEVICE void red_global_add_##suffix(void *address, R r0) {                                                        \
    asm volatile("red.relaxed.gpu.global.add." instruction " [%0], %1;" ::"l"(address), K(r0) : "memory");             \
  }                                                                                                                    \
  TK_DEVICE void red_global_add_##suffix(void *address, R r0, cache_policy policy) {                                   \
    asm volatile("red.relaxed.gpu.global.add." hinted " [%0], %1, %2;" ::"l"(address), K(r0), "l"(uint64_t(policy))    \
                 : "memory");                                                                                          \
  }

TK_RED(f32, "f32", "L2::cache_hint.f32", float, "f")
TK_RED(f16x2, "noftz.f16x2", "noftz.L2::cache_hint.f16x2", uint32_t, "r")
TK_RED(bf16x2, "noftz.bf16x2", "noftz.L2::cache_hint.bf16x2", uint32_t, "r")
TK_RED(s32, "s32", "L2::cache_hint.s32", int, "r")
TK_RED(u32, "u32", "L2::cache_hint.u32", uint32_t, "r")
TK_RED(f16, "noftz.f16", "noftz.L2::cache_hint.f16", uint16_t, "h") // 2 bytes, to a multiple of 2; so is the next
TK_RED(bf16, "noftz.bf16", "noftz.L2::cache_hint.bf16", uint16_t, "h")

#undef TK_RED

// red.global.max and .min: the larger, or smaller, number stays.
#define TK_RED_EXTREME(operation, suffix, R)                                                                           \
  TK_DEVICE void red_global_##operation##_##suffix(void *address, R r0) {                                              \
    asm volatile("red.relaxed.gpu.global." #operation "." #suffix " [%0], %1;" ::"l"(address), "r"(r0) : "memory");    \
  }

TK_RED_EXTREME(max, s32, int)
TK_RED_EXTREME(min, s32, int)
TK_RED_EXTREME(max, u32, uint32_t)
TK_RED_EXTREME(min, u32, uint32_t)

#undef TK_RED_EXTREME

// red.global.add for 2 and 4 neighbours, aligned to their size; each addition is atomic, all together are not.
TK_DEVICE void red_global_add_v2_f32(void *address, float r0, float r1) {
  asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(address), "f"(r0), "f"(r1) : "memory");
}
TK_DEVICE void red_global_add_v4_f32(void *address, float r0, float r1, float r2, float r3) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(r0), "f"(r1), "f"(r2),
               "f"(r3)
               : "memory");
}
#define TK_RED_PAIRS(type)                                                                                             \
  TK_DEVICE void red_global_add_v2_##type(void *address, uint32_t r0, uint32_t r1) {                                   \
    asm volatile("red.relaxed.gpu.global.add.noftz.v2." #type " [%0], {%1, %2};" ::"l"(address), "r"(r0), "r"(r1)      \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void red_global_add_v4_##type(void *address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {         \
    asm volatile("red.relaxed.gpu.global.add.noftz.v4." #type " [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(r0),      \
                 "r"(r1), "r"(r2), "r"(r3)                                                                             \
                 : "memory");                                                                                          \
  }

TK_RED_PAIRS(f16x2)
TK_RED_PAIRS(bf16x2)

#undef TK_RED_PAIRS

// atom: the old value. Shared addresses are of this block.
#define TK_ATOM(operation, suffix, R, K)                                                                               \
  TK_DEVICE R atom_global_##operation##_##suffix(void *address, R r0) {                                                \
    R old;                                                                                                             \
    asm volatile("atom.relaxed.gpu.global." #operation "." #suffix " %0, [%1], %2;"                                    \
                 : "=" K(old)                                                                                          \
                 : "l"(address), K(r0)                                                                                 \
                 : "memory");                                                                                          \
    return old;                                                                                                        \
  }                                                                                                                    \
  TK_DEVICE R atom_shared_##operation##_##suffix(uint32_t address, R r0) {                                             \
    R old;                                                                                                             \
    asm volatile("atom.relaxed.cta.shared::cta." #operation "." #suffix " %0, [%1], %2;"                               \
                 : "=" K(old)                                                                                          \
                 : "r"(address), K(r0)                                                                                 \
                 : "memory");                                                                                          \
    return old;                                                                                                        \
  }

TK_ATOM(add, f32, float, "f")
TK_ATOM(add, s32, int, "r")
TK_ATOM(add, u32, uint32_t, "r")
TK_ATOM(max, s32, int, "r")
TK_ATOM(max, u32, uint32_t, "r")
TK_ATOM(min, s32, int, "r")
TK_ATOM(min, u32, uint32_t, "r")
TK_ATOM(exch, b32, uint32_t, "r")

#undef TK_ATOM

// Stores `value` if `expected` is there.
#define TK_CAS(space, scope, Address, A, type, N, R)                                                                   \
  TK_DEVICE N atom_##space##_cas_##type(Address address, N expected, N value) {                                        \
    N old;                                                                                                             \
    asm volatile("atom.relaxed." scope ".cas." #type " %0, [%1], %2, %3;"                                              \
                 : "=" R(old)                                                                                          \
                 : A(address), R(expected), R(value)                                                                   \
                 : "memory");                                                                                          \
    return old;                                                                                                        \
  }

TK_CAS(global, "gpu.global", void *, "l", b32, uint32_t, "r")
TK_CAS(global, "gpu.global", void *, "l", b16, uint16_t, "h")
TK_CAS(shared, "cta.shared::cta", uint32_t, "r", b32, uint32_t, "r")

#undef TK_CAS

} // namespace tk

#endif // TK_PTX_ATOMIC_H
