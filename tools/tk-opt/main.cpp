//===- tk-opt - Any pass on any IR file -----------------------------------===//
//
// MLIR's opt driver with the dialects and passes of tkc:
//
//   tk-opt gemm.mlir --tk-verify-layouts --tk-distribute --tk-insert-pipeline
//
//===----------------------------------------------------------------------===//
#include "dialect/Dialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

#ifdef TKC_TEST_PASSES
namespace tkc::test {
void registerTestPasses();
} // namespace tkc::test
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tkc::registerDialects(registry);
  tkc::registerPasses();
  mlir::registerTransformsPasses();
#ifdef TKC_TEST_PASSES
  tkc::test::registerTestPasses();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "the passes of tkc on an IR file\n", registry));
}
