//===- WgmmaShapes.cpp - Legal MMAs as a table ----------------------------===//
#include "dialect/hopper/WgmmaShapes.h"

#include "dialect/hopper/HopperLimits.h"
#include <algorithm>

using namespace mlir;

std::optional<tkc::hopper::WgmmaKind> tkc::hopper::getWgmmaKind(Type operand) {
  if (operand.isBF16() || operand.isF16())
    return WgmmaKind{/*depth=*/16, /*transposes=*/true};
  if (operand.isTF32())
    return WgmmaKind{/*depth=*/8, /*transposes=*/false};
  if (operand.isFloat8E4M3FN() || operand.isFloat8E5M2() || operand.isInteger(8))
    return WgmmaKind{/*depth=*/32, /*transposes=*/false};
  return std::nullopt;
}

int64_t tkc::hopper::getInstructionWidth(int64_t n, bool isBContiguousAlongN, int64_t atomCols) {
  int64_t step = isBContiguousAlongN && n > maxMmaWidth ? atomCols : 8;
  if (step <= 0)
    return 0;
  for (int64_t width = std::min(n, maxMmaWidth) / step * step; width > 0; width -= step)
    if (n % width == 0)
      return width;
  return 0;
}
