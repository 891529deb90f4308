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
#include "passes/pipeline/PipelinePlan.h"
#include "llvm/ADT/MapVector.h"

namespace tkc {

/// The kernel's buffers in shared memory.
struct PipelineBuffers {
  llvm::MapVector<mlir::Operation *, mlir::Value>
      rings; ///< tk.load, tk.alloc or tk.element -> its ring
  llvm::MapVector<LoadGroup *, mlir::Value> full, empty;
  llvm::MapVector<HandOver *, mlir::Value> handedOver, taken; ///< full and empty of their rings
  llvm::MapVector<StagingPlan *, mlir::Value> staging;
  mlir::Value crossWarpScratch; ///< the scratch of cross-warp reductions, or null
};

/// The state of a role: a builder, the mapping from tk values to this role's, and the plan.
struct RoleBuilder {
  mlir::OpBuilder &builder;
  PipelinePlan &plan;
  const PipelineBuffers &buffers;
  mlir::IRMapping values; ///< scalars and tensors; for consumers also what registers hold

  mlir::Value getConstant(mlir::Location loc, int64_t value) {
    return builder.create<mlir::arith::ConstantIntOp>(loc, value, 32);
  }

  /// left * right and left + right, folded where both or one of them is known. `parameter` is what
  /// the source calls `right`, if it is a template parameter.
  mlir::Value multiply(mlir::Location loc, mlir::Value left, int64_t right,
                       llvm::StringRef parameter = {});
  mlir::Value add(mlir::Location loc, mlir::Value left, mlir::Value right);
  /// An index of tiles or vectors of a size as one of elements.
  mlir::Value countElements(mlir::Location loc, mlir::Value index, int64_t size,
                            llvm::StringRef parameter);

  /// The first element of a tile or vector in its tensor: indices, those that count tiles times the
  /// tile's extents. The indices are this role's, the tile is the tk value. Or of one of the tile's
  /// pages: its rows are as many parts.
  mlir::SmallVector<mlir::Value> getOrigin(mlir::Location loc, mlir::ValueRange indices,
                                           mlir::Value tile, int64_t pages = 1);

  /// A cursor over a group's ring, with the group's prefix.
  mlir::Value createCursor(LoadGroup &group, llvm::StringRef name);

  /// A scalar for the worker with this number in `tk.each` (PerWarpgroupScopes.cpp).
  mlir::Value computeForWorker(mlir::Value value, int64_t worker);

  /// The part of a shared tile that starts at `row` and `column` and is `rows` x `cols`; the tile
  /// itself if that is all of it.
  mlir::Value getPart(mlir::Location loc, mlir::Value shared, mlir::Value row, int64_t rows,
                      mlir::Value column, int64_t cols);

  /// The stage at a cursor of the ring of an element that lands with tiles.
  mlir::Value takeElementStage(mlir::Operation *element, mlir::Value cursor);

  /// Begins a copy of a loop with these initial values; names, counter and `tk.pipeline` stay, its
  /// attributes go. The builder stands in its body.
  mlir::scf::ForOp createLoop(mlir::scf::ForOp loop, mlir::ValueRange inits);

  /// A copy of a branch with those results for which `getCarriedType` gives a type. `fillRegion`
  /// fills each region of the copy from the block of the branch, the terminator included.
  mlir::scf::IfOp createBranch(mlir::scf::IfOp branch,
                               llvm::function_ref<mlir::Type(mlir::Value)> getCarriedType,
                               llvm::function_ref<void(mlir::Block &)> fillRegion);
};

/// The load points of the plan's groups by the operations at which something happens.
struct LoadPointIndex {
  struct Entry {
    LoadGroup *group;
    LoadPoint *loadPoint;
  };
  /// Those of the groups that a role reads, or of all.
  explicit LoadPointIndex(PipelinePlan &plan,
                          std::optional<hopper::RoleKind> reader = std::nullopt);

  llvm::DenseMap<mlir::Operation *, Entry> byLoad, byElement;
  llvm::DenseMap<mlir::Operation *, mlir::SmallVector<Entry>> byFirstUse, byRelease;
  llvm::DenseMap<mlir::Block *, mlir::SmallVector<Entry>> byBlock, byBlockEnd;
};

/// Fills the body of the producer role.
void buildProducer(mlir::OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                   const mlir::IRMapping &kernelValues, hopper::RoleOp role);

/// Fills the body of the consumer role, or of the reducer.
void buildConsumer(mlir::OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                   const mlir::IRMapping &kernelValues, hopper::RoleOp role);

/// The way of one register tile to global memory, through staging buffers. `worker` is the number
/// of the warpgroup, or warp.
void buildStore(RoleBuilder &role, tk::StoreOp store, mlir::Value fragment, mlir::Value worker);

/// The way of one register vector to global memory, straight.
void buildVectorStore(RoleBuilder &role, tk::StoreOp store, mlir::Value vector, mlir::Value worker);
/// The same of a tile, whose tensor lies in fragment order: threads store what they hold.
void buildFragmentStore(RoleBuilder &role, tk::StoreOp store, mlir::Value fragment,
                        mlir::Value worker);

/// The role's persistent loop over the grid's tiles; the builder stands in its body, `values` knows
/// its indices.
hopper::TileLoopOp buildTileLoop(RoleBuilder &role);

/// The dynamic tile scheduler of a kernel (DynamicTileScheduler.cpp).
void createTileScheduler(mlir::OpBuilder &builder, PipelinePlan &plan, mlir::IRMapping &values);

} // namespace tkc

#endif // TKC_PASSES_PIPELINEBUILDER_H
