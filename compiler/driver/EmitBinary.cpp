//===- EmitBinary.cpp - Machine code of a module's kernels ----------------===//
#include "driver/EmitBinary.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tkc;

static void warn(ModuleOp module, const run::PtxasKernel &kernel) {
  Operation *op = module.lookupSymbol(kernel.name);
  Location place = op ? op->getLoc() : module.getLoc();
  if (kernel.spilledStores + kernel.spilledLoads > 0)
    emitWarning(place) << "ptxas spills registers of '" << kernel.name
                       << "': " << kernel.spilledStores << " bytes of stores and "
                       << kernel.spilledLoads
                       << " of loads; use smaller tiles, or see with --emit=report what is alive";
  for (const run::PtxasMessage &message : kernel.messages)
    emitWarning(place) << "ptxas says of '" << kernel.name << "': " << message.code << ", "
                       << message.text;
}

FailureOr<run::NvccOutput> tkc::emitBinary(ModuleOp module, const std::string &named,
                                           StringRef headerName, StringRef cuda, StringRef header) {
  auto refuse = [&](llvm::Error error) {
    return emitError(UnknownLoc::get(module.getContext()), llvm::toString(std::move(error)));
  };
  llvm::Expected<std::string> nvcc = run::findNvcc(named);
  if (!nvcc)
    return refuse(nvcc.takeError());
  llvm::Expected<run::NvccOutput> output = run::runNvcc(*nvcc, cuda, header, headerName);
  if (!output)
    return refuse(output.takeError());
  if (output->ptx.empty() || output->cubin.empty())
    return refuse(llvm::createStringError("'" + *nvcc + "' made no machine code"));
  for (const run::PtxasKernel &kernel : output->kernels)
    warn(module, kernel);
  return std::move(*output);
}
