//===- ptx/permute.h - Bytes of two registers -----------------------------===//
#ifndef TK_PTX_PERMUTE_H
#define TK_PTX_PERMUTE_H

#include <ptx/device.h>

namespace tk {

// Not the form that repeats a byte's sign, which bit 3 of a selector's four asks for.
TK_DEVICE uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i)
    result |= uint32_t(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}

TK_DEVICE int signed_byte(uint32_t bytes, int i) { return int8_t(bytes >> 8 * i); }

} // namespace tk

#endif // TK_PTX_PERMUTE_H
