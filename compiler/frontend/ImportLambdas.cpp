//===- ImportLambdas.cpp - Lambdas over elements --------------------------===//
//
// A lambda is entered like any function, in the body of a tk.map. Its
// captures were evaluated before; its result depends on one element alone,
// so it has no loops, changes nothing outside, and sees no tiles.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace tkc;

bool BuiltinImporter::isLambda(const Expr *expr) {
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

std::optional<Object> BuiltinImporter::importLambda(const Expr *expr) {
  if (!isLambda(expr)) {
    error(expr, Message::not_a_lambda) << expr->getType() << expr->getSourceRange();
    return std::nullopt;
  }
  const FunctionDecl *function = functionOf(expr);
  if (!function) {
    error(expr, Message::generic_lambda) << expr->getSourceRange();
    return std::nullopt;
  }
  if (!kernel.types.scalar(function->getReturnType())) {
    error(expr, Message::lambda_result) << function->getReturnType() << expr->getSourceRange();
    return std::nullopt;
  }
  for (const ParmVarDecl *parameter : function->parameters())
    if (!kernel.types.scalar(parameter->getType().getNonReferenceType())) {
      kernel.error(parameter->getLocation(), Message::lambda_parameter) << parameter->getType();
      return std::nullopt;
    }
  // One that is a template argument is a constant, which captures nothing and holds no values.
  if (isa_and_nonnull<TemplateParamObjectDecl>(
          KernelImporter::variableOf(expr->IgnoreUnlessSpelledInSource())))
    return Object{expr->getType().getNonReferenceType().getUnqualifiedType(), 0};
  return kernel.importObject(expr);
}

mlir::Value BuiltinImporter::applyLambda(const Expr *lambda, Object closure,
                                         llvm::ArrayRef<mlir::Value> arguments) {
  // Slots below these belong to the code around.
  llvm::SaveAndRestore<std::optional<unsigned>> inside(kernel.lambdaMark, kernel.slots.size());
  return kernel.applyLambda(lambda, closure, arguments);
}

mlir::Value BuiltinImporter::applyPredicate(const Expr *lambda, Object closure, mlir::ValueRange at,
                                            ScalarMath &math) {
  if (functionOf(lambda)->getNumParams() != 2) {
    error(lambda, Message::predicate_parameters)
        << functionOf(lambda)->getNumParams() << lambda->getSourceRange();
    return {};
  }
  mlir::Value kept = applyLambda(lambda, closure, {at[0], at[1]});
  return !kept || kept.getType().isInteger(1) ? kept : math.isNotZero(kept);
}

/// map(x, ..., f) and apply(to, x, f)
mlir::Value BuiltinImporter::importMap(const BuiltinCall &builtin) {
  llvm::SmallVector<Operand> operands{importRegisters(builtin, builtin.operands.front())};
  for (const Expr *expr : llvm::ArrayRef(builtin.operands).drop_front().drop_back())
    operands.push_back(importRegistersOrNumber(builtin, expr));
  const Expr *lambda = builtin.operands.back();
  std::optional<Object> closure = importLambda(lambda);
  if (!closure || !llvm::all_of(operands, [](const Operand &operand) { return bool(operand); }))
    return {};
  for (const Operand &operand : operands)
    if (!checkBeside(builtin, operand, operands.front(), /*sameElement=*/false))
      return {};
  mlir::Type type = operands.front().type();
  if (!checkDestination(builtin, type))
    return {};

  // The lambda takes the values alone, or the coordinates as well.
  const unsigned values = operands.size(), rank = operands.front().elements().getRank();
  const unsigned parameters = functionOf(lambda)->getNumParams();
  if (parameters != values && parameters != values + rank) {
    error(lambda, Message::lambda_parameters)
        << unsigned(rank == 1) << values << parameters << lambda->getSourceRange();
    return {};
  }
  auto inputs = llvm::map_to_vector(operands, [](const Operand &operand) { return operand.value; });
  return createMap(locate(builtin.expr), type, inputs, /*coordinates=*/parameters != values,
                   [&](ScalarMath &, llvm::ArrayRef<mlir::Value> numbers, mlir::ValueRange at) {
                     llvm::SmallVector<mlir::Value> arguments(numbers);
                     llvm::append_range(arguments, at);
                     return applyLambda(lambda, *closure, arguments);
                   });
}
