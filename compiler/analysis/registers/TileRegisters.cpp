//===- TileRegisters.cpp - Registers that tiles need, point by point ------===//
//
// mlir::Liveness knows where a value is alive within its block. To that are added:
//
// - what lives across a loop occupies registers inside the loop, too, and so does
//   what comes from outside and is used in it, because the body runs again;
// - an MMA's result takes the registers of its accumulator, and a loop's
//   iteration argument those of its initial value, so the operand does not count
//   where it dies;
// - elementwise code computes a result element by element, each where an operand
//   was that dies there, so only the larger side counts; neighbouring elementwise
//   operations go together, since ptxas computes all of them for one element
//   before it begins the next;
// - the tensor cores read an MMA's operand in registers until the MMA is
//   waited for, which is when somebody reads its result, at the latest;
// - of a tile of which only slices are left, those that have been taken are free;
// - tiles of a kernel's reducer and vectors of its scanner are in registers of another warpgroup;
// - a `tk.fill` or `hopper.uninitialized` is made anew wherever it is needed, so
//   it counts only where it is used.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/TileRegisters.h"

#include "analysis/OperationOrder.h"
#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/ValueLifetimes.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/Scanner.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;

static int64_t countRegisters(Type type, int64_t warps) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return tile.isRegister() ? llvm::divideCeil(tile.getBytes(), 4 * 32 * warps) : 0;
  // A row's value is in each of the four threads that share the row, a column's in every warp.
  if (auto vector = dyn_cast<tk::TileVectorType>(type)) {
    if (!vector.isRegister())
      return 0;
    bool isColumn = vector.getOrientation() == tk::Orientation::Column;
    return llvm::divideCeil(vector.getLength(), isColumn ? 8 * warps : 4);
  }
  if (auto fragment = dyn_cast<hopper::FragmentType>(type))
    return fragment.getRegisters();
  if (auto vector = dyn_cast<hopper::FragmentVectorType>(type))
    return vector.getRegisters();
  return 0;
}

int64_t TileRegisters::getRegisters(Type type, int64_t warpgroups) {
  return countRegisters(type, hopper::warpgroupWarps * warpgroups);
}

int64_t TileRegisters::getRegisters(Type type) const { return countRegisters(type, warps); }

/// Tiles and vectors that other roles compute are in their registers, not in the consumers'.
static bool isTile(Value value) {
  return TileRegisters::getRegisters(value.getType(), 1) > 0 &&
         !tk::isReducers(value.getDefiningOp()) && !tk::isScanners(value.getDefiningOp());
}

/// True if the value costs nothing between its definition and its uses.
static bool isMadeAnew(Value value) {
  return isa_and_nonnull<tk::FillOp, hopper::UninitializedOp>(value.getDefiningOp());
}

/// True if other tiles may be alive at `op` than at its neighbours.
static bool isPoint(Operation *op) {
  return op == &op->getBlock()->front() || llvm::any_of(op->getOperands(), isTile) ||
         llvm::any_of(op->getResults(), isTile);
}

