//===- Exponents.h - Exponentials of scaled differences -------------------===//
//
// exp2((x - v) * c), where c is the same for all elements and v for all of a row, takes
// three instructions, and exp2(fma(x, c, -v * c)) two: v * c is computed once for a
// row. But it is rounded, so the exponent is off by up to 2^-24 |v c|, and the
// exponential by 2^-24.5 |v c| of itself. Where it is rounded to p bits, which takes
// up to 2^-p of it, and |v c| < 2^(20 - p), that is less than a twentieth more.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_EXPONENTS_H
#define TKC_PASSES_EXPONENTS_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <optional>

namespace tkc {

/// Scalars of a map's body; the scale is outside of it, or null.
struct ScaledDifference {
  mlir::Value element, reference, scale;
};

/// Reads (x - v) * c, x * c - v * c, or x - v.
std::optional<ScaledDifference> readScaledDifference(mlir::Value exponent, hopper::MapOp map);

/// fma(x, c, -v * c)
mlir::Value createContracted(mlir::OpBuilder &builder, mlir::Location loc,
                             ScaledDifference difference);

/// Up to where the reference, scaled, shows in nothing that is made of a map's result, which are
/// exponentials with factors: they are rounded to 16 bits or fewer, and summed at most beside that.
/// None if something else reads them.
std::optional<float> getLargestReference(hopper::MapOp exponentials);

/// True if all that is made of a map's result would be the same if each of its rows were multiplied
/// by a number of its own: as in e / sum(e), where that cancels.
bool isQuotientOfRows(hopper::MapOp exponentials);

} // namespace tkc

#endif // TKC_PASSES_EXPONENTS_H
