//===- ClangAst.h - The headers every file of the frontend needs ----------===//
//
// Precompiled: see CMakeLists.txt.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_CLANGAST_H
#define TKC_FRONTEND_CLANGAST_H

#include "dialect/tk/Tk.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"

#endif // TKC_FRONTEND_CLANGAST_H
