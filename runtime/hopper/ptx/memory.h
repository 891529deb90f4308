//===- ptx/memory.h - Ordinary loads and stores of one thread -------------===//
//
// An access of 1, 2, 4, 8 or 16 bytes is aligned to its size. Names end as the
// instructions do: b8, b16, b32, v2_b32, v4_b32, f32, v2_f32, v4_f32; forms with
// one register return it. Shared addresses are 32-bit and of this block.
//
// Stores to global memory may say how long L2 keeps them. The forms with `if` access memory only where the condition holds,
// and load 0 elsewhere: a predicate and no branch, into which nvcc would move what computes the address.
//
// Global loads are coherent (no .nc): another kernel may have written just now. The relaxed ones leave nothing in L1, which
// a later load could find when the element has changed.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-ld
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-st
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MEMORY_H
#define TK_PTX_MEMORY_H

#include <ptx/cache_policy.h>
#include <ptx/device.h>

namespace tk {

// One register: R is its type, K its letter for the asm. 8-bit values travel in 16-bit registers.
#define TK_MEMORY_SINGLE(suffix, instruction, R, K)                                                                    \
  TK_DEVICE R ld_shared_##suffix(uint32_t address) {                                                                   \
    R r0;                                                                                                              \
    asm volatile("ld.shared::cta." instruction " %0, [%1];" : "=" K(r0) : "r"(address) : "memory");                    \
    return r0;                                                                                                         \
  }                                                                                                                    \
  TK_DEVICE void st_shared_##suffix(uint32_t address, R r0) {                                                          \
    asm volatile("st.shared::cta." instruction " [%0], %1;" ::"r"(address), K(r0) : "memory");                         \
  }                                                                                                                    \
  TK_DEVICE R ld_global_##suffix(const void *address) {                                                                \
    R r0;                                                                                                              \
    asm volatile("ld.global." instruction " %0, [%1];" : "=" K(r0) : "l"(address) : "memory");                         \
    return r0;                                                                                                         \
  }                                                                                                                    \
  TK_DEVICE R ld_global_if_##suffix(bool condition, const void *address) {                                             \
    R r0 = 0;                                                                                                          \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %2, 0;\n@p ld.global." instruction " %0, [%1];\n}"                  \
                 : "+" K(r0)                                                                                           \
                 : "l"(address), "r"(int(condition))                                                                   \
                 : "memory");                                                                                          \
    return r0;                                                                                                         \
  }                                                                                                                    \
  TK_DEVICE R ld_global_relaxed_##suffix(const void *address) {                                                        \
    R r0;                                                                                                              \
    asm volatile("ld.relaxed.gpu.global." instruction " %0, [%1];" : "=" K(r0) : "l"(address) : "memory");             \
    return r0;                                                                                                         \
  }                                                                                                                    \
  TK_DEVICE void st_global_if_##suffix(bool condition, void *address, R r0) {                                          \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %2, 0;\n@p st.global." instruction " [%0], %1;\n}" ::"l"(address),  \
                 K(r0), "r"(int(condition))                                                                            \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void st_global_##suffix(void *address, R r0) {                                                             \
    asm volatile("st.global." instruction " [%0], %1;" ::"l"(address), K(r0) : "memory");                              \
  }                                                                                                                    \
  TK_DEVICE void st_global_##suffix(void *address, R r0, cache_policy policy) {                                        \
    asm volatile("st.global.L2::cache_hint." instruction " [%0], %1, %2;" ::"l"(address), K(r0), "l"(uint64_t(policy)) \
                 : "memory");                                                                                          \
  }

TK_MEMORY_SINGLE(b8, "b8", uint16_t, "h")
TK_MEMORY_SINGLE(b16, "b16", uint16_t, "h")
TK_MEMORY_SINGLE(b32, "b32", uint32_t, "r")
TK_MEMORY_SINGLE(f32, "f32", float, "f")

#undef TK_MEMORY_SINGLE

// Two and four registers.
#define TK_MEMORY_VECTORS(type, R, K)                                                                                  \
  TK_DEVICE void ld_shared_v2_##type(uint32_t address, R &r0, R &r1) {                                                 \
    asm volatile("ld.shared::cta.v2." #type " {%0, %1}, [%2];" : "=" K(r0), "=" K(r1) : "r"(address) : "memory");      \
  }                                                                                                                    \
  TK_DEVICE void ld_shared_v4_##type(uint32_t address, R &r0, R &r1, R &r2, R &r3) {                                   \
    asm volatile("ld.shared::cta.v4." #type " {%0, %1, %2, %3}, [%4];"                                                 \
                 : "=" K(r0), "=" K(r1), "=" K(r2), "=" K(r3)                                                          \
                 : "r"(address)                                                                                        \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void st_shared_v2_##type(uint32_t address, R r0, R r1) {                                                   \
    asm volatile("st.shared::cta.v2." #type " [%0], {%1, %2};" ::"r"(address), K(r0), K(r1) : "memory");               \
  }                                                                                                                    \
  TK_DEVICE void st_shared_v4_##type(uint32_t address, R r0, R r1, R r2, R r3) {                                       \
    asm volatile("st.shared::cta.v4." #type " [%0], {%1, %2, %3, %4};" ::"r"(address), K(r0), K(r1), K(r2), K(r3)      \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void ld_global_v2_##type(const void *address, R &r0, R &r1) {                                              \
    asm volatile("ld.global.v2." #type " {%0, %1}, [%2];" : "=" K(r0), "=" K(r1) : "l"(address) : "memory");           \
  }                                                                                                                    \
  TK_DEVICE void ld_global_if_v2_##type(bool condition, const void *address, R &r0, R &r1) {                           \
    r0 = r1 = 0;                                                                                                       \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %3, 0;\n@p ld.global.v2." #type " {%0, %1}, [%2];\n}"              \
                 : "+" K(r0), "+" K(r1)                                                                                \
                 : "l"(address), "r"(int(condition))                                                                   \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void ld_global_v4_##type(const void *address, R &r0, R &r1, R &r2, R &r3) {                                \
    asm volatile("ld.global.v4." #type " {%0, %1, %2, %3}, [%4];"                                                      \
                 : "=" K(r0), "=" K(r1), "=" K(r2), "=" K(r3)                                                          \
                 : "l"(address)                                                                                        \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void st_global_v2_##type(void *address, R r0, R r1) {                                                      \
    asm volatile("st.global.v2." #type " [%0], {%1, %2};" ::"l"(address), K(r0), K(r1) : "memory");                    \
  }                                                                                                                    \
  TK_DEVICE void st_global_v2_##type(void *address, R r0, R r1, cache_policy policy) {                                 \
    asm volatile("st.global.L2::cache_hint.v2." #type " [%0], {%1, %2}, %3;" ::"l"(address), K(r0), K(r1),             \
                 "l"(uint64_t(policy))                                                                                 \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  TK_DEVICE void st_global_v4_##type(void *address, R r0, R r1, R r2, R r3) {                                          \
    asm volatile("st.global.v4." #type " [%0], {%1, %2, %3, %4};" ::"l"(address), K(r0), K(r1), K(r2), K(r3)           \
                 : "memory");                                                                                          \
  }

TK_MEMORY_VECTORS(b32, uint32_t, "r")
TK_MEMORY_VECTORS(f32, float, "f")

#undef TK_MEMORY_VECTORS

} // namespace tk

#endif // TK_PTX_MEMORY_H
