//===- ExplorerData.cpp - Data for the page's script ----------------------===//
//
// The line table and the reports as one JSON value. Lines are arrays of numbers into
// lists of words: a page with six kernels has thousands of them.
//
//===----------------------------------------------------------------------===//
#include "explorer/ExplorerPage.h"

#include "analysis/TileNames.h"
#include "analysis/hazards/BankConflicts.h"
#include "analysis/protocol/BarrierRoles.h"
#include "dialect/tk/SourceNames.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::explorer;
using namespace tkc::hopper;

using llvm::json::OStream;

namespace {
/// Numbers words in the order of their first use.
class WordList {
public:
  int64_t add(StringRef word) {
    if (word.empty())
      return -1;
    auto [entry, isNew] = numbers.try_emplace(word, words.size());
    if (isNew)
      words.push_back(word.str());
    return entry->second;
  }
  void print(OStream &json, StringRef name) const {
    json.attributeArray(name, [&] {
      for (const std::string &word : words)
        json.value(word);
    });
  }
  ArrayRef<std::string> getWords() const { return words; }

private:
  llvm::StringMap<int64_t> numbers;
  std::vector<std::string> words;
};

struct OperationText {
  StringRef op, variant, term, without;
};
} // namespace

static constexpr OperationText operationTexts[] = {
#define OPERATION(op, variant, term, without) {op, variant, term, without},
#include "explorer/ExplorerTexts.def"

#include <cmath>
};

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// The entry of the texts for an op, "wait_barrier previous"; empty if it has none.
static std::string textKey(Operation *op) {
  if (!op)
    return {};
  StringRef name = op->getName().stripDialect();
  bool isPrevious = isa<WaitBarrierOp>(op) && cast<WaitBarrierOp>(op).getPrevious();
  StringRef variant = isPrevious ? "previous" : "";
  for (const OperationText &text : operationTexts)
    if (text.op == name && text.variant == variant)
      return (name + (isPrevious ? " previous" : "")).str();
  return {};
}

