//===- CarriedValues.h - More values that a loop carries ------------------===//
#ifndef TKC_PASSES_CARRIEDVALUES_H
#define TKC_PASSES_CARRIEDVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc {

/// Lets `loop`, which is replaced, carry more values from `starts` on, each of which an iteration
/// hands on as it is until its yield is changed. Gives the arguments.
inline mlir::Block::BlockArgListType carryMore(mlir::RewriterBase &rewriter, mlir::scf::ForOp &loop,
                                               mlir::ValueRange starts) {
  auto handOn = [](mlir::OpBuilder &, mlir::Location,
                   mlir::ArrayRef<mlir::BlockArgument> arguments) {
    return mlir::SmallVector<mlir::Value>(arguments.begin(), arguments.end());
  };
  // The locations of the arguments have the user's names.
  auto names = llvm::map_to_vector(loop.getBody()->getArguments(),
                                   [](mlir::BlockArgument argument) { return argument.getLoc(); });
  auto loopLike = mlir::cast<mlir::LoopLikeOpInterface>(loop.getOperation());
  auto carrying = loopLike.replaceWithAdditionalYields(
      rewriter, starts, /*replaceInitOperandUsesInLoop=*/false, handOn);
  loop = mlir::cast<mlir::scf::ForOp>(carrying->getOperation());
  for (auto [argument, name] : llvm::zip(loop.getBody()->getArguments(), names))
    argument.setLoc(name);
  return loop.getRegionIterArgs().take_back(starts.size());
}

} // namespace tkc

#endif // TKC_PASSES_CARRIEDVALUES_H
