//===- EmitCuda.cpp - From hopper IR to the .cu ---------------------------===//
//
// The file in order, and the one place that chooses how an op is emitted.
//
//===----------------------------------------------------------------------===//
#include "backend/EmitCuda.h"

#include "backend/EmitChoice.h"
#include "backend/EmitLauncher.h"
#include "backend/KernelEmitter.h"
#include "backend/SafeText.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool backend::isForOneThread(Operation *op) {
  auto spelled = dyn_cast<CudaSpelling>(op);
  return spelled && spelled.getSpelling().executor == Executor::OneThread;
}

/// Why a pass has put this op here. A branch says so itself, below the variables that it declares.
static void emitReason(KernelEmitter &e, Operation *op) {
  if (auto because = op->getAttrOfType<StringAttr>(becauseAttrName); because && !isa<scf::IfOp>(op))
    e.out.reason(because.getValue());
}

/// The overload of `emit` for the op, if there is one.
static void emitText(KernelEmitter &e, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, scf::IfOp>([&](auto control) { emit(e, control); })
      .Case<
#define GET_OP_LIST
#include "dialect/hopper/HopperOps.cpp.inc"
          ,
#define GET_OP_LIST
#include "dialect/hopper/HopperElementOps.cpp.inc"
          ,
#define GET_OP_LIST
#include "dialect/hopper/HopperPrefetchOps.cpp.inc"
          >([&](auto statement) {
        if constexpr (requires { emit(e, statement); })
          emit(e, statement);
        else
          e.values.error(op, "has no spelling in CUDA");
      });
}

static std::optional<Place> placeOf(Operation *op) {
  if (auto spelled = dyn_cast<CudaSpelling>(op))
    return spelled.getSpelling().place;
  if (isa<scf::ForOp, scf::IfOp>(op))
    return Place::Line;
  if (isa<tk::PartOp, tk::ExtentOp>(op))
    return Place::Elsewhere;
  return std::nullopt;
}

