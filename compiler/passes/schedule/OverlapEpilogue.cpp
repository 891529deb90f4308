//===- OverlapEpilogue.cpp - Stores beside the next tile's first MMA ------===//
//
// MMAs with scales for blocks (DeepSeek-AI 2024, "DeepSeek-V3 Technical
// Report", section 3.3.2) add up in fp32 what the tensor cores compute of one
// block at a time. Where a tile ends, all consumers round, stage and store it at
// the same time, and nothing multiplies. But the accumulator of a step is a new
// one, so the next tile's first MMA needs nothing of the tile that is stored:
//
//     for each tile:  issue its first MMA; store the tile before; wait; add
//                     for the other steps: issue; wait; add
//     store the last tile
//
// An ordinary MMA adds to its tile in the tensor cores, and a new one would
// need as many registers again; there, warpgroups ping-pong over tiles instead.
//
//===----------------------------------------------------------------------===//
#include "analysis/TripCount.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/tile/DeadCode.h"
#include "remarks/Remarks.h"

namespace tkc {
#define GEN_PASS_DEF_OVERLAPEPILOGUE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Which roles
//===----------------------------------------------------------------------===//

namespace {
/// A tile's code: the scalars, the loop of steps, and the stores.
struct TileCode {
  TileLoopOp tiles;
  SmallVector<Operation *> before;
  scf::ForOp steps;
  SmallVector<Operation *> stores;
};
} // namespace

/// Scalars, and tiles full of one number.
static bool isCheap(Operation *op) {
  return isa<FillOp>(op) || (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                             llvm::none_of(op->getResults(), isInRegisters) &&
                             llvm::none_of(op->getOperands(), isInRegisters));
}

/// Elementwise work, staging and stores, unrolled or under a condition.
static bool onlyStores(Operation *op) {
  auto allStore = [](Block *block) {
    return llvm::all_of(block->without_terminator(),
                        [](Operation &inner) { return onlyStores(&inner); });
  };
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults() == 0)
    return allStore(branch.thenBlock()) && (!branch.elseBlock() || allStore(branch.elseBlock()));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop->hasAttr(unrollAttrName) && loop.getNumResults() == 0 && allStore(loop.getBody());
  return isMemoryEffectFree(op) || isa<StoreFragmentOp, TmaStoreOp, StoreTailColumnsOp>(op);
}

