//===- AssignScanner.cpp - Vectors that warps beside the loads compute ----===//
//
// A chunk of a state-space layer needs running sums of its steps, and exponentials and logarithms
// of them, before any MMA's result can be scaled. For a warpgroup, a running sum of 64 values is
// two meetings of its warps and a chain of shuffles, in which four lanes do the same; and it stands
// in the consumers' way in every iteration. But it depends on nothing that they compute. The warps
// of the producer's warpgroup beside the one that loads are idle, and may be iterations ahead: each
// of them holds neighbours of a vector in its lanes (runtime/hopper/tile/lanes.h), so that a
// running sum is five shuffles, and hands what the consumers need over in a ring.
//
// Of a loop's body, scanner warps do
//
// 1. running sums and totals of vectors, which are what costs a warpgroup most: a loop without any
//    has no scanner;
// 2. what these depend on, down to loads, and the vectors that are made of them;
// 3. of both, only maps, branches and reads of loaded vectors, all of vectors with a multiple of 32
//    elements of 4 bytes; of a loaded tile, a column, as a sum of rows in which all else is zero.
//
// Nothing of it may depend on tiles that the loop carries, on MMAs, or on elements of tensors that
// are read in the loop. A map whose operands the consumers read anyway stays with them: its result
// would be one vector more in shared memory. Whatever the consumers use of the scanner's vectors
// they read again from shared memory, as the vectors that the program writes there itself.
//
// In a scope of warpgroups each of them has a warp. Elsewhere, work of a loop that does not depend
// on one another, such as the sums of several heads, goes to several warps.
//
//===----------------------------------------------------------------------===//
#include "passes/tile/AssignScanner.h"

#include "analysis/TileNames.h"
#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RoleSplit.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/Reducer.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TileValues.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/tile/Distribution.h"
#include "remarks/Remarks.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tkc;

namespace {
/// A column of a loaded tile, as a sum over its rows of a map in which all else is zero.
struct Column {
  tk::ReadOp read;
  tk::MapOp map;
  Value number;
};

class LoopWork {
public:
  explicit LoopWork(scf::ForOp loop) : loop(loop), body(*loop.getBody()) {}

  /// Finds the scanner's work; false if there is none.
  bool find();
  /// Hands it to the scanner.
  void assign();
  std::string nameScan() const;

private:
  // Work that scanner warps can do.
  bool isScalarKnown(Value value) const;
  bool isAvailable(Value value) const;
  bool hasKnownScalars(Region &region) const;
  bool canDo(Operation *op);
  bool canDo(scf::IfOp branch);
  std::optional<Column> matchColumn(tk::ReduceOp reduce) const;

  // Work that they shall do.
  void keepScansAlone();
  void leaveMaps();
  bool isForConsumers(Operation *user) const;
  bool isHandedOver(Value value) const;

  // The change.
  tk::WriteOp handOver(Value value);
  void readAgain(Value value, tk::WriteOp write);
  llvm::DenseMap<Operation *, int64_t> divide();
  Attribute getMark(const llvm::DenseMap<Operation *, int64_t> &warps, Operation *op) const;

  scf::ForOp loop;
  Block &body;
  SetVector<Operation *> work; ///< in program order; top-level operations of the body
  llvm::MapVector<Operation *, Column> columns;
};
} // namespace

//===----------------------------------------------------------------------===//
// Work that scanner warps can do
//===----------------------------------------------------------------------===//

/// True for vectors that lanes can hold.
static bool fitsLanes(Type type) {
  auto vector = dyn_cast<tk::TileVectorType>(type);
  return vector && vector.isRegister() && vector.getLength() % hopper::warpLanes == 0 &&
         tk::getStorageBits(vector.getElementType()) == 32;
}

/// True for scalars that every role can compute for itself.
bool LoopWork::isScalarKnown(Value value) const {
  if (isTile(value.getType()))
    return false;
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isAncestor(op))
    return true;
  return op->getNumRegions() == 0 && !isa<tk::ElementOp>(op) && !touchesTiles(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isScalarKnown(operand); });
}

bool LoopWork::isAvailable(Value value) const {
  if (!isTile(value.getType()))
    return isScalarKnown(value);
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast_or_null<tk::FillOp>(op))
    return isScalarKnown(fill.getValue());
  while (op && op->getBlock() != &body) // in a branch
    if (op = op->getParentOp(); op == loop)
      return false;
  return op && work.contains(op);
}

/// True if what the operations of a region take from outside of it are scalars that are known.
bool LoopWork::hasKnownScalars(Region &region) const {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(region, used);
  return llvm::all_of(used, [&](Value value) { return isScalarKnown(value); });
}

static tk::LoadOp findLoad(Value shared, Block &body) {
  auto load = shared.getDefiningOp<tk::LoadOp>();
  return load && load->getBlock() == &body ? load : tk::LoadOp();
}

