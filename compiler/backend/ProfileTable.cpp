//===- ProfileTable.cpp - The meaning of a profiled kernel's records ------===//
#include "backend/ProfileTable.h"

#include "backend/EmitCuda.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;

namespace {
/// A number that records have, and the statement's own line.
struct Point {
  unsigned statement;
  ProfileEdge edge;
  StringRef name;
  size_t line; // counted from 0
};
} // namespace

/// By the lines of the text: a record stands above its statement.
static std::vector<Point> collectPoints(const LineTable &lines, Operation *kernel,
                                        const KernelNames &names) {
  llvm::MapVector<std::pair<unsigned, ProfileEdge>, Point> points;
  llvm::DenseMap<unsigned, size_t> lineOf;
  for (const auto &[index, line] : llvm::enumerate(lines.getLines())) {
    Operation *op = line.origin.op;
    if (!op || line.text != LineText::Code || line.origin.part != LinePart::Kernel ||
        (op != kernel && !kernel->isProperAncestor(op)))
      continue;
    unsigned statement = names.statements.lookup(op);
    ProfileEdge edge = line.origin.record;
    if (edge == ProfileEdge::None)
      lineOf.try_emplace(statement, index);
    else
      points.insert({{statement, edge}, {statement, edge, line.reason, index}});
  }
  std::vector<Point> sorted;
  for (auto &[key, point] : points) {
    if (auto found = lineOf.find(point.statement); found != lineOf.end())
      point.line = found->second;
    sorted.push_back(point);
  }
  llvm::sort(sorted, [](const Point &a, const Point &b) {
    return std::pair(a.statement, a.edge) < std::pair(b.statement, b.edge);
  });
  return sorted;
}

/// The user's names of the indices of a tile.
static std::vector<std::string> tileIndices(Operation *kernel) {
  std::vector<std::string> names;
  kernel->walk([&](hopper::TileLoopOp loop) {
    for (BlockArgument index : loop.getIndices()) {
      StringRef name = getSourceName(index);
      names.push_back(name.empty() ? "index " + std::to_string(index.getArgNumber()) : name.str());
    }
    return WalkResult::interrupt();
  });
  return names;
}

static void print(llvm::json::OStream &json, const Point &point, Operation *kernel,
                  const LineTable &lines, ArrayRef<StringRef> texts, const EmitOptions &options) {
  Operation *op = lines.getLines()[point.line].origin.op;
  LineFacts facts = lines.describe(lines.getLines()[point.line]);
  json.attribute("id", 2 * point.statement + (point.edge == ProfileEdge::End));
  json.attribute("name", point.name);
  json.attribute("kind", point.edge == ProfileEdge::Begin   ? facts.kind
                         : isa<hopper::WaitWgmmaOp>(op)     ? StringRef("elementwise")
                         : point.name == "other iterations" ? StringRef("loop")
                                                            : StringRef("scheduler"));
  json.attribute("statement", point.statement);
  json.attribute("role", facts.role);
  if (point.edge == ProfileEdge::Begin && isa<hopper::TileLoopOp, scf::ForOp>(op))
    json.attributeArray("indices", [&] {
      for (const std::string &index : tileIndices(kernel))
        json.value(index);
    });
  json.attribute("line", int64_t(point.line + 1));
  json.attribute("code", texts[point.line].trim());
  if (!facts.barrier.empty())
    json.attribute("barrier", facts.barrier);
  if (!facts.reason.empty())
    json.attribute("reason", facts.reason);
  if (facts.source)
    json.attributeObject("source", [&] {
      json.attribute("file", llvm::sys::path::filename(facts.source->file));
      json.attribute("line", facts.source->line);
      json.attribute("column", facts.source->column);
      std::optional<StringRef> text;
      if (options.sourceLine)
        text = options.sourceLine(facts.source->file, facts.source->line);
      if (text)
        json.attribute("text", *text);
    });
}

void tkc::printProfileTable(const LineTable &lines, StringRef cuda, const EmitOptions &options,
                            StringRef cudaName, raw_ostream &os) {
  SmallVector<StringRef> texts;
  cuda.split(texts, '\n');
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("format", 1);
    json.attribute("build", llvm::formatv("{0:x-16}", options.profileBuild).str());
    json.attribute("source", options.sourceName);
    json.attribute("cuda", cudaName);
    json.attributeArray("kernels", [&] {
      for (const auto &[kernel, names] : lines.getKernels())
        json.object([&, kernel = kernel, &names = names] {
          json.attribute("name", cast<hopper::KernelOp>(kernel).getSymName());
          json.attributeArray("streams", [&] {
            for (const ProfileStream &stream : names.streams)
              json.object([&] {
                json.attribute("role", stream.role);
                json.attribute("warpgroup", stream.warpgroup);
              });
          });
          json.attributeArray("points", [&] {
            for (const Point &point : collectPoints(lines, kernel, names))
              json.object([&] { print(json, point, kernel, lines, texts, options); });
          });
        });
    });
  });
  os << '\n';
}
