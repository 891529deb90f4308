//===- LandTogether.cpp - Which loads share a full and an empty mbarrier --===//
//
// Loads share barriers where no time is lost: those that are neighbours at every place and are
// first used by the same MMAs, such as a and b of an MMA a b. K and V of attention are not: the
// first MMA can start before V has landed, and K is free while V is in use. A vector
// that is used only while a tile is in use lands with that, and small vectors with each other.
//
// So do tiles and vectors of an innermost loop that threads read into registers one right after the
// other: nothing is computed before the last of them, so that none is used, or given back, much
// earlier than it. An iteration with nine of them would wait, fence and arrive nine times, in the
// producer and in each warp, for nothing.
//
//===----------------------------------------------------------------------===//
#include "passes/pipeline/PipelinePlan.h"
#include "passes/tile/LoadParts.h"

using namespace mlir;
using namespace tkc;

static bool readsVector(Operation *op) {
  auto read = dyn_cast<tk::ReadOp>(op);
  return read && isa<tk::TileVectorType>(read.getResult().getType());
}

static bool isRead(Operation *op) { return isa<tk::ReadOp, tk::ReadColumnOp>(op); }

/// True if nothing but scalar code and loads stands between two operations of a block, or tile
/// operations that do not matter.
static bool isScalarBetween(Operation *from, Operation *to,
                            function_ref<bool(Operation *)> mayStand) {
  for (Operation *op = from->getNextNode(); op; op = op->getNextNode()) {
    if (op == to)
      return true;
    if (!isa<tk::LoadOp>(op) && touchesTiles(op) && !mayStand(op))
      return false;
  }
  return false;
}

/// True if two operations are the same MMA, or MMAs that are waited for together.
static bool startTogether(Operation *a, Operation *b) {
  if (a == b)
    return true;
  auto first = dyn_cast_or_null<tk::MmaOp>(a), second = dyn_cast_or_null<tk::MmaOp>(b);
  if (!first || !second || findMmaWait(first) != findMmaWait(second))
    return false;
  if (second->isBeforeInBlock(first))
    std::swap(first, second);
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (!isa<tk::MmaOp>(op) && touchesTiles(op))
      return false;
  return true;
}

/// True if one of two operations reads a vector, and the other one follows with nothing between
/// them that waits or computes with tiles: the vector may as well land with the tile that the other
/// one uses.
static bool isReadBeside(Operation *a, Operation *b) {
  if (!a || !b || a->getBlock() != b->getBlock())
    return false;
  if (b->isBeforeInBlock(a))
    std::swap(a, b);
  if (!readsVector(a) || !isa<tk::MmaOp, tk::ReadOp>(b))
    return false;
  for (Operation *op = a->getNextNode(); op != b; op = op->getNextNode())
    if (touchesTiles(op) && !readsVector(op) && !isa<tk::LoadOp, tk::FillOp>(op))
      return false;
  return true;
}

