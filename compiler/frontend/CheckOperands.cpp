//===- CheckOperands.cpp - Operands that fit together ---------------------===//
//
// Elementwise builtins take operands of one shape, layout and element type, and
// vectors that lie along a tile. Each check says what both sides are, where the
// other one is declared, and what to write instead.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinCall.h"
#include "frontend/SharedValues.h"

#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Words for types
//===----------------------------------------------------------------------===//

static std::string shapeOf(tk::TileType tile) {
  return (llvm::Twine(tile.getRows()) + " x " + llvm::Twine(tile.getCols())).str();
}

/// A short expression as it stands in the file, for a message that shows what to write.
static std::string textOf(const Expr *expr, const ASTContext &ast) {
  const SourceManager &sources = ast.getSourceManager();
  CharSourceRange range = CharSourceRange::getTokenRange(expr->getSourceRange());
  llvm::StringRef text = Lexer::getSourceText(range, sources, ast.getLangOpts());
  return text.empty() || text.size() > 40 || text.contains('\n') ? "..." : text.str();
}

void BuiltinCall::noteWrap(const Expr *expr, Message note, llvm::StringRef call) {
  if (auto *wrapped = dyn_cast<CallExpr>(peel(expr)))
    if (const FunctionDecl *callee = wrapped->getDirectCallee();
        callee && callee->getDeclName().isIdentifier() && callee->getName() == call) {
      error(expr, Message::note_unwrap) << call;
      return;
    }
  const SourceManager &sources = ast.getSourceManager();
  SourceLocation end = Lexer::getLocForEndOfToken(expr->getEndLoc(), 0, sources, ast.getLangOpts());
  DiagnosticBuilder builder = error(expr, note);
  builder << (call + "(" + textOf(expr, ast) + ")").str();
  if (end.isValid() && !expr->getBeginLoc().isMacroID())
    builder << FixItHint::CreateInsertion(expr->getBeginLoc(), (call + "(").str())
            << FixItHint::CreateInsertion(end, ")");
}

//===----------------------------------------------------------------------===//
// Operands beside each other
//===----------------------------------------------------------------------===//

bool BuiltinCall::checkBeside(const Operand &operand, const Operand &leader, bool sameElement) {
  if (!operand.isElements() || operand.expr == leader.expr)
    return true;
  if (leader.elements().isVector() && !operand.elements().isVector()) {
    error(operand.expr, Message::tile_after_vector)
        << name() << operand.expr->getSourceRange() << leader.expr->getSourceRange();
    noteDeclaration(leader.expr);
    return false;
  }
  return checkAlong(operand, leader) && (!sameElement || checkElements(operand, leader));
}

bool BuiltinCall::checkAlong(const Operand &operand, const Operand &leader) {
  auto tile = dyn_cast<tk::TileType>(leader.type());
  auto noteBoth = [&] {
    noteDeclaration(operand.expr);
    noteDeclaration(leader.expr);
    return false;
  };
  if (auto other = dyn_cast<tk::TileType>(operand.type())) {
    if (other.getRows() != tile.getRows() || other.getCols() != tile.getCols()) {
      error(operand.expr, Message::tiles_differ)
          << name() << shapeOf(tile) << shapeOf(other) << operand.expr->getSourceRange()
          << leader.expr->getSourceRange();
      return noteBoth();
    }
    if (other.getLayout() == tile.getLayout())
      return true;
    error(operand.expr, Message::layouts_differ)
        << name() << tk::stringifyLayout(tile.getLayout()) << tk::stringifyLayout(other.getLayout())
        << operand.expr->getSourceRange() << leader.expr->getSourceRange();
    noteBoth();
    noteWrap(operand.expr, Message::note_swap_layout, "swap_layout");
    return false;
  }
  auto vector = cast<tk::TileVectorType>(operand.type());
  if (auto other = dyn_cast<tk::TileVectorType>(leader.type())) {
    if (other.getLength() != vector.getLength()) {
      error(operand.expr, Message::lengths_differ)
          << name() << unsigned(other.getLength()) << unsigned(vector.getLength())
          << operand.expr->getSourceRange() << leader.expr->getSourceRange();
      return noteBoth();
    }
    if (other.getOrientation() == vector.getOrientation())
      return true;
    error(operand.expr, Message::orientations_differ)
        << name() << tk::stringifyOrientation(other.getOrientation())
        << tk::stringifyOrientation(vector.getOrientation()) << operand.expr->getSourceRange()
        << leader.expr->getSourceRange();
    noteBoth();
    noteWrap(operand.expr, Message::note_transpose, "transpose");
    return false;
  }
  if (!checkLies(vector, tile, operand.expr))
    return noteBoth();
  return true;
}

bool BuiltinCall::checkLies(tk::TileVectorType vector, tk::TileType tile, const Expr *place) {
  const bool isColumn = vector.getOrientation() == tk::Orientation::Column;
  const int64_t extent = isColumn ? tile.getRows() : tile.getCols();
  if (vector.getLength() == extent)
    return true;
  error(place, Message::vector_along)
      << unsigned(isColumn) << unsigned(vector.getLength()) << shapeOf(tile) << unsigned(extent)
      << place->getSourceRange();
  return false;
}

bool BuiltinCall::checkElements(const Operand &operand, const Operand &leader) {
  mlir::Type element = leader.elements().getElementType();
  if (operand.elements().getElementType() == element)
    return true;
  error(operand.expr, Message::elements_differ)
      << name() << spell(element) << spell(operand.elements().getElementType())
      << operand.expr->getSourceRange() << leader.expr->getSourceRange();
  noteDeclaration(operand.expr);
  noteDeclaration(leader.expr);
  noteWrap(operand.expr, Message::note_convert,
           spell(cast<tk::ElementsInterface>(operand.elements().withElementType(element))));
  return false;
}

bool BuiltinCall::checkOrientation(const Operand &vector, tk::Orientation wanted) {
  if (cast<tk::TileVectorType>(vector.type()).getOrientation() == wanted)
    return true;
  error(vector.expr, Message::wrong_orientation)
      << name() << unsigned(wanted == tk::Orientation::Column) << vector.expr->getSourceRange();
  noteDeclaration(vector.expr);
  const std::string written = name();
  llvm::StringRef stem = written;
  if (stem.consume_back("_row") || stem.consume_back("_col"))
    error(expr, Message::note_other_operation)
        << (stem + (wanted == tk::Orientation::Column ? "_col" : "_row")).str()
        << unsigned(wanted == tk::Orientation::Column);
  noteWrap(vector.expr, Message::note_transpose, "transpose");
  return false;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool BuiltinCall::checkResult(mlir::Type type) {
  if (!isShared(type))
    return true;
  const Expr *place = destination ? destination : expr;
  error(place, Message::result_in_shared) << name() << place->getSourceRange();
  noteDeclaration(place);
  error(place, Message::note_store_result);
  return false;
}

bool BuiltinCall::checkDestination(mlir::Type type) {
  if (!destination)
    return true;
  mlir::Type wanted = importType();
  if (!wanted || !checkResult(wanted))
    return false;
  if (wanted == type)
    return true;
  error(destination, Message::destination_type)
      << name() << spell(type) << spell(wanted) << destination->getSourceRange();
  noteDeclaration(destination);
  return false;
}