/// Everything that a line is, for every line but the blank ones:
/// [kernel, role, kind, statement, file, line, column, reason, operation, barrier, signal, rings].
static void printLines(OStream &json, const Page &page) {
  WordList roles, kinds, reasons, operations, names, signals;
  json.attributeArray("lines", [&] {
    for (const auto &[line, facts] : llvm::zip_equal(page.lines.getLines(), page.facts)) {
      if (line.text == LineText::Blank) {
        json.value(0);
        continue;
      }
      json.array([&] {
        json.value(page.findKernel(facts.kernel));
        json.value(roles.add(facts.role));
        json.value(kinds.add(facts.kind));
        json.value(facts.statement ? int64_t(*facts.statement) : -1);
        json.value(facts.source ? page.findSource(facts.source->file) : -1);
        json.value(facts.source ? int64_t(facts.source->line) : 0);
        json.value(facts.source ? int64_t(facts.source->column) : 0);
        json.value(reasons.add(facts.reason));
        json.value(facts.statement || line.origin.isRegisters
                       ? operations.add(textKey(line.origin.op))
                       : -1);
        json.value(names.add(facts.barrier));
        json.value(signals.add(facts.signal));
        for (const std::string &ring : facts.rings)
          json.value(names.add(ring));
      });
    }
  });
  roles.print(json, "roles");
  kinds.print(json, "kinds");
  reasons.print(json, "reasons");
  json.attributeArray("reasonIds", [&] {
    for (const std::string &reason : reasons.getWords())
      json.value(reasonId(reason));
  });
  operations.print(json, "operations");
  names.print(json, "names");
  signals.print(json, "signals");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static void printRoles(OStream &json, const KernelReport &report) {
  json.attributeArray("roles", [&] {
    for (const RoleReport &role : report.roles)
      json.object([&] {
        json.attribute("kind", role.kind);
        json.attribute("warpgroups", role.warpgroups);
        if (role.warps)
          json.attribute("warps", role.warps);
        json.attribute("registers", role.registers);
        json.attribute("tiles", role.peak);
        json.attribute("predicted", role.predicted);
      });
  });
}

static void printBarriers(OStream &json, const KernelReport &report, const KernelNames &names) {
  json.attributeArray("barriers", [&] {
    for (const BarrierReport &barrier : report.barriers)
      json.object([&] {
        json.attribute("name", barrier.name);
        json.attribute("count", barrier.arrivals);
        json.attribute("stages", barrier.stages);
        json.attribute("arrives", barrier.arrives);
        json.attribute("waits", barrier.waits);
        json.attribute("means", barrier.guards);
      });
    for (const backend::NamedBarrierFacts &barrier : names.namedBarriers)
      json.object([&] {
        json.attribute("name", barrier.name);
        json.attribute("count", barrier.threads);
        json.attribute("stages", 0);
        json.attribute("arrives", barrier.arrives);
        json.attribute("waits", barrier.waits);
        json.attribute("means", barrier.means);
      });
  });
}

/// Names of the barriers of a ring: of those whose completion says that it is full, or empty.
static void printBarriersOf(OStream &json, KernelOp kernel, Value ring, const KernelNames &names) {
  BarrierRoles roles(kernel);
  std::set<std::string> full, empty;
  kernel.walk([&](BarrierUse load) {
    Value dest = getTileCompletedBy(load, Completion::Bytes);
    if (!dest || BarrierRoles::getRing(dest) != ring)
      return;
    full.insert(names.find(load.getBarrier()));
    for (auto barrier : kernel.getBody().front().getOps<AllocBarrierOp>())
      if (roles.mayFree(barrier.getResult(), dest))
        empty.insert(names.find(barrier.getResult()));
  });
  auto print = [&](StringRef name, const std::set<std::string> &barriers) {
    json.attributeArray(name, [&] {
      for (const std::string &barrier : barriers)
        json.value(barrier);
    });
  };
  print("full", full);
  print("empty", empty);
}

static std::string elementName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// How the 16-byte pieces of one swizzle pattern lie: 8 rows, the pieces of a row after each other.
static void printPattern(OStream &json, int64_t swizzle) {
  json.attributeArray("pattern", [&] {
    for (int64_t row = 0; row < 8; ++row)
      for (int64_t byte = 0; byte < swizzle; byte += 16)
        json.value(getSwizzledAddress(row, byte, /*rows=*/8, swizzle));
  });
}

static void printRings(OStream &json, KernelOp kernel, const KernelNames &names) {
  json.attributeArray("rings", [&] {
    for (auto ring : kernel.getBody().front().getOps<AllocRingOp>()) {
      RingType type = ring.getResult().getType();
      json.object([&] {
        json.attribute("name", names.find(ring.getResult()));
        json.attribute("stages", type.getStages());
        json.attribute("stageBytes", type.getStageBytes());
        json.attribute("offset", int64_t(ring.getOffset().value_or(0)));
        json.attribute("rows", type.getRows());
        json.attribute("cols", type.getCols());
        json.attribute("bits", tk::getStorageBits(type.getElementType()));
        json.attribute("element", elementName(type.getElementType()));
        int64_t swizzle = type.getRows() > 1 ? int64_t(ring.getSwizzle().value_or(0)) : 0;
        json.attribute("swizzle", swizzle);
        if (swizzle)
          printPattern(json, swizzle);
        printBarriersOf(json, kernel, ring.getResult(), names);
      });
    }
  });
}

/// The register tiles that have a name in the source, each shape once.
static void printFragments(OStream &json, KernelOp kernel) {
  std::set<std::pair<std::string, const void *>> seen;
  json.attributeArray("fragments", [&] {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults()) {
        auto type = dyn_cast<FragmentType>(result.getType());
        std::string name = type ? findTileName(result).str() : std::string();
        if (name.empty() || !seen.insert({name, type.getAsOpaquePointer()}).second)
          continue;
        auto role = op->getParentOfType<RoleOp>();
        json.object([&] {
          json.attribute("name", name);
          json.attribute("rows", type.getRows());
          json.attribute("cols", type.getCols());
          json.attribute("bits", tk::getStorageBits(type.getElementType()));
          json.attribute("element", elementName(type.getElementType()));
          json.attribute("warps", role && role.getEach() == tk::EachWorker::Warp ? 1 : 4);
          json.attribute("line", getSourceLine(result.getLoc()));
        });
      }
    });
  });
}

