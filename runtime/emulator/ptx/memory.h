//===- ptx/memory.h - Ordinary loads and stores of one thread -------------===//
#ifndef TK_PTX_MEMORY_H
#define TK_PTX_MEMORY_H

#include <ptx/cache_policy.h>
#include <ptx/device.h>

namespace tk {

#define TK_MEMORY_SINGLE(suffix, R, bytes, held)                                                   \
  TK_DEVICE R ld_shared_##suffix(uint32_t address, TK_PLACE) {                                     \
    R r0 = 0;                                                                                      \
    emulator::load_shared(address, &r0, bytes, where);                                             \
    return r0;                                                                                     \
  }                                                                                                \
  TK_DEVICE void st_shared_##suffix(uint32_t address, R r0, TK_PLACE) {                            \
    emulator::store_shared(address, &r0, bytes, emulator::content::held, where);                   \
  }                                                                                                \
  TK_DEVICE R ld_global_##suffix(const void *address, TK_PLACE) {                                  \
    R r0 = 0;                                                                                      \
    emulator::load_global(address, &r0, bytes, where);                                             \
    return r0;                                                                                     \
  }                                                                                                \
  TK_DEVICE R ld_global_relaxed_##suffix(const void *address, TK_PLACE) {                          \
    R r0 = 0;                                                                                      \
    emulator::load_early(address, &r0, bytes, where);                                              \
    return r0;                                                                                     \
  }                                                                                                \
  TK_DEVICE R ld_global_if_##suffix(bool condition, const void *address, TK_PLACE) {               \
    return condition ? ld_global_##suffix(address, where) : R(0);                                  \
  }                                                                                                \
  TK_DEVICE void st_global_##suffix(void *address, R r0, TK_PLACE) {                               \
    emulator::store_global(address, &r0, bytes, emulator::content::held, where);                   \
  }                                                                                                \
  TK_DEVICE void st_global_if_##suffix(bool condition, void *address, R r0, TK_PLACE) {            \
    if (condition)                                                                                 \
      st_global_##suffix(address, r0, where);                                                      \
  }                                                                                                \
  TK_DEVICE void st_global_##suffix(void *address, R r0, cache_policy, TK_PLACE) {                 \
    st_global_##suffix(address, r0, where);                                                        \
  }

TK_MEMORY_SINGLE(b8, uint16_t, 1, bits)
TK_MEMORY_SINGLE(b16, uint16_t, 2, bits)
TK_MEMORY_SINGLE(b32, uint32_t, 4, bits)
TK_MEMORY_SINGLE(f32, float, 4, words)

#undef TK_MEMORY_SINGLE

#define TK_MEMORY_VECTORS(type, R, held)                                                           \
  TK_DEVICE void ld_shared_v2_##type(uint32_t address, R &r0, R &r1, TK_PLACE) {                   \
    R r[2];                                                                                        \
    emulator::load_shared(address, r, 8, where);                                                   \
    r0 = r[0], r1 = r[1];                                                                          \
  }                                                                                                \
  TK_DEVICE void ld_shared_v4_##type(uint32_t address, R &r0, R &r1, R &r2, R &r3, TK_PLACE) {     \
    R r[4];                                                                                        \
    emulator::load_shared(address, r, 16, where);                                                  \
    r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];                                                    \
  }                                                                                                \
  TK_DEVICE void st_shared_v2_##type(uint32_t address, R r0, R r1, TK_PLACE) {                     \
    const R r[2] = {r0, r1};                                                                       \
    emulator::store_shared(address, r, 8, emulator::content::held, where);                         \
  }                                                                                                \
  TK_DEVICE void st_shared_v4_##type(uint32_t address, R r0, R r1, R r2, R r3, TK_PLACE) {         \
    const R r[4] = {r0, r1, r2, r3};                                                               \
    emulator::store_shared(address, r, 16, emulator::content::held, where);                        \
  }                                                                                                \
  TK_DEVICE void ld_global_v2_##type(const void *address, R &r0, R &r1, TK_PLACE) {                \
    R r[2];                                                                                        \
    emulator::load_global(address, r, 8, where);                                                   \
    r0 = r[0], r1 = r[1];                                                                          \
  }                                                                                                \
  TK_DEVICE void ld_global_if_v2_##type(bool condition, const void *address, R &r0, R &r1,         \
                                        TK_PLACE) {                                                \
    r0 = r1 = 0;                                                                                   \
    if (condition)                                                                                 \
      ld_global_v2_##type(address, r0, r1, where);                                                 \
  }                                                                                                \
  TK_DEVICE void ld_global_v4_##type(const void *address, R &r0, R &r1, R &r2, R &r3, TK_PLACE) {  \
    R r[4];                                                                                        \
    emulator::load_global(address, r, 16, where);                                                  \
    r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];                                                    \
  }                                                                                                \
  TK_DEVICE void st_global_v2_##type(void *address, R r0, R r1, TK_PLACE) {                        \
    const R r[2] = {r0, r1};                                                                       \
    emulator::store_global(address, r, 8, emulator::content::held, where);                         \
  }                                                                                                \
  TK_DEVICE void st_global_v2_##type(void *address, R r0, R r1, cache_policy, TK_PLACE) {          \
    st_global_v2_##type(address, r0, r1, where);                                                   \
  }                                                                                                \
  TK_DEVICE void st_global_v4_##type(void *address, R r0, R r1, R r2, R r3, TK_PLACE) {            \
    const R r[4] = {r0, r1, r2, r3};                                                               \
    emulator::store_global(address, r, 16, emulator::content::held, where);                        \
  }

TK_MEMORY_VECTORS(b32, uint32_t, bits)
TK_MEMORY_VECTORS(f32, float, words)

#undef TK_MEMORY_VECTORS

} // namespace tk

#endif // TK_PTX_MEMORY_H
