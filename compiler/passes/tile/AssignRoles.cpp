//===- AssignRoles.cpp - MMAs that run in a warpgroup of their own --------===//
//
// In the backward pass of attention, dQ += dSᵀ K sums over all keys, so it needs
// dS of every consumer, and its result leaves the iteration: it is added to memory.
// If the consumers compute it, all of them meet twice in each iteration, and wait
// for an MMA that nothing of theirs depends on. So a warpgroup of its own, the reducer,
// takes it over: the consumers write dS into a ring of shared tiles, hand each
// stage over on an mbarrier, and go on.
//
// An MMA of a loop's body is the reducer's if
//
// 1. it begins at zero, and only maps and `store_add` use what it computes: the result
//    leaves the iteration;
// 2. an operand is a tile that the body writes whole from registers, and nobody else reads;
// 3. its result has 64 rows, one warpgroup's, which the consumers could not share;
// 4. the register file has room for one warpgroup more (RoleSplit.h). An MMA that is too wide for
//    that is divided into two of half the columns, which follow one another.
//
// The rest of the loop must be worth consumers of its own: another MMA.
//
//===----------------------------------------------------------------------===//
#include "passes/tile/AssignRoles.h"

#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkChoiceOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/tile/Distribution.h"
#include "remarks/Remarks.h"

using namespace mlir;
using namespace tkc;

namespace {
/// The reducer's work of one iteration.
struct ReducerWork {
  tk::MmaOp mma;
  SmallVector<Operation *> maps, stores;
};
} // namespace

//===----------------------------------------------------------------------===//
// Work that the reducer can do
//===----------------------------------------------------------------------===//

static bool isZero(Value tile) {
  auto fill = tile.getDefiningOp<tk::FillOp>();
  return fill && (matchPattern(fill.getValue(), m_AnyZeroFloat()) ||
                  matchPattern(fill.getValue(), m_Zero()));
}

/// True if the operand is all of a shared tile that the MMA's block writes once, from registers,
/// and only the MMA reads.
static bool isHandedOver(Value operand, tk::MmaOp mma) {
  auto write = operand.getDefiningOp<tk::WriteOp>();
  auto alloc = write ? write.getDest().getDefiningOp<tk::AllocOp>() : nullptr;
  return alloc && write->getBlock() == mma->getBlock() && write.getIndices().empty() &&
         isa<tk::TileType>(write.getValue().getType()) && alloc->hasOneUse() && write->hasOneUse();
}

/// Follows the result to the stores; false if anything else needs it.
static bool collectReaders(Value value, ReducerWork &work) {
  for (Operation *user : value.getUsers()) {
    if (user->getBlock() != work.mma->getBlock())
      return false;
    if (auto store = dyn_cast<tk::StoreOp>(user)) {
      if (!store.getAccumulate())
        return false;
      work.stores.push_back(store);
      continue;
    }
    auto map = dyn_cast<tk::MapOp>(user);
    bool isAlone = map && map.getNumResults() == 1 && map.getCoordinates().empty() &&
                   llvm::all_of(map.getInputs(), [&](Value input) {
                     return input == value || input.getDefiningOp<tk::FillOp>();
                   });
    if (!isAlone || llvm::is_contained(work.maps, user))
      return false;
    work.maps.push_back(map);
    if (!collectReaders(map.getResult(0), work))
      return false;
  }
  return true;
}

static bool isShared(Value operand) {
  auto tile = dyn_cast<tk::TileType>(operand.getType());
  return tile && tile.isShared();
}

static std::optional<ReducerWork> match(tk::MmaOp mma, MissedReason &missed) {
  ReducerWork work{mma, {}, {}};
  bool isWritten = isHandedOver(mma.getA(), mma) || isHandedOver(mma.getB(), mma);
  bool isInShared = isShared(mma.getA()) && isShared(mma.getB());
  if (!isWritten || !isInShared || !isZero(mma.getAcc()))
    return std::nullopt;
  bool leaves = collectReaders(mma.getResult(), work);
  if (work.stores.empty())
    return std::nullopt; // the result stays
  if (!leaves)
    return missed.because(mma.getLoc(), Remark::RoleReaders, quoteTileName(mma.getResult()));
  int64_t rows = cast<tk::TileType>(mma.getResult().getType()).getRows();
  if (rows != hopper::mBlockRows)
    return missed.because(mma.getLoc(), Remark::RoleRows, quoteTileName(mma.getResult()), rows);
  return work;
}

