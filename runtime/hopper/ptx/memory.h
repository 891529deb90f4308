//===- ptx/memory.h - Ordinary loads and stores of one thread -------------===//
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-ld
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-st
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MEMORY_H
#define TK_PTX_MEMORY_H

#include <ptx/device.h>

namespace tk {

// ld.shared.v4.b32: 16 bytes, from a multiple of 16.
TK_DEVICE void ld_shared_v4_b32(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t &r3) {
  asm volatile("ld.shared::cta.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(address)
               : "memory");
}

// ld.shared.v2.f32: 8 bytes, from a multiple of 8.
TK_DEVICE void ld_shared_v2_f32(uint32_t address, float &r0, float &r1) {
  asm volatile("ld.shared::cta.v2.f32 {%0, %1}, [%2];" : "=f"(r0), "=f"(r1) : "r"(address) : "memory");
}

// st.shared.v2.f32: 8 bytes, to a multiple of 8.
TK_DEVICE void st_shared_v2_f32(uint32_t address, float r0, float r1) {
  asm volatile("st.shared::cta.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(r0), "f"(r1) : "memory");
}

// st.global.v2.b32: 8 bytes, to a multiple of 8.
TK_DEVICE void st_global_v2_b32(void *address, uint32_t r0, uint32_t r1) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(address), "r"(r0), "r"(r1) : "memory");
}

// st.global.b32: 4 bytes, to a multiple of 4.
TK_DEVICE void st_global_b32(void *address, uint32_t r0) {
  asm volatile("st.global.b32 [%0], %1;" ::"l"(address), "r"(r0) : "memory");
}

// st.global.b16: 2 bytes, to a multiple of 2.
TK_DEVICE void st_global_b16(void *address, uint16_t r0) {
  asm volatile("st.global.b16 [%0], %1;" ::"l"(address), "h"(r0) : "memory");
}

} // namespace tk

#endif // TK_PTX_MEMORY_H
