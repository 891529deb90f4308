//===- PipelineElements.cpp - Elements that land with tiles ---------------===//
//
// A scalar that a loop reads from a tensor, such as the scale of a block of B,
// costs each thread an address, a check of bounds and the latency of a load in
// every iteration; and ptxas puts that code between the instructions of an MMA.
// Where only elementwise code uses the scalar, the producer fetches it instead: it
// copies the element into a ring beside those of the loop's tiles, as a copy of its
// own that the full barrier counts as one more arrival, and the consumers find it
// in shared memory.
//
// TMA does not bring it: rows of such tensors need not be whole 16 bytes.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/TkElementOp.h"
#include "passes/pipeline/PipelinePlan.h"

using namespace mlir;
using namespace tkc;

/// The bits that cp.async copies as one.
static constexpr int64_t copiedBits = 32;

/// The narrowest vector that has a place of its own in shared memory.
static constexpr int64_t vectorElements = 128 * 8 / copiedBits;

RingShape tkc::getElementShape(Operation *element) {
  return {1, vectorElements, cast<tk::ElementOp>(element).getSource().getType().getElementType()};
}

std::string tkc::getElementName(Operation *element) {
  auto tensor = cast<BlockArgument>(cast<tk::ElementOp>(element).getSource());
  auto kernel = element->getParentOfType<tk::KernelOp>();
  return (kernel.getArgumentName(tensor.getArgNumber()) + "_element").str();
}

/// True if the value is there when `op` runs.
static bool isKnownBefore(Value value, Operation *op) {
  Operation *maker = value.getDefiningOp();
  return !maker || maker->getBlock() != op->getBlock() || maker->isBeforeInBlock(op);
}

/// True if nothing but maps uses the element, and none before the wait for the load point's
/// tiles.
static bool isForMaps(tk::ElementOp element, LoadPoint &loadPoint) {
  return llvm::all_of(element->getUsers(), [&](Operation *user) {
    Operation *here = loadPoint.getBlock()->findAncestorOpInBlock(*user);
    return user->getParentOfType<tk::MapOp>() && here && !here->isBeforeInBlock(loadPoint.firstUse);
  });
}

static bool canLand(tk::ElementOp element, LoadPoint &loadPoint, const PipelinePlan &plan) {
  tk::GlobalType tensor = element.getSource().getType();
  if (tk::getStorageBits(tensor.getElementType()) != copiedBits ||
      element.getResult().getType() != tensor.getElementType() ||
      !isa<BlockArgument>(element.getSource()))
    return false;
  return isForMaps(element, loadPoint) && llvm::all_of(element.getIndices(), [&](Value index) {
           return isKnownBefore(index, loadPoint.loads.back()) &&
                  !plan.workerDependent.contains(index);
         });
}

void tkc::landElements(PipelinePlan &plan) {
  llvm::SmallPtrSet<Operation *, 4> landed;
  for (LoadGroup &group : plan.groups) {
    auto isForWorkers = [&](tk::LoadOp load) { return plan.getCopies(load) > 1; };
    if (group.isResident || !group.loop || group.loadPoints.size() > 1 ||
        llvm::any_of(group.getLoads(), isForWorkers))
      continue;
    LoadPoint &loadPoint = group.loadPoints.front();
    for (auto element : loadPoint.getBlock()->getOps<tk::ElementOp>())
      if (!landed.contains(element) && canLand(element, loadPoint, plan)) {
        landed.insert(element);
        loadPoint.elements.push_back(element);
      }
  }
}
