//===- EmitMma.cpp - Register tiles and MMAs as CUDA ----------------------===//
//
// In the IR an MMA gives a new value; in CUDA it changes a variable. Both
// say the same as long as nobody reads the old value afterwards, which
// tk-assign-variables has seen to.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "backend/ElementTypes.h"
#include "backend/KernelEmitter.h"
#include "dialect/tk/SourceNames.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

void backend::emit(KernelEmitter &e, UninitializedOp op) {
  declareEmpty(e, op, op.getResult(), "uninitialised: the first wgmma overwrites it");
}

void backend::emit(KernelEmitter &e, FillOp op) {
  std::string value = e.text(op.getValue());
  if (isNarrow(cast<tk::ElementsInterface>(op.getType()).getElementType())) {
    std::string spelled = registerType(e, op, op.getResult());
    return e.out.line(assign(e, op->getResult(0)) + "map<" + spelled + ">([&] { return " + value +
                      "; });");
  }
  bool isNew = e.variables->getName(op.getResult()).empty();
  declareEmpty(e, op, op.getResult());
  std::string variable = isNew ? e.text(op.getResult()) : variableToWrite(e, op->getResult(0));
  e.out.line(variable + ".fill(" + value + ");");
}

void backend::emit(KernelEmitter &e, CopyOp op) {
  std::string source = e.text(op.getSource());
  e.out.line(assign(e, op->getResult(0)) + source + ";");
}

void backend::emit(KernelEmitter &e, WgmmaOp op) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs a whole warpgroup, which only a consumer is");
  std::string acc = e.text(op.getAcc());
  std::string a =
      isa<FragmentType>(op.getA().getType()) ? e.text(op.getA()) : tileText(e, op.getA());
  e.values.bind(op.getResult(), acc);
  std::string b = tileText(e, op.getB()) + (op.getSums() ? ".with_ones()" : "");
  StringRef stem = op.getSubtracts() ? "mms_" : "mma_";
  e.out.list(stem + tk::stringifyMmaForm(op.getForm()) + "(",
             {acc, a, b, "/*accumulate=*/" + e.text(op.getAccumulate())}, ");",
             op.getSums() ? "the last 8 columns of " + acc + " are row sums of " + a : "");
}

void backend::emit(KernelEmitter &e, KeepAliveOp op) {
  e.out.line("keep_alive(" + e.text(op.getFragment()) + ");", op.getReason());
}

void backend::emit(KernelEmitter &e, MmaSyncOp op) {
  if (!e.inWarps())
    return e.values.error(op, "multiplies a warp's own tiles, in a role whose warps have none");
  e.values.bind(op.getResult(), e.text(op.getAcc()));
  e.out.list("mma_ABt(", {e.text(op.getResult()), e.text(op.getA()), e.text(op.getB())}, ");");
}

/// "s, o": variables.
static std::string list(KernelEmitter &e, ValueRange values) {
  SmallVector<std::string> names;
  for (Value value : values)
    names.push_back(e.text(value));
  return llvm::join(names, ", ");
}

/// `reason` with the emitted names of `values`, which may differ from the user's: `part_2` is
/// another variable than `part`. Only the words before one of `actions` are names.
static std::string spellNames(KernelEmitter &e, std::string reason, ArrayRef<Value> values,
                              ArrayRef<StringRef> actions) {
  llvm::MapVector<StringRef, std::string> spelled;
  for (Value value : values) {
    StringRef name = findTileName(value);
    auto [known, isNew] = spelled.insert({name, e.text(value)});
    if (!isNew && known->second != e.text(value)) // of two variables, the reason does not say which
      known->second = name.str();
  }
  std::string text;
  StringRef rest = reason;
  while (!rest.empty()) {
    size_t end = std::min(rest.find_first_of(" ,"), rest.size());
    StringRef word = rest.take_front(end), after = rest.drop_front(end);
    auto known = spelled.find(word);
    bool isName = known != spelled.end() && llvm::any_of(actions, [&](StringRef action) {
                    return after.starts_with(action);
                  });
    text += isName ? known->second : word.str();
    text += after.take_front(1);
    rest = after.drop_front(std::min<size_t>(1, after.size()));
  }
  return text;
}

/// The accumulators and fragments of the MMAs up to the next commit.
static SmallVector<Value> getRegistersOfNextMmas(KernelEmitter &e, Operation *op) {
  SmallVector<Value> values;
  for (; op && !isa<CommitWgmmaOp>(op); op = op->getNextNode())
    if (auto mma = dyn_cast<WgmmaOp>(op))
      for (Value operand : {Value(mma.getAcc()), mma.getA()})
        if (isInRegisters(operand) && e.values.isBound(operand)) // declared before the fence
          values.push_back(operand);
  return values;
}

void backend::emit(KernelEmitter &e, FenceRegistersOp op) {
  e.out.line("wgmma_fence(" + list(e, op.getFilled()) + ");",
             spellNames(e, op.getReason().str(), getRegistersOfNextMmas(e, op),
                        {" passes ", " pass ", ", ", " and "}));
}

void backend::emit(KernelEmitter &e, CommitWgmmaOp op) { e.out.line("wgmma_commit();"); }

void backend::emit(KernelEmitter &e, WaitWgmmaOp op) {
  e.out.line("wgmma_wait<" + Twine(op.getPending()) + ">(" + list(e, op.getAccumulators()) + ");",
             spellNames(e, op.getReason().str(), llvm::to_vector(op.getAccumulators()), {" is "}));
}
