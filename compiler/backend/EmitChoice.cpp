//===- EmitChoice.cpp - The functions that choose among kernels -----------===//
//
// A choice becomes three C functions and, for each of its kernels, one that
// predicts how many cycles it would take: the compiler's sum over the kernel's
// loops (analysis/cost/TileCost.h), with the extents of the arguments in the place of
// their names. runtime/host/choice.h turns it into cycles of the whole grid.
//
//===----------------------------------------------------------------------===//
#include "backend/EmitChoice.h"

#include "analysis/ExtentEquality.h"
#include "analysis/cost/TileCost.h"
#include "backend/EmitLauncher.h"
#include "backend/Expressions.h"
#include "backend/KernelFacts.h"
#include "backend/MeasuredExtents.h"
#include "backend/SafeText.h"
#include "backend/SourceLines.h"
#include "backend/UnknownTrips.h"
#include "dialect/hopper/SkippedBlocks.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "target/HopperModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// The kernels of a choice
//===----------------------------------------------------------------------===//

static SmallVector<FunctionOpInterface> getKernels(tk::ChoiceOp choice) {
  return llvm::map_to_vector(choice.getKernels().getAsRange<FlatSymbolRefAttr>(), [&](auto name) {
    return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(choice, name);
  });
}

/// The C function of a kernel of either dialect, whose parameters avoid what the functions here
/// declare. Fails after an error that was reported.
static FailureOr<Interface> getInterface(FunctionOpInterface kernel) {
  Names names;
  for (StringRef word : {"args", "choice", "num_sms", "status", "stream", "work"})
    names.take(word);
  if (auto compiled = dyn_cast<KernelOp>(*kernel))
    return collectInterface(kernel, compiled.getParameters(), compiled.getEqualExtentsAttr(),
                            names);
  auto source = cast<tk::KernelOp>(*kernel);
  FailureOr<ArrayAttr> equalExtents = getEqualExtents(source);
  if (failed(equalExtents))
    return failure();
  return collectInterface(kernel, source.getParameters(), *equalExtents, names);
}

static Interface rename(Interface interface, const Twine &name) {
  interface.exported = name.str();
  return interface;
}

static SmallVector<std::string> getArgumentNames(const Interface &interface) {
  return llvm::map_to_vector(interface.arguments,
                             [](const ArgumentFacts &argument) { return argument.name; });
}

//===----------------------------------------------------------------------===//
// The prediction
//===----------------------------------------------------------------------===//

namespace {
/// Spells the cost of one kernel in terms of its C function's parameters.
class Prediction {
public:
  Prediction(KernelOp kernel, const Interface &interface)
      : interface(interface), fileNames(), names(),
        facts(KernelFacts::collect(kernel, fileNames, names)), cost(getTileCost(kernel)) {
    for (const ExtentFacts &extent : facts.extents)
      for (Value value : extent.values)
        values.bind(value, extent.name);
    for (auto [index, argument] : llvm::enumerate(interface.arguments))
      if (!argument.tensor)
        values.bind(kernel.getBody().getArgument(index), argument.name);
    for (auto role : kernel.getBody().front().getOps<RoleOp>())
      role.walk([&](TileLoopOp loop) { bindIndices(loop); });
  }

  void emit(CudaPrinter &out);

private:
  void bindIndices(TileLoopOp loop);
  void note(Value value);
  std::string spell(const CodeCycles &code);
  std::string spellTrips(scf::ForOp loop);
  SmallVector<std::string> spellLoaded() const;
  void nameTrips(CudaPrinter &out, ArrayRef<std::string *> sums);

  const Interface &interface;
  Names fileNames, names;
  KernelFacts facts;
  TileCost cost;
  Expressions values;
  llvm::DenseSet<Value> used; // extents and indices of the grid
  SmallVector<std::pair<std::string, Value>> middles;
  SmallVector<std::string> trips; // how often each loop runs, as it is spelled
};
} // namespace

/// All roles walk the same grid: its indices have one name.
void Prediction::bindIndices(TileLoopOp loop) {
  for (auto [number, index] : llvm::enumerate(loop.getIndices())) {
    if (middles.size() <= number) {
      StringRef name = getSourceName(index);
      middles.push_back({names.take(name.empty() ? "index" : name), loop.getExtents()[number]});
    }
    values.bind(index, middles[number].first);
  }
}

