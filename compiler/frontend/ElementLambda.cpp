//===- ElementLambda.cpp - Lambdas over elements --------------------------===//
#include "frontend/ElementLambda.h"

#include "frontend/ImportFunctions.h"
#include "frontend/ImportObjects.h"

using namespace clang;
using namespace tkc;

bool ElementLambda::isLambda(const Expr *expr) {
  const CXXRecordDecl *record = expr->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->isLambda();
}

/// The function that a lambda's calls run, if it is one.
static const FunctionDecl *functionOf(const Expr *lambda) {
  const CXXRecordDecl *record = lambda->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const FunctionDecl *function =
      record->isGenericLambda() ? nullptr : record->getLambdaCallOperator();
  const FunctionDecl *definition = nullptr;
  return function && function->isDefined(definition) ? definition : nullptr;
}

std::optional<ElementLambda> ElementLambda::import(BuiltinCall &builtin, const Expr *expr) {
  if (!isLambda(expr)) {
    builtin.error(expr, Message::not_a_lambda) << expr->getType() << expr->getSourceRange();
    return std::nullopt;
  }
  const FunctionDecl *function = functionOf(expr);
  if (!function) {
    builtin.error(expr, Message::generic_lambda) << expr->getSourceRange();
    return std::nullopt;
  }
  if (!builtin.types.scalar(function->getReturnType())) {
    builtin.error(expr, Message::lambda_result)
        << function->getReturnType() << expr->getSourceRange();
    return std::nullopt;
  }
  for (const ParmVarDecl *parameter : function->parameters())
    if (!builtin.types.scalar(parameter->getType().getNonReferenceType())) {
      builtin.error(parameter->getLocation(), Message::lambda_parameter) << parameter->getType();
      return std::nullopt;
    }
  // One that is a template argument is a constant, which captures nothing and holds no values.
  if (isa_and_nonnull<TemplateParamObjectDecl>(variableOf(expr->IgnoreUnlessSpelledInSource())))
    return ElementLambda(expr, {expr->getType().getNonReferenceType().getUnqualifiedType(), 0});
  std::optional<Object> closure = builtin.objects.importObject(expr);
  return closure ? std::optional(ElementLambda(expr, *closure)) : std::nullopt;
}

unsigned ElementLambda::countParameters() const { return functionOf(expr)->getNumParams(); }

mlir::Value ElementLambda::apply(BuiltinCall &builtin,
                                 llvm::ArrayRef<mlir::Value> arguments) const {
  return builtin.environment.inLambda(
      [&] { return builtin.functions.applyLambda(expr, closure, arguments); });
}

mlir::Value ElementLambda::applyPredicate(BuiltinCall &builtin, mlir::ValueRange at,
                                          ScalarMath &math) const {
  if (countParameters() != 2) {
    builtin.error(expr, Message::predicate_parameters)
        << countParameters() << expr->getSourceRange();
    return {};
  }
  mlir::Value kept = apply(builtin, {at[0], at[1]});
  return !kept || kept.getType().isInteger(1) ? kept : math.isNotZero(kept);
}
