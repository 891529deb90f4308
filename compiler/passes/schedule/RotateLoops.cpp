//===- RotateLoops.cpp - The next iteration's first MMA before the last one ===//
//
// In the backward pass of attention an iteration begins with S = K Qᵀ, whose result the threads
// wait for, and ends with dK += dS Q, which nobody waits for. In the order of the program dK runs
// while no thread has work. So the loop is rotated:
//
//     if (n > 0) { S(0); P(0) }
//     for j:  dP(j); dV += P(j) dO(j); dS(j)
//             if (j + 1 < n) { issue S(j + 1); issue dK += dS(j) Q(j); wait for S; P(j + 1) }
//             else { dK += dS(j) Q(j); leave the loop }
//
// dK runs beside the exponentials. Nothing is in flight over the back edge, and P goes from one
// iteration to the next in its registers. A loop whose last iteration is peeled off instead, as by
// tk-overlap-mmas, has all MMAs twice, and spilled. The last iteration leaves the loop in its
// middle: with both sides in the loop, code is up to 6 % slower (measured on an H200).
//
// Two stages of the ring that the first and the last MMA read are in use then, so that it has two
// cursors. P(j + 1) is converted to a narrow type after the wait for dK, which reads the registers
// that P takes over. ptxas moves the exponentials after that wait, too, unless a branch stands
// between them: the wait for dO(j + 1) does, which follows P in the program. Consumers beside a
// reducer are rotated: up to 6 % (docs/design/roles.md).
//
//===----------------------------------------------------------------------===//
#include "analysis/hazards/Hazards.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/schedule/RotatableLoop.h"
#include "passes/tile/DeadCode.h"

namespace tkc {
#define GEN_PASS_DEF_ROTATELOOPS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// The rotated loop
//===----------------------------------------------------------------------===//

/// Divides the map that makes the operand: an MMA still reads the old one while the threads
/// compute, and rounding is what overwrites it.
static void divideRounding(RotatableLoop &parts) {
  MapOp map = parts.handedOn;
  auto narrow =
      map.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  if (!narrow || narrow->getBlock() != &map.getBody().front() || isa<BlockArgument>(narrow.getIn()))
    return; // nothing to divide, or nothing but the rounding
  OpBuilder builder(map);
  auto type = cast<tk::ElementsInterface>(map.getResult(0).getType());
  IRMapping values;
  auto work = builder.create<MapOp>(
      getUnnamedLoc(map.getLoc()), type.withElementType(narrow.getIn().getType()), map.getInputs(),
      !map.getCoordinates().empty(), [&](OpBuilder &inside, Location loc, ValueRange arguments) {
        values.map(map.getBody().getArguments(), arguments);
        for (Operation &op : map.getBody().front().without_terminator())
          if (&op != narrow)
            inside.clone(op, values);
        inside.create<tk::YieldOp>(loc, values.lookupOrDefault(narrow.getIn()));
      });
  auto rounded = builder.create<MapOp>(map.getLoc(), map.getResultTypes(), work.getResults(), false,
                                       [&](OpBuilder &inside, Location loc, ValueRange arguments) {
                                         Value value = inside.create<arith::TruncFOp>(
                                             loc, narrow.getType(), arguments[0]);
                                         inside.create<tk::YieldOp>(loc, value);
                                       });
  map.replaceAllUsesWith(rounded.getResults());
  parts.head.back() = work;
  parts.head.push_back(rounded);
  map.erase();
  parts.handedOn = rounded;
}

namespace {
class Rotation {
public:
  explicit Rotation(RotatableLoop &parts) : parts(parts), builder(parts.loop) {}

