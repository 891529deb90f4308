//===- ParameterNames.cpp - Template parameters as the source names them --===//
#include "frontend/ParameterNames.h"

#include "frontend/ClangAst.h"

#include "dialect/tk/TemplateParameters.h"
#include "mlir/IR/Builders.h"

using namespace clang;
using namespace tkc;

void ParameterNames::begin(const FunctionDecl *instance) {
  const TemplateArgumentList *arguments = instance->getTemplateSpecializationArgs();
  if (!arguments)
    return;
  const TemplateParameterList *list = instance->getPrimaryTemplate()->getTemplateParameters();
  for (auto [parameter, argument] : llvm::zip(*list, arguments->asArray())) {
    if (!isa<NonTypeTemplateParmDecl>(parameter) || parameter->getName().empty() ||
        argument.getKind() != TemplateArgument::Integral ||
        !argument.getIntegralType()->isSpecificBuiltinType(BuiltinType::Int))
      continue;
    parameters[parameter] = int32_t(argument.getAsIntegral().getExtValue());
  }
}

llvm::StringRef ParameterNames::find(const Expr *expr) const {
  // IgnoreParenImpCasts would go on to the parameter's replacement.
  while (true) {
    if (auto *parenthesised = dyn_cast<ParenExpr>(expr))
      expr = parenthesised->getSubExpr();
    else if (auto *converted = dyn_cast<ImplicitCastExpr>(expr))
      expr = converted->getSubExpr();
    else if (auto *constant = dyn_cast<ConstantExpr>(expr))
      expr = constant->getSubExpr();
    else
      break;
  }
  auto *substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(expr);
  if (!substituted)
    return {};
  const NamedDecl *parameter = substituted->getParameter();
  return parameters.contains(parameter) ? parameter->getName() : llvm::StringRef();
}

/// The type without references, arrays and the user's own aliases: rt<float, BM, BN>.
static const TemplateSpecializationType *findWrittenTile(QualType type, Vocabulary &language) {
  type = type.getNonReferenceType();
  while (const clang::ArrayType *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType();
  auto *written = type->getAs<TemplateSpecializationType>();
  while (written && written->isTypeAlias() &&
         !language.isInHeader(written->getTemplateName().getAsTemplateDecl()))
    written = written->getAliasedType()->getAs<TemplateSpecializationType>();
  return written;
}

ParameterNames::Extents ParameterNames::findExtents(QualType type) const {
  auto *written = findWrittenTile(type, language);
  Extents extents;
  if (!written || !language.isInHeader(written->getTemplateName().getAsTemplateDecl()))
    return extents;
  // An element type, the extents, and perhaps a layout or an orientation.
  for (const TemplateArgument &argument : written->template_arguments().drop_front())
    extents.push_back(argument.getKind() == TemplateArgument::Expression
                          ? find(argument.getAsExpr())
                          : llvm::StringRef());
  return extents;
}

void ParameterNames::noteVariable(llvm::StringRef name, QualType type) {
  if (name.empty() || parameters.empty())
    return;
  Extents extents = findExtents(type);
  auto [entry, isNew] = variables.try_emplace(name, extents);
  if (!isNew && entry->second != extents)
    entry->second.clear();
}

void ParameterNames::attach(mlir::Operation *kernel) const {
  mlir::Builder builder(kernel->getContext());
  llvm::SmallVector<mlir::Attribute> values;
  for (auto [parameter, value] : parameters)
    values.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(parameter->getName(), builder.getI32IntegerAttr(value))));
  if (values.empty())
    return;
  kernel->setAttr(tk::parametersAttrName, builder.getArrayAttr(values));
  llvm::SmallVector<mlir::NamedAttribute> extents;
  for (const auto &entry : variables)
    if (llvm::any_of(entry.second, [](llvm::StringRef name) { return !name.empty(); }))
      extents.push_back(builder.getNamedAttr(entry.first(), builder.getStrArrayAttr(entry.second)));
  if (!extents.empty())
    kernel->setAttr(tk::extentsAttrName, builder.getDictionaryAttr(extents));
}
