//===- EmitLauncher.cpp - The C function of a kernel ----------------------===//
//
// Checks every argument before it touches the GPU, encodes the tensor maps and
// launches. Extents that the program walks with one index must be equal.
//
//===----------------------------------------------------------------------===//
#include "backend/EmitLauncher.h"

#include "backend/LaunchPlan.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Tensor maps and launch
//===----------------------------------------------------------------------===//

static void emitMaps(const Interface &interface, const LaunchPlan &plan, CudaPrinter &out) {
  auto isMap = [](const LaunchParameter &parameter) {
    return parameter.kind == LaunchParameter::Kind::TensorMap;
  };
  if (llvm::none_of(plan.parameters, isMap))
    return;
  out.blank();
  out.comment("each with the box that one TMA copy moves; a tile is one box or several");
  out.line("host::tensor_maps maps(" + quoted(interface.name()) + ");");
  for (const LaunchParameter &map : llvm::make_filter_range(plan.parameters, isMap)) {
    std::string box;
    std::string swizzle = map.swizzle > 16 ? std::to_string(map.swizzle) : "none";
    llvm::ListSeparator comma;
    for (int64_t extent : map.box)
      box += std::string(StringRef(comma)) + std::to_string(extent);
    out.line("const " + mapTypeName(map.isOutput) + " " + map.name + " = maps." +
             (map.isForParts ? "part_" : "") + (map.isOutput ? "output(" : "tile(") +
             interface.arguments[map.argument].name + ", {" + box + "}, swizzle_" + swizzle + ");");
  }
  out.line("if (!maps.ok())");
  out.indent();
  out.line("return maps.status();");
  out.unindent();
}

/// Declares the extents the kernel gets.
static void emitExtents(const Interface &interface, const LaunchPlan &plan, CudaPrinter &out) {
  SmallVector<std::string> declared;
  for (const LaunchParameter &extent : plan.parameters)
    if (extent.kind == LaunchParameter::Kind::Extent)
      declared.push_back(extent.name + " = int(" + interface.arguments[extent.argument].name +
                         "->extents[" + std::to_string(extent.dim) + "])");
  if (!declared.empty())
    out.list("const int ", declared, ";");
}

void backend::emitTileCount(StringRef target, ArrayRef<std::string> extents, CudaPrinter &out) {
  if (extents.size() > 1) // the product may need more than 64 bits
    out.list(target + " = host::tile_count({", extents, "});");
  else
    out.line(target + " = " + (extents.empty() ? "1" : extents.front()) + ";");
}

static void emitShape(LaunchPlan &plan, bool profile, CudaPrinter &out) {
  out.line("host::launch_shape shape;");
  SmallVector<std::string> extents;
  for (Value extent : plan.tiles)
    extents.push_back(plan.values.text(extent));
  emitTileCount("shape.tiles", extents, out);
  out.line("shape.threads = threads;");
  out.line("shape.shared_bytes = shared_bytes;");
  if (!plan.isPersistent)
    out.line("shape.persistent = false;");
  if (plan.blocksPerSm > 1)
    out.line("shape.blocks_per_sm = " + Twine(plan.blocksPerSm) + ";");
  if (profile)
    out.line("shape.overlaps = false;", "records are written before griddepcontrol_wait");
  else if (!plan.overlaps)
    out.line("shape.overlaps = false;");
}

/// Where the records of a profiled kernel go.
static void emitProfileBuffer(const KernelFacts &facts, CudaPrinter &out) {
  out.line("profile_buffer " + facts.profile->buffer + ";");
  out.line("const tk_status profiled = host::profile_records(" + quoted(facts.interface.name()) +
           ", *" + facts.interface.profile + ", shape, profile_streams, " + facts.profile->buffer +
           ");");
  out.line("if (profiled.code != TK_OK)");
  out.indent();
  out.line("return profiled;");
  out.unindent();
}

bool backend::emitLauncher(const KernelFacts &facts, CudaPrinter &out) {
  const Interface &interface = facts.interface;
  LaunchPlan plan = getLaunchPlan(facts);
  plan.values.parameters = facts.parameters; // the plan is in scope here
  std::string name = quoted(interface.name());
  out.list("static const host::registered_kernel " + facts.registeredName + "(",
           {name, facts.kernelName, facts.planName + "::shared_bytes"}, ");",
           "tk_prepare() loads it before its first launch");
  out.blank();
  emitSignature(interface, out, "extern \"C\" tk_status", ") {", launchParameters(interface));
  out.indent();
  out.line("using namespace " + facts.planName + ";");
  for (unsigned argument : plan.unused)
    out.line("(void)" + interface.arguments[argument].name + "; // the kernel does not use it");
  bool ok = emitArgumentChecks(interface, out);
  emitMaps(interface, plan, out);
  out.blank();
  emitExtents(interface, plan, out);
  emitShape(plan, facts.profile.has_value(), out);
  if (facts.profile)
    emitProfileBuffer(facts, out);

  SmallVector<std::string> given{name, facts.kernelName, "shape", "stream"};
  for (const LaunchParameter &parameter : plan.parameters) {
    if (parameter.kind == LaunchParameter::Kind::TileCounter) {
      out.line("tile_counter " + parameter.name + ";");
      out.line("const tk_status counted = host::next_tile_counter(" + name + ", stream, " +
               parameter.name + ");");
      out.line("if (counted.code != TK_OK)");
      out.indent();
      out.line("return counted;");
      out.unindent();
    }
    if (parameter.kind == LaunchParameter::Kind::GlobalView)
      given.push_back("host::global" + StringRef(parameter.type).drop_front(2).str() + "(" +
                      parameter.name + ")");
    else
      given.push_back(parameter.name);
  }
  if (facts.profile)
    given.push_back(facts.profile->buffer);
  out.list("return host::launch(", given, ");");
  out.close();
  return ok && !plan.values.hadError();
}
