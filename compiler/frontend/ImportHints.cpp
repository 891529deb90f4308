//===- ImportHints.cpp - Choices that the user makes for the compiler -----===//
//
// Hints are calls around the call of `grid(...)` or `pipeline(...)`. Each is
// checked where it stands: its arguments are constants, it is said once, and it
// can hold. A hint that no pass honours yet is refused, for one that is not followed
// would mislead whoever measures.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportHints.h"

#include "dialect/tk/TkChoiceOp.h"
#include "frontend/ImportScalars.h"

using namespace clang;
using namespace tkc;

/// Hints that no pass honours yet, apart from their defaults.
static bool isHonoured(Word word) {
  switch (word) {
  case Word::cluster:
    return false;
  default:
    return true;
  }
}

/// True if the hint asks for what happens anyway.
static bool isDefault(Word word, llvm::ArrayRef<int64_t> values) {
  switch (word) {
  case Word::order:
    return values[0] != 1;
  case Word::cluster:
    return values[0] == 1 && values[1] == 1;
  default:
    return false;
  }
}

/// True if 0 stands for the compiler's own choice, so that a template parameter can say so.
static bool isLeftToCompiler(Word word, llvm::ArrayRef<int64_t> values) {
  switch (word) {
  case Word::swizzle:
  case Word::stages:
  case Word::consumers:
  case Word::registers:
  case Word::prefetch:
  case Word::blocks_per_sm:
    return llvm::all_of(values, [](int64_t value) { return value == 0; });
  case Word::order:
    return values[0] == 2; // compiler_order of the language header
  default:
    return false;
  }
}

bool HintImporter::check(const Hint &hint, const CXXMemberCallExpr *call) {
  llvm::StringRef name = getName(call->getMethodDecl());
  auto refuseValue = [&](unsigned argument, Message message) {
    error(call->getArg(argument)->getExprLoc(), message)
        << name << llvm::Twine(hint.values[argument]).str()
        << call->getArg(argument)->getSourceRange();
    return false;
  };
  if (isLeftToCompiler(hint.word, hint.values))
    return true;
  // setmaxnreg: PTX ISA, "Miscellaneous Instructions".
  auto isRegisterCount = [](int64_t n) { return n % 8 == 0 && n >= 24 && n <= 240; };
  for (auto [i, value] : llvm::enumerate(hint.values)) {
    if (hint.word == Word::registers && !isRegisterCount(value))
      return refuseValue(i, Message::hint_registers);
    if (!call->getArg(i)->getType()->isBooleanType() && hint.word != Word::order && value < 1)
      return refuseValue(i, Message::hint_not_positive);
  }
  if (hint.word == Word::cluster && hint.values[0] * hint.values[1] > 8) {
    error(call->getExprLoc(), Message::hint_cluster)
        << llvm::Twine(hint.values[0] * hint.values[1]).str() << call->getSourceRange();
    return false;
  }
  // They are written out, one after the other.
  if (hint.word == Word::prefetch && hint.values[0] > 16)
    return refuseValue(0, Message::hint_prefetch);
  // Of 256 threads at least, each with enough registers to do something.
  if (hint.word == Word::blocks_per_sm && hint.values[0] > 4)
    return refuseValue(0, Message::hint_blocks_per_sm);
  // A block has 1024 threads, and one warpgroup of them loads.
  if (hint.word == Word::consumers && hint.values[0] > 7)
    return refuseValue(0, Message::hint_warpgroups);
  if (!isHonoured(hint.word) && !isDefault(hint.word, hint.values)) {
    error(call->getExprLoc(), Message::hint_not_yet) << name << call->getSourceRange();
    return false;
  }
  return true;
}

std::optional<llvm::SmallVector<Hint>> HintImporter::importHints(const Expr *&range) {
  llvm::SmallVector<Hint> hints;
  while (true) {
    range = range->IgnoreUnlessSpelledInSource();
    auto *call = dyn_cast<CXXMemberCallExpr>(range);
    std::optional<Word> word = call ? language.findCallee(call) : std::nullopt;
    if (!word) {
      llvm::erase_if(hints,
                     [](const Hint &hint) { return isLeftToCompiler(hint.word, hint.values); });
      return hints;
    }
    Hint hint{*word, {}, call->getExprLoc()};
    for (const Expr *argument : call->arguments()) {
      std::optional<int64_t> value = scalars.importConstant(argument);
      if (!value) {
        error(argument->getExprLoc(), Message::hint_not_constant)
            << call->getMethodDecl()->getName() << argument->getSourceRange();
        return std::nullopt;
      }
      hint.values.push_back(*value);
    }
    if (!check(hint, call))
      return std::nullopt;
    for (const Hint &other : hints)
      if (other.word == hint.word) {
        error(other.place, Message::hint_twice) << getName(call->getMethodDecl());
        error(hint.place, Message::note_hint) << getName(call->getMethodDecl());
        return std::nullopt;
      }
    hints.push_back(hint);
    range = call->getImplicitObjectArgument();
  }
}

void Hint::set(tk::KernelOp kernel, tk::GridOp grid) const {
  auto setNumber = [&](llvm::StringRef name) {
    kernel->setAttr(name, mlir::Builder(kernel.getContext()).getI64IntegerAttr(values[0]));
  };
  switch (word) {
  case Word::swizzle:
    grid.setSwizzle(values[0]);
    break;
  case Word::persistent:
    kernel.setPersistent(values[0] != 0);
    break;
  case Word::order:
    kernel.setOrder(values[0] == 0 ? "static" : "dynamic");
    break;
  case Word::consumers:
    kernel.setConsumers(values[0]);
    break;
  case Word::registers:
    kernel.setRegisters(values);
    break;
  case Word::cluster:
    kernel.setCluster(values);
    break;
  case Word::pdl:
    kernel.setPdl(values[0] != 0);
    break;
  case Word::pingpong_tiles:
    if (values[0])
      kernel->setAttr(tk::pingpongTilesAttrName, mlir::UnitAttr::get(kernel.getContext()));
    break;
  case Word::prefetch:
    setNumber(tk::prefetchAttrName);
    break;
  case Word::efficiency:
    setNumber(tk::efficiencyAttrName);
    break;
  case Word::blocks_per_sm:
    setNumber(tk::blocksPerSmAttrName);
    break;
  default:
    break;
  }
}
