//===- ImportScopes.h - Loops over warpgroups and warps -------------------===//
//
// The steps of a loop over warpgroups run side by side. A kernel may have several
// such loops, with other code between and around them (`for j { load; for w {...}
// }`): all of it is done by every warpgroup, so that one tk.each around the grid's
// body holds for all. For that, the loops must not depend on their order: what
// lives outside may be changed by one warpgroup alone, as an element that belongs
// to it, or as a part of a shared tile, which such a loop then does not read.
//
// Warps come by four, a warpgroup. Where a loop has fewer, the others compute what the last one
// does and store nothing.
//
// Methods return nothing or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTSCOPES_H
#define TKC_FRONTEND_IMPORTSCOPES_H

#include "frontend/Environment.h"

namespace tkc {

class StatementImporter;

class ScopeImporter : Importer {
public:
  ScopeImporter(ImportContext &context, Environment &environment, StatementImporter &statements)
      : Importer(context), environment(environment), statements(statements) {}
  ~ScopeImporter();

  /// A loop of `count` steps, each one worker's.
  bool importScope(const clang::CXXForRangeStmt *loop, tk::EachWorker worker, int64_t count);
  /// A store at this place: an error at the end if others are in loops over workers.
  void noteStore(clang::SourceLocation place);
  /// Puts the code of the grid into the scope that it used.
  bool closeScope(mlir::Block *grid);

  /// Whether the value is the number of the worker that runs.
  bool isNumber(mlir::Value value) const { return op && value == number; }
  int64_t getWorkers() const { return workers; }
  /// Whether the workers are warps.
  bool isOfWarps() const { return op && op.get().getWorker() == tk::EachWorker::Warp; }
  /// Whether this is a worker of the loops; null if all are. The others are warps that only make a
  /// warpgroup whole.
  mlir::Value createIsMeant(mlir::Location loc);

  /// Each worker's element of an array that its number indexes.
  std::optional<Object> importOwnElement(Object array, int64_t extent,
                                         const clang::ArraySubscriptExpr *subscript);
  /// Says that the object is used as a whole where it is not there as such.
  bool checkNotOfScope(Object object, const clang::Expr *expr);

private:
  bool begin(const clang::CXXForRangeStmt *loop, tk::EachWorker worker, int64_t count);
  bool checkChanges(const clang::CXXForRangeStmt *loop, llvm::ArrayRef<mlir::Value> before,
                    mlir::Operation *last);
  bool hasIdleWarps() const;
  /// True if each worker has its own element alone of an array in the object.
  bool isOfScope(Object object);

  Environment &environment;
  StatementImporter &statements;

  // All loops of a kernel together are one op around all code of the grid.
  mlir::OwningOpRef<tk::EachOp> op;
  int64_t workers = 0;                      // as the user wrote; warps come by four
  mlir::Value number;                       // the value of the variable
  const clang::VarDecl *variable = nullptr; // of the loop that is being imported
  clang::SourceLocation firstLoop;
  /// Stores in the grid but in no loop over workers.
  llvm::SmallVector<clang::SourceLocation> storesOutside;
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTSCOPES_H
