//===- core/descriptor.h - Where an MMA's operand lies in shared memory ---===//
//
// A wgmma descriptor names a tile by its start and two distances. Decoded here
// as the hardware does: the 16-byte chunk at place `group` of the contiguous
// dimension and `line` of the other one. K is 32 bytes. Only 16-bit elements may
// be MN-major.
//
//              swizzled, span S                         not swizzled (core matrices of 8 x 16
//              bytes)
//   K-major    line = row, group = 8 of K
//              8 rows of S bytes, then SBO              rows of 16 bytes; 8 rows on: SBO; 8 of K
//              on: LBO
//   MN-major   line = k, group = 8 of M or N
//              swizzle-atom columns of S bytes, LBO apart; in each    rows of 16 bytes; 8 of K on:
//              LBO; 8 of MN on: SBO 8 k of S bytes, then SBO
//
// The swizzle is applied to the final address, so a start may lie inside a
// pattern.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_DESCRIPTOR_H
#define TK_EMULATOR_CORE_DESCRIPTOR_H

#include "core/memory.h"

namespace tk::emulator {

struct operand_layout {
  uint32_t start, lbo, sbo; // bytes
  uint32_t span;            // of the swizzle; 16 for none
  bool mn_major;

  static operand_layout decode(uint64_t descriptor, bool mn_major) {
    constexpr uint32_t spans[] = {16, 128, 64, 32};
    return {uint32_t(descriptor & 0x3fff) << 4, uint32_t(descriptor >> 16 & 0x3fff) << 4,
            uint32_t(descriptor >> 32 & 0x3fff) << 4, spans[descriptor >> 62], mn_major};
  }

  // The bits that have no meaning, or one that is not modelled (49-51, the base offset).
  static uint64_t unknown_bits(uint64_t descriptor) { return descriptor & ~0xc0003fff3fff3fffu; }

  uint32_t chunk(uint32_t line, uint32_t group) const {
    if (span == 16) {
      const uint32_t along_k = mn_major ? line / 8 : group, along_mn = mn_major ? group : line / 8;
      return start + along_k * lbo + along_mn * sbo + line % 8 * 16;
    }
    const uint32_t in_atom = mn_major ? group * 16 % span : group * 16;
    const uint32_t atom = mn_major ? group * 16 / span : 0;
    return swizzled(start + atom * lbo + line / 8 * sbo + line % 8 * span + in_atom, span);
  }

  // The chunks of one step of K by `mn` elements.
  uint32_t lines(uint32_t mn) const { return mn_major ? 16 : mn; }
  uint32_t groups(uint32_t mn) const { return mn_major ? mn / 8 : 2; }
};

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_DESCRIPTOR_H
