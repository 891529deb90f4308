//===- PipelineConsumer.cpp - The role that computes and stores -----------===//
//
// Each consumer warpgroup owns some rows of every register tile. For every
// stage: wait until it has landed, start the products, close them as a group.
// The stage is given back one iteration late, when the next group is already in
// flight, so that the tensor cores never wait for the release (measured: 15 %
// where one warpgroup works alone).
//
// An accumulator that starts at zero need not be filled if its loop surely runs:
// the first product of the loop overwrites it. That saves the fill, and ptxas
// the moves of it.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/IR/Matchers.h"
#include "passes/PipelineBuilder.h"

using namespace mlir;
using namespace tkc;

namespace {
struct Consumer : RoleBuilder {
  Consumer(RoleBuilder base, Value index) : RoleBuilder(std::move(base)), index(index) {}

  Value index; ///< of this warpgroup among the consumers
  llvm::MapVector<LoadGroup *, Value> use;
  Value release;                          ///< the loop's release cursor
  DenseMap<Value, Value> tiles;           ///< register tile -> fragment
  DenseMap<Value, Value> stages;          ///< load's result -> shared tile, in the current block
  llvm::SmallDenseSet<Value> overwritten; ///< iteration arguments that the first product overwrites
  Value isLater;                          ///< in the loop: not the first iteration
  Operation *openGroup = nullptr;         ///< the last product that no group holds yet

  //===--------------------------------------------------------------------===//
  // Fragments
  //===--------------------------------------------------------------------===//

  hopper::FragmentType getFragmentType(Value tile) {
    auto type = cast<tk::TileType>(tile.getType());
    return hopper::FragmentType::get(builder.getContext(), type.getRows() / plan.consumers,
                                     type.getCols(), type.getElementType());
  }

  static bool isZero(Value tile) {
    auto fill = tile.getDefiningOp<tk::FillOp>();
    return fill && matchPattern(fill.getValue(), m_PosZeroFloat());
  }

