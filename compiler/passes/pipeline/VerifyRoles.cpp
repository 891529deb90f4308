//===- VerifyRoles.cpp - Tile code that can become roles ------------------===//
#include "passes/pipeline/VerifyRoles.h"

#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"

using namespace mlir;
using namespace tkc;

FailureOr<tk::GridOp> tkc::findGrid(tk::KernelOp kernel) {
  tk::GridOp grid;
  for (Operation &op : kernel.getBody().front()) {
    if (auto found = dyn_cast<tk::GridOp>(op)) {
      if (grid) {
        InFlightDiagnostic diagnostic = found.emitError()
                                        << "a kernel has one grid, this is its second";
        diagnostic.attachNote(grid.getLoc())
            << "the first one is here; put the other into a kernel of its own";
        return failure();
      }
      grid = found;
    } else if (!isa<tk::FillOp>(op) && touchesTiles(&op)) {
      return op.emitError() << "'" << op.getName()
                            << "' touches tiles outside the grid; move it into the grid's loop";
    } else if (!isMemoryEffectFree(&op)) {
      return op.emitError() << "'" << op.getName() << "' cannot stand outside the grid";
    }
  }
  if (!grid)
    return kernel.emitError() << "the kernel '" << kernel.getSymName()
                              << "' has no grid; its work goes into a loop "
                              << "over grid(...)";
  return grid;
}

namespace {
class Verifier {
public:
  Verifier(const PipelinePlan &plan) : grid(plan.grid), plan(plan) {}

  LogicalResult verify(Block &block) {
    for (Operation &op : block)
      if (failed(verify(&op)))
        return failure();
    return success();
  }

private:
  LogicalResult verify(Operation *op) {
    if (failed(verifyHeight(op)))
      return failure();
    if (auto load = dyn_cast<tk::LoadOp>(op))
      return verify(load);
    if (auto store = dyn_cast<tk::StoreOp>(op))
      return verify(store);
    if (auto scatter = dyn_cast<tk::ScatterOp>(op))
      return verifyWritten(scatter, scatter.getDest());
    if (auto mma = dyn_cast<tk::MmaOp>(op))
      return verify(mma);
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && touchesTiles(op))
      return verify(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && touchesTiles(op))
      return verify(branch);
    if (auto each = dyn_cast<tk::EachOp>(op))
      return verify(each);
    if (op->hasTrait<tk::InTilePrograms>() || isa<scf::YieldOp>(op))
      return success();
    if (touchesTiles(op))
      return op->emitError() << "'" << op->getName() << "' cannot take or make tiles";
    if (!isMemoryEffectFree(op))
      return op->emitError() << "'" << op->getName()
                             << "' has effects that the roles of a block cannot share";
    return success();
  }

  /// Every register tile has rows for each warpgroup. tk-verify-layouts and tk-distribute have said
  /// this in the user's words.
  LogicalResult verifyHeight(Operation *op) {
    if (tk::isReducers(op) || tk::isScanners(op))
      return success();
    int64_t worker = plan.distribution.isEachWarp() ? 16 : hopper::mBlockRows;
    for (Value result : op->getResults()) {
      auto elements = dyn_cast<tk::ElementsInterface>(result.getType());
      if (elements && !isShared(result.getType()) &&
          elements.getRows() % (plan.distribution.getSharers() * worker))
        return op->emitError() << "a tile of " << elements.getRows()
                               << " rows does not divide among " << plan.distribution.getSharers()
                               << " compute warpgroups in blocks of " << worker
                               << ": run tk-distribute first";
    }
    return success();
  }

  LogicalResult verify(tk::MmaOp mma) {
    bool isEachWarp = plan.distribution.isEachWarp();
    if (isShared(mma.getB().getType()) == isEachWarp ||
        (isEachWarp && isShared(mma.getA().getType())))
      return mma.emitError()
             << "the operands of an MMA are in the wrong space: run tk-verify-layouts first";
    return success();
  }