/// Matches a map that keeps the elements of one column: select(column == number, element, 0).
static Value matchOneColumn(tk::MapOp map) {
  if (map.getNumResults() != 1 || map.getElements().size() != 1 || map.getCoordinates().size() != 2)
    return {};
  Value kept = map.getBody().front().getTerminator()->getOperand(0);
  auto select = kept.getDefiningOp<arith::SelectOp>();
  if (!select || select.getTrueValue() != map.getElements().front() ||
      !(matchPattern(select.getFalseValue(), m_AnyZeroFloat()) ||
        matchPattern(select.getFalseValue(), m_Zero())))
    return {};
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return {};
  Value column = map.getCoordinates()[1];
  if (compare.getLhs() == column)
    return compare.getRhs();
  return compare.getRhs() == column ? compare.getLhs() : Value();
}

std::optional<Column> LoopWork::matchColumn(tk::ReduceOp reduce) const {
  auto map = reduce.getSource().getDefiningOp<tk::MapOp>();
  if (reduce.getAlong() != tk::Along::Rows || reduce.getCombine() != tk::Combine::Add ||
      reduce.getInit() || !map || !map->hasOneUse())
    return std::nullopt;
  Value number = matchOneColumn(map);
  auto read =
      map.getInputs().empty() ? tk::ReadOp() : map.getInputs()[0].getDefiningOp<tk::ReadOp>();
  if (!number || !read || !read.getIndices().empty() || !findLoad(read.getSource(), body) ||
      !hasKnownScalars(map.getBody()))
    return std::nullopt;
  // It may be computed in the map, of scalars alone.
  SmallVector<Value> places{number};
  while (!places.empty()) {
    Value place = places.pop_back_val();
    if (llvm::is_contained(map.getBody().front().getArguments(), place))
      return std::nullopt;
    if (Operation *op = place.getDefiningOp(); op && map->isProperAncestor(op))
      llvm::append_range(places, op->getOperands());
  }
  return Column{read, map, number};
}

/// True for a branch that gives vectors and computes nothing else.
bool LoopWork::canDo(scf::IfOp branch) {
  if (!llvm::all_of(branch.getResultTypes(), fitsLanes) || branch.getNumResults() == 0 ||
      !isScalarKnown(branch.getCondition()))
    return false;
  for (Region &region : branch->getRegions())
    for (Operation &op : region.front()) {
      auto map = dyn_cast<tk::MapOp>(op);
      bool isKnown = map ? canDo(map.getOperation()) : !touchesTiles(&op) || isa<scf::YieldOp>(op);
      if (!isKnown || !llvm::all_of(op.getOperands(), [&](Value operand) {
            return branch->isAncestor(operand.getParentBlock()->getParentOp()) ||
                   isAvailable(operand);
          }))
        return false;
    }
  return true;
}

bool LoopWork::canDo(Operation *op) {
  auto areAvailable = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) {
      bool isInSameBranch = value.getParentBlock() == op->getBlock() && op->getBlock() != &body;
      return isInSameBranch || isAvailable(value);
    });
  };
  if (auto map = dyn_cast<tk::MapOp>(op))
    return llvm::all_of(map->getResultTypes(), fitsLanes) && areAvailable(map.getInputs()) &&
           llvm::all_of(map.getInputs().getTypes(), fitsLanes) && hasKnownScalars(map.getBody());
  if (auto scan = dyn_cast<tk::ScanOp>(op))
    return fitsLanes(scan.getType()) && isAvailable(scan.getSource());
  if (auto read = dyn_cast<tk::ReadOp>(op))
    return fitsLanes(read.getType()) && findLoad(read.getSource(), body) &&
           areAvailable(read.getIndices());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return canDo(branch);
  auto reduce = dyn_cast<tk::ReduceOp>(op);
  std::optional<Column> column =
      reduce && fitsLanes(reduce.getType()) ? matchColumn(reduce) : std::nullopt;
  if (column)
    columns[op] = *column;
  return column.has_value();
}

//===----------------------------------------------------------------------===//
// Work that they shall do
//===----------------------------------------------------------------------===//

/// Keeps running sums, what they depend on, and what depends on them.
void LoopWork::keepScansAlone() {
  SetVector<Operation *> kept;
  auto uses = [&](Operation *op, Operation *made) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::any_of(inner->getOperands(),
                              [&](Value operand) { return operand.getDefiningOp() == made; })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (Operation *op : work)
    if (isa<tk::ScanOp>(op) || llvm::any_of(kept, [&](Operation *made) { return uses(op, made); }))
      kept.insert(op);
  for (Operation *op : llvm::reverse(work.getArrayRef()))
    if (!kept.contains(op) && llvm::any_of(kept, [&](Operation *user) { return uses(user, op); }))
      kept.insert(op);
  work.remove_if([&](Operation *op) { return !kept.contains(op); });
}