void backend::emitOp(KernelEmitter &e, Operation *op) {
  Origin origin(e.out, op);
  std::optional<Place> place = placeOf(op);
  if (!place) {
    if (isa<tk::RandomOp, tk::ElementOp>(op) ||
        isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      emitScalar(e, op);
    else
      e.values.error(op, "has no spelling in CUDA");
    return;
  }
  switch (*place) {
  case Place::Line:
    if (emitInPlace(e, op))
      return;
    emitSourceLine(e, op->getLoc());
    emitRecord(e, op);
    emitReason(e, op);
    emitText(e, op);
    emitRecordAfter(e, op);
    return;
  case Place::SetUp:
    emitRecord(e, op);
    return emitText(e, op);
  case Place::Bookkeeping:
    return emitText(e, op);
  case Place::Elsewhere:
    return;
  }
}

/// Ops that one thread of the warpgroup executes, from `first` to before `end`, under one `if`.
static void emitForLeader(KernelEmitter &e, Block::iterator first, Block::iterator end) {
  Origin origin(e.out, &*first);
  emitSourceLine(e, first->getLoc());
  emitRecord(e, &*first);
  bool isOneStatement = std::next(first) == end && !isa<TmaStoreOp>(*first);
  if (isOneStatement) {
    e.out.line("if (leader)");
    e.out.indent();
    emitOp(e, &*first);
    e.out.unindent();
    return;
  }
  e.out.open("if (leader) {");
  for (Operation &op : llvm::make_range(first, end))
    emitOp(e, &op);
  e.out.close();
}

//===----------------------------------------------------------------------===//
// Prologue, mainloop, epilogue
//===----------------------------------------------------------------------===//

template <typename... Ops> static bool contains(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<Ops...>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A loop that multiplies tiles as they land.
static bool isMainloop(Operation *op) {
  return isa<scf::ForOp>(op) && !op->hasAttr(unrollAttrName) && contains<WgmmaOp>(op) &&
         contains<WaitBarrierOp>(op);
}

/// Waits and releases of stages belong to the MMAs before them.
static bool beginsEpilogue(Operation *op) {
  return contains<MapOp, SliceOp, ReduceRowsOp, FinishRowsOp, StoreFragmentOp, StoreVectorOp,
                  StoreGlobalOp, ScatterOp, WaitStoresReadOp>(op);
}

/// The parts of a consumer's work on a tile, as comments before their first ops.
static llvm::DenseMap<Operation *, StringRef> findPhases(KernelEmitter &e, Block &block) {
  llvm::DenseMap<Operation *, StringRef> phases;
  Operation *mainloop = nullptr, *lastMma = nullptr;
  for (Operation &op : block) {
    bool isLoop = isMainloop(&op);
    bool holdsLoop = isLoop || (isa<scf::IfOp>(op) && op.walk([](scf::ForOp loop) {
                                                          return isMainloop(loop)
                                                                     ? WalkResult::interrupt()
                                                                     : WalkResult::advance();
                                                        }).wasInterrupted());
    if (holdsLoop && mainloop)
      return llvm::DenseMap<Operation *, StringRef>(); // several loops have no common names
    if (isLoop) {
      phases[&op] = "mainloop";
      if (lastMma) {
        e.pipelined.insert(&op);
        phases[&block.front()] = "prologue of the software pipeline: the first iteration up to its "
                                 "last MMA; values that "
                                 "the loop carries are still the constants that they start with";
      }
    }
    if (holdsLoop)
      mainloop = &op;
    if (isa<WgmmaOp>(op) || holdsLoop)
      lastMma = &op;
  }
  if (!mainloop)
    return phases;
  if (lastMma != mainloop)
    phases[mainloop->getNextNode()] =
        "after the software pipeline: the last MMA of the last iteration";
  for (Operation *op = lastMma->getNextNode(); op; op = op->getNextNode())
    if (beginsEpilogue(op)) {
      phases[op] = "epilogue";
      break;
    }
  return phases;
}

void backend::emitBlock(KernelEmitter &e, Block &block, Location around) {
  std::optional<SourceLine> outerLine = e.currentLine;
  size_t outerLines = e.linesAround.size(), outerNames = e.takenOver.size();
  if (std::optional<SourceLine> line = sourceLineOf(around))
    e.linesAround.push_back(*line);
  e.currentLine.reset();
  llvm::DenseMap<Operation *, StringRef> phases;
  if (e.role && !e.inProducer())
    phases = findPhases(e, block);
  Phase before = enterBlock(e, block);

  for (auto it = block.begin(); it != block.end();) {
    if (isa<scf::YieldOp>(*it))
      break; // the op around assigns what is yielded
    if (auto phase = phases.find(&*it); phase != phases.end())
      e.out.comment(phase->second);
    if (Operation *last = emitStoreCall(e, &*it)) {
      it = std::next(last->getIterator());
      continue;
    }
    if (!isForOneThread(&*it) || e.inProducer() || e.isLeaders) {
      emitOp(e, &*it++);
      continue;
    }
    auto end = std::next(it);
    while (end != block.end() && isForOneThread(&*end) &&
           sourceLineOf(end->getLoc()) == sourceLineOf(it->getLoc()))
      ++end;
    emitForLeader(e, it, end);
    it = end;
  }

  for (; e.takenOver.size() > outerNames; e.takenOver.pop_back()) // declared in this block
    e.variables->setName(e.takenOver.back().first, e.takenOver.back().second);
  e.linesAround.truncate(outerLines);
  e.currentLine = outerLine;
  leaveBlock(e, block, before);
}

void backend::emitSourceLine(KernelEmitter &e, Location loc) {
  std::optional<SourceLine> line = sourceLineOf(loc);
  if (!line || line == e.currentLine || llvm::is_contained(e.linesAround, *line))
    return;
  e.currentLine = line;
  std::string text = describe(*line);
  if (e.options.sourceLine)
    if (std::optional<StringRef> source = e.options.sourceLine(line->file, line->line);
        source && !source->trim().empty())
      text += " | " + source->trim().str();
  Origin origin(e.out, {e.out.origin.op, e.out.origin.part, /*isRegisters=*/false, line});
  e.out.sourceComment(text);
}

SmallVector<std::string> KernelEmitter::texts(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value value) { return text(value); });
}