/// The kernel's work for a reducer: one loop has it, beside MMAs of the consumers.
static SmallVector<ReducerWork> findWork(tk::KernelOp kernel, MissedReason &missed) {
  SmallVector<ReducerWork> all;
  bool loads = false, isOneLoop = true;
  kernel.walk([&](tk::LoadOp) { loads = true; });
  if (!loads || findEach(kernel) || kernel->hasAttr(tk::pingpongTilesAttrName))
    return all;
  kernel.walk([&](tk::MmaOp mma) {
    auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
    std::optional<ReducerWork> work = loop ? match(mma, missed) : std::nullopt;
    if (!work)
      return;
    isOneLoop &= all.empty() || all.front().mma->getBlock() == mma->getBlock();
    all.push_back(*work);
  });
  if (all.empty())
    return all;
  tk::MmaOp first = all.front().mma;
  auto refuse = [&](Remark reason) {
    missed.because(first.getLoc(), reason, quoteTileName(first.getResult()));
    return SmallVector<ReducerWork>();
  };
  if (!isOneLoop)
    return refuse(Remark::RoleLoops);
  auto isConsumers = [&](tk::MmaOp mma) {
    return llvm::none_of(all, [&](const ReducerWork &work) { return work.mma == mma; });
  };
  bool isBeside = llvm::any_of(all.front().mma->getBlock()->getOps<tk::MmaOp>(), isConsumers);
  return isBeside ? all : refuse(Remark::RoleAlone);
}

//===----------------------------------------------------------------------===//
// Halves
//===----------------------------------------------------------------------===//

static Type withCols(Type type, int64_t cols) {
  auto tile = cast<tk::TileType>(type);
  return tk::TileType::get(type.getContext(), tile.getRows(), cols, tile.getElementType(),
                           tile.getSpace(), tile.getLayout());
}

/// The half of an MMA's right operand that makes the half of its columns from `first` on.
static Value takeHalf(OpBuilder &builder, tk::MmaOp mma, int64_t first, int64_t cols) {
  auto tile = cast<tk::TileType>(mma.getB().getType());
  bool isTransposed = mma.getForm() == tk::MmaForm::ABt || mma.getForm() == tk::MmaForm::AtBt;
  Type type = tk::TileType::get(builder.getContext(), isTransposed ? cols : tile.getRows(),
                                isTransposed ? tile.getCols() : cols, tile.getElementType(),
                                tile.getSpace(), tile.getLayout());
  SmallVector<int64_t> offsets{isTransposed ? first : 0, isTransposed ? 0 : first};
  return builder.create<tk::SliceOp>(getUnnamedLoc(mma.getLoc()), type, mma.getB(), offsets);
}

