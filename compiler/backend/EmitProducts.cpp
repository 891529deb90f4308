//===- EmitProducts.cpp - Register tiles and products as CUDA -------------===//
//
// In the IR a product gives a new value; in CUDA it changes a variable. Both
// say the same as long as nobody reads the old value afterwards, and that is
// checked here: a second variable would need a copy, and where a copy is right
// depends on which products are in flight.
//
//===----------------------------------------------------------------------===//
#include "backend/ElementTypes.h"
#include "backend/KernelEmitter.h"
#include "dialect/tk/SourceNames.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

/// Whether `a` and `b` lie in different branches of one scf.if.
static bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isProperAncestor(b))
      return branch.getThenRegion().isAncestor(a->getParentRegion()) !=
             branch.getThenRegion().isAncestor(b->getParentRegion());
  return false;
}

bool backend::mayOverwrite(Value value, Operation *op) {
  // Between the value and its overwriter there may be branches, but no loop, which would come back
  // to it.
  Operation *around = op;
  while (around->getBlock() != value.getParentBlock()) {
    around = around->getParentOp();
    if (!isa_and_nonnull<scf::IfOp>(around))
      return false;
  }

  // Every other use must be over before `op` begins, or never happen where `op` does.
  auto isBefore = [](Block *block, Operation *first, Operation *second) {
    Operation *a = block->findAncestorOpInBlock(*first), *b = block->findAncestorOpInBlock(*second);
    return a && b && a != b && a->isBeforeInBlock(b);
  };
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == op || areExclusive(user, op) ||
           (isa<scf::IfOp>(op) &&
            op->isProperAncestor(user)) || // its branches see to it themselves
           isBefore(value.getParentBlock(), user, op) ||
           isBefore(op->getBlock(), user, op);
  });
}

StringRef backend::getVariableName(Value value) {
  StringRef name = getSourceName(value);
  auto result = dyn_cast<OpResult>(value);
  if (!name.empty() || !result)
    return name;
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return getSourceName(loop.getRegionIterArg(result.getResultNumber()));
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return getVariableName(branch.thenYield().getOperand(result.getResultNumber()));
  return name;
}

std::string backend::declareRegisters(KernelEmitter &e, Value registers) {
  std::string wanted = getVariableName(registers).str();
  for (OpOperand &use : registers.getUses())
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()); loop && wanted.empty())
      if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&use))
        wanted = getSourceName(carried).str();
  StringRef otherwise = isa<FragmentType>(registers.getType()) ? "tile" : "vector";
  std::string name = e.names.take(wanted.empty() ? otherwise : StringRef(wanted));
  e.values.bind(registers, name);
  return name;
}

void backend::emit(KernelEmitter &e, UninitializedOp op) {
  std::string name = declareRegisters(e, op.getResult());
  e.out.line(registerType(e, op, op.getResult().getType()) + " " + name + ";",
             "holds nothing yet: the first product overwrites it");
}

void backend::emit(KernelEmitter &e, FillOp op) {
  Type type = op.getResult().getType();
  std::string spelled = registerType(e, op, type), value = e.text(op.getValue());
  if (isNarrow(cast<tk::ElementsInterface>(type).getElementType()))
    return e.out.line(assign(e, op->getResult(0)) + "map<" + spelled + ">([&] { return " + value +
                      "; });");
  std::string name = declareRegisters(e, op.getResult());
  e.out.line(spelled + " " + name + ";");
  e.out.line(name + ".fill(" + value + ");");
}

void backend::emit(KernelEmitter &e, CopyOp op) {
  std::string source = e.text(op.getSource());
  e.out.line(assign(e, op->getResult(0)) + source + ";");
}

void backend::emit(KernelEmitter &e, WgmmaOp op) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs a whole warpgroup, which only a consumer is");
  if (!mayOverwrite(op.getAcc(), op))
    return e.values.error(op, "overwrites an accumulator that is still read after it; "
                              "tk-legalize-for-emission must give it a register tile of its own");
  std::string acc = e.text(op.getAcc());
  std::string a =
      isa<FragmentType>(op.getA().getType()) ? e.text(op.getA()) : tileText(e, op.getA());
  e.values.bind(op.getResult(), acc);
  e.out.list("mma_" + tk::stringifyMmaForm(op.getForm()) + "(",
             {acc, a, tileText(e, op.getB()), "/*accumulate=*/" + e.text(op.getAccumulate())},
             ");");
}

void backend::emit(KernelEmitter &e, MmaSyncOp op) {
  if (!e.inWarps())
    return e.values.error(op, "multiplies a warp's own tiles, in a role whose warps have none");
  // The variable of the accumulator, or a new one that begins as it is.
  Value acc = op.getAcc();
  if (mayOverwrite(acc, op)) {
    e.values.bind(op.getResult(), e.text(acc));
  } else {
    std::string start = e.text(acc);
    std::string name = declareRegisters(e, op.getResult());
    e.out.line(registerType(e, op, acc.getType()) + " " + name + " = " + start + ";");
  }
  e.out.list("mma_ABt(", {e.text(op.getResult()), e.text(op.getA()), e.text(op.getB())}, ");");
}

void backend::emit(KernelEmitter &e, FenceRegistersOp op) {
  e.out.line("wgmma_fence();", op.getReason());
}

void backend::emit(KernelEmitter &e, CommitProductsOp op) { e.out.line("wgmma_commit();"); }

void backend::emit(KernelEmitter &e, WaitProductsOp op) {
  e.out.line("wgmma_wait<" + Twine(op.getPending()) + ">();", op.getReason());
}
