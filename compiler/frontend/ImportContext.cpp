//===- ImportContext.cpp - State that all importers of a kernel share ------===//
#include "frontend/ImportContext.h"

using namespace clang;
using namespace tkc;

mlir::Location Importer::locate(SourceLocation place) {
  const SourceManager &sources = ast.getSourceManager();
  auto [file, offset] = sources.getDecomposedLoc(sources.getExpansionLoc(place));
  OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  if (!entry)
    return mlir::UnknownLoc::get(builder.getContext());
  return mlir::FileLineColLoc::get(builder.getContext(), entry->getName(),
                                   sources.getLineNumber(file, offset),
                                   sources.getColumnNumber(file, offset));
}

mlir::Location Importer::locate(SourceLocation place, const NamedDecl *name) {
  return mlir::NameLoc::get(builder.getStringAttr(getName(name)), locate(place));
}

void Importer::noteDeclaration(const Expr *expr) {
  if (const ValueDecl *variable = variableOf(expr))
    error(variable->getLocation(), Message::note_declared_type) << variable << variable->getType();
}