/// Remembers what an expression is made of, down to extents and indices.
void Prediction::note(Value value) {
  if (!used.insert(value).second || values.isBound(value))
    return;
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      note(operand);
}

/// The fields of host::launch_model: "3000.0, 0.19, 1.25, 1.75".
static std::string spellModel() {
  std::vector<std::string> numbers;
  for (double number : {fillAndDrainCycles, powerOfLoads, rowsWithinLine, rowsWithinSector}) {
    std::string text = llvm::formatv("{0:f2}", number).str();
    while (text.back() == '0' && text[text.size() - 2] != '.')
      text.pop_back();
    numbers.push_back(text);
  }
  return llvm::join(numbers, ", ");
}

static std::string spellCycles(double cycles) {
  return std::to_string(int64_t(std::llround(cycles))) + ".0";
}

/// How often a loop runs, as a factor; in a loop around it, halfway through.
std::string Prediction::spellTrips(scf::ForOp loop) {
  Value lower = getFirstIteration(loop), upper = loop.getUpperBound();
  if (!values.isKnownAtLaunch(lower) || !values.isKnownAtLaunch(upper)) {
    const int64_t taken = getTakenAtOnce(loop);
    return taken == 1 ? "host::unknown_trips"
                      : "ceil_div(host::unknown_trips, " + std::to_string(taken) + ")";
  }
  note(lower);
  note(upper);
  std::optional<int64_t> first = constantValue(lower), step = constantValue(loop.getStep());
  // A factor: `cost * rows / 64` would divide the cost.
  std::string trips =
                  values.text(upper, step == 1 ? Precedence::Unary : Precedence::Multiplicative),
              ends = trips;
  if (first != 0) {
    std::string from = values.text(lower, Precedence::Additive),
                to = values.text(upper, Precedence::Additive);
    trips = ("(" + Twine(to) + " - " + values.text(lower, Precedence::Multiplicative) + ")").str();
    ends = ("(" + Twine(from) + " + " + to + ")").str();
  }
  values.bind(loop.getInductionVar(), ("(" + Twine(ends) + " / 2)").str());
  if (step != 1)
    trips = "ceil_div(" + trips + ", " + values.text(loop.getStep()) + ")";
  this->trips.push_back(trips);
  return trips;
}

/// "1771.0 + 1024.0 * ceil_div(A_cols, 64)"
std::string Prediction::spell(const CodeCycles &code) {
  SmallVector<std::string> terms;
  if (std::llround(code.once) || code.loops.empty())
    terms.push_back(spellCycles(code.once));
  for (const LoopCycles &loop : code.loops) {
    std::string trips = spellTrips(loop.loop), inner = spell(loop.iteration);
    bool isSum = loop.iteration.loops.size() + (std::llround(loop.iteration.once) ? 1 : 0) > 1;
    terms.push_back((isSum ? "(" + inner + ")" : inner) + " * " + trips);
  }
  return llvm::join(terms, " + ");
}

/// "{A, 16384}, {B, 32768}": the tensors that a tile loads from, with bytes.
SmallVector<std::string> Prediction::spellLoaded() const {
  SmallVector<std::string> loaded;
  for (const TensorMapFacts &map : facts.maps)
    if (int64_t bytes = getLoadedBytes(map.op))
      loaded.push_back("{" + interface.arguments[map.argument].name + ", " + std::to_string(bytes) +
                       "}");
  return loaded;
}

