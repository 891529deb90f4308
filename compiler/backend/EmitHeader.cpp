//===- EmitHeader.cpp - The .h: the C interface of the kernels ------------===//
//
// Plain C, so that it serves C, C++, ctypes and every other language alike. The
// comment above a function says what it takes and what must be equal.
//
//===----------------------------------------------------------------------===//
#include "backend/ElementTypes.h"
#include "backend/EmitChoice.h"
#include "backend/EmitCuda.h"
#include "backend/Expressions.h"
#include "backend/KernelFacts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

/// "TK_GEMM_H" for "gemm.h".
static std::string includeGuard(StringRef headerName) {
  std::string guard = "TK_";
  for (char c : headerName)
    guard += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  return guard;
}

static std::string describeAccess(const ArgumentFacts &argument) {
  if (argument.isRead && argument.isWritten)
    return "read and written";
  return argument.isWritten ? "written" : argument.isRead ? "read" : "not used";
}

static std::string describeArgument(const ArgumentFacts &argument) {
  if (!argument.tensor)
    return scalarTypeName(argument.scalar).str();
  const ElementType *element = elementType(argument.tensor.getElementType());
  int64_t rank = argument.tensor.getRank();
  std::string text = (element ? element->name.str() : "") + ", rank " + std::to_string(rank);
  for (auto [dim, extent] : llvm::enumerate(argument.tensor.getShape()))
    if (!ShapedType::isDynamic(extent))
      text += ", " + dimensionName(rank, dim).str() + " = " + std::to_string(extent);
  return text + ", " + describeAccess(argument);
}

static std::string describeRequirements(const Interface &interface) {
  SmallVector<std::string> equal;
  auto name = [&](int64_t argument, int64_t dim) {
    const ArgumentFacts &of = interface.arguments[argument];
    return (of.userName + "." + dimensionName(of.tensor.getRank(), dim)).str();
  };
  if (interface.equalExtents)
    for (auto pair : interface.equalExtents.getAsRange<EqualExtentAttr>())
      equal.push_back(name(pair.getFirstArgument(), pair.getFirstDim()) + " = " +
                      name(pair.getSecondArgument(), pair.getSecondDim()));
  std::string strides = "ows may be strided, by multiples of 16 bytes.";
  SmallVector<StringRef> free;
  for (const ArgumentFacts &argument : interface.arguments)
    if (argument.isByElement && !argument.isCopied)
      free.push_back(argument.userName);
  if (!free.empty())
    strides += " " + llvm::join(free, ", ") + " may have any strides.";
  return equal.empty() ? "R" + strides : "Requires " + llvm::join(equal, ", ") + "; r" + strides;
}

static void emitDeclaration(const Interface &interface, CudaPrinter &out) {
  out.comment(interface.title, 2);
  size_t width = 0;
  for (const ArgumentFacts &argument : interface.arguments)
    width = std::max(width, argument.userName.size());
  for (const ArgumentFacts &argument : interface.arguments)
    out.comment("  " + argument.userName.str() +
                std::string(width - argument.userName.size() + 2, ' ') +
                describeArgument(argument));
  if (!interface.profile.empty())
    out.comment("  " + interface.profile + "  i32, rank 1, where the kernel writes its profile");
  out.comment(describeRequirements(interface), 2);
  emitSignature(interface, out, "tk_status", ");", launchParameters(interface));
}

LogicalResult tkc::emitHeader(ModuleOp module, const EmitOptions &options, raw_ostream &os) {
  if (failed(checkNames(module)))
    return failure();
  CudaPrinter out(os);
  std::string guard = includeGuard(options.headerName);
  bool hasBool = false;
  for (KernelOp kernel : module.getOps<KernelOp>())
    hasBool |= llvm::any_of(kernel.getArgumentTypes(), [](Type type) { return type.isInteger(1); });

  emitOrigin(out, options.version, options.sourceName);
  out.line("#ifndef " + guard);
  out.line("#define " + guard);
  out.blank();
  out.line("#include <host/abi.h>");
  if (hasBool)
    out.line("#include <stdbool.h>");
  out.blank();
  out.line("#ifdef __cplusplus");
  out.line("extern \"C\" {");
  out.line("#endif");
  Names fileNames;
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    Names names;
    out.blank();
    emitDeclaration(KernelFacts::collect(kernel, fileNames, names).interface, out);
  }
  for (tk::ChoiceOp choice : module.getOps<tk::ChoiceOp>())
    declareChoice(choice, out);
  out.blank();
  out.line("#ifdef __cplusplus");
  out.line("}");
  out.line("#endif");
  out.blank();
  out.line("#endif // " + guard);
  return success();
}
