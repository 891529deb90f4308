//===- EmitLaunchPlan.cpp - Launch plans as JSON --------------------------===//
//
// The data by which a program launches the kernels of --emit=device itself:
//
//   {"format": 1, "tkc": "0.1.0", "source": "gemm.tk", "functions": [...]}
//
// one object for each C function of --emit=cuda, a kernel or a choice among
// kernels. docs/python.md describes the fields. `format` changes whenever a reader
// of the older one could launch something wrong.
//
//===----------------------------------------------------------------------===//
#include "backend/EmitCuda.h"

#include "analysis/cost/TileCost.h"
#include "backend/ElementTypes.h"
#include "backend/LaunchPlan.h"
#include "backend/MeasuredExtents.h"
#include "backend/Postfix.h"
#include "backend/SafeText.h"
#include "backend/SourceLines.h"
#include "backend/UnknownTrips.h"
#include "dialect/hopper/SkippedBlocks.h"
#include "dialect/tk/TkChoiceOp.h"
#include "target/HopperModel.h"

#include <cmath>

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;
using llvm::json::Array;
using llvm::json::OStream;
using JsonValue = llvm::json::Value;

static constexpr int64_t planFormat = 1;

//===----------------------------------------------------------------------===//
// The arguments of a call, and their conditions
//===----------------------------------------------------------------------===//

/// "bf16" for TK_BF16: what the messages of host/arguments.h call it.
static std::string dtypeOf(Type element) {
  const ElementType *known = elementType(element);
  return known ? known->dtype.drop_front(3).lower() : "";
}

static void printArgument(const ArgumentFacts &argument, OStream &json) {
  json.attribute("name", argument.userName);
  if (!argument.tensor) {
    json.attribute("kind", "scalar");
    json.attribute("dtype", argument.scalar.isInteger(1)    ? "bool"
                            : argument.scalar.isInteger(32) ? "i32"
                                                            : "f32");
    return;
  }
  json.attribute("kind", "tensor");
  json.attribute("dtype", dtypeOf(argument.tensor.getElementType()));
  json.attribute("rank", argument.tensor.getRank());
  json.attributeArray("extents", [&] { // null where it is known at launch only
    for (int64_t extent : argument.tensor.getShape())
      json.value(ShapedType::isDynamic(extent) ? JsonValue(nullptr) : JsonValue(extent));
  });
  json.attribute("read", argument.isRead);
  json.attribute("written", argument.isWritten);
  json.attribute("added", argument.isAdded);
  json.attribute("reached", argument.isByElement && !argument.isCopied ? "elements" : "tma");
}

static void printRequirement(const Requirement &required, OStream &json) {
  using Kind = Requirement::Kind;
  static constexpr StringLiteral kinds[] = {"tensor",  "elements",  "extent",        "same_extent",
                                            "written", "fragments", "rounded_extent"};
  const bool ofTwo = required.kind == Kind::SameExtent || required.kind == Kind::Rounded;
  json.attribute("kind", kinds[int(required.kind)]);
  json.attribute("argument", required.a);
  if (required.kind == Kind::Extent || required.kind == Kind::Fragments || ofTwo)
    json.attribute("dimension", required.dimA);
  if (required.kind == Kind::Extent)
    json.attribute("extent", required.extent);
  if (ofTwo) {
    json.attribute("other", required.b);
    json.attribute("other_dimension", required.dimB);
    json.attribute("reason", required.reason);
  }
}

static void printInterface(const Interface &interface, OStream &json) {
  json.attributeArray("arguments", [&] {
    for (const ArgumentFacts &argument : interface.arguments)
      json.object([&] { printArgument(argument, json); });
  });
  json.attributeArray("requirements", [&] {
    for (const Requirement &required : getRequirements(interface))
      json.object([&] { printRequirement(required, json); });
  });
}

static void printSource(Location loc, OStream &json) {
  if (std::optional<SourceLine> line = sourceLineOf(loc))
    json.attribute("line", line->line);
}

//===----------------------------------------------------------------------===//
// The arguments of the kernel
//===----------------------------------------------------------------------===//

static void printParameter(const LaunchParameter &parameter, OStream &json) {
  using Kind = LaunchParameter::Kind;
  static constexpr StringLiteral kinds[] = {"tensor_map", "view", "tile_counter", "extent",
                                            "scalar"};
  json.attribute("kind", kinds[int(parameter.kind)]);
  json.attribute("name", parameter.name);
  if (parameter.kind != Kind::TileCounter)
    json.attribute("argument", parameter.argument);
  if (parameter.kind == Kind::Extent)
    json.attribute("dimension", parameter.dim);
  if (parameter.kind != Kind::TensorMap)
    return;
  json.attributeArray("box", [&] {
    for (int64_t extent : parameter.box)
      json.value(extent);
  });
  json.attribute("swizzle", parameter.swizzle);
  json.attribute("loaded_bytes", parameter.loadedBytes);
  json.attribute("output", parameter.isOutput);
  json.attribute("parts", parameter.isForParts);
}

