//===- CheckOperands.cpp - Operands that fit together ---------------------===//
//
// Elementwise builtins take operands of one shape, layout and element type, and
// vectors that lie along a tile. Each check says what both sides are, where the
// other one is declared, and what to write instead.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/ElementwiseMap.h"
#include "frontend/BuiltinImporter.h"
#include "frontend/ImportKernel.h"

#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Words for types
//===----------------------------------------------------------------------===//

mlir::Type BuiltinImporter::inRegisters(mlir::Type type) {
  if (auto tile = dyn_cast<tk::TileType>(type))
    return tk::TileType::get(type.getContext(), tile.getRows(), tile.getCols(),
                             tile.getElementType(), tk::Space::Register,
                             tile.isRegister() ? tile.getLayout() : tk::Layout::Row);
  auto vector = cast<tk::TileVectorType>(type);
  return tk::TileVectorType::get(
      type.getContext(), vector.getLength(), vector.getElementType(), tk::Space::Register,
      vector.isRegister() ? vector.getOrientation() : tk::Orientation::Column);
}

static std::string shapeOf(tk::TileType tile) {
  return (llvm::Twine(tile.getRows()) + " x " + llvm::Twine(tile.getCols())).str();
}

std::string BuiltinImporter::spell(mlir::Type type) {
  if (isa<mlir::FloatType>(type)) {
    return type.isBF16()           ? "bf16"
           : type.isF16()          ? "half"
           : type.isTF32()         ? "tf32"
           : type.isFloat8E4M3FN() ? "e4m3"
           : type.isFloat8E5M2()   ? "e5m2"
                                   : "float";
  }
  if (type.isIntOrIndex())
    return type.isInteger(8) ? "int8" : "int32";
  std::string element = spell(cast<tk::ElementsInterface>(type).getElementType());
  if (auto tile = dyn_cast<tk::TileType>(type)) {
    const char *tag = tile.getLayout() == tk::Layout::Col ? ", col" : "";
    return (llvm::Twine(tile.isRegister() ? "rt<" : "st<") + element + ", " +
            llvm::Twine(tile.getRows()) + ", " + llvm::Twine(tile.getCols()) + tag + ">")
        .str();
  }
  auto vector = cast<tk::TileVectorType>(type);
  const char *name = vector.isShared()                                    ? "sv<"
                     : vector.getOrientation() == tk::Orientation::Column ? "col_vec<"
                                                                          : "row_vec<";
  return (name + element + ", " + llvm::Twine(vector.getLength()) + ">").str();
}

/// A short expression as it stands in the file, for a message that shows what to write.
std::string BuiltinImporter::textOf(const Expr *expr) {
  const SourceManager &sources = kernel.ast.getSourceManager();
  CharSourceRange range = CharSourceRange::getTokenRange(expr->getSourceRange());
  llvm::StringRef text = Lexer::getSourceText(range, sources, kernel.ast.getLangOpts());
  return text.empty() || text.size() > 40 || text.contains('\n') ? "..." : text.str();
}

void BuiltinImporter::noteWrap(const Expr *expr, Message note, llvm::StringRef call) {
  if (auto *wrapped = dyn_cast<CallExpr>(KernelImporter::peel(expr)))
    if (const FunctionDecl *callee = wrapped->getDirectCallee();
        callee && callee->getDeclName().isIdentifier() && callee->getName() == call) {
      error(expr, Message::note_unwrap) << call;
      return;
    }
  const SourceManager &sources = kernel.ast.getSourceManager();
  SourceLocation end =
      Lexer::getLocForEndOfToken(expr->getEndLoc(), 0, sources, kernel.ast.getLangOpts());
  DiagnosticBuilder builder = error(expr, note);
  builder << (call + "(" + textOf(expr) + ")").str();
  if (end.isValid() && !expr->getBeginLoc().isMacroID())
    builder << FixItHint::CreateInsertion(expr->getBeginLoc(), (call + "(").str())
            << FixItHint::CreateInsertion(end, ")");
}

//===----------------------------------------------------------------------===//
// Operands beside each other
//===----------------------------------------------------------------------===//

bool BuiltinImporter::checkBeside(const BuiltinCall &builtin, const Operand &operand,
                                  const Operand &leader, bool sameElement) {
  if (!operand.isElements() || operand.expr == leader.expr)
    return true;
  if (leader.elements().isVector() && !operand.elements().isVector()) {
    error(operand.expr, Message::tile_after_vector)
        << nameOf(builtin) << operand.expr->getSourceRange() << leader.expr->getSourceRange();
    noteDeclaration(leader.expr);
    return false;
  }
  return checkAlong(builtin, operand, leader) &&
         (!sameElement || checkElements(builtin, operand, leader));
}

