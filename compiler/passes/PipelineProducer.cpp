//===- PipelineProducer.cpp - The role that loads -------------------------===//
//
// For every stage: wait until the consumers have emptied it, announce how many
// bytes will land, start the copies, go on. The producer never looks at data and
// never waits for the epilogue, so the next tile's loads run ahead as far as the
// ring is deep.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/SharedLayout.h"
#include "passes/PipelineBuilder.h"

using namespace mlir;
using namespace tkc;

namespace {
struct Producer : RoleBuilder {
  llvm::MapVector<LoadGroup *, Value> fill;

  void visitBlock(Block &block) {
    for (Operation &op : block) {
      if (auto load = dyn_cast<tk::LoadOp>(op))
        visit(load);
      else if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop == plan.loop)
        visit(loop);
      else if (!touchesTiles(&op) && !isa<scf::YieldOp>(op))
        builder.clone(op, values);
    }
  }

  void visit(tk::LoadOp load) {
    LoadGroup *group = plan.findGroup(load);
    if (!group)
      return;
    Location loc = load.getLoc();
    Location loopLoc = group->loop ? group->loop.getLoc() : group->loads.front().getLoc();
    Value full = buffers.full.lookup(group), cursor = fill.lookup(group);
    if (load == group->loads.front()) {
      builder.create<hopper::WaitBarrierOp>(loopLoc, buffers.empty.lookup(group), cursor,
                                            /*previous=*/true,
                                            "the consumers have read what the stage held before");
      builder.create<hopper::ExpectBytesOp>(loopLoc, full, cursor, group->getStageBytes());
    }
    createLoad(load, loc, full, cursor);
    if (load == group->loads.back())
      builder.create<hopper::AdvanceOp>(loopLoc, cursor);
  }

  /// One copy, or several where the tile is higher than a TMA box.
  void createLoad(tk::LoadOp load, Location loc, Value full, Value cursor) {
    auto tile = cast<tk::TileType>(load.getResult().getType());
    SmallVector<Value> origin = getOrigin(loc, load.getIndices(), tile);
    auto sharedType = hopper::SharedType::get(builder.getContext(), tile.getRows(), tile.getCols(),
                                              tile.getElementType());
    Value stage =
        builder.create<hopper::StageOp>(loc, sharedType, buffers.rings.lookup(load), cursor);
    Value source = values.lookup(load.getSource());
    int64_t boxRows = hopper::getBoxRows(tile.getRows());
    Value firstRow = origin[origin.size() - 2];
    for (int64_t row = 0; row < tile.getRows(); row += boxRows) {
      Value dest = stage;
      if (boxRows != tile.getRows()) {
        auto partType = hopper::SharedType::get(builder.getContext(), boxRows, tile.getCols(),
                                                tile.getElementType());
        dest = builder.create<hopper::RowsOp>(loc, partType, stage, getConstant(loc, row));
        origin[origin.size() - 2] = row ? add(loc, firstRow, getConstant(loc, row)) : firstRow;
      }
      builder.create<hopper::TmaLoadOp>(loc, source, origin, dest, full, cursor);
    }
  }

  /// The same loop, which carries scalars only.
  void visit(scf::ForOp loop) {
    SmallVector<Value> inits;
    for (Value init : loop.getInitArgs())
      if (!isa<tk::TileType>(init.getType()))
        inits.push_back(values.lookup(init));
    auto copy = builder.create<scf::ForOp>(loop.getLoc(), values.lookup(loop.getLowerBound()),
                                           values.lookup(loop.getUpperBound()),
                                           values.lookup(loop.getStep()), inits);
    copy.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    values.map(loop.getInductionVar(), copy.getInductionVar());
    unsigned next = 0;
    for (auto [from, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (!isa<tk::TileType>(from.getType())) {
        copy.getRegionIterArg(next).setLoc(from.getLoc());
        values.map(from, copy.getRegionIterArg(next));
        values.map(result, copy.getResult(next++));
      }
    OpBuilder::InsertionGuard guard(builder);
    if (inits.empty())
      builder.setInsertionPoint(copy.getBody()->getTerminator());
    else
      builder.setInsertionPointToEnd(copy.getBody());
    visitBlock(*loop.getBody());
    if (inits.empty())
      return;
    SmallVector<Value> yielded;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      if (!isa<tk::TileType>(value.getType()))
        yielded.push_back(values.lookup(value));
    builder.create<scf::YieldOp>(loop.getLoc(), yielded);
  }
};
} // namespace

void tkc::buildProducer(OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                        const IRMapping &kernelValues, hopper::RoleOp role) {
  Producer producer{{builder, plan, buffers, kernelValues}, {}};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&role.getBody().front());
  for (LoadGroup &group : plan.groups)
    producer.fill[&group] = producer.createCursor(group, "fill");
  buildTileLoop(producer);
  producer.visitBlock(plan.grid.getBody().front());
}