  LogicalResult verify(tk::LoadOp load) {
    if (!load.getResult().use_empty() && !isa<BlockArgument>(tk::getWholeTensor(load.getSource())))
      return load.emitError() << "the loaded tensor is not an argument of the kernel";
    return success();
  }

  LogicalResult verifyWritten(Operation *store, Value dest) {
    if (!isa<BlockArgument>(tk::getWholeTensor(dest)))
      return store->emitError() << "the stored tensor is not an argument of the kernel";
    for (Operation *user : dest.getUsers())
      if (isa<tk::ElementOp>(user)) {
        InFlightDiagnostic diagnostic =
            store->emitError() << "a kernel does not write to a tensor whose elements it reads as "
                               << "scalars: other blocks may read them before or after";
        diagnostic.attachNote(user->getLoc()) << "one is read here";
        return failure();
      }
    return success();
  }

  LogicalResult verify(tk::StoreOp store) {
    if (failed(verifyWritten(store, store.getDest())))
      return failure();
    auto tile = dyn_cast<tk::TileType>(store.getValue().getType());
    if (!tile)
      return success();
    Type element = cast<tk::GlobalType>(store.getDest().getType()).getElementType();
    int64_t sharers = tk::isReducers(store) ? 1 : plan.distribution.getSharers();
    if (!hopper::getAtomCols(tile.getCols(), element) ||
        tile.getRows() % (sharers * plan.getStagingRows()))
      return store.emitError() << "a tile of " << tile.getRows() << " x " << tile.getCols() << " "
                               << element << " cannot be stored by "
                               << plan.distribution.getSharers()
                               << " compute warpgroups: run tk-verify-layouts and tk-distribute "
                               << "first";
    return success();
  }

  /// A loop counts in i32 and carries registers and scalars; shared memory only as what stays at
  /// its place.
  LogicalResult verify(scf::ForOp loop) {
    if (!loop.getInductionVar().getType().isInteger(32))
      return loop.emitError() << "the loop counts in " << loop.getInductionVar().getType()
                              << " when it should count in i32";
    for (auto [init, yielded] : llvm::zip(loop.getInitArgs(), loop.getYieldedValues()))
      if (isShared(init.getType()) && !isScratch(init, yielded))
        return loop.emitError() << "the loop carries " << init.getType()
                                << " from one iteration to the next; shared tiles stay at their "
                                << "place, so load it in the loop, or carry it in registers";
    return verify(*loop.getBody());
  }

  LogicalResult verify(scf::IfOp branch) {
    for (auto [index, result] : llvm::enumerate(branch.getResults()))
      if (isShared(result.getType()) &&
          !isScratch(branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)))
        return branch.emitError() << "the branches give different shared tiles; read them into "
                                  << "registers, or use the tile inside the branch";
    for (Region &region : branch->getRegions())
      if (!region.empty() && failed(verify(region.front())))
        return failure();
    return success();
  }

  static bool isScratch(Value a, Value b) {
    Operation *buffer = findBuffer(a);
    return isa_and_nonnull<tk::AllocOp>(buffer) && buffer == findBuffer(b);
  }

  LogicalResult verify(tk::EachOp each) {
    if (scope) {
      InFlightDiagnostic diagnostic =
          each.emitError() << "a grid has one scope of warpgroups or warps, this is its second";
      diagnostic.attachNote(scope.getLoc()) << "the first one is here";
      return failure();
    }
    if (each->getParentOp() != grid.getOperation())
      return each.emitError() << "a scope of warpgroups or warps stands directly in the grid";
    for (Operation &op : grid.getBody().front())
      if (&op != each && touchesTiles(&op) && !isa<tk::FillOp>(op))
        return op.emitError() << "'" << op.getName()
                              << "' touches tiles outside the scope of warpgroups or warps";
    scope = each;
    return verify(each.getBody().front());
  }

  tk::GridOp grid;
  tk::EachOp scope; ///< the one that has been seen
  const PipelinePlan &plan;
};
} // namespace

LogicalResult tkc::verifyRoles(const PipelinePlan &plan) {
  tk::GridOp grid = plan.grid;
  return Verifier(plan).verify(grid.getBody().front());
}