  /// The fragment of a tile. A fill is made anew for each use: equal fills are one value in tk, but
  /// two accumulators are two variables.
  Value getFragment(Value tile, StringRef name = {}, bool isOverwritten = false) {
    auto fill = tile.getDefiningOp<tk::FillOp>();
    if (!fill)
      return tiles.lookup(tile);
    Location loc = fill.getLoc();
    if (!name.empty())
      loc = getNamedLoc(name, loc);
    if (isOverwritten)
      return builder.create<hopper::UninitializedOp>(loc, getFragmentType(tile));
    return builder.create<hopper::FillOp>(loc, getFragmentType(tile),
                                          values.lookup(fill.getValue()));
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  /// The tile of a load in its ring, taken once per block.
  Value getStage(Value loaded) {
    auto load = loaded.getDefiningOp<tk::LoadOp>();
    if (Value stage = stages.lookup(loaded);
        stage && stage.getParentBlock() == builder.getInsertionBlock())
      return stage;
    auto tile = cast<tk::TileType>(loaded.getType());
    auto type = hopper::SharedType::get(builder.getContext(), tile.getRows(), tile.getCols(),
                                        tile.getElementType());
    Value stage = builder.create<hopper::StageOp>(load.getLoc(), type, buffers.rings.lookup(load),
                                                  use.lookup(plan.findGroup(load)));
    return stages[loaded] = stage;
  }

  /// This warpgroup's rows of a shared tile.
  Value getRows(Location loc, Value stage) {
    auto type = cast<hopper::SharedType>(stage.getType());
    if (plan.consumers == 1)
      return stage;
    int64_t rows = type.getRows() / plan.consumers;
    auto part =
        hopper::SharedType::get(builder.getContext(), rows, type.getCols(), type.getElementType());
    return builder.create<hopper::RowsOp>(loc, part, stage, multiply(loc, index, rows));
  }

  void visit(tk::MmaOp mma) {
    Location loc = mma.getLoc();
    bool isFresh = isZero(mma.getAcc());
    Value accumulate;
    if (overwritten.contains(mma.getAcc()))
      accumulate = isLater;
    else
      accumulate = builder.create<arith::ConstantIntOp>(getUnnamedLoc(loc), !isFresh, 1);
    Value acc = getFragment(mma.getAcc(), findTileName(mma.getResult()), isFresh);
    Value a = getRows(getUnnamedLoc(loc), getStage(mma.getA()));
    Value b = getStage(mma.getB());
    auto wgmma =
        builder.create<hopper::WgmmaOp>(loc, acc.getType(), mma.getForm(), acc, a, b, accumulate);
    tiles[mma.getResult()] = wgmma.getResult();
    openGroup = wgmma;
  }

  /// Closes the products started so far as a group.
  void closeGroup() {
    if (openGroup)
      builder.create<hopper::CommitProductsOp>(getUnnamedLoc(openGroup->getLoc()));
    openGroup = nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Stages
  //===--------------------------------------------------------------------===//

  void visit(tk::LoadOp load) {
    LoadGroup *group = plan.findGroup(load);
    if (!group || load != group->loads.front())
      return;
    Location loc = group->loop ? group->loop.getLoc() : load.getLoc();
    bool isOne = group->loads.size() == 1;
    builder.create<hopper::WaitBarrierOp>(
        getUnnamedLoc(loc), buffers.full.lookup(group), use.lookup(group),
        /*previous=*/false,
        group->getTileNames() + (isOne ? " of this stage has" : " of this stage have") + " landed");
  }

  void giveBack(Location loc, LoadGroup &group, Value cursor, int64_t distance) {
    builder.create<hopper::ArriveOp>(loc, buffers.empty.lookup(&group), cursor, distance);
    builder.create<hopper::AdvanceOp>(loc, cursor);
  }

  /// The operations of the grid's body after which no product needs a load made before the loop.
  Operation *findLastUse(LoadGroup &group) {
    Block *body = &plan.grid.getBody().front();
    Operation *last = nullptr;
    for (tk::LoadOp load : group.loads)
      for (Operation *user : load.getResult().getUsers()) {
        Operation *inBody = body->findAncestorOpInBlock(*user);
        if (!last || last->isBeforeInBlock(inBody))
          last = inBody;
      }
    return last;
  }

  //===--------------------------------------------------------------------===//
  // The loop
  //===--------------------------------------------------------------------===//

  /// True if the first product of the loop may overwrite what the iteration argument starts with.
  bool isOverwrittenAtOnce(scf::ForOp loop, unsigned argument) {
    Value carried = loop.getRegionIterArg(argument);
    if (!plan.loopSurelyRuns || !isZero(loop.getInitArgs()[argument]) || !carried.hasOneUse())
      return false;
    auto mma = dyn_cast<tk::MmaOp>(*carried.user_begin());
    return mma && mma.getAcc() == carried && mma->getBlock() == loop.getBody();
  }

  void visit(scf::ForOp loop) {
    SmallVector<Value> inits;
    for (auto [argument, init] : llvm::enumerate(loop.getInitArgs())) {
      if (!isa<tk::TileType>(init.getType())) {
        inits.push_back(values.lookup(init));
        continue;
      }
      bool isOverwritten = isOverwrittenAtOnce(loop, argument);
      if (isOverwritten)
        overwritten.insert(loop.getRegionIterArg(argument));
      StringRef name = findTileName(loop.getRegionIterArg(argument));
      if (name.empty())
        name = findTileName(loop.getYieldedValues()[argument]);
      inits.push_back(getFragment(init, name, isOverwritten));
    }
    Value lower = values.lookup(loop.getLowerBound()), upper = values.lookup(loop.getUpperBound());
    auto copy = builder.create<scf::ForOp>(loop.getLoc(), lower, upper,
                                           values.lookup(loop.getStep()), inits);
    copy.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    values.map(loop.getInductionVar(), copy.getInductionVar());
    for (auto [from, to, fromResult, result] :
         llvm::zip(loop.getRegionIterArgs(), copy.getRegionIterArgs(), loop.getResults(),
                   copy.getResults())) {
      to.setLoc(from.getLoc());
      map(from, to);
      map(fromResult, result);
    }
    LoadGroup *group = nullptr;
    for (LoadGroup &candidate : plan.groups)
      if (candidate.loop == loop)
        group = &candidate;
    {
      OpBuilder::InsertionGuard guard(builder);
      if (inits.empty())
        builder.setInsertionPoint(copy.getBody()->getTerminator());
      else
        builder.setInsertionPointToEnd(copy.getBody());
      buildLoopBody(loop, copy, group);
    }
    if (group)
      giveLastBack(loop, *group, lower, upper);
  }

  void map(Value from, Value to) {
    if (isa<tk::TileType>(from.getType()))
      tiles[from] = to;
    else
      values.map(from, to);
  }

  void buildLoopBody(scf::ForOp loop, scf::ForOp copy, LoadGroup *group) {
    Location loc = getUnnamedLoc(loop.getLoc());
    if (group || !overwritten.empty())
      isLater =
          builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, copy.getInductionVar(),
                                        values.lookup(loop.getLowerBound()));
    Operation *lastProduct = nullptr;
    for (Operation &op : loop.getBody()->without_terminator()) {
      visitOp(&op);
      if (openGroup)
        lastProduct = openGroup;
    }
    closeGroup();
    if (group) {
      Location releaseLoc = lastProduct ? getUnnamedLoc(lastProduct->getLoc()) : loc;
      auto later = builder.create<scf::IfOp>(releaseLoc, isLater, /*withElseRegion=*/false);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(later.thenYield());
        giveBack(releaseLoc, *group, release, /*distance=*/1);
      }
      builder.create<hopper::AdvanceOp>(loc, use.lookup(group));
    }
    if (copy.getNumResults() == 0)
      return;
    SmallVector<Value> yielded;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      yielded.push_back(isa<tk::TileType>(value.getType()) ? getFragment(value)
                                                           : values.lookup(value));
    builder.create<scf::YieldOp>(loc, yielded);
  }

