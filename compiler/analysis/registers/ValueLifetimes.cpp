//===- ValueLifetimes.cpp - Which values are alive at once ----------------===//
//
// Two values cannot be one variable if one of them is needed after the other has
// been made (Chaitin's interference, on structured control flow). Questions are
// answered from the uses, without tables that a pass would have to keep up to
// date while it inserts copies: kernels have tens of tiles, not thousands.
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/ValueLifetimes.h"

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;

bool tkc::isLoop(Operation *op) {
  return isa_and_nonnull<scf::ForOp, hopper::TileLoopOp, tk::GridOp>(op);
}

/// True if `value` is read inside `op`, by whatever it holds.
static bool isUsedInside(Value value, Operation *op) {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return op->isProperAncestor(user); });
}

/// True if `value` exists when `op` begins: it is made before, in a block around `op`.
static bool existsBefore(Value value, Operation *op) {
  Block *home = value.getParentBlock();
  Operation *around = home->findAncestorOpInBlock(*op);
  if (!around)
    return false;
  Operation *maker = value.getDefiningOp();
  return !maker || (maker != around && maker->isBeforeInBlock(around));
}

/// Once the block of `op` is left after `op`: is `value`, which comes from outside of it, needed?
static bool isAliveAround(Value value, Block *block) {
  Operation *parent = block->getParentOp();
  if (isLoop(parent) && isUsedInside(value, parent))
    return true;
  return isAliveAfter(value, parent);
}

bool tkc::isAliveAfter(Value value, Operation *op) {
  Block *block = op->getBlock();
  for (Operation *user : value.getUsers()) {
    Operation *reader = block->findAncestorOpInBlock(*user);
    if (reader && reader != op && op->isBeforeInBlock(reader))
      return true;
  }
  return block != value.getParentBlock() && isAliveAround(value, block);
}

/// True if `value`, which comes from outside or is another argument, is needed in or after a block.
static bool isAliveInto(Value value, Block *block) {
  if (llvm::any_of(value.getUsers(),
                   [&](Operation *user) { return block->findAncestorOpInBlock(*user) != nullptr; }))
    return true;
  return block != value.getParentBlock() && isAliveAround(value, block);
}

/// A map with several results is a statement for each of them: an earlier one is written while the
/// operands are still read for the later ones.
static bool isReadForLaterResult(Value value, OpResult made) {
  Operation *op = made.getOwner();
  return isa<hopper::MapOp>(op) && made.getResultNumber() + 1 < op->getNumResults() &&
         llvm::is_contained(op->getOperands(), value);
}

bool tkc::isNeededWhenMade(Value value, Value made) {
  if (auto argument = dyn_cast<BlockArgument>(made)) {
    Block *block = argument.getOwner();
    bool isSibling = value.getParentBlock() == block && isa<BlockArgument>(value);
    return (isSibling || existsBefore(value, block->getParentOp())) && isAliveInto(value, block);
  }
  Operation *op = made.getDefiningOp();
  if (value.getDefiningOp() == op)
    return !value.use_empty();
  if (!existsBefore(value, op))
    return false;
  return isAliveAfter(value, op) || isReadForLaterResult(value, cast<OpResult>(made));
}

bool tkc::areAliveAtOnce(Value a, Value b) {
  return a != b && (isNeededWhenMade(a, b) || isNeededWhenMade(b, a));
}
