//===- HopperTarget.cpp - Hopper, as passes on tiles see it ---------------===//
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/hopper/WgmmaShapes.h"
#include "target/Target.h"

using namespace mlir;
using namespace tkc;

Target::~Target() = default;

namespace {
class Hopper : public Target {
public:
  int64_t getWarpgroupWarps() const override { return hopper::warpgroupWarps; }
  int64_t getRowUnit(TileHolder holder) const override {
    return holder == TileHolder::Warp ? hopper::mmaSyncRows : hopper::mBlockRows;
  }
  int64_t getColumnUnit() const override { return hopper::fragmentCols; }
  std::optional<MmaOperands> getMma(Type element) const override {
    std::optional<hopper::WgmmaKind> kind = hopper::getWgmmaKind(element);
    return kind ? std::optional(MmaOperands{kind->transposes}) : std::nullopt;
  }
  int64_t getMaxMmaWidth() const override { return hopper::maxMmaWidth; }
  int64_t getMmaWidth(int64_t n, bool isBContiguousAlongN, int64_t bCols,
                      Type element) const override {
    return hopper::getInstructionWidth(n, isBContiguousAlongN, getAtomCols(bCols, element));
  }
  bool isRowOfTile(int64_t bytes) const override { return hopper::getSwizzle(bytes) != 0; }
  int64_t getRowBytesUnit() const override { return hopper::leastSwizzle; }
  int64_t getAtomCols(int64_t cols, Type element) const override {
    return hopper::getAtomCols(cols, element);
  }
  int64_t getTileBytes(int64_t rows, int64_t cols, Type element, bool withOnes) const override {
    return hopper::getTileBytes(rows, cols, element, withOnes);
  }
  int64_t getSharedBytes() const override { return hopper::sharedBudget; }
};
} // namespace

const Target &tkc::getTarget() {
  static const Hopper hopper;
  return hopper;
}
