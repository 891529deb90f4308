//===- WarnUnused.cpp - Tiles and vectors that are computed for nothing ---===//
#include "frontend/WarnUnused.h"

#include "frontend/ClangAst.h"
#include "frontend/Messages.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Of one instance
//===----------------------------------------------------------------------===//

void WrittenValues::note(const ValueDecl *variable, std::string name, mlir::Value before,
                         mlir::Value value, SourceLocation statement) {
  mlir::Operation *op = value.getDefiningOp();
  // The results of loops and branches are made anew when those are closed.
  if (!op || !isa<tk::TkDialect>(op->getDialect()) ||
      !isa<tk::TileType, tk::TileVectorType>(value.getType()))
    return;
  if (before && before.use_empty())
    for (Written &other : llvm::reverse(written))
      if (other.op == before.getDefiningOp() && other.variable == variable) {
        other.fate.replaced = statement;
        break;
      }
  // Of an array in which every warp has its element, only one has values.
  for (size_t open; (open = name.find('[')) != std::string::npos;)
    name.erase(open, name.find(']', open) + 1 - open);
  written.push_back({op, variable, {name, statement, {}}});
}

static void collectNames(const Stmt *statement,
                         llvm::SmallPtrSetImpl<const ValueDecl *> &variables) {
  if (!statement)
    return;
  if (auto *reference = dyn_cast<DeclRefExpr>(statement))
    variables.insert(reference->getDecl());
  for (const Stmt *child : statement->children())
    collectNames(child, variables);
}

void WrittenValues::noteDiscarded(const IfStmt *branch, const Stmt *notTaken) {
  // Of a template's `if constexpr` Clang does not keep the branch that is not taken.
  if (branch->isConstexpr())
    hasUnknownDiscarded = true;
  collectNames(notTaken, discarded);
}

void WrittenValues::finish() {
  for (const Written &value : written)
    all.note(value.fate,
             hasUnknownDiscarded || !value.op->use_empty() || discarded.contains(value.variable));
}

//===----------------------------------------------------------------------===//
// Of all instances
//===----------------------------------------------------------------------===//

void UnusedValues::note(const Value &value, bool isUsed) {
  Place place(value.place.getRawEncoding(), value.name);
  auto [known, isNew] = places.try_emplace(place, Fate{value, isUsed});
  known->second.isUsed |= isUsed;
}

void UnusedValues::warn(DiagnosticsEngine &engine) const {
  for (const auto &[place, fate] : places) {
    if (fate.isUsed)
      continue;
    const bool isReplaced = fate.value.replaced.isValid();
    report(engine, fate.value.place,
           isReplaced ? Message::value_overwritten : Message::value_unused)
        << fate.value.name;
    if (isReplaced)
      report(engine, fate.value.replaced, Message::note_replaced);
  }
}