static void printReport(OStream &json, const KernelReport &report) {
  json.attributeArray("waits", [&] {
    for (const WaitReport &wait : report.waits)
      json.array([&] {
        json.value(wait.role);
        json.value(wait.op);
        json.value(wait.reason);
      });
  });
  json.attributeArray("accesses", [&] {
    for (const AccessReport &access : report.accesses)
      json.array([&] {
        json.value(access.role);
        json.value(access.how);
        json.value(access.buffer);
        json.value(access.pattern);
        json.value(access.ways);
        json.value(access.line);
      });
  });
  json.attributeArray("limits", [&] {
    for (const LimitReport &limit : report.limits)
      json.array([&] {
        json.value(limit.part);
        json.value(int64_t(std::llround(limit.cycles)));
      });
  });
  const LimitReport *limiter = report.getLimiter();
  json.attribute("limiter", limiter ? limiter->part : "");
  for (const auto &[name, remarks] :
       {std::pair("done", &report.done), std::pair("missed", &report.missed)})
    json.attributeArray(name, [&, remarks = remarks] {
      for (const RemarkReport &remark : *remarks)
        json.value(remark.pass + ": " + remark.text);
    });
}

static void printKernel(OStream &json, const Page &page, const PageKernel &kernel) {
  KernelOp op = kernel.op;
  const KernelNames &names = *page.lines.findNames(op);
  json.attribute("name", kernel.report.name);
  json.attribute("parameters", op.getParameters().value_or(""));
  json.attribute("threads", kernel.report.threads);
  json.attribute("shared", kernel.report.sharedBytes);
  json.attribute("budget", kernel.report.sharedBudget);
  printRoles(json, kernel.report);
  printBarriers(json, kernel.report, names);
  printRings(json, op, names);
  printFragments(json, op);
  printReport(json, kernel.report);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// A paragraph of the glossary as plain text.
static std::string plain(StringRef paragraph) {
  std::string text;
  for (size_t i = 0; i < paragraph.size(); ++i) {
    if (paragraph[i] == '*' || paragraph[i] == '`' || paragraph[i] == '[')
      continue;
    if (paragraph.substr(i, 2) == "](") {
      i = paragraph.find(')', i);
      if (i == StringRef::npos)
        break;
      continue;
    }
    text += paragraph[i] == '\n' ? ' ' : paragraph[i];
  }
  return text;
}

static std::string findInGlossary(StringRef term) {
  SmallVector<StringRef> paragraphs;
  explorer::glossary().split(paragraphs, "\n\n");
  for (StringRef paragraph : paragraphs)
    if (paragraph.contains("**" + term.str() + "**") ||
        paragraph.contains("**" + term.str() + ".**"))
      return plain(paragraph.trim());
  return {};
}

static void printTexts(OStream &json) {
  std::set<StringRef> terms;
  json.attributeObject("texts", [&] {
    for (const OperationText &text : operationTexts) {
      terms.insert(text.term);
      json.attributeArray((text.op + (text.variant.empty() ? "" : " ") + text.variant).str(), [&] {
        json.value(text.term);
        json.value(text.without);
      });
    }
  });
  json.attributeObject("glossary", [&] {
    for (StringRef term : terms)
      json.attribute(term, findInGlossary(term));
  });
}

std::string explorer::gatherData(const Page &page, const EmitOptions &emit,
                                 const ExplorerOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os);
  json.object([&] {
    json.attribute("format", 1);
    json.attribute("source", html(emit.sourceName));
    json.attribute("cuda", html(page.cudaName));
    // The instance that was asked for last is the last kernel.
    json.attribute("compared",
                   options.isComparing ? int64_t(page.kernels.size()) - 1 : int64_t(-1));
    printLines(json, page);
    json.attributeArray("kernels", [&] {
      for (const PageKernel &kernel : page.kernels)
        json.object([&] { printKernel(json, page, kernel); });
    });
    printTexts(json);
    json.attributeBegin("passes");
    json.rawValue([&](llvm::raw_ostream &raw) { printPassDiffs(options.passes, raw); });
    json.attributeEnd();
  });
  // No text may end the script that holds it, or turn it around.
  std::string safe;
  for (char c : text)
    if (c == '<' || c == '>' || c == '&')
      safe += "\\u00" + llvm::utohexstr(c, /*LowerCase=*/true, 2);
    else
      safe += c;
  return safe;
}