/// The extents of the grid, each as the launcher's text and as a postfix list.
static void printTiles(LaunchPlan &plan, Postfix &postfix, OStream &json) {
  json.attributeArray("tiles", [&] {
    for (Value extent : plan.tiles)
      json.object([&] {
        json.attribute("text", plan.values.text(extent));
        json.attribute("postfix", postfix.list(extent));
      });
  });
}

//===----------------------------------------------------------------------===//
// The cost of a tile
//===----------------------------------------------------------------------===//

namespace {
/// Spells the cost of one tile as EmitChoice.cpp does, as postfix lists.
struct CostPrinter {
  LaunchPlan &plan;
  Postfix &postfix;
  bool isMiddle = false; // some index of the grid is in it

  void bindIndices(KernelOp kernel);
  Array trips(scf::ForOp loop);
  void append(const CodeCycles &code, Array &list);
};
} // namespace

static void extend(Array &list, const Array &more) { llvm::append_range(list, more); }

/// The tile in the middle of the grid stands for all: "$upper" is 0 for one of the two, 1 for the
/// other.
void CostPrinter::bindIndices(KernelOp kernel) {
  kernel.walk([&](TileLoopOp loop) {
    for (auto [index, extent] : llvm::zip_equal(loop.getIndices(), loop.getExtents())) {
      Array middle = postfix.list(extent);
      extend(middle, Array{1, "sub", "$upper", "add", 2, "div"});
      postfix.bind(index, std::move(middle));
      plan.values.bind(index, "upper"); // it is known at launch
    }
  });
}

Array CostPrinter::trips(scf::ForOp loop) {
  Value lower = getFirstIteration(loop), upper = loop.getUpperBound();
  if (!plan.values.isKnownAtLaunch(lower) || !plan.values.isKnownAtLaunch(upper)) {
    const int64_t taken = getTakenAtOnce(loop);
    return taken == 1 ? Array{"$unknown_trips"} : Array{"$unknown_trips", taken, "ceil_div"};
  }
  Array first = postfix.list(lower), last = postfix.list(upper), trips = last, middle = first;
  if (constantValue(lower) == 0) {
    middle = last;
  } else {
    extend(trips, first);
    trips.push_back("sub");
    extend(middle, last);
    middle.push_back("add");
  }
  extend(middle, Array{2, "div"});
  postfix.bind(loop.getInductionVar(), std::move(middle));
  plan.values.bind(loop.getInductionVar(), "middle");
  if (constantValue(loop.getStep()) != 1) {
    postfix.append(loop.getStep(), trips);
    trips.push_back("ceil_div");
  }
  return trips;
}

void CostPrinter::append(const CodeCycles &code, Array &list) {
  bool isFirst = true;
  if (std::llround(code.once) || code.loops.empty()) {
    list.push_back(double(std::llround(code.once)));
    isFirst = false;
  }
  for (const LoopCycles &loop : code.loops) {
    Array count = trips(loop.loop);
    append(loop.iteration, list);
    extend(list, count);
    list.push_back("fmul");
    if (!isFirst)
      list.push_back("fadd");
    isFirst = false;
  }
}

static bool mentionsMiddle(const Array &list) {
  return llvm::any_of(list, [](const JsonValue &item) { return item.getAsString() == "$upper"; });
}

