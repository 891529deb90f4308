//===- PrefetchFirstLoads.cpp - L2 fetches early what a block needs first --===//
//
// A kernel that starts while the one before it ends waits before it touches a tensor.
// A short kernel that reads much memory loses there: a decoding step's first keys are
// three dependent loads away. Its first tiles can be asked into L2 meanwhile, for L2 is
// one for all SMs: a line that is written later is written there. The places of those
// tiles may depend on elements of tensors, which the kernel before may still be writing.
// So they are read past L1, and whatever they are, they lead to prefetches alone, and
// soon to an end.
//
// The producer's own code is copied for the first tile: the scalars, branches and loops that
// lead to its loads. The first loads of each ring become prefetches, as many as the hint
// asks for. All scalars stand before the first branch, so that elements are read at once:
// an index beyond a tensor reads zero.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/HopperPrefetchOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tkc {
#define GEN_PASS_DEF_PREFETCHFIRSTLOADS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

namespace {
/// A copy of what leads to the first loads of a producer.
class FirstLoads {
public:
  FirstLoads(RoleOp role, WaitGridDependencyOp wait, int64_t count)
      : role(role), count(count), builder(wait) {}

  /// False if no load has a place that is known so early.
  bool build(TileLoopOp tiles);

private:
  void visitBlock(Block &block);
  void visit(Operation &op);
  void visit(StageOp stage);
  void visit(TmaLoadOp load);
  void visit(scf::IfOp branch);
  void visit(scf::ForOp loop);
  void visitIteration(scf::ForOp loop, int64_t number, ArrayRef<Value> carried);
  void visitScalar(Operation &op);

  bool isKnown(Value value) const;
  bool areKnown(ValueRange values) const {
    return llvm::all_of(values, [&](Value value) { return isKnown(value); });
  }
  Value lookup(Value value) const { return copies.lookupOrDefault(value); }
  /// True for values that an early element decides.
  bool isEarly(Value value) const { return early.contains(lookup(value)); }
  Value createConstant(Location loc, int64_t value) {
    return builder.create<arith::ConstantIntOp>(loc, value, 32);
  }
  void leaveBranches() {
    if (outermost)
      builder.setInsertionPoint(outermost);
  }
  scf::IfOp createBranch(Location loc, Value condition, bool hasElse);

  RoleOp role;
  int64_t count; ///< of prefetches of a ring
  OpBuilder builder;
  IRMapping copies;
  DenseSet<Value> early;
  DenseMap<Value, int64_t> filled; ///< loads of each ring so far
  scf::IfOp outermost;             ///< branch that is built
  bool hasLoads = false;
};
} // namespace

/// Known are values from outside of the role, and those whose copies exist.
bool FirstLoads::isKnown(Value value) const {
  return copies.contains(value) || !role->isAncestor(value.getParentBlock()->getParentOp());
}