/// The last of a load point's uses.
static Operation *getLastUse(const LoadPoint &loadPoint) {
  return *llvm::max_element(loadPoint.uses,
                            [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

/// True for vectors that are used only while the tiles of `loadPoint` are: next to those they are
/// no bytes to wait for.
static bool isUsedWithin(const LoadPoint &loadPoint, const LoadPoint &added) {
  return loadPoint.firstUse && added.firstUse &&
         llvm::all_of(
             added.loads,
             [](tk::LoadOp load) { return isa<tk::TileVectorType>(load.getResult().getType()); }) &&
         llvm::any_of(
             loadPoint.loads,
             [](tk::LoadOp load) { return isa<tk::TileType>(load.getResult().getType()); }) &&
         loadPoint.firstUse->isBeforeInBlock(added.firstUse) &&
         getLastUse(added)->isBeforeInBlock(getLastUse(loadPoint));
}

/// True for vectors whose stages are few bytes: those that are loaded together land together, and
/// what one of them waits for another is less than a barrier of its own costs.
static bool areSmallVectors(const LoadPoint &loadPoint) {
  constexpr int64_t fewBytes = 2048;
  if (!loadPoint.firstUse)
    return false;
  int64_t bytes = 0;
  for (tk::LoadOp load : loadPoint.loads) {
    auto vector = dyn_cast<tk::TileVectorType>(tk::LoadOp(load).getResult().getType());
    if (!vector)
      return false;
    bytes += vector.getBytes();
  }
  return bytes <= fewBytes;
}

/// True for loads of the innermost loop that loads, be it that of a block over its tiles: anywhere
/// else barriers cost next to nothing.
static bool isInInnermostLoop(const LoadPoint &loadPoint) {
  tk::LoadOp load = loadPoint.loads.front();
  Operation *around = load->getParentOfType<scf::ForOp>();
  if (!around && load->getParentOfType<tk::KernelOp>().getPersistent().value_or(true))
    around = load->getParentOfType<tk::GridOp>();
  bool isInnermost = around;
  if (around)
    around->walk([&](tk::LoadOp inner) {
      Operation *loop = inner->getParentOfType<scf::ForOp>();
      isInnermost &= !loop || !around->isProperAncestor(loop);
    });
  return isInnermost;
}

/// True if threads read all tiles of both load points into registers, one right after the other:
/// the first one is of no use before the last one has landed.
static bool areReadTogether(const LoadPoint &loadPoint, const LoadPoint &added) {
  return loadPoint.firstUse && added.firstUse && llvm::all_of(loadPoint.uses, isRead) &&
         llvm::all_of(added.uses, isRead) && isInInnermostLoop(loadPoint) &&
         isScalarBetween(loadPoint.loads.back(), added.loads.front(), isRead) &&
         isScalarBetween(loadPoint.firstUse, getLastUse(added), isRead) &&
         getLastUse(loadPoint)->isBeforeInBlock(getLastUse(added));
}

/// True if a ring of both groups gives the tiles of each load point back before those of the next
/// one are used. Of rows and columns of two tensors, which two rings hold one after the other, the
/// second tensor's rows would be read after the first one's columns.
static bool giveBackInOrder(LoadGroup &group, LoadGroup &other) {
  for (unsigned next = 1; next < group.loadPoints.size(); ++next)
    for (LoadGroup *before : {&group, &other})
      for (LoadGroup *after : {&group, &other}) {
        LoadPoint &last = before->loadPoints[next - 1], &first = after->loadPoints[next];
        if (last.getBlock() == first.getBlock() &&
            !getLastUse(last)->isBeforeInBlock(first.firstUse))
          return false;
      }
  return true;
}

bool tkc::landTogether(LoadGroup &group, LoadGroup &other) {
  auto haveReader = [&](hopper::RoleKind role) {
    return group.isReadBy(role) == other.isReadBy(role);
  };
  if (group.isResident || group.loadPoints.size() != other.loadPoints.size())
    return false;
  // Parts of a tile are loads of their own to land and to be given back apart.
  if (group.getLoads().front()->hasAttr(isPartAttrName) ||
      other.getLoads().front()->hasAttr(isPartAttrName))
    return false;
  // Scanner warps are ahead of the consumers, so that neither shall wait for the others' tiles.
  if (!haveReader(hopper::RoleKind::Scanner))
    return false;
  for (auto [loadPoint, added] : llvm::zip(group.loadPoints, other.loadPoints)) {
    if (loadPoint.getBlock() != added.getBlock())
      return false;
    if (areReadTogether(loadPoint, added) && haveReader(hopper::RoleKind::Consumer) &&
        haveReader(hopper::RoleKind::Reducer) && giveBackInOrder(group, other))
      continue;
    const bool areSmall = areSmallVectors(loadPoint) && areSmallVectors(added);
    auto mayStand = [&](Operation *op) { return areSmall && readsVector(op); };
    if (!isScalarBetween(loadPoint.loads.back(), added.loads.front(), mayStand) ||
        !(areSmall || startTogether(loadPoint.firstUse, added.firstUse) ||
          isReadBeside(loadPoint.firstUse, added.firstUse) || isUsedWithin(loadPoint, added)))
      return false;
  }
  return true;
}
