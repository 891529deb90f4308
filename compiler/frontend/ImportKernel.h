//===- ImportKernel.h - A kernel's typed AST to the tk dialect ------------===//
//
// Clang has resolved names, types, templates and overloads; the importer only has to
// turn variables into SSA values. It walks the statements once, in order, as the
// program would run: functions are entered where they are called.
//
// State has one owner each: variables and their values (Environment.h), the functions
// that are being entered (ImportFunctions.h), the loops over warpgroups (ImportScopes.h),
// constants (Constants.h), how far the import has come (ImportPosition.h), the values to
// warn of (WarnUnused.h). The importers of scalars, tensors, objects, statements, loops
// and builtins have none; they know one another, since an expression may call a function,
// whose statements have expressions.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTKERNEL_H
#define TKC_FRONTEND_IMPORTKERNEL_H

#include "frontend/ImportBuiltins.h"
#include "frontend/ImportFunctions.h"
#include "frontend/ImportHints.h"
#include "frontend/ImportLoops.h"
#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportScopes.h"
#include "frontend/ImportStatements.h"
#include "frontend/ImportTensors.h"
#include "frontend/Instances.h"

namespace tkc {

class KernelImporter : Importer {
public:
  /// The context is this kernel's alone.
  KernelImporter(ImportContext &context, UnusedValues &unused, mlir::ModuleOp module);

  /// Adds the kernel to the module. False after an error, which was reported.
  bool import(const Instance &instance);

private:
  // ImportKernel.cpp.
  bool importParameters(const clang::FunctionDecl *function, tk::KernelOp kernel);
  bool importBody(const clang::FunctionDecl *function);

  // ImportGrid.cpp.
  bool importGrid(const clang::CXXForRangeStmt *loop);

  mlir::ModuleOp module;
  WrittenValues written;
  Environment environment;
  ScalarImporter scalars;
  TensorImporter tensors;
  ObjectImporter objects;
  FunctionImporter functions;
  StatementImporter statements;
  LoopImporter loops;
  ScopeImporter scope;
  BuiltinImporter builtins;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTKERNEL_H