TileRegisters::TileRegisters(Operation *root, int64_t warpgroups, TileHolder holder)
    : root(root), warps(holder == TileHolder::Warp ? 1 : hopper::warpgroupWarps * warpgroups),
      liveness(root) {
  numberOperations(root);
  numberValues();
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return WalkResult::advance();
    bool isInSameRun = !points.empty() && points.back().op->getBlock() == op->getBlock() &&
                       !points.back().op->isBeforeInBlock(op);
    if (isPoint(op) && !isInSameRun) {
      points.push_back(getPressure(op));
      if (points.back().registers > peak.registers)
        peak = points.back();
    }
    // A value in a map's body is one element.
    return isa<tk::MapOp, hopper::MapOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

/// True if `value` is used after `op`, in its block or around it.
static bool isUsedAfter(Value value, Operation *op, const Liveness &liveness) {
  return !liveness.isDeadAfter(value, op);
}

/// True if `op` is a loop whose body uses `value`, which comes from outside.
static bool isUsedAgain(Value value, Operation *op) {
  return isLoop(op) && llvm::any_of(value.getUsers(),
                                    [&](Operation *user) { return op->isProperAncestor(user); });
}

/// mlir::Liveness would look for the end of every value, scalars too, at every operation.
ArrayRef<TileRegisters::LiveRange> TileRegisters::getRanges(Block *block) const {
  auto [known, isNew] = ranges.try_emplace(block);
  const LivenessBlockInfo *info = liveness.getLiveness(block);
  if (!isNew || !info)
    return known->second;
  auto add = [&, &found = known->second](Value value) {
    if (!isTile(value))
      return;
    Operation *begin = info->getStartOperation(value);
    found.push_back({value, begin, info->getEndOperation(value, begin)});
  };
  llvm::for_each(block->getArguments(), add);
  llvm::for_each(info->in(), add);
  for (Operation &op : *block)
    llvm::for_each(op.getResults(), add);
  return known->second;
}

SmallVector<Value> TileRegisters::getTilesAt(Operation *op) const {
  SmallVector<Value> tiles;
  for (const LiveRange &range : getRanges(op->getBlock()))
    if (!op->isBeforeInBlock(range.begin) && !range.end->isBeforeInBlock(op))
      tiles.push_back(range.tile);
  return tiles;
}

ArrayRef<Value> TileRegisters::getLiveThrough(Block *inner) const {
  auto [known, isNew] = liveThrough.try_emplace(inner);
  if (!isNew)
    return known->second;
  SetVector<Value> alive;
  for (Operation *parent = inner->getParentOp();
       parent && parent != root->getParentOp() && parent != root; parent = parent->getParentOp()) {
    if (!liveness.getLiveness(parent->getBlock()))
      break;
    for (Value value : getTilesAt(parent))
      if (!isMadeAnew(value) && value.getDefiningOp() != parent &&
          (isUsedAfter(value, parent, liveness) || isUsedAgain(value, parent)))
        alive.insert(value);
  }
  known->second.assign(alive.begin(), alive.end());
  return known->second;
}

/// The operand of an MMA that the tensor cores read from registers, or null.
static Value getRegisterOperand(Operation *op) {
  Value operand;
  if (auto mma = dyn_cast<tk::MmaOp>(op))
    operand = mma.getA();
  else if (auto wgmma = dyn_cast<hopper::WgmmaOp>(op))
    operand = wgmma.getA();
  return operand && isTile(operand) ? operand : Value();
}

/// True if an MMA between `mma` and `op`, in their block, or one that goes on from it, has
/// been read by then.
static bool isReadBefore(Operation *mma, Operation *op) {
  return llvm::any_of(mma->getResult(0).getUsers(), [&](Operation *user) {
    Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
    if (!reader || (reader != op && !reader->isBeforeInBlock(op)))
      return false;
    return getTiedOperand(reader) == mma->getResult(0) ? reader != op && isReadBefore(reader, op)
                                                       : !reader->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Operands of MMAs of this block that are still in flight when `op` begins. MMAs end in
/// the order in which they began: who has waited for one has waited for those before it.
void TileRegisters::addInFlight(Operation *op, SetVector<Value> &alive) const {
  SmallVector<Value> inFlight;
  for (Operation *earlier = op->getPrevNode(); earlier; earlier = earlier->getPrevNode()) {
    // After a wait for all of them none is in flight.
    if (auto wait = dyn_cast<hopper::WaitWgmmaOp>(earlier); wait && wait.getPending() == 0)
      break;
    if (!isa<tk::MmaOp, hopper::WgmmaOp>(earlier))
      continue;
    if (isReadBefore(earlier, op))
      break;
    if (Value operand = getRegisterOperand(earlier))
      inFlight.push_back(operand);
  }
  alive.insert(inFlight.rbegin(), inFlight.rend());
}

/// True if `operand` ends at `op`: in its block, or in branches around it after which nothing uses
/// it.
static bool endsAt(Value operand, Operation *op, const Liveness &liveness) {
  for (; op; op = op->getParentOp()) {
    if (isUsedAfter(operand, op, liveness))
      return false;
    if (operand.getParentBlock() == op->getBlock())
      return true;
    if (!isa<scf::IfOp>(op->getParentOp()))
      return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Runs of elementwise operations
//===----------------------------------------------------------------------===//

static bool isRowReduction(Operation *op) {
  auto reduce = dyn_cast<tk::ReduceOp>(op);
  return isa<hopper::ReduceRowsOp>(op) || (reduce && reduce.getAlong() == tk::Along::Rows);
}

static bool isElementwise(Operation *op) {
  if (isa<tk::ScanOp, hopper::Exchange>(op)) // warps meet
    return false;
  return isRowReduction(op) || op->hasTrait<tk::SameOnFragments>() ||
         isa<tk::MapOp, tk::SliceOp, tk::ConcatOp, hopper::MapOp, hopper::SliceOp,
             hopper::RuntimeCall>(op);
}

/// True if ptxas may move elementwise code past `op`: scalars that nobody sees.
static bool isBetween(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) && llvm::none_of(op->getOperands(), isTile) &&
         llvm::none_of(op->getResults(), isTile);
}

/// True if an MMA is waited for before `op`, which reads it.
static bool readsMma(Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *made = operand.getDefiningOp();
    return made && made->getBlock() == op->getBlock() && getTiedOperand(made);
  });
}

/// True if `op` computes elements of a tile, not of vectors alone, from what a reduction between
/// `first` and it gives, which is there only when all elements have been seen.
static bool needsReduction(Operation *op, Operation *first) {
  auto isOfTile = [](Type type) { return isa<tk::TileType, hopper::FragmentType>(type); };
  if (llvm::none_of(op->getOperandTypes(), isOfTile) || isRowReduction(op))
    return false;
  SetVector<Operation *> makers;
  makers.insert(op);
  for (size_t i = 0; i < makers.size(); ++i)
    for (Value operand : makers[i]->getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (!made || made->getBlock() != op->getBlock() || made->isBeforeInBlock(first))
        continue;
      if (isRowReduction(made))
        return true;
      makers.insert(made);
    }
  return false;
}

/// The first and the last operation of the run of elementwise operations that `op` belongs to.
/// Nothing is computed element by element across a wait, nor past a reduction by who needs it.
static Operation *getFirstOfRun(Operation *op) {
  Operation *first = op;
  bool isOver = !isElementwise(op);
  for (Operation *prev = op->getPrevNode(); prev && !isOver && !readsMma(first);
       prev = prev->getPrevNode()) {
    for (Operation *later = op; later != prev && !isOver; later = later->getPrevNode())
      isOver = needsReduction(later, prev);
    if (isElementwise(prev) && !isOver)
      first = prev;
    else if (!isBetween(prev))
      break;
  }
  return first;
}
static Operation *getLastOfRun(Operation *op, Operation *first) {
  Operation *last = op;
  for (Operation *next = op->getNextNode(); next && isElementwise(op); next = next->getNextNode()) {
    if (isElementwise(next) && !readsMma(next) && !needsReduction(next, first))
      last = next;
    else if (!isBetween(next))
      break;
  }
  return last;
}

void TileRegisters::numberValues() {
  auto number = [&](ValueRange values) {
    for (Value value : values)
      definitions.try_emplace(value, definitions.size());
  };
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    number(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        number(block.getArguments());
  });
}

/// Elementwise code writes results where operands were that end in it: leaves only the larger side,
/// and nothing that begins and ends within the run.
void TileRegisters::dropReused(Operation *first, Operation *last, SetVector<Value> &alive) const {
  if (getTiedOperand(first) || isa<scf::ForOp, scf::IfOp>(first))
    return;
  auto isInRun = [&](Operation *op) {
    return op && op->getBlock() == first->getBlock() && !op->isBeforeInBlock(first) &&
           !last->isBeforeInBlock(op);
  };
  llvm::SmallPtrSet<Value, 4> ending, made, within;
  for (Value value : alive) {
    if (isInRun(value.getDefiningOp()))
      (first == last || isUsedAfter(value, last, liveness) ? made : within).insert(value);
    else if (llvm::any_of(value.getUsers(), isInRun) && endsAt(value, last, liveness))
      ending.insert(value);
  }
  auto count = [&](const llvm::SmallPtrSet<Value, 4> &values) {
    int64_t registers = 0;
    for (Value value : values)
      registers += getRegisters(value.getType());
    return registers;
  };
  const auto &smaller = count(made) > count(ending) ? ending : made;
  alive.remove_if([&](Value value) { return smaller.contains(value) || within.contains(value); });
}

/// The values alive at `op` within its block.
void TileRegisters::addLiveAt(Operation *op, SetVector<Value> &alive) const {
  for (Value value : getTilesAt(op)) {
    bool isOperand = llvm::is_contained(op->getOperands(), value);
    bool isResult = value.getDefiningOp() == op;
    // A map has the number in its body.
    bool isOperandInRegisters = isOperand && !isa<tk::MapOp>(op);
    if (isMadeAnew(value) && !isOperandInRegisters && !isResult)
      continue;
    // Handed on into a loop or out of its body: the receiver counts it.
    if (isOperand && isa<scf::ForOp, scf::YieldOp>(op) && !isUsedAfter(value, op, liveness))
      continue;
    if (value == getTiedOperand(op) && (isMadeAnew(value) || !isUsedAfter(value, op, liveness)))
      continue;
    // The results of a loop exist once it is over; its body is counted where it stands.
    if (isResult && isa<scf::ForOp, scf::IfOp>(op))
      continue;
    alive.insert(value);
  }
}

/// Where a slice begins, and of which type it is.
static std::optional<std::pair<Attribute, Type>> getPlace(Operation *op) {
  if (!isa<tk::SliceOp, hopper::SliceOp>(op))
    return std::nullopt;
  return std::pair<Attribute, Type>(op->getAttrDictionary(), op->getResult(0).getType());
}

/// The registers of `value` from `first` on. Where only slices are left of it, those whose time is
/// over are free; the one that ends in the run up to `last` hands its registers on to what `made`
/// counts of the run's results.
int64_t TileRegisters::getRemaining(Value value, Operation *first, Operation *last,
                                    int64_t made) const {
  int64_t all = getRegisters(value.getType());
  llvm::SmallSetVector<std::pair<Attribute, Type>, 8> later, here;
  Block *block = value.getParentBlock(); // where the run is, too, or something around it
  Operation *begin = block->findAncestorOpInBlock(*first),
            *end = block->findAncestorOpInBlock(*last);
  for (Operation *user : value.getUsers()) {
    Operation *reader = block->findAncestorOpInBlock(*user);
    if (!begin || !reader)
      return all;
    if (reader->isBeforeInBlock(begin))
      continue;
    std::optional<std::pair<Attribute, Type>> place = getPlace(user);
    if (!place || reader != user)
      return all;
    (end->isBeforeInBlock(user) ? later : here).insert(*place);
  }
  if (later.empty() && here.empty())
    return all;
  int64_t kept = 0, ending = 0;
  for (auto &[attributes, type] : later)
    kept += getRegisters(type);
  for (auto &place : here)
    ending += later.contains(place) ? 0 : getRegisters(place.second);
  return std::min(all, kept + std::max<int64_t>(0, ending - made));
}

TilePressure TileRegisters::getPressure(Operation *op) const {
  Operation *first = getFirstOfRun(op), *last = getLastOfRun(op, first);
  SetVector<Value> alive;
  ArrayRef<Value> through = getLiveThrough(first->getBlock());
  alive.insert(through.begin(), through.end());
  addInFlight(first, alive);
  addLiveAt(first, alive);
  if (last != first)
    addLiveAt(last, alive);
  dropReused(first, last, alive);
  TilePressure pressure;
  pressure.op = last;
  // Live-in values have the order of pointers.
  pressure.alive = alive.takeVector();
  llvm::sort(pressure.alive,
             [&](Value a, Value b) { return definitions.lookup(a) < definitions.lookup(b); });
  int64_t made = 0;
  for (Value value : pressure.alive)
    if (value.getDefiningOp() && value.getDefiningOp()->getBlock() == first->getBlock() &&
        !value.getDefiningOp()->isBeforeInBlock(first))
      made += getRegisters(value.getType());
  int64_t remaining = 0;
  for (Value value : pressure.alive) {
    pressure.registers += getRegisters(value.getType());
    remaining += getRemaining(value, first, last, made);
  }
  // ptxas takes registers of slices again only where it has no others.
  if (pressure.registers > getMaxTileRegisters(/*consumers=*/2))
    pressure.registers = remaining;
  return pressure;
}
