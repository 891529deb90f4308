//===- ptx/memory.h - Ordinary loads and stores of one thread -------------===//
#ifndef TK_PTX_MEMORY_H
#define TK_PTX_MEMORY_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE void ld_shared_v4_b32(uint32_t address, uint32_t &r0, uint32_t &r1, uint32_t &r2,
                                uint32_t &r3, TK_PLACE) {
  uint32_t r[4];
  emulator::load_shared(address, r, 16, where);
  r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
}

TK_DEVICE void ld_shared_v2_f32(uint32_t address, float &r0, float &r1, TK_PLACE) {
  float registers[2];
  emulator::load_shared(address, registers, 8, where);
  r0 = registers[0], r1 = registers[1];
}

TK_DEVICE void st_shared_v2_f32(uint32_t address, float r0, float r1, TK_PLACE) {
  const float registers[2] = {r0, r1};
  emulator::store_shared(address, registers, 8, where);
}

TK_DEVICE void st_global_v2_b32(void *address, uint32_t r0, uint32_t r1, TK_PLACE) {
  const uint32_t r[2] = {r0, r1};
  emulator::store_global(address, r, 8, where);
}

TK_DEVICE void st_global_b32(void *address, uint32_t r0, TK_PLACE) {
  emulator::store_global(address, &r0, 4, where);
}

TK_DEVICE void st_global_b16(void *address, uint16_t r0, TK_PLACE) {
  emulator::store_global(address, &r0, 2, where);
}

} // namespace tk

#endif // TK_PTX_MEMORY_H
