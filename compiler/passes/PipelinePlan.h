//===- PipelinePlan.h - What tk-insert-pipeline will build ----------------===//
//
// Reads a tk.kernel, refuses what cannot become a pipeline, and decides: which
// loads land together on one mbarrier, how deep their rings are, which buffers
// stores go through. Nothing is built here.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_PIPELINEPLAN_H
#define TKC_PASSES_PIPELINEPLAN_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <string>

namespace tkc {

/// Loads that land together: those of the pipelined loop, or those before it.
struct LoadGroup {
  mlir::scf::ForOp loop; ///< null for the loads before the loop
  mlir::SmallVector<tk::LoadOp> loads;
  int64_t stages = 0;
  std::string prefix; ///< of the names of its barriers and cursors: "" or "q_"

  int64_t getStageBytes();
  /// "a and b": the tiles, for reasons.
  std::string getTileNames();
};

/// Staging buffers: the way of register tiles to global memory, one strip of 64 rows at a time.
struct StagingPlan {
  int64_t cols;
  mlir::Type elementType;
  mlir::SmallVector<tk::StoreOp> stores;
  int64_t buffers = 0; ///< per consumer
  std::string name;

  int64_t getBufferBytes() const;
};

struct PipelinePlan {
  tk::KernelOp kernel;
  tk::GridOp grid;
  mlir::scf::ForOp loop; ///< the pipelined loop, or null
  bool loopSurelyRuns = false;
  int64_t consumers = 0;
  mlir::SmallVector<LoadGroup, 2> groups; ///< in program order; none is empty
  mlir::SmallVector<StagingPlan, 2> staging;

  LoadGroup *findGroup(tk::LoadOp load);
  StagingPlan &getStaging(tk::StoreOp store);
};

/// The plan for a kernel, or failure with an error at the place that cannot be planned.
mlir::FailureOr<PipelinePlan> planPipeline(tk::KernelOp kernel, int64_t maxStages);

/// True if the operation touches tiles: has one as operand or result, or contains such an
/// operation.
bool touchesTiles(mlir::Operation *op);

/// The name of the tile that a load makes: the user's, or "A_tile".
std::string getLoadName(tk::LoadOp load);

} // namespace tkc

#endif // TKC_PASSES_PIPELINEPLAN_H
