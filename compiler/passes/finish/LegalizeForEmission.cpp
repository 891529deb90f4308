//===- LegalizeForEmission.cpp - One spelling per op, one name per value --===//
//
// The backend prints and decides nothing. After this pass it may rely on this:
//
// - `hopper.tma_load`, `hopper.tma_store` and `hopper.store_tail_columns` name a
//   `hopper.tensor_map`. There is one for each (argument, box, swizzle, loaded or
//   stored), at the head of the kernel, in the order of the arguments, with its
//   name: "A_map", a second one for A "A_map_2".
// - A tile of a ring that cannot be spelled where it is used, because its cursor has
//   moved on by then, or that several ops use, has `hopper.tile_name`.
// - An op that overwrites what an MMA has left in registers, unread, has
//   `hopper.renews`: nvcc would see no reason to keep that order.
// - Fragments and vectors are variables (analysis/registers/FragmentVariables.h), and no
//   variable holds two values at once, since tk-assign-variables.
// - Names of values are the user's (dialect/tk/SourceNames.h); those that the
//   compiler made up are locations without a name.
//
//===----------------------------------------------------------------------===//
#include "analysis/protocol/BarrierRoles.h"
#include "analysis/registers/FragmentVariables.h"
#include "dialect/hopper/EmissionAttributes.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "passes/Passes.h"
#include <map>

