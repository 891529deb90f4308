//===- PipelineProducer.cpp - The role that loads -------------------------===//
//
// For every stage: wait until the consumers have emptied it, announce how many
// bytes will land, start the copies, go on. The producer never looks at data and
// never waits for the epilogue, so the next tile's loads run ahead as far as the
// ring is deep. Of the user's loops and branches it keeps those that load.
//
//===----------------------------------------------------------------------===//
#include "passes/pipeline/PipelineProducer.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkPartOp.h"

using namespace mlir;
using namespace tkc;

void Producer::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    visit(&op);
  if (!block.back().hasTrait<OpTrait::IsTerminator>())
    visit(&block.back());
}

void Producer::visit(Operation *op) {
  if (auto load = dyn_cast<tk::LoadOp>(op))
    return visit(load);
  if (auto each = dyn_cast<tk::EachOp>(op))
    return visitBlock(each.getBody().front());
  if (isForWorkers(op))
    return;
  if (loadPoints.byElement.contains(op))
    return; // copied with the tiles
  if (!touchesTiles(op)) {
    builder.clone(*op, values);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visit(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visit(branch);
}

/// True for what every worker of `tk.each` computes for itself. The producer computes of it what
/// a load needs, for each worker, at the load.
bool Producer::isForWorkers(Operation *op) {
  auto depends = [&](Value value) { return plan.workerDependent.contains(value); };
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return depends(loop.getInductionVar());
  return llvm::any_of(op->getOperands(), depends);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void Producer::visit(tk::LoadOp load) {
  auto found = loadPoints.byLoad.find(load);
  if (found == loadPoints.byLoad.end())
    return;
  auto [group, loadPoint] = found->second;
  if (group->isResident)
    return;
  Location loc = group->getLoc(*loadPoint);
  Value full = buffers.full.lookup(group), cursor = fill.lookup(group);
  if (load == loadPoint->loads.front()) {
    if (!group->isFilledOnce)
      builder.create<hopper::WaitBarrierOp>(loc, buffers.empty.lookup(group), cursor,
                                            /*previous=*/true,
                                            group->isReadBy(hopper::RoleKind::Consumer) ||
                                                    group->isReadBy(hopper::RoleKind::Reducer)
                                                ? "the consumers have read the stage's old tiles"
                                                : "scanner warps have read the stage's old tiles");
    builder.create<hopper::ExpectBytesOp>(loc, full, cursor, plan.getStageBytes(*group));
  }
  createLoad(load, full, cursor);
  if (load != loadPoint->loads.back())
    return;
  for (Operation *element : loadPoint->elements)
    createCopy(cast<tk::ElementOp>(element), full, cursor);
  if (!group->isFilledOnce || group->stages > 1)
    builder.create<hopper::AdvanceOp>(loc, cursor);
}

void Producer::createCopy(tk::ElementOp element, Value full, Value cursor) {
  Location loc = getUnnamedLoc(element.getLoc());
  SmallVector<Value> indices;
  for (Value index : element.getIndices())
    indices.push_back(values.lookup(index));
  builder.create<hopper::CopyElementOp>(loc, values.lookup(element.getSource()), indices,
                                        takeElementStage(element, cursor), full, cursor);
}

/// Operands that all tiles use are loaded before the first one, into stages that nobody has used.
void Producer::loadResident() {
  for (LoadGroup &group : plan.groups) {
    if (!group.isResident)
      continue;
    Value full = buffers.full.lookup(&group), cursor = fill.lookup(&group);
    builder.create<hopper::ExpectBytesOp>(getUnnamedLoc(plan.grid.getLoc()), full, cursor,
                                          plan.getStageBytes(group));
    for (tk::LoadOp load : group.getLoads())
      createLoad(load, full, cursor);
  }
}

static void copyBox(Producer &role, tk::LoadOp load, ValueRange origin, Value dest, Value full,
                    Value cursor, int64_t depth = 1) {
  role.builder.create<hopper::TmaLoadOp>(load.getLoc(), role.values.lookup(load.getSource()),
                                         origin, dest, full, cursor, load.getPolicyAttr(), depth);
}

void Producer::createLoad(tk::LoadOp load, Value full, Value cursor) {
  Location loc = load.getLoc();
  Type tile = load.getResult().getType();
  const int64_t copies = plan.getCopies(load);
  int64_t depth = findBoxDepth(load, copies);
  const int64_t pages = tk::countPages(load);
  SmallVector<SmallVector<Value>> origins; // of each page of the first copy, of the second, ...
  for (int64_t copy = 0; copy < (depth ? 1 : copies); ++copy)
    for (int64_t page = 0; page < pages; ++page) {
      SmallVector<Value> indices;
      for (Value index : tk::getPlaceOfPage(load, page))
        indices.push_back(computeForWorker(index, copy));
      origins.push_back(getOrigin(loc, indices, load.getResult(), pages));
    }
  RingShape shape = plan.getRingShape(load);
  auto type =
      hopper::SharedType::get(builder.getContext(), shape.rows, shape.cols, shape.elementType);
  Value stage = builder.create<hopper::StageOp>(loc, type, buffers.rings.lookup(load), cursor);
  if (depth) {
    copyBox(*this, load, origins.front(), stage, full, cursor, depth);
    return;
  }
  for (auto [part, origin] : llvm::enumerate(origins))
    if (isa<tk::TileType>(tile))
      copyTile(load, stage, int64_t(part), origin, full, cursor);
  if (!isa<tk::TileType>(tile))
    for (int64_t copy = 0; copy < copies; ++copy)
      copyVector(load, stage, copy * shape.cols / copies, origins[copy], full, cursor);
}

/// The depth of a box with the tiles of all workers: one for each where they lie in matrices of the
/// tensor that follow one another, 1 where they are rows that do; 0 if neither holds.
int64_t Producer::findBoxDepth(tk::LoadOp load, int64_t copies) {
  auto tile = dyn_cast<tk::TileType>(load.getResult().getType());
  if (!tile || copies == 1 || tk::countPages(load) > 1 ||
      tk::getWholeTensor(load.getSource()) != load.getSource())
    return 0;
  SmallVector<int64_t> steps;
  for (Value index : load.getIndices())
    steps.push_back(plan.getWorkerStride(index).value_or(INT64_MIN));
  auto isStepOf = [&](size_t dimension) { // counted from the last one
    return dimension < steps.size() && steps[steps.size() - 1 - dimension] == 1 &&
           llvm::count(steps, 0) + 1 == int64_t(steps.size());
  };
  if (isStepOf(1) && copies * tile.getRows() <= hopper::maxBoxExtent)
    return 1;
  bool isOneBox = tile.getRows() <= hopper::getBoxRows(tile.getRows());
  return isStepOf(2) && isOneBox && copies <= hopper::maxBoxExtent ? copies : 0;
}

/// One copy of a worker's tile, or of a page of it, or several where that is higher than a TMA box.
void Producer::copyTile(tk::LoadOp load, Value stage, int64_t part, SmallVector<Value> &origin,
                        Value full, Value cursor) {
  Location loc = load.getLoc();
  auto tile = cast<tk::TileType>(tk::getPageType(load));
  int64_t boxRows = hopper::getBoxRows(tile.getRows());
  Value firstRow = origin[origin.size() - 2];
  for (int64_t row = 0; row < tile.getRows(); row += boxRows) {
    Value dest = getPart(loc, stage, getConstant(loc, part * tile.getRows() + row), boxRows, {},
                         tile.getCols());
    origin[origin.size() - 2] = row ? add(loc, firstRow, getConstant(loc, row)) : firstRow;
    copyBox(*this, load, origin, dest, full, cursor);
  }
}

/// The same for a vector, which may be longer than a box is wide.
void Producer::copyVector(tk::LoadOp load, Value stage, int64_t first, SmallVector<Value> &origin,
                          Value full, Value cursor) {
  Location loc = load.getLoc();
  auto vector = cast<tk::TileVectorType>(load.getResult().getType());
  Value firstColumn = origin.back();
  for (int64_t column = 0; column < vector.getLength(); column += hopper::maxBoxExtent) {
    int64_t count = std::min(hopper::maxBoxExtent, vector.getLength() - column);
    Value dest = getPart(loc, stage, {}, 1, getConstant(loc, first + column), count);
    origin.back() = column ? add(loc, firstColumn, getConstant(loc, column)) : firstColumn;
    copyBox(*this, load, origin, dest, full, cursor);
  }
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// True for what this role carries.
bool Producer::isCarried(Value value) {
  return !isTile(value.getType()) && !plan.workerDependent.contains(value);
}

/// The same loop, which carries scalars only.
void Producer::visit(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (auto [init, result] : llvm::zip(loop.getInitArgs(), loop.getResults()))
    if (isCarried(result))
      inits.push_back(values.lookup(init));
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp copy = createLoop(loop, inits);
  unsigned next = 0;
  for (auto [from, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (isCarried(result)) {
      copy.getRegionIterArg(next).setLoc(from.getLoc());
      values.map(from, copy.getRegionIterArg(next));
      values.map(result, copy.getResult(next++));
    }
  visitBlock(*loop.getBody());
  createYield(loop.getBody()->getTerminator(), loop.getLoc());
}

/// The same branch, which gives scalars only.
void Producer::visit(scf::IfOp branch) {
  createBranch(
      branch, [&](Value result) { return isCarried(result) ? result.getType() : Type(); },
      [&](Block &block) {
        visitBlock(block);
        createYield(block.getTerminator(), branch.getLoc());
      });
}

/// Yields the results of the operation around `terminator`; nothing for none, since a builder
/// has made that.
void Producer::createYield(Operation *terminator, Location loc) {
  SmallVector<Value> yielded;
  for (auto [value, result] :
       llvm::zip(terminator->getOperands(), terminator->getParentOp()->getResults()))
    if (isCarried(result))
      yielded.push_back(values.lookup(value));
  if (!yielded.empty())
    builder.create<scf::YieldOp>(loc, yielded);
}

void Producer::begin() {
  for (LoadGroup &group : plan.groups)
    fill[&group] = createCursor(group, "fill");
  loadResident();
}

void tkc::buildProducer(OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                        const IRMapping &kernelValues, hopper::RoleOp role) {
  Producer producer({builder, plan, buffers, kernelValues});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&role.getBody().front());
  producer.begin();
  buildTileLoop(producer);
  producer.visitBlock(plan.grid.getBody().front());
}
