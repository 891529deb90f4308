//===- Comparison.h - Whether a tensor holds what it should ---------------===//
#ifndef TKC_RUN_COMPARISON_H
#define TKC_RUN_COMPARISON_H

#include "run/Signature.h"
#include "run/TestTensor.h"

namespace tkc::run {

/// Compares the elements of `got` with those that `wanted`, bytes saved from the same tensor,
/// holds.
///
/// An element is right if it is off by at most tolerance * (|wanted| + the root mean square of the
/// tensor) and one step of its type; of an integer type, by 1. That is far more than orders of
/// addition and roundings of the intermediate types cost, and far less than what a tile that was
/// left out, added twice or taken from another iteration costs: about the root mean square itself.
/// Infinities and NaNs are right where they are wanted. A negative tolerance wants the same bits.
///
/// Empty if all are right, else a sentence about the first that is not, without a full stop.
std::string compare(const std::string &name, const TestTensor &got,
                    const std::vector<uint8_t> &wanted, double tolerance);

/// 1/64, or as much as half a step of the narrowest type that the kernel itself rounds to.
double defaultTolerance(const Signature &signature);

} // namespace tkc::run

#endif // TKC_RUN_COMPARISON_H