static void printCost(KernelOp kernel, LaunchPlan &plan, Postfix &postfix, OStream &json) {
  TileCost cost = getTileCost(kernel);
  CostPrinter printer{plan, postfix};
  printer.bindIndices(kernel);
  Array computes, loads;
  printer.append(cost.computes, computes);
  printer.append(cost.loads, loads);
  json.attributeObject("cost", [&] {
    json.attribute("middle", mentionsMiddle(computes) || mentionsMiddle(loads));
    json.attribute("computes", std::move(computes));
    json.attribute("loads", std::move(loads));
    json.attributeObject("launch", [&] {
      json.attribute("fill_and_drain", fillAndDrainCycles);
      json.attribute("power_of_loads", powerOfLoads);
      json.attribute("rows_within_line", rowsWithinLine);
      json.attribute("rows_within_sector", rowsWithinSector);
    });
    if (auto efficiency = kernel->getAttrOfType<IntegerAttr>(tk::efficiencyAttrName))
      json.attribute("efficiency", efficiency.getInt()); // of both
  });
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// False if an error was reported.
static bool printKernel(KernelOp kernel, int64_t number, Names &fileNames, OStream &json) {
  Names names;
  KernelFacts facts = KernelFacts::collect(kernel, fileNames, names);
  LaunchPlan plan = getLaunchPlan(facts);
  Postfix postfix(plan.values);
  json.attribute("name", facts.interface.name());
  json.attribute("kind", "kernel");
  json.attribute("instance", facts.interface.title);
  if (auto function = kernel->getAttrOfType<StringAttr>(tk::functionAttrName))
    json.attribute("function", function.getValue());
  json.attribute("parameters_of_template", kernel.getParameters().value_or(""));
  printSource(kernel.getLoc(), json);
  json.attribute("symbol", facts.kernelName);
  json.attribute("number", number); // for -DTKC_KERNEL
  printInterface(facts.interface, json);
  json.attributeArray("parameters", [&] {
    for (const LaunchParameter &parameter : plan.parameters)
      json.object([&] { printParameter(parameter, json); });
  });
  json.attributeObject("launch", [&] {
    printTiles(plan, postfix, json);
    json.attribute("threads", plan.threads);
    json.attribute("shared_bytes", plan.sharedBytes);
    json.attribute("cluster", plan.cluster);
    json.attribute("persistent", plan.isPersistent);
    if (plan.blocksPerSm > 1)
      json.attribute("blocks_per_sm", plan.blocksPerSm);
    json.attribute("overlaps", plan.overlaps);
  });
  printCost(kernel, plan, postfix, json);
  return !plan.values.hadError();
}

/// The table of tkc tune: which kernel for which extents.
static void printMeasured(const MeasuredExtents &measured, OStream &json) {
  json.attributeObject("measured", [&] {
    json.attribute("device", llvm::json::fixUTF8(measured.device));
    json.attribute("date", llvm::json::fixUTF8(measured.date));
    json.attribute("sms", measured.sms);
    json.attributeArray("places", [&] {
      for (const MeasuredExtents::Place &place : measured.places)
        json.object([&] {
          json.attribute("argument", place.argument);
          json.attribute("dimension", place.dim);
        });
    });
    json.attributeArray("rows", [&] {
      for (const MeasuredExtents::Row &row : measured.rows)
        json.object([&] {
          json.attributeArray("extents", [&] {
            for (int64_t extent : row.extents)
              json.value(extent);
          });
          json.attribute("kernel", row.choice);
        });
    });
  });
}

static void printChoice(tk::ChoiceOp choice, ModuleOp module, OStream &json) {
  json.attribute("name", choice.getSymName());
  json.attribute("kind", "choice");
  printSource(choice.getLoc(), json);
  auto names = choice.getKernels().getAsRange<FlatSymbolRefAttr>();
  Names unused;
  KernelOp first = module.lookupSymbol<KernelOp>((*names.begin()).getValue());
  Interface interface =
      collectInterface(first, first.getParameters(), first.getEqualExtentsAttr(), unused);
  printInterface(interface, json);
  json.attributeArray("kernels", [&] {
    for (FlatSymbolRefAttr name : names)
      json.value(name.getValue());
  });
  if (std::optional<MeasuredExtents> measured = getMeasuredExtents(choice, interface))
    printMeasured(*measured, json);
}

LogicalResult tkc::emitLaunchPlans(ModuleOp module, const EmitOptions &options, raw_ostream &os) {
  if (failed(checkNames(module)))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool ok = true;
  {
    OStream json(stream, /*IndentSize=*/1);
    json.object([&] {
      json.attribute("format", planFormat);
      json.attribute("tkc", options.version);
      json.attribute("source", llvm::json::fixUTF8(options.sourceName));
      json.attribute("source_hash", options.sourceHash);
      json.attributeArray("functions", [&] {
        Names fileNames;
        for (KernelOp kernel : module.getOps<KernelOp>())
          fileNames.take(kernel.getSymName());
        for (auto [number, kernel] : llvm::enumerate(module.getOps<KernelOp>()))
          json.object([&, number = number, kernel = KernelOp(kernel)]() mutable {
            ok &= printKernel(kernel, int64_t(number), fileNames, json);
          });
        for (tk::ChoiceOp choice : module.getOps<tk::ChoiceOp>())
          json.object([&] { printChoice(choice, module, json); });
      });
    });
  }
  if (!ok)
    return failure();
  os << text << "\n";
  return success();
}