  /// After the loop: the stage of the last iteration, if there was one.
  void giveLastBack(scf::ForOp loop, LoadGroup &group, Value lower, Value upper) {
    Location loc = getUnnamedLoc(loop.getLoc());
    if (plan.loopSurelyRuns)
      return giveBack(loc, group, release, /*distance=*/0);
    Value hasRun = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, upper, lower);
    auto branch = builder.create<scf::IfOp>(loc, hasRun, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenYield());
    giveBack(loc, group, release, /*distance=*/0);
  }

  //===--------------------------------------------------------------------===//
  // The walk
  //===--------------------------------------------------------------------===//

  void visitOp(Operation *op) {
    if (auto mma = dyn_cast<tk::MmaOp>(op))
      return visit(mma);
    if (auto load = dyn_cast<tk::LoadOp>(op))
      return visit(load);
    if (isa<tk::FillOp>(op))
      return;
    if (auto store = dyn_cast<tk::StoreOp>(op)) {
      closeGroup();
      return buildStore(*this, store, getFragment(store.getValue()), index);
    }
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop == plan.loop) {
      closeGroup();
      return visit(loop);
    }
    builder.clone(*op, values);
  }

  void visitGrid() {
    LoadGroup *before = nullptr;
    for (LoadGroup &group : plan.groups)
      if (!group.loop)
        before = &group;
    Operation *lastUse = before ? findLastUse(*before) : nullptr;
    for (Operation &op : plan.grid.getBody().front()) {
      visitOp(&op);
      if (&op != lastUse)
        continue;
      closeGroup();
      giveBack(getUnnamedLoc(op.getLoc()), *before, use.lookup(before), /*distance=*/0);
    }
  }
};
} // namespace

void tkc::buildConsumer(OpBuilder &builder, PipelinePlan &plan, const PipelineBuffers &buffers,
                        const IRMapping &kernelValues, hopper::RoleOp role) {
  Consumer consumer({builder, plan, buffers, kernelValues}, role.getBody().getArgument(0));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&role.getBody().front());
  for (LoadGroup &group : plan.groups) {
    consumer.use[&group] = consumer.createCursor(group, "use");
    if (group.loop)
      consumer.release = consumer.createCursor(group, "release");
  }
  buildTileLoop(consumer);
  consumer.visitGrid();
}