namespace tkc {
#define GEN_PASS_DEF_LEGALIZEFOREMISSION
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

namespace {
/// The differences of tensor maps: argument, rows and columns of the box, swizzle, whether it is
/// stored to, whether copies are of parts, and depth of the box.
using TensorMapKey = std::array<int64_t, 7>;
} // namespace

static FailureOr<TensorMapKey> getKey(TmaCopy copy) {
  Value tensor = copy.getTensorMutable().get();
  auto argument = dyn_cast<BlockArgument>(tk::getWholeTensor(tensor));
  Value tile = copy.getTile(), rings = tile ? BarrierRoles::getRing(tile) : Value();
  AllocRingOp ring = rings ? rings.getDefiningOp<AllocRingOp>() : AllocRingOp();
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return copy->emitError() << "the tensor is not an argument of the kernel";
  if (tile && (!ring || !ring.getSwizzle()))
    return copy->emitError()
           << "the tile is in no ring with a swizzle: run tk-allocate-shared first";
  auto type = cast<SharedType>(copy.getTileType());
  int64_t bits = tk::getStorageBits(type.getElementType());
  // A box is one swizzle-atom column; a vector is no wider than a box and has no swizzle.
  int64_t swizzle = tile ? *ring.getSwizzle() : getSwizzle(type.getCols() * bits / 8);
  int64_t cols = swizzle ? swizzle * 8 / bits : type.getCols();
  auto depth = int64_t(copy.getDepth());
  return TensorMapKey{argument.getArgNumber(), type.getRows() / depth, cols, swizzle,
                      copy.isOutput(),         tensor != argument,     depth};
}

/// The tensor map of a part, where the part is.
static Value createPartMap(Value tensor, TensorMapOp map) {
  auto part = tensor.getDefiningOp<tk::PartOp>();
  OpBuilder builder(part);
  return builder.create<PartMapOp>(part.getLoc(), map.getType(), map, part.getFirst(),
                                   part.getLast());
}

static LogicalResult createTensorMaps(KernelOp kernel) {
  SmallVector<TmaCopy> copies;
  kernel.walk([&](TmaCopy copy) {
    if (isa<tk::GlobalType>(copy.getTensorMutable().get().getType()))
      copies.push_back(copy);
  });
  std::map<TensorMapKey, SmallVector<TmaCopy>> groups;
  for (TmaCopy copy : copies) {
    FailureOr<TensorMapKey> key = getKey(copy);
    if (failed(key))
      return failure();
    groups[*key].push_back(copy);
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  std::map<int64_t, int64_t> mapsOf;
  for (auto &[key, users] : groups) {
    auto [argument, rows, cols, swizzle, isOutput, isParted, depth] = key;
    SmallVector<int64_t> box = {rows, cols};
    if (depth > 1)
      box.insert(box.begin(), depth);
    std::string name = (kernel.getArgumentName(argument) + "_map").str();
    if (int64_t count = ++mapsOf[argument]; count > 1)
      name += "_" + std::to_string(count);
    auto map = builder.create<TensorMapOp>(
        getUnnamedLoc(users.front()->getLoc()), TensorMapType::get(builder.getContext()),
        kernel.getBody().getArgument(argument), builder.getDenseI64ArrayAttr(box), swizzle,
        builder.getStringAttr(name), /*output=*/isOutput != 0);
    for (TmaCopy copy : users) {
      OpOperand &tensor = copy.getTensorMutable();
      tensor.set(isParted ? createPartMap(tensor.get(), map) : Value(map));
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles that are constants
//===----------------------------------------------------------------------===//

/// Whether the cursor moves between `op` and one of the uses of its tile.
static bool movesBeforeUse(Value cursor, Operation *op, Value tile) {
  for (Operation *user : tile.getUsers()) {
    if (isa<RowsOp, ColumnsOp>(user) && movesBeforeUse(cursor, op, user->getResult(0)))
      return true;
    Operation *last = op->getBlock()->findAncestorOpInBlock(*user);
    if (!last)
      return true;
    for (Operation *between = op->getNextNode(); between; between = between->getNextNode()) {
      WalkResult walk = between->walk([&](AdvanceOp advance) {
        return advance.getCursor() == cursor ? WalkResult::interrupt() : WalkResult::advance();
      });
      // A use inside an op that moves the cursor may come before or after the move, or come again.
      if (walk.wasInterrupted() && between != user)
        return true;
      if (between == last)
        break;
    }
  }
  return false;
}

/// A buffer that TMA stores from.
static bool isStaging(SlotOp slot) {
  return llvm::any_of(slot.getResult().getUsers(), [&](Operation *user) {
    return getTileCompletedBy(user, Completion::StoreGroup) == slot.getResult();
  });
}

static void nameTiles(KernelOp kernel) {
  Builder builder(kernel.getContext());
  kernel.walk([&](StageOp stage) {
    if (movesBeforeUse(stage.getCursor(), stage, stage.getResult()))
      stage->setAttr(tileNameAttrName, builder.getStringAttr(""));
  });
  kernel.walk([&](SlotOp slot) {
    if (!slot.getResult().hasOneUse() && !slot.getResult().use_empty())
      slot->setAttr(tileNameAttrName, builder.getStringAttr(isStaging(slot) ? "staging" : ""));
  });
}

//===----------------------------------------------------------------------===//
// Results that overwrite an MMA's
//===----------------------------------------------------------------------===//

/// Whether an operation gives a variable new content where an MMA may have left some, and reads
/// nothing of that.
static bool discardsMma(OpResult result, const FragmentVariables &variables) {
  Operation *op = result.getOwner();
  unsigned variable = variables.lookup(result);
  auto isIt = [&](Value value) { return variables.lookup(value) == variable; };
  // An MMA that begins with nothing in its accumulator follows the one before by itself.
  if (!variable || isa<UninitializedOp>(op) || llvm::any_of(op->getOperands(), isIt))
    return false;
  bool isBefore = true;
  for (Value member : variables.getMembers(variable)) {
    isBefore &= member != result;
    auto mma = member.getDefiningOp<WgmmaOp>();
    if (!mma)
      continue;
    bool isInIterationBefore = false;
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      isInIterationBefore |= loop->isAncestor(mma) && llvm::any_of(loop.getRegionIterArgs(), isIt);
    if (isInIterationBefore || (isBefore && !insideMutuallyExclusiveRegions(mma, op)))
      return true;
  }
  return false;
}

static void markRenewed(RoleOp role) {
  FragmentVariables variables(role);
  Builder builder(role.getContext());
  role.walk([&](Operation *op) {
    SmallVector<int64_t> renewed;
    for (OpResult result : op->getResults())
      if (isInRegisters(result) && discardsMma(result, variables))
        renewed.push_back(result.getResultNumber());
    if (!renewed.empty())
      op->setAttr(renewsAttrName, builder.getDenseI64ArrayAttr(renewed));
  });
}

namespace {
struct LegalizeForEmission : tkc::impl::LegalizeForEmissionBase<LegalizeForEmission> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(createTensorMaps(kernel)))
        return signalPassFailure();
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      nameTiles(kernel);
      for (auto role : kernel.getBody().front().getOps<RoleOp>())
        markRenewed(role);
    }
  }
};
} // namespace
