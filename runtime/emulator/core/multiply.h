//===- core/multiply.h - The arithmetic of one MMA ------------------------===//
#ifndef TK_EMULATOR_CORE_MULTIPLY_H
#define TK_EMULATOR_CORE_MULTIPLY_H

#include "core/descriptor.h"

namespace tk::emulator {

// A tile of k = 32 / bytes_of(type) of K by `mn` elements, as floats: `values` is mn x k (by_k
// false) or k x mn (by_k true), row by row.
void unpack(float *values, block &home, const operand_layout &layout, uint32_t mn, number type,
            bool by_k);

// d += a b: d is 64 x n, a 64 x k, b k x n, all row by row. Products of two elements are exact;
// they are added to d in the order of k, each addition rounded to float.
void multiply_add(float *d, const float *a, const float *b, int n, int k);

// The same in integers, which wrap around.
void multiply_add(int *d, const float *a, const float *b, int n, int k);

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_MULTIPLY_H