  void run() {
    divideRounding(parts);
    readEarly();
    CursorOp cursor = parts.cursor;
    builder.setInsertionPointAfter(cursor);
    StringRef prefix = cursor.getName();
    prefix.consume_back("use");
    release = builder.create<CursorOp>(cursor.getLoc(), cursor.getType(),
                                       builder.getStringAttr(prefix + "release"));
    for (AdvanceOp advance : parts.skips) {
      builder.setInsertionPointAfter(advance);
      builder.create<AdvanceOp>(advance.getLoc(), release);
    }
    builder.setInsertionPoint(parts.loop);
    Value handedOn = buildFirst();
    buildLoop(handedOn);
  }

private:
  /// Reads that the first MMA's result has nothing to do with come while it runs.
  void readEarly() {
    SmallVector<Operation *> early, late;
    SmallPtrSet<Operation *, 8> needsFirst{parts.first};
    Operation *const *rest = llvm::find(parts.head, parts.firstCommit) + 1;
    for (Operation *op : ArrayRef(rest, parts.head.end())) {
      bool isLate = needsFirst.contains(op);
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          isLate |= needsFirst.contains(operand.getDefiningOp());
      });
      if (isLate)
        needsFirst.insert(op);
      (isLate ? late : early).push_back(op);
    }
    parts.head.truncate(rest - parts.head.begin());
    llvm::append_range(parts.head, early);
    llvm::append_range(parts.head, late);
  }

  Location getLoc() { return getUnnamedLoc(parts.loop.getLoc()); }

  /// Clones an operation; what only computes with constants is folded.
  void clone(Operation *op, IRMapping &values) {
    Operation *copy = builder.clone(*op, values);
    SmallVector<Value> folded;
    if (!isPure(op) || failed(builder.tryFold(copy, folded)) || folded.empty())
      return;
    values.map(op->getResults(), folded);
    copy->erase();
  }

  void cloneAll(ArrayRef<Operation *> ops, IRMapping &values) {
    for (Operation *op : ops)
      clone(op, values);
  }

  /// The head of the iteration after this one, or a part of it.
  void cloneAhead(ArrayRef<Operation *> ops, IRMapping &values) {
    for (Operation *op : ops) {
      clone(op, values);
      if (auto read = dyn_cast<LoadFragmentOp>(op))
        values.lookup(read.getResult())
            .getDefiningOp()
            ->setAttr(readAheadAttrName, builder.getUnitAttr());
    }
  }

  /// A value that nobody reads.
  Value createNothing() {
    return builder.create<UninitializedOp>(getLoc(), parts.handedOn.getResult(0).getType());
  }

  void waitForNext() {
    if (parts.nextWait)
      builder.clone(*parts.nextWait);
  }

  void advance() { builder.create<AdvanceOp>(getLoc(), parts.cursor); }

  scf::IfOp createBranch(TypeRange types, Value condition, StringRef because) {
    auto branch = builder.create<scf::IfOp>(getLoc(), types, condition, /*withElseRegion=*/true);
    branch->setAttr(becauseAttrName, builder.getStringAttr(because));
    return branch;
  }

  /// Before the loop: the head of the first iteration.
  Value buildFirst() {
    scf::ForOp loop = parts.loop;
    // Declared where its registers can go on as those of other tiles.
    auto acc = builder.create<UninitializedOp>(parts.first.getAcc().getLoc(),
                                               parts.first.getAcc().getType());
    Value runs = builder.create<arith::CmpIOp>(getLoc(), arith::CmpIPredicate::slt,
                                               loop.getLowerBound(), loop.getUpperBound());
    scf::IfOp branch = createBranch(parts.handedOn.getResultTypes(), runs,
                                    "the loop's first iteration, up to the second MMA");
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    IRMapping values;
    values.map(loop.getInductionVar(), loop.getLowerBound());
    for (Operation *op : parts.head)
      if (op == parts.first.getAcc().getDefiningOp())
        values.map(op->getResult(0), acc.getResult());
      else
        clone(op, values);
    waitForNext();
    advance();
    builder.create<scf::YieldOp>(getLoc(), values.lookup(parts.handedOn.getResult(0)));
    builder.setInsertionPointToEnd(branch.elseBlock());
    builder.create<scf::YieldOp>(getLoc(), createNothing());
    return branch.getResult(0);
  }

