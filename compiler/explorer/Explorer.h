//===- Explorer.h - One page that shows why each line of a kernel exists --===//
//
// A self-contained HTML file: the source beside the CUDA, and around them what the
// compiler knows of both. The origin of a line comes from the printer's line table
// (backend/LineTable.h), decisions from the report (report/Report.h), when
// things happen from analysis/cost/StaticTimeline.h. Texts and figures are written here and
// can be read without JavaScript; the scripts of tools/explorer connect them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_EXPLORER_EXPLORER_H
#define TKC_EXPLORER_EXPLORER_H

#include "backend/EmitCuda.h"
#include "profile/ProfileRun.h"

#include <string>
#include <vector>

namespace tkc {

/// The IR as a pass has left it; the first one has no pass.
struct PassText {
  std::string pass, text;
};

struct ExplorerOptions {
  std::vector<PassText> passes;      // empty: the page has none
  bool isComparing = false;          // the page opens the last kernel beside the first one
  const profile::Run *run = nullptr; // of a profiled kernel of this module, or none
};

/// Writes the page of a module that has been through all passes.
mlir::LogicalResult emitExplorer(mlir::ModuleOp module, const EmitOptions &emit,
                                 const ExplorerOptions &options, llvm::raw_ostream &os);

} // namespace tkc

#endif // TKC_EXPLORER_EXPLORER_H
