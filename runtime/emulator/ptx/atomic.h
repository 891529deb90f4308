//===- ptx/atomic.h - Adding to memory that others add to -----------------===//
#ifndef TK_PTX_ATOMIC_H
#define TK_PTX_ATOMIC_H

#include <ptx/cache_policy.h>
#include <ptx/device.h>

namespace tk {

#define TK_RED(operation, suffix, R)                                                               \
  TK_DEVICE void red_global_##operation##_##suffix(void *address, R r0, TK_PLACE) {                \
    emulator::reduce_global(emulator::atomic_operation::operation, emulator::atomic_type::suffix,  \
                            address, &r0, 1, where);                                               \
  }

TK_RED(add, f32, float)
TK_RED(add, f16x2, uint32_t)
TK_RED(add, bf16x2, uint32_t)
TK_RED(add, s32, int)
TK_RED(add, u32, uint32_t)
TK_RED(max, s32, int)
TK_RED(min, s32, int)
TK_RED(max, u32, uint32_t)
TK_RED(min, u32, uint32_t)

#undef TK_RED

TK_DEVICE void red_global_add_f16(void *address, uint16_t r0, TK_PLACE) {
  emulator::reduce_global_half(emulator::atomic_type::f16x2, address, r0, where);
}
TK_DEVICE void red_global_add_bf16(void *address, uint16_t r0, TK_PLACE) {
  emulator::reduce_global_half(emulator::atomic_type::bf16x2, address, r0, where);
}

// With a policy, which changes no result.
#define TK_RED_HINTED(suffix, R)                                                                   \
  TK_DEVICE void red_global_add_##suffix(void *address, R r0, cache_policy, TK_PLACE) {            \
    red_global_add_##suffix(address, r0, where);                                                   \
  }

TK_RED_HINTED(f32, float)
TK_RED_HINTED(f16x2, uint32_t)
TK_RED_HINTED(bf16x2, uint32_t)
TK_RED_HINTED(s32, int)
TK_RED_HINTED(u32, uint32_t)
TK_RED_HINTED(f16, uint16_t)
TK_RED_HINTED(bf16, uint16_t)

#undef TK_RED_HINTED

#define TK_RED_VECTORS(type, R)                                                                    \
  TK_DEVICE void red_global_add_v2_##type(void *address, R r0, R r1, TK_PLACE) {                   \
    const R r[2] = {r0, r1};                                                                       \
    emulator::reduce_global(emulator::atomic_operation::add, emulator::atomic_type::type, address, \
                            r, 2, where);                                                          \
  }                                                                                                \
  TK_DEVICE void red_global_add_v4_##type(void *address, R r0, R r1, R r2, R r3, TK_PLACE) {       \
    const R r[4] = {r0, r1, r2, r3};                                                               \
    emulator::reduce_global(emulator::atomic_operation::add, emulator::atomic_type::type, address, \
                            r, 4, where);                                                          \
  }

TK_RED_VECTORS(f32, float)
TK_RED_VECTORS(f16x2, uint32_t)
TK_RED_VECTORS(bf16x2, uint32_t)

#undef TK_RED_VECTORS

#define TK_ATOM(operation, suffix, R, kind)                                                        \
  TK_DEVICE R atom_global_##operation##_##suffix(void *address, R r0, TK_PLACE) {                  \
    return __builtin_bit_cast(R, emulator::atomic_global(emulator::atomic_operation::operation,    \
                                                         emulator::atomic_type::kind, address,     \
                                                         __builtin_bit_cast(uint32_t, r0), 0,      \
                                                         where));                                  \
  }                                                                                                \
  TK_DEVICE R atom_shared_##operation##_##suffix(uint32_t address, R r0, TK_PLACE) {               \
    return __builtin_bit_cast(R, emulator::atomic_shared(emulator::atomic_operation::operation,    \
                                                         emulator::atomic_type::kind, address,     \
                                                         __builtin_bit_cast(uint32_t, r0), 0,      \
                                                         where));                                  \
  }

TK_ATOM(add, f32, float, f32)
TK_ATOM(add, s32, int, s32)
TK_ATOM(add, u32, uint32_t, u32)
TK_ATOM(max, s32, int, s32)
TK_ATOM(max, u32, uint32_t, u32)
TK_ATOM(min, s32, int, s32)
TK_ATOM(min, u32, uint32_t, u32)
TK_ATOM(exch, b32, uint32_t, u32)

#undef TK_ATOM

TK_DEVICE uint32_t atom_global_cas_b32(void *address, uint32_t expected, uint32_t value, TK_PLACE) {
  return emulator::atomic_global(emulator::atomic_operation::cas, emulator::atomic_type::u32,
                                 address, value, expected, where);
}
TK_DEVICE uint16_t atom_global_cas_b16(void *address, uint16_t expected, uint16_t value, TK_PLACE) {
  return emulator::swap_global_half(address, expected, value, where);
}
TK_DEVICE uint32_t atom_shared_cas_b32(uint32_t address, uint32_t expected, uint32_t value,
                                       TK_PLACE) {
  return emulator::atomic_shared(emulator::atomic_operation::cas, emulator::atomic_type::u32,
                                 address, value, expected, where);
}

} // namespace tk

#endif // TK_PTX_ATOMIC_H
