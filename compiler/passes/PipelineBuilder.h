//===- PipelineBuilder.h - Building the roles of a pipeline ---------------===//
//
// Both roles walk the same grid body in the same order; each takes from it what
// concerns it, and both recompute the scalars. So a role is a small visitor over
// a shared walk.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_PIPELINEBUILDER_H
#define TKC_PASSES_PIPELINEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/PipelinePlan.h"
#include "llvm/ADT/MapVector.h"

namespace tkc {

/// What is allocated in shared memory for the kernel.
struct PipelineBuffers {
  llvm::MapVector<mlir::Operation *, mlir::Value> rings; ///< tk.load -> its ring
  llvm::MapVector<LoadGroup *, mlir::Value> full, empty;
  llvm::MapVector<StagingPlan *, mlir::Value> staging;
};

/// What both roles have: a builder, the way from tk values to this role's, and the plan.
struct RoleBuilder {
  mlir::OpBuilder &builder;
  PipelinePlan &plan;
  const PipelineBuffers &buffers;
  mlir::IRMapping values; ///< scalars and tensors

  mlir::Value getConstant(mlir::Location loc, int64_t value) {
    return builder.create<mlir::arith::ConstantIntOp>(loc, value, 32);
  }

  /// left * right and left + right, folded where both or one of them is known.
  mlir::Value multiply(mlir::Location loc, mlir::Value left, int64_t right);
  mlir::Value add(mlir::Location loc, mlir::Value left, mlir::Value right);

  /// The first element of a tile in its tensor: tile indices times tile extents.
  mlir::SmallVector<mlir::Value> getOrigin(mlir::Location loc, mlir::ValueRange indices,
                                           tk::TileType tile);

  /// A cursor over a group's ring, with the group's prefix.
  mlir::Value createCursor(LoadGroup &group, llvm::StringRef name);
};

/// Fills the body of the producer role.
void buildProducer(mlir::OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                   const mlir::IRMapping &kernelValues, hopper::RoleOp role);

/// Fills the body of the consumer role.
void buildConsumer(mlir::OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                   const mlir::IRMapping &kernelValues, hopper::RoleOp role);

/// The way of one register tile to global memory, through staging buffers.
void buildStore(RoleBuilder &role, tk::StoreOp store, mlir::Value fragment, mlir::Value consumer);

/// The role's persistent loop over the grid's tiles; the builder stands in its body, `values` knows
/// its indices.
hopper::TileLoopOp buildTileLoop(RoleBuilder &role);

} // namespace tkc

#endif // TKC_PASSES_PIPELINEBUILDER_H