void FirstLoads::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void FirstLoads::visit(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<StageOp, TmaLoadOp, scf::IfOp, scf::ForOp>([&](auto known) { visit(known); })
      .Default([&](Operation *) { visitScalar(op); });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The stage is that of number 0, which only says what a box is.
void FirstLoads::visit(StageOp stage) {
  Value ring = stage.getRing();
  if (filled[ring]++ >= count)
    return;
  OpBuilder::InsertionGuard guard(builder);
  leaveBranches();
  Location loc = stage.getLoc();
  copies.map(stage.getResult(),
             builder.create<SlotOp>(loc, stage.getResult().getType(), ring, createConstant(loc, 0))
                 .getResult());
}

void FirstLoads::visit(TmaLoadOp load) {
  if (!isKnown(load.getDest()) || !isKnown(load.getSource()) || !areKnown(load.getCoordinates()))
    return;
  SmallVector<Value> coordinates;
  for (Value coordinate : load.getCoordinates())
    coordinates.push_back(lookup(coordinate));
  builder.create<PrefetchLoadOp>(load.getLoc(), lookup(load.getSource()), coordinates,
                                 lookup(load.getDest()));
  hasLoads = true;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void FirstLoads::visitScalar(Operation &op) {
  if (op.getNumRegions() || !isMemoryEffectFree(&op) || !areKnown(op.getOperands()) ||
      op.hasTrait<OpTrait::IsTerminator>())
    return;
  // A division by 0: an early divisor may be anything, and a branch may be there to keep a 0 away.
  if (!isSpeculatable(&op) && (outermost || isEarly(op.getOperands().back())))
    return;
  OpBuilder::InsertionGuard guard(builder);
  leaveBranches();
  bool isFromEarly = llvm::any_of(op.getOperands(), [&](Value value) { return isEarly(value); });
  Operation *copy = builder.clone(op, copies);
  if (auto element = dyn_cast<tk::ElementOp>(copy))
    element.setEarly(isFromEarly = true);
  if (isFromEarly)
    early.insert(copy->result_begin(), copy->result_end());
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

scf::IfOp FirstLoads::createBranch(Location loc, Value condition, bool hasElse) {
  auto branch = builder.create<scf::IfOp>(loc, condition, hasElse);
  if (!outermost)
    outermost = branch;
  return branch;
}

/// Branches lead to loads; their results are not known.
void FirstLoads::visit(scf::IfOp branch) {
  if (!isKnown(branch.getCondition()))
    return;
  auto visitRegion = [&](Region &region, Region &copy) {
    if (region.empty())
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&copy.front());
    visitBlock(region.front());
  };
  llvm::SaveAndRestore scope(outermost);
  scf::IfOp copy = createBranch(branch.getLoc(), lookup(branch.getCondition()),
                                /*hasElse=*/!branch.getElseRegion().empty());
  visitRegion(branch.getThenRegion(), copy.getThenRegion());
  visitRegion(branch.getElseRegion(), copy.getElseRegion());
}

static bool loads(scf::ForOp loop) {
  return loop.walk([](TmaLoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// As many iterations as every ring has prefetches, each in the branch that the one before it
/// stands in: however often an early bound would have the loop run, this ends.
void FirstLoads::visit(scf::ForOp loop) {
  if (!loads(loop) || !areKnown({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
    return;
  SmallVector<Value> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(isKnown(init) ? lookup(init) : Value());
  visitIteration(loop, 0, carried);
}

void FirstLoads::visitIteration(scf::ForOp loop, int64_t number, ArrayRef<Value> carried) {
  bool isDone = true;
  loop.walk([&](StageOp stage) { isDone &= filled.lookup(stage.getRing()) >= count; });
  if (isDone)
    return;
  OpBuilder::InsertionGuard guard(builder);
  llvm::SaveAndRestore scope(outermost);
  auto place = builder.saveInsertionPoint();
  leaveBranches();
  Location loc = getUnnamedLoc(loop.getLoc());
  Value index = lookup(loop.getLowerBound());
  if (number) {
    Value steps = builder.createOrFold<arith::MulIOp>(loc, createConstant(loc, number),
                                                      lookup(loop.getStep()));
    index = builder.createOrFold<arith::AddIOp>(loc, steps, index);
  }
  Value runs = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, index,
                                                   lookup(loop.getUpperBound()));
  if (outermost)
    builder.restoreInsertionPoint(place);
  auto branch = createBranch(loc, runs, /*hasElse=*/false);
  builder.setInsertionPointToStart(&branch.getThenRegion().front());
  // Values of the iteration before are not those of this one.
  loop.getBody()->walk([&](Operation *op) {
    for (Value result : op->getResults())
      copies.erase(result);
  });
  copies.map(loop.getInductionVar(), index);
  for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried)) {
    copies.erase(argument);
    if (value)
      copies.map(argument, value);
  }
  visitBlock(*loop.getBody());
  SmallVector<Value> next;
  for (Value yielded : loop.getBody()->getTerminator()->getOperands())
    next.push_back(isKnown(yielded) ? lookup(yielded) : Value());
  visitIteration(loop, number + 1, next);
}

/// Folds what the first iterations' numbers, which are constants, decide, and erases copies that
/// say the same or lead to no prefetch.
static void simplify(FirstTileOp first) {
  GreedyRewriteConfig config;
  config.strictMode = GreedyRewriteStrictness::ExistingAndNewOps;
  auto fold = [&] { // erases dead operations, too
    SmallVector<Operation *> operations;
    first.getBody().walk([&](Operation *op) { operations.push_back(op); });
    (void)applyOpPatternsAndFold(operations, FrozenRewritePatternSet(), config);
  };
  fold();
  IRRewriter rewriter(first.getContext());
  DominanceInfo dominance(first);
  eliminateCommonSubExpressions(rewriter, dominance, first);
  fold();
}

bool FirstLoads::build(TileLoopOp tiles) {
  for (Operation &op : *tiles->getBlock()) {
    if (&op == tiles)
      break;
    visit(op); // what all tiles share
  }
  SmallVector<Value> extents;
  for (Value extent : tiles.getExtents())
    extents.push_back(lookup(extent));
  auto first = builder.create<FirstTileOp>(tiles.getLoc(), extents, tiles.getSwizzle());
  Block &body = first.getBody().emplaceBlock();
  for (BlockArgument index : tiles.getIndices())
    copies.map(index, body.addArgument(index.getType(), index.getLoc()));
  builder.setInsertionPointToStart(&body);
  visitBlock(tiles.getBody().front());
  simplify(first);
  return hasLoads;
}

static LogicalResult prefetchFirstLoads(KernelOp kernel) {
  auto count = kernel->getAttrOfType<IntegerAttr>(tk::prefetchAttrName);
  if (!count)
    return success();
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    if (role.getKind() != RoleKind::Producer)
      continue;
    auto waits = role.getBody().front().getOps<WaitGridDependencyOp>();
    if (waits.empty())
      return kernel.emitError() << "with 'prefetch', a kernel starts while the one before it ends, "
                                   "but 'pdl(false)' makes it wait";
    auto loops = role.getBody().front().getOps<TileLoopOp>();
    if (loops.empty())
      continue;
    TileLoopOp tiles = *loops.begin();
    if (tiles.getDynamic())
      return kernel.emitError()
             << "with 'prefetch', a block knows its first tile before the kernel before it has "
                "ended, but these are scheduled dynamically; say 'order(static_order)' or "
                "'persistent(false)', too";
    if (FirstLoads(role, *waits.begin(), count.getInt()).build(tiles))
      return success();
  }
  return kernel.emitError() << "'prefetch' finds no load by TMA whose place is known before the "
                               "kernel before this one has ended; leave the hint out";
}

namespace {
struct PrefetchFirstLoads : tkc::impl::PrefetchFirstLoadsBase<PrefetchFirstLoads> {
  void runOnOperation() override {
    if (failed(forEachKernel<KernelOp>(getOperation(), prefetchFirstLoads)))
      signalPassFailure();
  }
};
} // namespace