bool LoopWork::isForConsumers(Operation *user) const {
  Operation *here = body.findAncestorOpInBlock(*user);
  return !here || !work.contains(here);
}

/// True if the consumers use the value.
bool LoopWork::isHandedOver(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return isForConsumers(user); });
}

/// Leaves maps to the consumers whose operands they read anyway.
void LoopWork::leaveMaps() {
  SmallVector<Operation *> all(work.begin(), work.end());
  for (Operation *op : llvm::reverse(all)) {
    auto map = dyn_cast<tk::MapOp>(op);
    if (map && !map.getInputs().empty() &&
        llvm::all_of(map->getUsers(), [&](Operation *user) { return isForConsumers(user); }) &&
        llvm::all_of(map.getInputs(), [&](Value input) {
          return input.getDefiningOp<tk::FillOp>() || isHandedOver(input);
        }))
      work.remove(op);
  }
}

bool LoopWork::find() {
  for (Operation &op : body)
    if (canDo(&op))
      work.insert(&op);
  if (llvm::none_of(work, [](Operation *op) { return isa<tk::ScanOp>(op); }))
    return false;
  keepScansAlone();
  leaveMaps();
  return llvm::any_of(work, [&](Operation *op) {
    return llvm::any_of(op->getResults(), [&](Value result) { return isHandedOver(result); });
  });
}

std::string LoopWork::nameScan() const {
  Operation *scan = *llvm::find_if(work, [](Operation *op) { return isa<tk::ScanOp>(op); });
  return quoteTileName(scan->getResult(0));
}

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

/// True if the program itself writes the whole value to a vector of its own, in this iteration.
static bool isWholeWrite(tk::WriteOp write, Block &body) {
  auto alloc = write.getDest().getDefiningOp<tk::AllocOp>();
  return alloc && !alloc.getCommon() && alloc->hasOneUse() && write->getBlock() == &body &&
         write.getIndices().empty() && llvm::all_of(write->getUsers(), [&](Operation *user) {
           return isa<tk::ReadOp>(user) && user->getBlock() == &body;
         });
}

/// Writes a value of the scanner to a ring. Vectors to which the program writes it become that one.
tk::WriteOp LoopWork::handOver(Value value) {
  Operation *made = value.getDefiningOp();
  StringRef name = findTileName(value);
  for (Operation *user : value.getUsers())
    if (auto write = dyn_cast<tk::WriteOp>(user);
        write && name.empty() && isWholeWrite(write, body))
      name = getSourceName(write.getDest().getLoc());
  Location loc = getNamedLoc(name.empty() ? "scanned" : name, getUnnamedLoc(made->getLoc()));
  auto vector = cast<tk::TileVectorType>(value.getType());
  auto type =
      tk::TileVectorType::get(value.getContext(), vector.getLength(), vector.getElementType(),
                              tk::Space::Shared, tk::Orientation::None);
  Value alloc = OpBuilder(loop).create<tk::AllocOp>(loc, type, /*common=*/false);
  OpBuilder builder(made->getContext());
  builder.setInsertionPointAfter(made);
  auto write =
      builder.create<tk::WriteOp>(getUnnamedLoc(made->getLoc()), type, value, alloc, ValueRange());
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    auto other = dyn_cast<tk::WriteOp>(user);
    if (!other || other == write || other.getDest().getType() != type || !isWholeWrite(other, body))
      continue;
    Operation *old = other.getDest().getDefiningOp();
    other.getResult().replaceAllUsesWith(write.getResult());
    other->erase();
    old->erase();
  }
  return write;
}

/// Lets the consumers read the value again.
void LoopWork::readAgain(Value value, tk::WriteOp write) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers())
    if (Operation *here = body.findAncestorOpInBlock(*user);
        here != write && isForConsumers(user) && (!first || here->isBeforeInBlock(first)))
      first = here;
  if (!first)
    return;
  auto read =
      OpBuilder(first).create<tk::ReadOp>(value.getLoc(), value.getType(), write, ValueRange());
  value.replaceUsesWithIf(read.getResult(), [&](OpOperand &use) {
    return use.getOwner() != write && isForConsumers(use.getOwner());
  });
}

