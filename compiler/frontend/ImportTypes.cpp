//===- ImportTypes.cpp - rt, st, gl and scalars to types of tk ------------===//
#include "frontend/ImportTypes.h"

#include "frontend/ClangAst.h"
#include "frontend/Messages.h"

using namespace clang;
using namespace tkc;

mlir::Type TypeImporter::scalar(QualType type) const {
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

bool TypeImporter::isTile(QualType type) const {
  std::optional<Word> word = language.find(type);
  return word == Word::rt || word == Word::st;
}

bool TypeImporter::isGlobal(QualType type) const { return language.find(type) == Word::gl; }

mlir::Type TypeImporter::element(QualType type, SourceLocation place) const {
  if (language.find(type) == Word::bf16)
    return mlir::FloatType::getBF16(&context);
  if (auto *builtin = type->getAs<BuiltinType>())
    if (builtin->getKind() == BuiltinType::Float)
      return mlir::FloatType::getF32(&context);
  report(ast.getDiagnostics(), place, Message::element_type) << type;
  return {};
}

/// The template arguments of `rt<...>`, `st<...>` or `gl<...>`.
static llvm::ArrayRef<TemplateArgument> arguments(QualType type) {
  auto *specialization =
      cast<ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  return specialization->getTemplateArgs().asArray();
}

tk::TileType TypeImporter::tile(QualType type, SourceLocation place) const {
  const bool isRegister = language.find(type) == Word::rt;
  llvm::ArrayRef<TemplateArgument> args = arguments(type);
  mlir::Type elementType = element(args[0].getAsType(), place);
  if (!elementType)
    return {};
  int64_t rows = args[1].getAsIntegral().getExtValue();
  int64_t cols = args[2].getAsIntegral().getExtValue();
  if (rows <= 0 || cols <= 0 || rows % 16 || cols % 16) {
    report(ast.getDiagnostics(), place, Message::tile_size)
        << llvm::Twine(rows).str() << llvm::Twine(cols).str();
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
  return tk::GlobalType::get(&context, shape, elementType);
}
