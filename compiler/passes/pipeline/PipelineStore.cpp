//===- PipelineStore.cpp - The way of a register tile to global memory ----===//
//
// Slice by slice: the warpgroup writes 64 rows of one swizzle-atom column to a staging
// buffer (stmatrix), and its leader starts a TMA store of the buffer. Two buffers
// used alternately let the next slice be written while the store of the last one reads.
// The stores run on while the next tile of the grid is computed. The tail columns of
// rows that are not whole 16 bytes, which TMA leaves, the warpgroup stores by itself.
//
// Whole tiles in staging would be simpler, but 128 x 256 bf16 take 64 KB, which
// is more than a stage of the ring.
//
//===----------------------------------------------------------------------===//
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "passes/pipeline/PipelineBuilder.h"

using namespace mlir;
using namespace tkc;

/// A loop over [0, count) that the emitted CUDA unrolls; the builder stands in its body. No loop
/// for one iteration. Returns the index.
static Value buildUnrolledLoop(RoleBuilder &role, Location loc, StringRef name, int64_t count) {
  OpBuilder &builder = role.builder;
  Value zero = role.getConstant(loc, 0);
  if (count == 1)
    return zero;
  auto loop =
      builder.create<scf::ForOp>(loc, zero, role.getConstant(loc, count), role.getConstant(loc, 1));
  loop->setAttr(hopper::unrollAttrName, builder.getUnitAttr());
  loop.getInductionVar().setLoc(getNamedLoc(name, loc));
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

int64_t PipelinePlan::countSlices(const StagingPlan &staging, tk::StoreOp store) const {
  auto tile = cast<tk::TileType>(store.getValue().getType());
  return tile.getRows() / distribution.getSharers() / getStagingRows() *
         (tile.getCols() / staging.cols);
}

/// Slices that stores before this one bring to the same buffers. Going on where they ended, the
/// first slice meets the buffer that was used longest ago.
static int64_t countSlicesBefore(PipelinePlan &plan, StagingPlan &staging, tk::StoreOp store) {
  int64_t count = 0;
  for (tk::StoreOp other : staging.stores) {
    if (other == store)
      break;
    count += plan.countSlices(staging, other);
  }
  return count;
}

/// True if the rows of every tensor of this type are whole 16 bytes, which is how TMA writes them.
static bool hasWholeRows(tk::GlobalType type) {
  int64_t cols = type.getShape().back();
  int64_t bits = tk::getStorageBits(type.getElementType());
  return !ShapedType::isDynamic(cols) && cols * bits % (16 * 8) == 0;
}

/// The store's indices in this role.
static SmallVector<Value> getIndices(RoleBuilder &role, tk::StoreOp store) {
  SmallVector<Value> indices;
  for (Value index : store.getIndices())
    indices.push_back(role.values.lookup(index));
  return indices;
}

/// True if each slice of the store has a buffer of its own and is stored again in the next
/// iteration of a loop, when these are free: then the warpgroup writes all of them before it meets,
/// once.
static bool isStoredAtOnce(PipelinePlan &plan, StagingPlan &staging, tk::StoreOp store,
                           int64_t slices) {
  return slices > 1 && slices == plan.countSlices(staging, store) && slices <= staging.buffers &&
         countSlicesBefore(plan, staging, store) % staging.buffers + slices <= staging.buffers &&
         store->getParentOfType<scf::ForOp>() &&
         hasWholeRows(cast<tk::GlobalType>(store.getDest().getType()));
}

/// How long L2 keeps what the store writes, and why if the user has not said it.
static std::pair<tk::CachePolicyAttr, StringAttr> choosePolicy(const PipelinePlan &plan,
                                                               tk::StoreOp store) {
  MLIRContext *context = store.getContext();
  if (tk::CachePolicyAttr said = store.getPolicyAttr())
    return {said.getValue() == tk::CachePolicy::Normal ? tk::CachePolicyAttr() : said, {}};
  // Measured on an H200: 4096 x 4096 x 64 to 512 gain 2 to 4 %, larger MMAs nothing.
  if (plan.readsAgain && !store.getAccumulate())
    return {tk::CachePolicyAttr::get(context, tk::CachePolicy::EvictFirst),
            StringAttr::get(context,
                            "first out of L2, which keeps the inputs that other tiles read again")};
  return {};
}

void tkc::buildStore(RoleBuilder &role, tk::StoreOp store, Value fragment, Value worker) {
  OpBuilder &builder = role.builder;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = getUnnamedLoc(store.getLoc());
  StagingPlan &staging = role.plan.getStaging(store);
  auto type = cast<hopper::FragmentType>(fragment.getType());
  int64_t mBlocks = type.getRows() / hopper::mBlockRows, slices = type.getCols() / staging.cols;
  int64_t boxRows = role.plan.getStagingRows();

  // Values that are the same for all slices.
  SmallVector<Value> origin = role.getOrigin(loc, getIndices(role, store), store.getValue());
  size_t rowDim = origin.size() - 2, colDim = origin.size() - 1;
  if (role.plan.distribution.getSharers() > 1)
    origin[rowDim] = role.add(loc, origin[rowDim], role.multiply(loc, worker, type.getRows()));
  Value firstBuffer = role.multiply(loc, worker, staging.buffers);

  Value mBlock = buildUnrolledLoop(role, loc, "m_block", mBlocks);
  Value slice = buildUnrolledLoop(role, loc, "slice", slices);
  Value row = role.multiply(loc, mBlock, hopper::mBlockRows),
        col = role.multiply(loc, slice, staging.cols);
  Value buffer = firstBuffer;
  if (staging.buffers > 1) {
    Value count = role.add(loc, role.multiply(loc, mBlock, slices), slice);
    count = role.add(
        loc, count,
        role.getConstant(loc, countSlicesBefore(role.plan, staging, store) % staging.buffers));
    Value parity =
        builder.createOrFold<arith::RemSIOp>(loc, count, role.getConstant(loc, staging.buffers));
    buffer = role.add(loc, firstBuffer, parity);
  }
  auto slotType =
      hopper::SharedType::get(builder.getContext(), boxRows, staging.cols, staging.elementType);
  Value ring = role.buffers.staging.lookup(&staging);
  Value slot = builder.create<hopper::SlotOp>(loc, slotType, ring, buffer);
  builder.create<hopper::StoreFragmentOp>(loc, fragment, row, col, slot);
  if (isStoredAtOnce(role.plan, staging, store, slices)) {
    builder.setInsertionPointAfter(slice.getParentBlock()->getParentOp());
    slice = buildUnrolledLoop(role, loc, "slice", slices);
    col = role.multiply(loc, slice, staging.cols);
    Value first = role.add(
        loc, firstBuffer,
        role.getConstant(loc, countSlicesBefore(role.plan, staging, store) % staging.buffers));
    slot = builder.create<hopper::SlotOp>(loc, slotType, ring, role.add(loc, first, slice));
  }
  // In `each warp` an m64 block is 16 rows of each of four tiles.
  Value tileRow = boxRows == hopper::mBlockRows ? row : role.multiply(loc, mBlock, boxRows);
  origin[rowDim] = role.add(loc, origin[rowDim], tileRow);
  origin[colDim] = role.add(loc, origin[colDim], col);
  Value dest = role.values.lookup(store.getDest());
  auto [policy, reason] = choosePolicy(role.plan, store);
  builder.create<hopper::TmaStoreOp>(loc, slot, dest, origin, store.getAccumulate(), policy,
                                     reason);
  if (!hasWholeRows(cast<tk::GlobalType>(dest.getType())))
    builder.create<hopper::StoreTailColumnsOp>(loc, slot, dest, origin, store.getAccumulate(),
                                               reason ? tk::CachePolicyAttr() : policy);
}

void tkc::buildVectorStore(RoleBuilder &role, tk::StoreOp store, Value vector, Value worker) {
  Location loc = getUnnamedLoc(store.getLoc());
  auto type = cast<hopper::FragmentVectorType>(vector.getType());
  SmallVector<Value> origin = role.getOrigin(loc, getIndices(role, store), store.getValue());
  if (type.getOrientation() == tk::Orientation::Column && role.plan.distribution.getSharers() > 1)
    origin.back() = role.add(loc, origin.back(), role.multiply(loc, worker, type.getLength()));
  role.builder.create<hopper::StoreGlobalOp>(loc, vector, role.values.lookup(store.getDest()),
                                             origin, store.getAccumulate());
}

void tkc::buildFragmentStore(RoleBuilder &role, tk::StoreOp store, Value fragment, Value worker) {
  Location loc = getUnnamedLoc(store.getLoc());
  SmallVector<Value> origin = role.getOrigin(loc, getIndices(role, store), store.getValue());
  Value &row = origin[origin.size() - 2];
  if (role.plan.distribution.getSharers() > 1)
    row = role.add(
        loc, row,
        role.multiply(loc, worker, cast<hopper::FragmentType>(fragment.getType()).getRows()));
  role.builder.create<hopper::StoreGlobalOp>(loc, fragment, role.values.lookup(store.getDest()),
                                             origin, store.getAccumulate());
}