bool BuiltinImporter::checkAlong(const BuiltinCall &builtin, const Operand &operand,
                                 const Operand &leader) {
  auto tile = dyn_cast<tk::TileType>(leader.type());
  auto noteBoth = [&] {
    noteDeclaration(operand.expr);
    noteDeclaration(leader.expr);
    return false;
  };
  if (auto other = dyn_cast<tk::TileType>(operand.type())) {
    if (other.getRows() != tile.getRows() || other.getCols() != tile.getCols()) {
      error(operand.expr, Message::tiles_differ)
          << nameOf(builtin) << shapeOf(tile) << shapeOf(other) << operand.expr->getSourceRange()
          << leader.expr->getSourceRange();
      return noteBoth();
    }
    if (other.getLayout() == tile.getLayout())
      return true;
    error(operand.expr, Message::layouts_differ)
        << nameOf(builtin) << tk::stringifyLayout(tile.getLayout())
        << tk::stringifyLayout(other.getLayout()) << operand.expr->getSourceRange()
        << leader.expr->getSourceRange();
    noteBoth();
    noteWrap(operand.expr, Message::note_swap_layout, "swap_layout");
    return false;
  }
  auto vector = cast<tk::TileVectorType>(operand.type());
  if (auto other = dyn_cast<tk::TileVectorType>(leader.type())) {
    if (other.getLength() != vector.getLength()) {
      error(operand.expr, Message::lengths_differ)
          << nameOf(builtin) << unsigned(other.getLength()) << unsigned(vector.getLength())
          << operand.expr->getSourceRange() << leader.expr->getSourceRange();
      return noteBoth();
    }
    if (other.getOrientation() == vector.getOrientation())
      return true;
    error(operand.expr, Message::orientations_differ)
        << nameOf(builtin) << tk::stringifyOrientation(other.getOrientation())
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

bool BuiltinImporter::checkLies(tk::TileVectorType vector, tk::TileType tile, const Expr *place) {
  const bool isColumn = vector.getOrientation() == tk::Orientation::Column;
  const int64_t extent = isColumn ? tile.getRows() : tile.getCols();
  if (vector.getLength() == extent)
    return true;
  error(place, Message::vector_along)
      << unsigned(isColumn) << unsigned(vector.getLength()) << shapeOf(tile) << unsigned(extent)
      << place->getSourceRange();
  return false;
}

bool BuiltinImporter::checkElements(const BuiltinCall &builtin, const Operand &operand,
                                    const Operand &leader) {
  mlir::Type element = leader.elements().getElementType();
  if (operand.elements().getElementType() == element)
    return true;
  error(operand.expr, Message::elements_differ)
      << nameOf(builtin) << spell(element) << spell(operand.elements().getElementType())
      << operand.expr->getSourceRange() << leader.expr->getSourceRange();
  noteDeclaration(operand.expr);
  noteDeclaration(leader.expr);
  noteWrap(operand.expr, Message::note_convert,
           spell(cast<tk::ElementsInterface>(operand.elements().withElementType(element))));
  return false;
}

bool BuiltinImporter::checkOrientation(const BuiltinCall &builtin, const Operand &vector,
                                       tk::Orientation wanted) {
  if (cast<tk::TileVectorType>(vector.type()).getOrientation() == wanted)
    return true;
  error(vector.expr, Message::wrong_orientation)
      << nameOf(builtin) << unsigned(wanted == tk::Orientation::Column)
      << vector.expr->getSourceRange();
  noteDeclaration(vector.expr);
  std::string name = nameOf(builtin);
  llvm::StringRef stem = name;
  if (stem.consume_back("_row") || stem.consume_back("_col"))
    error(builtin.expr, Message::note_other_operation)
        << (stem + (wanted == tk::Orientation::Column ? "_col" : "_row")).str()
        << unsigned(wanted == tk::Orientation::Column);
  noteWrap(vector.expr, Message::note_transpose, "transpose");
  return false;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool BuiltinImporter::checkResult(const BuiltinCall &builtin, mlir::Type type) {
  if (!KernelImporter::isShared(type))
    return true;
  const Expr *place = builtin.destination ? builtin.destination : builtin.expr;
  error(place, Message::result_in_shared) << nameOf(builtin) << place->getSourceRange();
  noteDeclaration(place);
  error(place, Message::note_store_result);
  return false;
}

bool BuiltinImporter::checkDestination(const BuiltinCall &builtin, mlir::Type type) {
  if (!builtin.destination)
    return true;
  mlir::Type wanted = importType(builtin);
  if (!wanted || !checkResult(builtin, wanted))
    return false;
  if (wanted == type)
    return true;
  error(builtin.destination, Message::destination_type)
      << nameOf(builtin) << spell(type) << spell(wanted) << builtin.destination->getSourceRange();
  noteDeclaration(builtin.destination);
  return false;
}
