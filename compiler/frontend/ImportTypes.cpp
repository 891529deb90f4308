//===- ImportTypes.cpp - Types of the language to types of tk -------------===//
#include "frontend/ImportTypes.h"

#include "frontend/ClangAst.h"
#include "frontend/Messages.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

mlir::Type TypeImporter::scalar(QualType type) const {
  if (type->isEnumeralType() && !type->isIncompleteType() && ast.getTypeSize(type) == 32)
    return mlir::IntegerType::get(&context, 32);
  auto *builtin = type->getAs<BuiltinType>();
  switch (builtin ? builtin->getKind() : BuiltinType::Void) {
  case BuiltinType::Int:
    return mlir::IntegerType::get(&context, 32);
  case BuiltinType::Bool:
    return mlir::IntegerType::get(&context, 1);
  case BuiltinType::Float:
    return mlir::FloatType::getF32(&context);
  default:
    return {};
  }
}

mlir::Type TypeImporter::element(QualType type, SourceLocation place) const {
  if (std::optional<Word> word = language.find(type))
    switch (*word) {
    case Word::bf16:
      return mlir::FloatType::getBF16(&context);
    case Word::half:
      return mlir::FloatType::getF16(&context);
    case Word::tf32:
      return mlir::FloatType::getTF32(&context);
    case Word::e4m3:
      return mlir::FloatType::getFloat8E4M3FN(&context);
    case Word::e5m2:
      return mlir::FloatType::getFloat8E5M2(&context);
    default:
      break;
    }
  auto *builtin = type->getAs<BuiltinType>();
  switch (builtin ? builtin->getKind() : BuiltinType::Void) {
  case BuiltinType::Float:
    return mlir::FloatType::getF32(&context);
  case BuiltinType::Int:
    return mlir::IntegerType::get(&context, 32);
  case BuiltinType::SChar:
    return mlir::IntegerType::get(&context, 8);
  default:
    report(ast.getDiagnostics(), place, Message::element_type) << type;
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Tiles, vectors, tensors
//===----------------------------------------------------------------------===//

bool TypeImporter::isTile(QualType type) const {
  std::optional<Word> word = language.find(type);
  return word == Word::rt || word == Word::st;
}

bool TypeImporter::isVector(QualType type) const {
  std::optional<Word> word = language.find(type);
  return word == Word::rv || word == Word::sv;
}

bool TypeImporter::isGlobal(QualType type) const {
  std::optional<Word> word = language.find(type);
  return word == Word::gl || word == Word::gl_fragments;
}

bool TypeImporter::isValue(QualType type) const {
  return isTile(type) || isVector(type) || isGlobal(type) || scalar(type.getNonReferenceType());
}

mlir::Type TypeImporter::value(QualType type, SourceLocation place) const {
  if (isTile(type))
    return tile(type, place);
  if (isVector(type))
    return vector(type, place);
  if (isGlobal(type))
    return global(type, place);
  return scalar(type.getNonReferenceType());
}

/// The template arguments of `rt<...>`, `sv<...>` or `gl<...>`.
static llvm::ArrayRef<TemplateArgument> arguments(QualType type) {
  auto *specialization =
      cast<ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  return specialization->getTemplateArgs().asArray();
}

/// Far above what any block could hold; the dialect's verifier has the same bound.
static constexpr int64_t mostRows = 1 << 16;

static bool isExtent(int64_t extent) { return extent > 0 && extent % 16 == 0; }

tk::TileType TypeImporter::tile(QualType type, SourceLocation place) const {
  const bool isRegister = language.find(type) == Word::rt;
  llvm::ArrayRef<TemplateArgument> args = arguments(type);
  mlir::Type elementType = element(args[0].getAsType(), place);
  if (!elementType)
    return {};
  int64_t rows = args[1].getAsIntegral().getExtValue();
  int64_t cols = args[2].getAsIntegral().getExtValue();
  if (!isExtent(rows) || !isExtent(cols)) {
    report(ast.getDiagnostics(), place, Message::tile_size)
        << llvm::Twine(rows).str() << llvm::Twine(cols).str();
    return {};
  }
  if (rows > mostRows || cols > mostRows) {
    report(ast.getDiagnostics(), place, Message::tile_too_large)
        << unsigned(mostRows) << llvm::Twine(rows).str() << llvm::Twine(cols).str();
    return {};
  }
  tk::Layout layout = tk::Layout::None;
  if (isRegister) {
    QualType tag = args[3].getAsType();
    std::optional<Word> word = language.find(tag);
    if (word != Word::row && word != Word::col) {
      report(ast.getDiagnostics(), place, Message::layout_tag) << tag;
      return {};
    }
    layout = word == Word::row ? tk::Layout::Row : tk::Layout::Col;
  }
  return tk::TileType::get(&context, rows, cols, elementType,
                           isRegister ? tk::Space::Register : tk::Space::Shared, layout);
}

tk::TileVectorType TypeImporter::vector(QualType type, SourceLocation place) const {
  const bool isRegister = language.find(type) == Word::rv;
  llvm::ArrayRef<TemplateArgument> args = arguments(type);
  mlir::Type elementType = element(args[0].getAsType(), place);
  if (!elementType)
    return {};
  int64_t length = args[1].getAsIntegral().getExtValue();
  if (!isExtent(length)) {
    report(ast.getDiagnostics(), place, Message::vector_length) << llvm::Twine(length).str();
    return {};
  }
  if (length > mostRows) {
    report(ast.getDiagnostics(), place, Message::vector_too_long)
        << unsigned(mostRows) << llvm::Twine(length).str();
    return {};
  }
  tk::Orientation orientation = tk::Orientation::None;
  if (isRegister) {
    QualType tag = args[2].getAsType();
    std::optional<Word> word = language.find(tag);
    if (word != Word::row && word != Word::col) {
      report(ast.getDiagnostics(), place, Message::orientation_tag) << tag;
      return {};
    }
    orientation = word == Word::row ? tk::Orientation::Row : tk::Orientation::Column;
  }
  return tk::TileVectorType::get(&context, length, elementType,
                                 isRegister ? tk::Space::Register : tk::Space::Shared, orientation);
}

tk::GlobalType TypeImporter::global(QualType type, SourceLocation place) const {
  llvm::ArrayRef<TemplateArgument> args = arguments(type);
  mlir::Type elementType = element(args[0].getAsType(), place);
  if (!elementType)
    return {};
  llvm::SmallVector<int64_t> shape;
  for (const TemplateArgument &extent : args[1].getPackAsArray()) {
    int64_t value = extent.getAsIntegral().getExtValue();
    if (value != -1 && value <= 0) {
      report(ast.getDiagnostics(), place, Message::static_extent) << llvm::Twine(value).str();
      return {};
    }
    shape.push_back(value == -1 ? mlir::ShapedType::kDynamic : value);
  }
  if (shape.empty())
    shape.assign(2, mlir::ShapedType::kDynamic);
  if (shape.size() > 4)
    return {}; // the header's static_assert has said so
  const bool inFragments = language.find(type) == Word::gl_fragments;
  if (inFragments && !elementType.isF32()) {
    report(ast.getDiagnostics(), place, Message::fragments_element);
    return {};
  }
  if (inFragments && shape.size() > 1 && !mlir::ShapedType::isDynamic(shape.back()) &&
      shape.back() % 8) {
    report(ast.getDiagnostics(), place, Message::fragments_cols) << llvm::Twine(shape.back()).str();
    return {};
  }
  return tk::GlobalType::get(&context, shape, elementType, inFragments);
}

std::string tkc::spell(mlir::Type type) {
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
