//===- TileValues.cpp - Operations that touch tiles -----------------------===//
#include "dialect/tk/TileValues.h"

using namespace mlir;
using namespace tkc;

bool tkc::isTile(Type type) { return isa<tk::TileType, tk::TileVectorType>(type); }

bool tkc::isShared(Type type) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return tile.isShared();
  auto vector = dyn_cast<tk::TileVectorType>(type);
  return vector && vector.isShared();
}

bool tkc::touchesTiles(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool touches = inner->hasTrait<tk::InTilePrograms>() ||
                       llvm::any_of(inner->getOperandTypes(), isTile) ||
                       llvm::any_of(inner->getResultTypes(), isTile);
        return touches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
