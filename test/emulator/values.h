//===- values.h - Elements of all types that MMAs take --------------------===//
#ifndef TK_TEST_EMULATOR_VALUES_H
#define TK_TEST_EMULATOR_VALUES_H

#include <core/number.h>
#include <cstring>

namespace test {

namespace emulator = tk::emulator;

// Small integers in the bits of a type; sums of their MMAs are exact.
inline void put(unsigned char *at, emulator::number type, int value) {
  uint32_t bits = 0;
  if (type == emulator::number::tf32) {
    bits = std::bit_cast<uint32_t>(float(value)) | 0x1fff; // the low 13 bits do not count
  } else if (type == emulator::number::bf16) {
    bits = emulator::bf16_bits(float(value));
  } else if (type == emulator::number::f16) {
    bits = emulator::f16_bits(float(value));
  } else if (emulator::is_integer(type)) {
    bits = uint8_t(value);
  } else { // the 8-bit float of this value
    const auto decode =
        type == emulator::number::e4m3 ? emulator::e4m3_value : emulator::e5m2_value;
    while (decode(uint8_t(bits)) != float(value))
      ++bits;
  }
  memcpy(at, &bits, emulator::bytes_of(type));
}

} // namespace test

#endif // TK_TEST_EMULATOR_VALUES_H
