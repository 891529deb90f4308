//===- EmitLauncher.cpp - The C function of a kernel ----------------------===//
//
// Checks every argument before it touches the GPU, encodes the tensor maps and
// launches. Extents that the program walks with one index must be equal.
//
//===----------------------------------------------------------------------===//
#include "backend/EmitLauncher.h"

#include "backend/Expressions.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/tk/SourceNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Tensor maps and launch
//===----------------------------------------------------------------------===//

/// A tensor map is for parts of the tensor alone, or for all of it.
static bool isForParts(TensorMapOp map) {
  return llvm::any_of(map->getUsers(), [](Operation *user) { return isa<PartMapOp>(user); });
}

static void emitMaps(const KernelFacts &facts, CudaPrinter &out) {
  if (facts.maps.empty())
    return;
  KernelOp kernel = facts.op;
  out.blank();
  out.line("host::tensor_maps maps(" + quoted(kernel.getSymName()) + ");");
  for (const TensorMapFacts &map : facts.maps) {
    TensorMapOp op = map.op;
    std::string box;
    std::string swizzle = op.getSwizzle() > 16 ? std::to_string(op.getSwizzle()) : "none";
    llvm::ListSeparator comma;
    for (int64_t extent : op.getBox())
      box += std::string(StringRef(comma)) + std::to_string(extent);
    out.line("const " + mapTypeName(op) + " " + map.name + " = maps." +
             (isForParts(op) ? "part_" : "") + (op.getOutput() ? "output(" : "tile(") +
             facts.interface.arguments[map.argument].name + ", {" + box + "}, swizzle_" + swizzle +
             ");");
  }
  out.line("if (!maps.ok())");
  out.indent();
  out.line("return maps.status();");
  out.unindent();
}

/// Declares the extents the kernel gets, and names them and the scalars in `values`.
static void emitExtents(const KernelFacts &facts, CudaPrinter &out, Expressions &values) {
  SmallVector<std::string> declared;
  for (const ExtentFacts &extent : facts.extents) {
    declared.push_back(extent.name + " = int(" + facts.interface.arguments[extent.argument].name +
                       "->extents[" + std::to_string(extent.dim) + "])");
    for (Value value : extent.values)
      values.bind(value, extent.name);
  }
  for (auto [index, argument] : llvm::enumerate(facts.interface.arguments))
    if (!argument.tensor)
      values.bind(KernelOp(facts.op).getBody().getArgument(index), argument.name);
  values.parameters = facts.parameters;
  if (!declared.empty())
    out.list("const int ", declared, ";");
}

void backend::emitTileCount(StringRef target, ArrayRef<std::string> extents, CudaPrinter &out) {
  if (extents.size() > 1) // the product may need more than 64 bits
    out.list(target + " = host::tile_count({", extents, "});");
  else
    out.line(target + " = " + (extents.empty() ? "1" : extents.front()) + ";");
}

bool backend::emitLauncher(const KernelFacts &facts, CudaPrinter &out) {
  KernelOp kernel = facts.op;
  out.list("static const host::registered_kernel " + facts.registeredName + "(",
           {quoted(kernel.getSymName()), facts.kernelName, facts.planName + "::shared_bytes"},
           ");");
  out.blank();
  emitSignature(facts.interface, out, "extern \"C\" tk_status", ") {");
  out.indent();
  out.line("using namespace " + facts.planName + ";");
  for (auto [index, argument] : llvm::enumerate(facts.interface.arguments))
    if (!argument.tensor && kernel.getBody().getArgument(index).use_empty())
      out.line("(void)" + argument.name + "; // the kernel does not use it");
  bool ok = emitArgumentChecks(facts.interface, out);
  emitMaps(facts, out);
  out.blank();

  Expressions values;
  emitExtents(facts, out, values);
  out.line("host::launch_shape shape;");
  SmallVector<std::string> extents;
  if (TileLoopOp loop = facts.tileLoop)
    for (Value extent : loop.getExtents())
      extents.push_back(values.text(extent));
  emitTileCount("shape.tiles", extents, out);
  out.line("shape.threads = threads;");
  out.line("shape.shared_bytes = shared_bytes;");
  if (!isPersistent(kernel))
    out.line("shape.persistent = false;");
  if (kernel.getPdl() && !*kernel.getPdl())
    out.line("shape.overlaps = false;");

  if (facts.scheduler) {
    out.line("tile_counter " + facts.counterName + ";");
    out.line("const tk_status counted = host::next_tile_counter(" + quoted(kernel.getSymName()) +
             ", stream, " + facts.counterName + ");");
    out.line("if (counted.code != TK_OK)");
    out.indent();
    out.line("return counted;");
    out.unindent();
  }

  SmallVector<std::string> given{quoted(kernel.getSymName()), facts.kernelName, "shape", "stream"};
  for (const TensorMapFacts &map : facts.maps)
    given.push_back(map.name);
  for (const GlobalFacts &global : facts.globals)
    given.push_back("host::global" + StringRef(global.type).drop_front(2).str() + "(" +
                    facts.interface.arguments[global.argument].name + ")");
  if (facts.scheduler)
    given.push_back(facts.counterName);
  for (const ExtentFacts &extent : facts.extents)
    given.push_back(extent.name);
  for (auto [index, argument] : llvm::enumerate(facts.interface.arguments))
    if (!argument.tensor && !kernel.getBody().getArgument(index).use_empty())
      given.push_back(argument.name);
  out.list("return host::launch(", given, ");");
  out.close();
  return ok && !values.hadError();
}
