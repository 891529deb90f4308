//===- tk-lsp-server - The IR in an editor --------------------------------===//
//
// MLIR's language server with the dialects and passes of tkc: errors as one
// types, definitions, uses, and what an op's description says, in .mlir files that
// `tkc --emit=tk` and `tkc --emit=hopper` write. In VS Code, the setting
// `mlir.server_path` of the MLIR extension names it.
//
// It parses whatever is in the editor, so that it does so on a large stack.
//
//===----------------------------------------------------------------------===//
#include "dialect/Dialects.h"
#include "driver/Nesting.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "passes/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tkc::registerDialects(registry);
  tkc::registerPasses();
  return tkc::runWithLargeStack(
      [&] { return int(mlir::failed(mlir::MlirLspServerMain(argc, argv, registry))); });
}