void LoopWork::assign() {
  for (auto &[op, column] : columns) {
    if (!work.contains(op))
      continue;
    OpBuilder builder(op);
    Value number = column.number;
    if (Operation *inner = number.getDefiningOp(); inner && column.map->isProperAncestor(inner)) {
      IRMapping values;
      Block &scalars = column.map.getBody().front();
      auto isOfElement = [&](Value operand) {
        return isa<BlockArgument>(operand) && operand.getParentBlock() == &scalars;
      };
      for (Operation &scalar : scalars.without_terminator())
        if (llvm::none_of(scalar.getOperands(), isOfElement))
          builder.clone(scalar, values);
      number = values.lookup(number);
    }
    auto read = builder.create<tk::ReadColumnOp>(op->getLoc(), op->getResult(0).getType(),
                                                 column.read.getSource(), number);
    op->getResult(0).replaceAllUsesWith(read.getResult());
    work.insert(read);
    work.remove(op);
    op->erase();
    column.map->erase();
    if (column.read->use_empty()) { // other columns of the tile may be needed, too
      work.remove(column.read);
      column.read->erase();
    }
  }
  SmallVector<Operation *> all(work.begin(), work.end());
  for (Operation *op : all)
    for (Value result : op->getResults()) {
      if (!isHandedOver(result))
        continue;
      if (isa<tk::ReadOp>(op)) { // the consumers read it where the scanner does
        Operation *again = OpBuilder(op).clone(*op);
        result.replaceUsesWithIf(again->getResult(0),
                                 [&](OpOperand &use) { return isForConsumers(use.getOwner()); });
        continue;
      }
      tk::WriteOp write = handOver(result);
      readAgain(result, write);
      work.insert(write);
    }
  const llvm::DenseMap<Operation *, int64_t> warps = divide();
  for (Operation *op : work)
    op->walk([&](Operation *inner) {
      if (inner == op || isa<tk::MapOp>(inner))
        inner->setAttr(tk::scannerAttrName, getMark(warps, op));
    });
}

/// Divides work whose parts take nothing of one another among warps: their numbers, or nothing
/// where it is one piece.
llvm::DenseMap<Operation *, int64_t> LoopWork::divide() {
  llvm::EquivalenceClasses<Operation *> parts;
  for (Operation *op : work) {
    parts.insert(op);
    SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (Operation *made = value.getDefiningOp(); made && work.contains(made))
        parts.unionSets(made, op);
  }
  llvm::DenseMap<Operation *, int64_t> warps, numbers; // the latter of leaders of parts
  for (Operation &op : body)
    if (work.contains(&op)) {
      auto [leader, isNew] = numbers.try_emplace(parts.getLeaderValue(&op), numbers.size());
      warps[&op] = leader->second % (hopper::warpgroupWarps - 1);
    }
  if (numbers.size() < 2 || loop->getParentOfType<tk::EachOp>())
    warps.clear();
  return warps;
}

Attribute LoopWork::getMark(const llvm::DenseMap<Operation *, int64_t> &warps,
                            Operation *op) const {
  MLIRContext *context = op->getContext();
  auto number = warps.find(op);
  return number == warps.end() ? Attribute(UnitAttr::get(context))
                               : IntegerAttr::get(IntegerType::get(context, 64), number->second);
}

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

/// The warpgroups that compute, as far as that is known yet.
static std::optional<int64_t> getConsumers(tk::KernelOp kernel) {
  if (tk::EachOp each = findEach(kernel))
    return each.getWorker() == tk::EachWorker::Warpgroup ? std::optional<int64_t>(each.getCount())
                                                         : std::nullopt;
  return chooseConsumers(kernel);
}

/// True if the register file has room for scanner warps beside the consumers.
static bool fitsRegisters(tk::KernelOp kernel, int64_t consumers) {
  if (std::optional<ArrayRef<int64_t>> hint = kernel.getRegisters();
      hint && hint->front() < scannerRegisters)
    return false;
  int64_t sharers = findEach(kernel) ? 1 : consumers;
  return TileRegisters(kernel, sharers).getPeak().registers <=
         std::min(getMaxTileRegistersBesideScanner(consumers),
                  getMaxTileRegisters(kernel, consumers));
}

void tkc::assignScanner(tk::KernelOp kernel, ScannerCheck check) {
  const bool isChecked = check == ScannerCheck::Registers;
  std::optional<int64_t> consumers = isChecked ? getConsumers(kernel) : 1;
  if (!consumers || tk::holdsReducers(kernel) || kernel->hasAttr(tk::pingpongTilesAttrName))
    return;
  bool isDone = false;
  kernel.walk([&](scf::ForOp loop) {
    LoopWork work(loop);
    if (isDone || loop.getBody()->getOps<tk::LoadOp>().empty() || !work.find())
      return;
    isDone = true; // one loop has a scanner
    const std::string name = work.nameScan();
    if (isChecked && !fitsRegisters(kernel, *consumers))
      return reportRemark(kernel, loop.getLoc(), Remark::ScannerRegisters, name);
    if (isChecked) // else the caller reports
      reportRemark(kernel, loop.getLoc(), Remark::ScannerDone, name);
    work.assign();
  });
}