std::string KernelEmitter::define(StringRef type, Value value, StringRef otherwise) {
  if (auto target = yieldTargets.find(value); target != yieldTargets.end()) {
    values.bind(value, target->second);
    return target->second + " = ";
  }
  return ("const " + type + " " + declareNext(value, otherwise) + " = ").str();
}

std::string KernelEmitter::declare(Value value, StringRef otherwise) {
  StringRef userName = getSourceName(value);
  std::string name = names.take(userName.empty() ? otherwise : userName);
  values.bind(value, name);
  return name;
}

/// Whether `value` is made in a loop that goes on with what `first`, outside of it, began: it is
/// the same statement of the source, or the loop is a software pipeline's.
static bool continues(KernelEmitter &e, Value value, Value first) {
  auto loop = value.getParentRegion()->getParentOfType<scf::ForOp>();
  while (loop && loop->hasAttr(unrollAttrName))
    loop = loop->getParentOfType<scf::ForOp>();
  if (!loop || loop.getRegion().isAncestor(first.getParentRegion()))
    return false;
  std::optional<SourceLine> line = sourceLineOf(value.getLoc());
  return e.pipelined.contains(loop) || (line && line == sourceLineOf(first.getLoc()));
}

std::string KernelEmitter::takeNext(Value value, StringRef wanted) {
  auto before = declared.find(wanted);
  bool isNext = names.isInScope(wanted) && before != declared.end() &&
                continues(*this, value, before->second) && !wanted.ends_with("_next");
  std::string name = names.take(isNext ? (wanted + "_next").str() : wanted.str());
  declared[name] = value;
  return name;
}