static bool stores(Operation *op) {
  return op->walk([](TmaStoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// True if the MMA adds to nothing that stood before it in its block.
static bool startsAnew(WgmmaOp mma) {
  Operation *made = mma.getAcc().getDefiningOp();
  if (auto earlier = dyn_cast_or_null<WgmmaOp>(made))
    return earlier->getBlock() == mma->getBlock() && startsAnew(earlier);
  return made && isa<UninitializedOp>(made) && made->getBlock() == mma->getBlock();
}

/// Steps with MMAs, each of which starts anew.
static bool isStep(Block &body) {
  bool multiplies = false, isClosed = false;
  for (Operation &op : body.without_terminator()) {
    if (op.getNumRegions() > 0 && !isa<MapOp>(op))
      return false;
    if (auto mma = dyn_cast<WgmmaOp>(op)) {
      if (!startsAnew(mma))
        return false;
      multiplies = true;
    }
    isClosed |= multiplies && isa<CommitWgmmaOp>(op);
  }
  return isClosed;
}

/// The loop of steps among the code of a tile; null if there is none, or its tiles need the
/// registers of the one that would be stored beside it.
static scf::ForOp findSteps(TileLoopOp tiles) {
  auto loops = tiles.getBody().front().getOps<scf::ForOp>();
  auto steps = llvm::find_if(loops, [](scf::ForOp loop) {
    return loop.getNumResults() > 0 && llvm::all_of(loop.getResults(), isInRegisters) &&
           !loop->hasAttr(unrollAttrName) && isStep(*loop.getBody());
  });
  return steps == loops.end() ? scf::ForOp() : *steps;
}

/// A role's code for a tile, if its stores may be deferred. Where the steps need nothing of the
/// tile before, there is a reason if not.
static std::optional<TileCode> match(RoleOp role, const TripCount &tripCount,
                                     MissedReason &missed) {
  auto loops = role.getBody().front().getOps<TileLoopOp>();
  bool isPersistent = role->getParentOfType<KernelOp>().getPersistent().value_or(true);
  if (role.getKind() != RoleKind::Consumer || role.getEach() || role.hasPingPongTiles() ||
      !llvm::hasSingleElement(loops))
    return std::nullopt;
  TileCode code{*loops.begin(), {}, {}, {}};
  code.steps = findSteps(code.tiles);
  if (!code.steps || !stores(code.tiles))
    return std::nullopt;
  const Location loc = code.steps.getLoc();
  if (!isPersistent)
    return missed.because(loc, Remark::EpilogueNotPersistent);
  if (code.tiles.getDynamic())
    return missed.because(loc, Remark::EpilogueDynamic);
  for (Operation &op : code.tiles.getBody().front()) {
    if (&op == code.steps.getOperation())
      continue;
    if (op.isBeforeInBlock(code.steps)) {
      if (!isCheap(&op))
        return missed.because(loc, Remark::EpiloguePrologue);
      code.before.push_back(&op);
      continue;
    }
    if (!onlyStores(&op))
      return missed.because(op.getLoc(), isa<WaitBarrierOp>(op) ? Remark::EpilogueLoads
                                                                : Remark::EpilogueOtherWork);
    code.stores.push_back(&op);
  }
  if (!llvm::any_of(code.stores, stores))
    return std::nullopt;
  if (!tripCount.isAtLeastOne(code.steps))
    return missed.because(loc, Remark::EpilogueEmptyLoop);
  return code;
}

//===----------------------------------------------------------------------===//
// The loop over tiles by number
//===----------------------------------------------------------------------===//

namespace {
struct Deferral {
  const TileCode &code;
  OpBuilder builder;

  void run();

private:
  /// The scalars of the tile at this place of the grid.
  IRMapping placeTile(ValueRange indices);
  Operation *createFirstStep(IRMapping values, SmallVector<Value> &carried);
  scf::ForOp createOtherSteps(IRMapping values, ValueRange carried);
  void storeTile(ValueRange results, ValueRange indices, StringRef because);
  scf::ForOp createWalk(TileShareOp share);
};
} // namespace

IRMapping Deferral::placeTile(ValueRange indices) {
  IRMapping values;
  TileLoopOp tiles = code.tiles;
  values.map(tiles.getIndices(), indices);
  for (Operation *op : code.before)
    builder.clone(*op, values);
  return values;
}

/// Replaces the sum of zero and a number by that number.
static void dropZeroTerms(MapOp map) {
  for (auto sum : llvm::make_early_inc_range(map.getBody().front().getOps<arith::AddFOp>()))
    for (auto [term, other] : {std::pair(sum.getLhs(), sum.getRhs()), {sum.getRhs(), sum.getLhs()}})
      if (matchPattern(term, m_AnyZeroFloat()) && !sum.use_empty()) {
        sum.replaceAllUsesWith(other);
        sum.erase();
        break;
      }
}

/// Of a map with an operand that is full of one number, the number is an operand.
static void useNumbers(MapOp map) {
  for (unsigned index = map.getInputs().size(); index-- > 0;) {
    auto fill = map.getInputs()[index].getDefiningOp<FillOp>();
    if (!fill || map.getInputs().size() == 1)
      continue;
    Block &body = map.getBody().front();
    body.getArgument(index).replaceAllUsesWith(fill.getValue());
    body.eraseArgument(index);
    map.getInputsMutable().erase(index);
  }
  dropZeroTerms(map);
}

/// Leaves the step's yielded values in `carried`. Returns the op that commits the group of its
/// first MMA.
Operation *Deferral::createFirstStep(IRMapping values, SmallVector<Value> &carried) {
  scf::ForOp steps = code.steps;
  values.map(steps.getInductionVar(), values.lookupOrDefault(steps.getLowerBound()));
  for (auto [argument, init] : llvm::zip(steps.getRegionIterArgs(), steps.getInitArgs()))
    values.map(argument, values.lookupOrDefault(init));
  Operation *closed = nullptr;
  for (Operation &op : steps.getBody()->without_terminator()) {
    Operation *copy = builder.clone(op, values);
    if (auto map = dyn_cast<MapOp>(copy))
      useNumbers(map);
    if (!closed && isa<CommitWgmmaOp>(copy))
      closed = copy;
  }
  for (Value yielded : steps.getYieldedValues())
    carried.push_back(values.lookupOrDefault(yielded));
  return closed;
}

scf::ForOp Deferral::createOtherSteps(IRMapping values, ValueRange carried) {
  scf::ForOp steps = code.steps;
  Location loc = getUnnamedLoc(steps.getLoc());
  Value second = builder.createOrFold<arith::AddIOp>(
      loc, values.lookupOrDefault(steps.getLowerBound()), steps.getStep());
  auto others = cast<scf::ForOp>(builder.clone(*steps, values));
  others.setLowerBound(second);
  others.getInitArgsMutable().assign(carried);
  return others;
}

/// If there is one. After the loop there always is, but where ptxas knows that, it moves the loops
/// of waits after the end of the kernel (1 % slower: docs/performance.md).
void Deferral::storeTile(ValueRange results, ValueRange indices, StringRef because) {
  Location loc = getUnnamedLoc(code.stores.front()->getLoc());
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(0));
  Value hasTile =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, indices.front(), zero);
  auto branch = builder.create<scf::IfOp>(loc, hasTile, /*withElseRegion=*/false);
  branch->setAttr(becauseAttrName, builder.getStringAttr(because));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenYield());
  IRMapping values = placeTile(indices);
  scf::ForOp steps = code.steps;
  values.map(steps.getResults(), results);
  for (Operation *op : code.stores)
    builder.clone(*op, values);
}

