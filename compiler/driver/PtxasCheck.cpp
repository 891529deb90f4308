//===- PtxasCheck.cpp - The report of --ptxas -----------------------------===//
#include "driver/PtxasCheck.h"

#include "analysis/registers/RegisterBudget.h"
#include "analysis/registers/RegisterPrediction.h"
#include "run/Nvcc.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tkc;

/// Notes on changes of a kernel that the user can make.
static void noteChanges(InFlightDiagnostic &diagnostic, const RegisterPrediction &prediction) {
  noteLiveTiles(diagnostic, prediction.peak, /*warpgroups=*/1);
  diagnostic.attachNote(prediction.mostAt->getLoc())
      << "most registers are needed here; give these tiles fewer columns, or rows that more "
         "compute "
         "warpgroups share";
}

static void refuse(hopper::KernelOp kernel, const run::PtxasKernel &said) {
  RegisterPrediction prediction;
  for (auto role : kernel.getBody().front().getOps<hopper::RoleOp>())
    if (role.getKind() == hopper::RoleKind::Consumer)
      prediction = predictRegisters(role);
  Operation *place = prediction.mostAt ? prediction.mostAt : kernel.getOperation();
  InFlightDiagnostic diagnostic = emitError(place->getLoc())
                                  << "ptxas does not run '" << kernel.getSymName()
                                  << "' as it is written: ";
  StringRef separator;
  if (said.spilledStores + said.spilledLoads) {
    diagnostic << "it spills registers, " << said.spilledStores << " bytes of stores and "
               << said.spilledLoads << " of loads";
    separator = "; ";
  }
  for (const run::PtxasMessage &message : said.messages) {
    diagnostic << separator << message.code << ", " << message.text;
    separator = "; ";
  }
  if (prediction.mostAt)
    noteChanges(diagnostic, prediction);
}

LogicalResult tkc::checkWithPtxas(ModuleOp module, const Options &options, const EmitOptions &emit,
                                  std::vector<KernelReport> &reports) {
  std::string cuda, header;
  llvm::raw_string_ostream cudaText(cuda), headerText(header);
  if (failed(emitCuda(module, emit, cudaText)) || failed(emitHeader(module, emit, headerText)))
    return failure();
  llvm::Expected<std::string> nvcc = run::findNvcc(options.nvcc);
  if (!nvcc)
    return emitError(UnknownLoc::get(module.getContext()), llvm::toString(nvcc.takeError()));
  llvm::Expected<run::NvccOutput> output = run::runNvcc(*nvcc, cuda, header, emit.headerName);
  if (!output)
    return emitError(UnknownLoc::get(module.getContext()), llvm::toString(output.takeError()));
  const std::vector<run::PtxasKernel> &said = output->kernels;
  bool isClean = true;
  for (KernelReport &report : reports) {
    auto found = llvm::find_if(
        said, [&](const run::PtxasKernel &kernel) { return kernel.name == report.name; });
    if (found == said.end())
      return emitError(UnknownLoc::get(module.getContext()))
             << "ptxas says nothing of the kernel '" << report.name << "'";
    report.ptxas = PtxasReport{found->registers, found->spilledStores, found->spilledLoads, {}};
    for (const run::PtxasMessage &message : found->messages)
      report.ptxas->messages.push_back(message.code + ", " + message.text);
    if (found->isClean())
      continue;
    isClean = false;
    refuse(module.lookupSymbol<hopper::KernelOp>(report.name), *found);
  }
  return success(isClean);
}