std::string KernelEmitter::declareNext(Value value, StringRef otherwise) {
  StringRef userName = getSourceName(value);
  std::string name = takeNext(value, userName.empty() ? otherwise : userName);
  values.bind(value, name);
  return name;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// The runtime's headers that the module's kernels need, as they are sorted.
static void emitIncludes(ModuleOp module, bool isDeviceOnly, CudaPrinter &out) {
  llvm::StringSet<> needed{"host/launch", "tile/grid", "tile/ring"};
  if (!module.getOps<tk::ChoiceOp>().empty())
    needed.insert("host/choice");
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (isProfiled(kernel)) {
      needed.insert("host/profile");
      needed.insert("tile/profile");
    }
  module.walk([&](Operation *op) {
    if (auto spelled = dyn_cast<CudaSpelling>(op))
      for (StringRef header : spelled.getSpelling().headers)
        needed.insert(header);
    for (Type type : op->getResultTypes())
      if (auto vector = dyn_cast<FragmentVectorType>(type)) {
        tk::Orientation orientation = vector.getOrientation();
        needed.insert(orientation == tk::Orientation::Lanes   ? "tile/lanes"
                      : orientation == tk::Orientation::Split ? "tile/split"
                                                              : "tile/map");
      }
    if (isa<tk::ElementOp>(op)) {
      needed.insert("host/global");
      needed.insert("tile/global");
    }
    auto store = dyn_cast<StoreGlobalOp>(op);
    auto load = dyn_cast<LoadFragmentOp>(op);
    auto vector = dyn_cast<StoreVectorOp>(op);
    if ((store && store.getDest().getType().getInFragments()) || (load && load.getInOrder()) ||
        (vector && vector.getInOrder()))
      needed.insert("tile/fragments");
    if (isa<tk::RandomOp>(op))
      needed.insert("tile/random");
  });
  SmallVector<StringRef> sorted(needed.keys());
  llvm::sort(sorted);
  for (StringRef header : sorted)
    if (!isDeviceOnly || !header.starts_with("host/"))
      out.line("#include <" + header + ".h>");
}

/// How the file is compiled, and what it includes beside the runtime.
static LogicalResult emitHow(ModuleOp module, const EmitOptions &options, CudaPrinter &out) {
  if (options.isDeviceOnly) {
    out.comment("For NVRTC: --gpu-architecture=sm_90a -default-device -I RUNTIME/hopper, and "
                "-DTKC_KERNEL=0 or the like "
                "for one kernel alone. RUNTIME is the folder `runtime` of tkc.");
    out.blank();
    return success();
  }
  std::optional<std::string> header = includable(options.headerName);
  if (!header)
    return module.emitError("no #include can spell '")
           << escaped(options.headerName) << "'; give the output another name";
  out.comment(("nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a " +
               StringRef(options.isStandalone ? "-c " : "-I RUNTIME/hopper -I RUNTIME ") +
               llvm::sys::path::stem(options.headerName) + ".cu")
                  .str());
  if (!options.isStandalone)
    out.comment(
        "RUNTIME is the folder `runtime` of tkc, share/tkc/runtime where tkc is installed.");
  if (options.isStandalone) {
    // nvcc looks for unused names in the main file only, which is all of it then.
    out.line("#ifdef __NVCC__");
    out.line(
        "#pragma nv_diag_suppress 177 // the runtime has constants that a kernel need not use");
    out.line("#endif");
  }
  out.line("#include " + *header);
  out.blank();
  return success();
}

/// A kernel with all that belongs to it. False if an error was reported.
static bool emitKernelAndLauncher(KernelOp kernel, const EmitOptions &options, Names &fileNames,
                                  CudaPrinter &out, LineTable *lines) {
  Names names;
  KernelFacts facts = KernelFacts::collect(kernel, fileNames, names);
  KernelEmitter emitter{options, facts, out, names};
  if (lines)
    lines->add(facts);
  out.blank();
  Origin plan(out, {kernel, LinePart::Plan});
  emitKernelComment(emitter);
  emitPlan(emitter);
  out.blank();
  Origin body(out, {kernel, LinePart::Kernel});
  emitKernel(emitter);
  out.blank();
  Origin launcher(out, {kernel, LinePart::Launcher});
  if (emitter.values.hadError()) // what the kernel cannot spell, the launcher could not either
    return false;
  return options.isDeviceOnly || emitLauncher(facts, out);
}

LogicalResult tkc::emitCuda(ModuleOp module, const EmitOptions &options, raw_ostream &os,
                            LineTable *lines) {
  if (failed(checkNames(module)))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool hadError = false;
  {
    CudaPrinter out(stream, lines);
    emitOrigin(out, options.version, options.sourceName);
    out.comment("");
    if (failed(emitHow(module, options, out)))
      return failure();
    emitIncludes(module, options.isDeviceOnly, out);
    out.blank();
    out.line("using namespace tk;");

    Names fileNames;
    for (KernelOp kernel : module.getOps<KernelOp>())
      fileNames.take(kernel.getSymName());
    for (auto [number, kernel] : llvm::enumerate(module.getOps<KernelOp>())) {
      if (options.isDeviceOnly) {
        out.blank();
        out.directive("#if !defined(TKC_KERNEL) || TKC_KERNEL == " + Twine(number));
      }
      hadError |= !emitKernelAndLauncher(kernel, options, fileNames, out, lines);
      if (options.isDeviceOnly)
        out.directive("#endif");
    }
    Origin choices(out, {nullptr, LinePart::Choice});
    if (!options.isDeviceOnly)
      for (tk::ChoiceOp choice : module.getOps<tk::ChoiceOp>())
        hadError |= !emitChoice(choice, out);
  }
  if (hadError)
    return failure();
  os << text;
  return success();
}
