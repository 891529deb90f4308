//===- core/multiply.h - The arithmetic of one product --------------------===//
#ifndef TK_EMULATOR_CORE_MULTIPLY_H
#define TK_EMULATOR_CORE_MULTIPLY_H

#include "core/descriptor.h"

namespace tk::emulator {

// A tile of 16 of K by `mn` elements, as floats: `values` is mn x 16 (by_k false) or 16 x mn (by_k
// true), row by row.
void unpack(float *values, block &home, const operand_layout &layout, uint32_t mn, number type,
            bool by_k);

// d += a b: d is 64 x n, a 64 x 16, b 16 x n, all row by row. Products of 16-bit floats are exact;
// they are added to d in the order of k, each addition rounded to float.
void multiply_add(float *d, const float *a, const float *b, int n);

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_MULTIPLY_H
