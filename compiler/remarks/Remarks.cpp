//===- Remarks.cpp - Collecting and showing remarks -----------------------===//
#include "remarks/Remarks.h"

#include "dialect/tk/SourceNames.h"
#include "dialect/tk/Tk.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tkc;

namespace {
enum class RemarkPass {
#define TKC_REMARK_PASS(name, flag, meaning) name,
#include "remarks/Remarks.def"
};
enum class RemarkKind { Done, Missed };

struct Wording {
  RemarkPass pass;
  RemarkKind kind;
  const char *text;
};
} // namespace

static const Wording &getWording(Remark remark) {
  static constexpr Wording wordings[] = {
#define TKC_REMARK(name, pass, kind, text) {RemarkPass::pass, RemarkKind::kind, text},
#include "remarks/Remarks.def"
  };
  return wordings[size_t(remark)];
}

StringRef tkc::getPassFlag(Remark remark) {
  static constexpr StringLiteral flags[] = {
#define TKC_REMARK_PASS(name, flag, meaning) flag,
#include "remarks/Remarks.def"
  };
  return flags[size_t(getWording(remark).pass)];
}

bool tkc::isMissed(Remark remark) { return getWording(remark).kind == RemarkKind::Missed; }

const char *tkc::getFormat(Remark remark) { return getWording(remark).text; }

void tkc::report(Operation *op, const PlacedRemark &remark) {
  RemarkCollector *collector = RemarkCollector::find(op->getContext());
  if (!collector)
    return;
  while (op && !isa<FunctionOpInterface>(op))
    op = op->getParentOp();
  collector->collect(op ? cast<FunctionOpInterface>(op).getName() : "", remark);
}

void RemarkCollector::add(MLIRContext &context, const std::set<std::string> &shownDone,
                          const std::set<std::string> &shownMissed) {
  auto *dialect = context.getOrLoadDialect<tk::TkDialect>();
  auto collector = std::make_unique<RemarkCollector>(dialect);
  collector->shownDone = shownDone;
  collector->shownMissed = shownMissed;
  dialect->addInterface(std::move(collector));
}

RemarkCollector *RemarkCollector::find(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<tk::TkDialect>();
  const auto *collector = dialect ? dialect->getRegisteredInterface<RemarkCollector>() : nullptr;
  return const_cast<RemarkCollector *>(collector);
}

void RemarkCollector::collect(StringRef kernel, const PlacedRemark &remark) {
  const unsigned line = getSourceLine(remark.loc);
  {
    std::lock_guard lock(mutex);
    bool isKnown = llvm::any_of(remarks, [&](const CollectedRemark &known) {
      return known.kernel == kernel && known.line == line && known.remark == remark.remark &&
             known.text == remark.text;
    });
    if (isKnown)
      return;
    remarks.push_back({kernel.str(), remark.text, remark.remark, line});
  }
  const StringRef flag = getPassFlag(remark.remark);
  const bool missed = isMissed(remark.remark);
  if ((missed ? shownMissed : shownDone).count(flag.str()))
    emitRemark(remark.loc) << remark.text << (missed ? " [-Rtk-missed=" : " [-Rtk-pass=") << flag
                           << "]";
}
