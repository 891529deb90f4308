//===- MergeLoads.cpp - Tiles that are loaded twice, loaded once ----------===//
//
// Who needs a tile in shared memory, for an MMA, and in registers, to compute with
// it, may load it for each. So do two functions that are called one after the
// other. As the program is written, that is a ring for each load, and the tile
// travels twice. It need not: both hold the same elements, and nobody writes to a
// tile that came from a tensor.
//
// MLIR's CSE leaves loads alone, since each allocates memory. And there is a
// reason to load again: a tile that is needed before a loop and after it would
// take its bytes from the loop's rings. So loads stay apart with a loop between
// them, and loads from tensors that the kernel writes to.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TileValues.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "remarks/Remarks.h"
#include "llvm/ADT/STLExtras.h"

namespace tkc {
#define GEN_PASS_DEF_MERGELOADS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

static bool loadSame(LoadOp a, LoadOp b) {
  return a.getSource() == b.getSource() && a.getType() == b.getType() &&
         llvm::equal(a.getIndices(), b.getIndices()) &&
         a->getAttrDictionary() == b->getAttrDictionary();
}

/// True if a loop over tiles stands between two operations of a block.
static bool hasLoopBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode()) {
    WalkResult walk = op->walk([](scf::ForOp loop) {
      return touchesTiles(loop) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return true;
  }
  return false;
}

/// The tensors that the kernel stores to.
static llvm::DenseSet<Value> findWritten(KernelOp kernel) {
  llvm::DenseSet<Value> written;
  kernel.walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      written.insert(getWholeTensor(store.getDest()));
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      written.insert(getWholeTensor(scatter.getDest()));
  });
  return written;
}

/// "'A'": the tensor in messages.
static std::string quoteTensorName(LoadOp load) {
  auto argument = cast<BlockArgument>(getWholeTensor(load.getSource()));
  StringRef name = load->getParentOfType<KernelOp>().getArgumentName(argument.getArgNumber());
  return ("'" + name + "'").str();
}

/// Both are the first one; it takes the user's name of the second, if it has none.
static void merge(LoadOp first, LoadOp second) {
  reportRemark(second, second.getLoc(), Remark::MergeDone, quoteTensorName(second));
  if (getSourceName(first.getLoc()).empty())
    first->setLoc(second.getLoc());
  second.getResult().replaceAllUsesWith(first.getResult());
  second.erase();
}

static void mergeIn(Block &block, const llvm::DenseSet<Value> &written) {
  SmallVector<LoadOp> loads;
  for (auto load : llvm::make_early_inc_range(block.getOps<LoadOp>())) {
    if (written.contains(getWholeTensor(load.getSource())))
      continue;
    auto known = llvm::find_if(loads, [&](LoadOp other) { return loadSame(other, load); });
    if (known == loads.end()) {
      loads.push_back(load);
    } else if (hasLoopBetween(*known, load)) {
      reportRemark(load, load.getLoc(), Remark::MergeLoop, quoteTensorName(load));
      *known = load;
    } else {
      merge(*known, load);
    }
  }
}

namespace {
struct MergeLoads : tkc::impl::MergeLoadsBase<MergeLoads> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      const llvm::DenseSet<Value> written = findWritten(kernel);
      kernel.walk([&](Block *block) { mergeIn(*block, written); });
    }
  }
};
} // namespace
