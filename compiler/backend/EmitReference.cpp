//===- EmitReference.cpp - The C functions from the plain C++ meaning -----===//
//
// A .tk file is C++ and says on its own what it computes. The reference is a C++
// file that includes it and exports, for each kernel, the C function that the
// emitted CUDA exports too: it checks the arguments alike, then calls the kernel
// as the C++ function it is.
//
//===----------------------------------------------------------------------===//
#include "analysis/ExtentEquality.h"
#include "backend/EmitChoice.h"
#include "backend/EmitCuda.h"
#include "backend/Interface.h"
#include "backend/SafeText.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;

/// How C++ names the instance: "gemm<64, 128>". The frontend says it.
static StringRef functionName(tk::KernelOp kernel) {
  auto spelling = kernel->getAttrOfType<StringAttr>(tk::functionAttrName);
  return spelling ? spelling.getValue() : kernel.getSymName();
}

static LogicalResult emitFunction(tk::KernelOp kernel, CudaPrinter &out) {
  FailureOr<ArrayAttr> equalExtents = getEqualExtents(kernel);
  if (failed(equalExtents))
    return failure();
  if (!isInstanceName(functionName(kernel)))
    return kernel.emitOpError("is an instance with the name '")
           << escaped(functionName(kernel)) << "', which is no function's in C++";
  Names names;
  names.take("args");
  Interface interface = collectInterface(kernel, kernel.getParameters(), *equalExtents, names);

  out.blank();
  out.comment(interface.title, 2);
  emitSignature(interface, out, "extern \"C\" tk_status", ") {", "tk_stream");
  out.indent();
  bool ok = emitArgumentChecks(interface, out);
  out.blank();
  SmallVector<std::string> arguments;
  for (const ArgumentFacts &argument : interface.arguments)
    arguments.push_back(argument.tensor ? "tk::reference::tensor(" + argument.name + ")"
                                        : argument.name);
  out.list(functionName(kernel) + "(", arguments, ");");
  out.line("return args.status();");
  out.close();
  return success(ok);
}

LogicalResult tkc::emitReference(ModuleOp module, const EmitOptions &options, raw_ostream &os) {
  if (failed(checkNames(module)))
    return failure();
  // The reference need not lie beside the .tk.
  SmallString<128> path(options.sourcePath.empty() ? options.sourceName : options.sourcePath);
  llvm::sys::fs::make_absolute(path);
  std::optional<std::string> source = includable(path);
  if (!source)
    return module.emitError("no #include can spell '") << escaped(path) << "'; rename the source";
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result = success();
  // Equal extents are said with attributes of this dialect.
  module.getContext()->loadDialect<hopper::HopperDialect>();
  {
    CudaPrinter out(stream);
    emitOrigin(out, options.version, options.sourceName);
    out.comment("");
    out.comment("The C functions of " + options.sourceName +
                " as it stands: plain C++, slow and exact, on any CPU.");
    out.comment("");
    out.comment("c++ -std=c++20 -O2 -fPIC -shared -I RUNTIME FILE.cpp -o FILE.so");
    out.line("#include <language/reference.h>");
    out.blank();
    out.line("#include " + *source);
    for (tk::KernelOp kernel : module.getOps<tk::KernelOp>())
      if (failed(emitFunction(kernel, out)))
        result = failure();
    for (tk::ChoiceOp choice : module.getOps<tk::ChoiceOp>())
      if (!emitChoice(choice, out))
        result = failure();
  }
  if (succeeded(result))
    os << text;
  return result;
}