/// Where a sum is too long for a line, the trip counts in it get names, and the sums say the names.
void Prediction::nameTrips(CudaPrinter &out, ArrayRef<std::string *> sums) {
  constexpr size_t longest = 90;
  if (llvm::all_of(sums, [](std::string *sum) { return sum->size() <= longest; }))
    return;
  // The longest first: a trip count may be a part of another one.
  llvm::sort(trips, [](const std::string &a, const std::string &b) {
    return std::pair(b.size(), a) < std::pair(a.size(), b);
  });
  trips.erase(llvm::unique(trips), trips.end());
  Names taken;
  for (StringRef word : {"num_sms", "work"})
    taken.take(word);
  for (const ArgumentFacts &argument : interface.arguments)
    taken.take(argument.name);
  for (const auto &[name, extent] : middles)
    taken.take(name);
  for (const ExtentFacts &extent : facts.extents)
    taken.take(extent.name);
  for (const std::string &count : trips) {
    if (!StringRef(count).contains('('))
      continue;
    std::string name = taken.take("trips");
    out.line("const int " + name + " = " + count + ";");
    for (std::string *sum : sums)
      for (size_t at = 0; (at = sum->find(count, at)) != std::string::npos; at += name.size())
        sum->replace(at, count.size(), name);
  }
}

void Prediction::emit(CudaPrinter &out) {
  SmallVector<std::string> tiles;
  if (TileLoopOp loop = facts.tileLoop)
    for (Value extent : loop.getExtents()) {
      note(extent);
      tiles.push_back(values.text(extent));
    }
  std::string computes = spell(cost.computes), loads = spell(cost.loads);

  // Middles before extents: they are made of them.
  SmallVector<std::string> middle;
  if (TileLoopOp loop = facts.tileLoop)
    for (auto [number, index] : llvm::enumerate(loop.getIndices())) {
      bool isUsed = llvm::any_of(used, [&](Value value) {
        auto argument = dyn_cast<BlockArgument>(value);
        return argument && isa<TileLoopOp>(argument.getOwner()->getParentOp()) &&
               argument.getArgNumber() == number;
      });
      if (isUsed)
        middle.push_back(middles[number].first + " = (" +
                         values.text(middles[number].second, Precedence::Additive) +
                         " - 1 + upper) / 2");
    }
  SmallVector<std::string> extents;
  for (const ExtentFacts &extent : facts.extents)
    if (llvm::any_of(extent.values, [&](Value value) { return used.contains(value); }))
      extents.push_back(extent.name + " = int(" + interface.arguments[extent.argument].name +
                        "->extents[" + std::to_string(extent.dim) + "])");
  if (!extents.empty())
    out.list("const int ", extents, ";");
  out.line("host::tile_work work{{" + spellModel() + "}};", "what launches cost on an H200");
  emitTileCount("work.tiles", tiles, out);
  if (!middle.empty()) {
    out.comment("The two tiles in the middle of the grid stand for all.");
    out.open("for (const int upper : {0, 1}) {");
    out.list("const int ", middle, ";");
    computes = "0.5 * (" + computes + ")";
    loads = "0.5 * (" + loads + ")";
  }
  nameTrips(out, {&computes, &loads});
  out.line("work.computes += " + computes + ";", "cycles of one tile's MMAs and elementwise work");
  out.line("work.loads += " + loads + ";", "cycles that its loads take from L2");
  if (!middle.empty())
    out.close();
  if (SmallVector<std::string> loaded = spellLoaded(); !loaded.empty())
    out.list("work.loads *= host::row_factor(work.model, {", loaded, "});",
             "rows may begin within a line; bytes of each");
  if (facts.scheduler)
    out.line("work.dynamic = true;");
  out.line("return host::predicted_cycles(work, num_sms);");
}

/// Whether `name` is a word of the text.
static bool mentions(StringRef text, StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isPart(text[at - 1])) && (end == text.size() || !isPart(text[end])))
      return true;
  }
  return false;
}