/// A loop over the numbers of tiles that carries what the tile before has computed, and where it
/// is: at -1 for the first one.
scf::ForOp Deferral::createWalk(TileShareOp share) {
  TileLoopOp tiles = code.tiles;
  scf::ForOp steps = code.steps;
  Location unnamed = getUnnamedLoc(tiles.getLoc());
  SmallVector<Value> inits;
  for (Value init : steps.getInitArgs()) {
    auto elements = cast<tk::ElementsInterface>(init.getType());
    auto zero = builder.create<arith::ConstantOp>(
        unnamed, cast<TypedAttr>(builder.getZeroAttr(elements.getElementType())));
    inits.push_back(builder.create<FillOp>(init.getLoc(), init.getType(), zero));
  }
  Value none = builder.create<arith::ConstantOp>(unnamed, builder.getI32IntegerAttr(-1));
  inits.append(tiles.getIndices().size(), none);
  auto walk = builder.create<scf::ForOp>(tiles.getLoc(), share.getFirst(), share.getEnd(),
                                         share.getBlocks(), inits);
  for (auto [argument, carried] : llvm::zip(walk.getRegionIterArgs(), steps.getRegionIterArgs()))
    argument.setLoc(carried.getLoc());
  size_t count = steps.getNumResults();
  for (auto [argument, index] :
       llvm::zip_equal(walk.getRegionIterArgs().drop_front(count), tiles.getIndices()))
    argument.setLoc(getNamedLoc((getSourceName(index) + "_before").str(), index.getLoc()));
  return walk;
}

void Deferral::run() {
  TileLoopOp tiles = code.tiles;
  size_t count = code.steps->getNumResults();
  Location unnamed = getUnnamedLoc(tiles.getLoc());
  Type integer = builder.getI32Type();
  auto share = builder.create<TileShareOp>(unnamed, integer, integer, integer, tiles.getExtents());
  scf::ForOp walk = createWalk(share);
  ValueRange before = walk.getRegionIterArgs();

  builder.setInsertionPointToEnd(walk.getBody());
  SmallVector<Type> types(tiles.getExtents().getTypes());
  auto place = builder.create<TileAtOp>(unnamed, types, walk.getInductionVar(), tiles.getExtents(),
                                        tiles.getSwizzle());
  IRMapping values = placeTile(place.getIndices());
  SmallVector<Value> carried;
  Operation *closed = createFirstStep(values, carried);
  SmallVector<Value> yielded(createOtherSteps(values, carried).getResults());
  llvm::append_range(yielded, place.getIndices());
  builder.create<scf::YieldOp>(unnamed, yielded);

  builder.setInsertionPointAfter(closed);
  storeTile(before.take_front(count), before.drop_front(count),
            "the tile before is stored while the first MMA of this one runs");
  builder.setInsertionPointAfter(walk);
  storeTile(walk.getResults().take_front(count), walk.getResults().drop_front(count),
            "the block's last tile");
  tiles.erase();
}

namespace {
struct OverlapEpilogue : tkc::impl::OverlapEpilogueBase<OverlapEpilogue> {
  void runOnOperation() override {
    forEachKernel<KernelOp>(getOperation(), [](KernelOp kernel) {
      TripCount tripCount(kernel);
      for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
        MissedReason missed;
        std::optional<TileCode> code = match(role, tripCount, missed);
        if (!code) {
          missed.reportAt(role);
          continue;
        }
        reportRemark(role, code->steps.getLoc(), Remark::EpilogueDone);
        Deferral{*code, OpBuilder(code->tiles)}.run();
        eraseUnread(role);
      }
    });
  }
};
} // namespace