/// Inserts one half of the work before all of it.
static ReducerWork cloneHalf(OpBuilder &builder, const ReducerWork &work, int64_t half) {
  int64_t cols = cast<tk::TileType>(tk::MmaOp(work.mma).getResult().getType()).getCols() / 2;
  tk::MmaOp mma = work.mma;
  IRMapping values;
  auto fill = mma.getAcc().getDefiningOp<tk::FillOp>();
  Value zeros = builder.create<tk::FillOp>(
      fill.getLoc(), withCols(fill.getResult().getType(), cols), fill.getValue());
  Value right = takeHalf(builder, mma, half * cols, cols);
  ReducerWork result;
  result.mma = cast<tk::MmaOp>(builder.clone(*mma));
  result.mma.getAccMutable().assign(zeros);
  result.mma.getBMutable().assign(right);
  result.mma.getResult().setType(cast<tk::TileType>(withCols(mma.getResult().getType(), cols)));
  values.map(mma.getResult(), result.mma.getResult());
  for (Operation *op : work.maps) {
    for (Value input : op->getOperands())
      if (auto scalar = input.getDefiningOp<tk::FillOp>();
          scalar && isa<tk::TileType>(input.getType()))
        values.map(input, builder.create<tk::FillOp>(
                              scalar.getLoc(), withCols(input.getType(), cols), scalar.getValue()));
    Operation *map = builder.clone(*op, values);
    map->getResult(0).setType(withCols(op->getResult(0).getType(), cols));
    result.maps.push_back(map);
  }
  for (Operation *op : work.stores) {
    auto store = cast<tk::StoreOp>(builder.clone(*op, values));
    Location loc = getUnnamedLoc(op->getLoc());
    OpBuilder before(store);
    auto constant = [&](int64_t value) {
      return before.create<arith::ConstantIntOp>(loc, value, 32);
    };
    MutableOperandRange indices = store.getIndicesMutable();
    OpOperand &last = indices[indices.size() - 1];
    Value doubled = before.createOrFold<arith::MulIOp>(loc, last.get(), constant(2));
    last.set(before.createOrFold<arith::AddIOp>(loc, doubled, constant(half)));
    result.stores.push_back(store);
  }
  return result;
}

/// Two of half the columns, or nothing if these would be less than a swizzle atom's.
static SmallVector<ReducerWork> divide(const ReducerWork &work) {
  tk::MmaOp mma = work.mma;
  Type element = cast<tk::TileType>(mma.getB().getType()).getElementType();
  int64_t leastCols = hopper::widestSwizzle * 8 / tk::getStorageBits(element);
  int64_t cols = cast<tk::TileType>(mma.getResult().getType()).getCols();
  if (cols % (2 * leastCols))
    return {};
  OpBuilder builder(work.stores.back());
  SmallVector<ReducerWork> halves{cloneHalf(builder, work, 0), cloneHalf(builder, work, 1)};
  for (Operation *op : work.stores)
    op->erase();
  for (Operation *op : llvm::reverse(work.maps))
    op->erase();
  mma->erase();
  return halves;
}

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

/// Marks an operation, and fills of its own: the same fill may be the consumers', too.
static void markOp(Operation *op) {
  auto unit = UnitAttr::get(op->getContext());
  op->setAttr(tk::reducerAttrName, unit);
  for (OpOperand &operand : op->getOpOperands()) {
    auto fill = operand.get().getDefiningOp<tk::FillOp>();
    if (!fill || tk::isReducers(fill))
      continue;
    Operation *own = OpBuilder(op).clone(*fill);
    own->setAttr(tk::reducerAttrName, unit);
    operand.set(own->getResult(0));
    if (fill->use_empty())
      fill->erase();
  }
}

static void mark(ArrayRef<ReducerWork> all) {
  for (const ReducerWork &work : all) {
    markOp(work.mma);
    llvm::for_each(work.maps, markOp);
    llvm::for_each(work.stores, markOp);
  }
}

void tkc::assignRoles(tk::KernelOp kernel) {
  MissedReason missed;
  SmallVector<ReducerWork> all = findWork(kernel, missed);
  if (all.empty())
    return missed.reportAt(kernel);
  tk::MmaOp mma = all.front().mma;
  const Location loc = mma.getLoc();
  const std::string name = quoteTileName(mma.getResult());
  OwningOpRef<tk::KernelOp> plain = kernel.clone();
  mark(all);
  while (getRegisterFit(kernel) != RegisterFit::Roomy) {
    SmallVector<ReducerWork> halves;
    for (const ReducerWork &work : all)
      llvm::append_range(halves, divide(work));
    if (halves.size() != 2 * all.size()) {
      kernel.getBody().takeBody(plain->getBody());
      return reportRemark(kernel, loc, Remark::RoleRegisters, name);
    }
    mark(all = halves);
  }
  reportRemark(kernel, loc, Remark::RoleDone, name);
}