static void emitPrediction(KernelOp kernel, const Interface &interface, CudaPrinter &out) {
  std::string body;
  {
    llvm::raw_string_ostream stream(body);
    CudaPrinter printer(stream);
    Prediction(kernel, interface).emit(printer);
  }
  Interface named = rename(interface, interface.name() + "_cycles");
  for (ArgumentFacts &argument : named.arguments)
    if (!mentions(body, argument.name)) // or compilers would warn of it
      argument.name = (argument.tensor ? " /*" : "/*") + argument.name + "*/";
  out.blank();
  out.comment("How many cycles " + interface.exported +
              " is predicted to take on a device with this many SMs.");
  emitSignature(named, out, "static double", ") {", "int num_sms");
  out.indent();
  Prediction(kernel, interface).emit(out);
  out.close();
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// "A->extents[0]"
static std::string spellPlace(const MeasuredExtents::Place &place, const Interface &interface) {
  return interface.arguments[place.argument].name + "->extents[" + std::to_string(place.dim) + "]";
}

/// The rows of the table, each with its fastest kernel.
static void emitMeasured(const MeasuredExtents &measured, const Interface &interface,
                         CudaPrinter &out) {
  std::string names;
  llvm::ListSeparator comma;
  for (const MeasuredExtents::Place &place : measured.places) {
    const ArgumentFacts &argument = interface.arguments[place.argument];
    names += (StringRef(comma) + argument.name + "." +
              dimensionName(argument.tensor.getRank(), place.dim))
                 .str();
  }
  out.blank();
  out.comment("Measured with tkc tune on " + measured.device + " (" + std::to_string(measured.sms) +
              " SMs) on " + measured.date + ", " + measured.file + ": {" + names +
              "}, and the number of the kernel that was the fastest.");
  out.open("static const host::measured<" + Twine(measured.places.size()) + "> " +
           interface.name() + "_measured[] = {");
  for (const MeasuredExtents::Row &row : measured.rows) {
    std::vector<std::string> extents;
    for (int64_t extent : row.extents)
      extents.push_back(std::to_string(extent));
    std::string times;
    llvm::raw_string_ostream(times) << llvm::format("%.4f ms", row.ms);
    if (row.defaultMs > row.ms)
      llvm::raw_string_ostream(times) << llvm::format(", untuned %.4f", row.defaultMs);
    out.line("{{" + llvm::join(extents, ", ") + "}, " + Twine(row.choice) + "},", times);
  }
  out.close("};");
}

/// Ends the query if the extents are in the table.
static void emitLookup(const MeasuredExtents &measured, const Interface &interface,
                       CudaPrinter &out) {
  std::vector<std::string> extents;
  for (const MeasuredExtents::Place &place : measured.places)
    extents.push_back(spellPlace(place, interface));
  out.line("if (num_sms == " + Twine(measured.sms) + " &&");
  out.line("    host::find_measured(" + interface.name() + "_measured, {" +
           llvm::join(extents, ", ") + "}, *choice))");
  out.indent();
  out.line("return args.status();");
  out.unindent();
}

/// gemm_choice(A, B, C, &choice)
static bool emitQuery(tk::ChoiceOp choice, const Interface &interface,
                      SmallVectorImpl<FunctionOpInterface> &kernels, CudaPrinter &out) {
  bool predicts = isa<KernelOp>(*kernels.front());
  std::optional<MeasuredExtents> measured;
  if (predicts)
    measured = getMeasuredExtents(choice, interface);
  if (measured)
    emitMeasured(*measured, interface, out);
  out.blank();
  Interface query = rename(interface, interface.name() + "_choice");
  query.profile.clear();
  for (ArgumentFacts &argument : query.arguments)
    if (!argument.tensor && !predicts) // nothing reads scalars
      argument.name = "/*" + argument.name + "*/";
  emitSignature(query, out, "extern \"C\" tk_status", ") {", "int32_t *choice");
  out.indent();
  out.line("*choice = 0;");
  bool ok = emitArgumentChecks(rename(query, interface.name()), out);
  if (predicts) {
    out.blank();
    out.line("int num_sms = 0;");
    out.line("const tk_status status = host::count_sms(" + quoted(interface.name()) +
             ", num_sms);");
    out.line("if (status.code != TK_OK)");
    out.indent();
    out.line("return status;");
    out.unindent();
    if (measured)
      emitLookup(*measured, interface, out);
    SmallVector<std::string> arguments = getArgumentNames(interface), cycles;
    arguments.push_back("num_sms");
    for (FunctionOpInterface kernel : kernels)
      cycles.push_back(kernel.getName().str() + "_cycles(" + llvm::join(arguments, ", ") + ")");
    out.list("*choice = host::cheapest({", cycles, "});");
  }
  out.line("return args.status();");
  out.close();
  return ok;
}

/// gemm_as(A, B, C, choice, stream)
static void emitByNumber(const Interface &interface, ArrayRef<std::string> kernels,
                         CudaPrinter &out) {
  out.blank();
  emitSignature(rename(interface, interface.name() + "_as"), out, "extern \"C\" tk_status", ") {",
                launchParameters(interface, "int32_t choice, tk_stream stream"));
  out.indent();
  out.line("switch (choice) {");
  SmallVector<std::string> arguments = getArgumentNames(interface);
  if (!interface.profile.empty())
    arguments.push_back(interface.profile);
  arguments.push_back("stream");
  for (auto [number, name] : llvm::enumerate(kernels)) {
    out.line("case " + Twine(number) + ":");
    out.indent();
    out.line("return " + name + "(" + llvm::join(arguments, ", ") + ");");
    out.unindent();
  }
  out.line("}");
  out.list("return host::make_status(",
           {"TK_INVALID_ARGUMENT", quoted(interface.name()),
            ("\"choice %d is not from 0 to " + Twine(kernels.size() - 1) + "\"").str(),
            "int(choice)"},
           ");");
  out.close();
}

/// gemm(A, B, C, stream)
static void emitDispatch(const Interface &interface, CudaPrinter &out) {
  out.blank();
  emitSignature(interface, out, "extern \"C\" tk_status", ") {", launchParameters(interface));
  out.indent();
  SmallVector<std::string> arguments = getArgumentNames(interface);
  std::string given = llvm::join(arguments, ", ");
  out.line("int32_t choice = 0;");
  out.line("const tk_status status = " + interface.name() + "_choice(" + given + ", &choice);");
  out.line("if (status.code != TK_OK)");
  out.indent();
  out.line("return status;");
  out.unindent();
  out.line("return " + interface.name() + "_as(" + given + ", " +
           (interface.profile.empty() ? "" : interface.profile + ", ") + "choice, stream);");
  out.close();
}

static void emitList(tk::ChoiceOp choice, CudaPrinter &out) {
  std::string title = choice.getSymName().str();
  if (std::optional<SourceLine> line = sourceLineOf(choice.getLoc()))
    title += ", " + describe(*line);
  bool isMeasured = choice->hasAttr(tk::tunedAttrName);
  out.comment(title + ": of these, the one that " +
                  (isMeasured ? "was measured or is predicted" : "is predicted") +
                  " to be the fastest",
              2);
  for (auto [number, kernel] : llvm::enumerate(getKernels(choice)))
    out.comment(("  " + Twine(number) + "  " + kernel.getName()).str());
}

bool backend::emitChoice(tk::ChoiceOp choice, CudaPrinter &out) {
  SmallVector<FunctionOpInterface> kernels = getKernels(choice);
  out.blank();
  out.rule();
  emitList(choice, out);
  out.rule();
  for (FunctionOpInterface kernel : kernels)
    if (auto compiled = dyn_cast<KernelOp>(*kernel))
      if (FailureOr<Interface> interface = getInterface(kernel); succeeded(interface))
        emitPrediction(compiled, *interface, out);

  FailureOr<Interface> first = getInterface(kernels.front());
  if (failed(first))
    return false;
  Interface interface = rename(*first, choice.getSymName());
  bool ok = emitQuery(choice, interface, kernels, out);
  SmallVector<std::string> names;
  for (FunctionOpInterface kernel : kernels)
    names.push_back(kernel.getName().str());
  emitByNumber(interface, names, out);
  emitDispatch(interface, out);
  return ok;
}

void backend::declareChoice(tk::ChoiceOp choice, CudaPrinter &out) {
  FailureOr<Interface> first = getInterface(getKernels(choice).front());
  if (failed(first))
    return;
  Interface interface = rename(*first, choice.getSymName());
  out.blank();
  emitList(choice, out);
  out.comment("They take the same arguments, described above.");
  emitSignature(interface, out, "tk_status", ");", launchParameters(interface));
  out.comment("Which one that is, for these arguments.");
  emitSignature(rename(interface, interface.name() + "_choice"), out, "tk_status", ");",
                "int32_t *choice");
  out.comment("Launches the one with this number.");
  emitSignature(rename(interface, interface.name() + "_as"), out, "tk_status", ");",
                launchParameters(interface, "int32_t choice, tk_stream stream"));
}
