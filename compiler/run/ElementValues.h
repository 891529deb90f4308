//===- ElementValues.h - Numbers to the bits of tensors and back ----------===//
//
// The conversions are the language's own, so that what is written here is what a
// kernel reads.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_RUN_ELEMENTVALUES_H
#define TKC_RUN_ELEMENTVALUES_H

#include <cstddef>
#include <cstdint>
#include <host/abi.h>

namespace tkc::run {

unsigned bytesOf(tk_dtype type);
bool isInteger(tk_dtype type);

/// Rounds to the nearest element; integers towards zero.
void encode(tk_dtype type, double value, void *element);
double decode(tk_dtype type, const void *element);

/// The distance of neighbouring elements around 1, 0 of integers.
double spacingAtOne(tk_dtype type);

/// The byte that fills memory without a value, at its `offset` in a buffer: a NaN with bits of its
/// own in every float type, an unlikely number in integers.
uint8_t poisonByte(tk_dtype type, size_t offset);

} // namespace tkc::run

#endif // TKC_RUN_ELEMENTVALUES_H