  void buildLoop(Value handedOn) {
    scf::ForOp loop = parts.loop;
    SmallVector<Value> inits(loop.getInitArgs());
    inits.push_back(handedOn);
    auto rotated = builder.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(),
                                              loop.getUpperBound(), loop.getStep(), inits);
    rotated->setAttrs(loop->getAttrs());
    rotated.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    IRMapping values;
    values.map(parts.cursor.getResult(), release);
    values.map(loop.getInductionVar(), rotated.getInductionVar());
    for (auto [from, to] : llvm::zip(loop.getRegionIterArgs(), rotated.getRegionIterArgs())) {
      to.setLoc(from.getLoc());
      values.map(from, to);
    }
    rotated.getRegionIterArgs().back().setLoc(parts.handedOn.getLoc());
    values.map(parts.handedOn.getResult(0), rotated.getRegionIterArgs().back());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(rotated.getBody());
    for (Operation *op : parts.head)
      if (isRepeatable(op))
        builder.clone(*op, values);
    cloneAll(parts.middle, values);
    cloneAll(parts.others, values);
    scf::IfOp branch = buildEnd(rotated, values);
    SmallVector<Value> yielded;
    for (Value value : loop.getYieldedValues())
      yielded.push_back(value == parts.last.getResult() ? branch.getResult(0)
                                                        : values.lookupOrDefault(value));
    yielded.push_back(branch.getResult(1));
    builder.create<scf::YieldOp>(getLoc(), yielded);
    loop.replaceAllUsesWith(rotated.getResults().drop_back());
    loop.erase();
  }

  /// The last MMA, and, if there is one, the head of the next iteration around it.
  scf::IfOp buildEnd(scf::ForOp rotated, IRMapping &values) {
    Location loc = getLoc();
    Value next = builder.create<arith::AddIOp>(loc, rotated.getInductionVar(), rotated.getStep());
    Value goesOn = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, next,
                                                 rotated.getUpperBound());
    SmallVector<Type> types{parts.last.getResult().getType(),
                            parts.handedOn.getResult(0).getType()};
    scf::IfOp branch = createBranch(
        types, goesOn,
        "the last iteration ends here; in the others the next one's first MMA, for which the "
        "threads wait, comes before this one's last");
    branch->setAttr(leavesLoopAttrName, builder.getUnitAttr());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    IRMapping ahead, here = values;
    ahead.map(parts.loop.getInductionVar(), next);
    Operation *const *rest = llvm::find(parts.head, parts.firstCommit) + 1;
    cloneAhead(ArrayRef(parts.head.begin(), rest), ahead);
    cloneAll({parts.last, parts.lastCommit}, here);
    cloneAhead(ArrayRef(rest, parts.head.end()).drop_back(), ahead);
    waitForNext();
    cloneAll(parts.release, here);
    cloneAll(parts.head.back(), ahead);
    advance();
    builder.create<scf::YieldOp>(loc, ValueRange{here.lookup(parts.last.getResult()),
                                                 ahead.lookup(parts.handedOn.getResult(0))});
    builder.setInsertionPointToEnd(branch.elseBlock());
    here = values;
    cloneAll({parts.last, parts.lastCommit}, here);
    cloneAll(parts.release, here);
    builder.create<scf::YieldOp>(loc,
                                 ValueRange{here.lookup(parts.last.getResult()), createNothing()});
    return branch;
  }

  RotatableLoop &parts;
  OpBuilder builder;
  Value release; ///< the cursor at the stage that the last MMA reads
};

struct RotateLoops : tkc::impl::RotateLoopsBase<RotateLoops> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      auto roles = kernel.getBody().front().getOps<RoleOp>();
      if (llvm::none_of(roles, [](RoleOp role) { return role.getKind() == RoleKind::Reducer; }))
        continue;
      SmallVector<RotatableLoop, 0> all;
      for (RoleOp role : roles)
        if (role.getKind() == RoleKind::Consumer)
          role.walk([&](scf::ForOp loop) {
            if (std::optional<RotatableLoop> parts = findRotatable(loop))
              all.push_back(*parts);
          });
      for (RotatableLoop &parts : all)
        Rotation(parts).run();
      eraseUnread(kernel); // scalars of the head that only the head reads
    }
  }
};
} // namespace
