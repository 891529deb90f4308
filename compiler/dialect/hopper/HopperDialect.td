//===- HopperDialect.td - The hopper dialect ------------------------------===//
//
// How the machine does it: roles, rings of shared buffers, mbarriers,
// asynchronous copies and MMAs, register reallocation. One op is one
// statement of the emitted CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef HOPPER_DIALECT
#define HOPPER_DIALECT

include "mlir/IR/OpBase.td"

def Hopper_Dialect : Dialect {
  let name = "hopper";
  let cppNamespace = "::tkc::hopper";
  let summary = "How a Hopper SM does it: roles, rings, barriers, asynchronous copies and MMAs";
  let description = [{
    Everything the compiler inserted is an op here, carries the location of the source that caused it,
    and, if it waits, fences or synchronises, the reason that is printed beside it.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tkc::tk::TkDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // HOPPER_DIALECT
