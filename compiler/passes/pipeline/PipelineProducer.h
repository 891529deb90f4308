//===- PipelineProducer.h - The role that loads ---------------------------===//
//
// A walk over the grid's body that lowers its loads, and the scalars and the control flow that they
// need. In a block whose reducer loads, the reducer's walk calls it where a load shall stand
// (PipelineReducer.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_PIPELINEPRODUCER_H
#define TKC_PASSES_PIPELINEPRODUCER_H

#include "dialect/tk/TkElementOp.h"
#include "passes/pipeline/PipelineBuilder.h"

namespace tkc {

struct Producer : RoleBuilder {
  Producer(RoleBuilder base) : RoleBuilder(std::move(base)), loadPoints(plan) {}

  LoadPointIndex loadPoints;
  llvm::MapVector<LoadGroup *, mlir::Value> fill; ///< cursors, at the stage that is loaded next

  /// Creates the cursors and loads what stays for all tiles.
  void begin();
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);

private:
  bool isForWorkers(mlir::Operation *op);

  // Loads.
  void visit(tk::LoadOp load);
  void createCopy(tk::ElementOp element, mlir::Value full, mlir::Value cursor);
  void loadResident();
  void createLoad(tk::LoadOp load, mlir::Value full, mlir::Value cursor);
  int64_t findBoxDepth(tk::LoadOp load, int64_t copies);
  void copyTile(tk::LoadOp load, mlir::Value stage, int64_t part,
                mlir::SmallVector<mlir::Value> &origin, mlir::Value full, mlir::Value cursor);
  void copyVector(tk::LoadOp load, mlir::Value stage, int64_t first,
                  mlir::SmallVector<mlir::Value> &origin, mlir::Value full, mlir::Value cursor);

  // Control.
  bool isCarried(mlir::Value value);
  void visit(mlir::scf::ForOp loop);
  void visit(mlir::scf::IfOp branch);
  void createYield(mlir::Operation *terminator, mlir::Location loc);
};

} // namespace tkc

#endif // TKC_PASSES_PIPELINEPRODUCER_H
