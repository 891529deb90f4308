//===- SharedLayout.cpp - Swizzles and swizzle-atom columns of shared tiles ===//
#include "dialect/hopper/SharedLayout.h"

#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Tk.h"

using namespace mlir;

int64_t tkc::hopper::getSwizzle(int64_t rowBytes) {
  for (int64_t span : {128, 64, 32})
    if (rowBytes > 0 && rowBytes % span == 0)
      return span;
  return 0;
}

int64_t tkc::hopper::getAtomCols(int64_t cols, Type elementType) {
  int64_t bits = tkc::tk::getStorageBits(elementType);
  return getSwizzle(cols * bits / 8) * 8 / bits;
}

int64_t tkc::hopper::getTileBytes(int64_t rows, int64_t cols, Type elementType, bool withOnes) {
  const int64_t ones = withOnes ? getAtomCols(cols, elementType) : 0;
  return rows * (cols + ones) * tkc::tk::getStorageBits(elementType) / 8;
}

int64_t tkc::hopper::getAlignment(int64_t swizzle) { return 8 * swizzle; }

int64_t tkc::hopper::getBoxRows(int64_t rows) {
  for (int64_t box = maxBoxExtent; box >= 8; box -= 8)
    if (rows % box == 0)
      return box;
  return 0;
}
