//===- ImportExpressions.cpp - Scalar expressions to arith ----------------===//
#include "frontend/ImportScalars.h"

#include "frontend/ImportBuiltins.h"
#include "frontend/ImportFunctions.h"
#include "frontend/ImportObjects.h"
#include "frontend/ImportTensors.h"

using namespace clang;
using namespace tkc;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<int64_t> ScalarImporter::evaluate(const Expr *expr) const {
  Expr::EvalResult result;
  if (!expr->getType()->isIntegralOrEnumerationType() || !expr->EvaluateAsInt(result, ast))
    return std::nullopt;
  return result.Val.getInt().tryExtValue();
}

std::optional<int64_t> ScalarImporter::importConstant(const Expr *expr) {
  if (std::optional<int64_t> value = evaluate(expr))
    return value;
  return types.scalar(expr->getType()) ? Constants::valueOf(importScalar(expr)) : std::nullopt;
}

/// The value of a scalar expression, if Clang can compute it.
static mlir::TypedAttr evaluateScalar(const Expr *expr, mlir::Type type, const ASTContext &ast) {
  Expr::EvalResult result;
  if (!expr->isPRValue() || !expr->EvaluateAsRValue(result, ast) || result.HasSideEffects)
    return {};
  if (result.Val.isInt())
    return mlir::IntegerAttr::get(type, result.Val.getInt().getSExtValue());
  if (result.Val.isFloat() && type.isF32())
    return mlir::FloatAttr::get(type, result.Val.getFloat());
  return {};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

mlir::Value ScalarImporter::importScalar(const Expr *expr) {
  expr = expr->IgnoreParens();
  mlir::Type type = types.scalar(expr->getType());
  // A literal like 0.5 is a double; as an argument it means the nearest float.
  if (expr->getType()->isSpecificBuiltinType(BuiltinType::Double))
    if (Expr::EvalResult result;
        expr->EvaluateAsRValue(result, ast) && result.Val.isFloat() && !result.HasSideEffects) {
      bool inexact;
      llvm::APFloat number = result.Val.getFloat();
      number.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &inexact);
      return constant(mlir::FloatAttr::get(builder.getF32Type(), number),
                      locate(expr->getExprLoc()));
    }
  if (!type) {
    if (auto *call = dyn_cast<CallExpr>(expr); call && !language.findCallee(call))
      return refuse(expr), mlir::Value();
    error(expr->getExprLoc(), Message::scalar_type) << expr->getType() << expr->getSourceRange();
    return {};
  }
  if (mlir::TypedAttr value = evaluateScalar(expr, type, ast))
    return constant(value, locate(expr->getExprLoc()));

  if (auto *call = dyn_cast<CallExpr>(expr))
    return functions.isInlined(call->getCalleeDecl()) ? importCall(call) : importBuiltinCall(call);
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr))
    return importConditional(conditional);
  if (expr->isGLValue())
    return objects.importVariable(expr);
  if (auto *full = dyn_cast<FullExpr>(expr))
    return importScalar(full->getSubExpr());
  if (auto *argument = dyn_cast<CXXDefaultArgExpr>(expr))
    return importScalar(argument->getExpr());
  if (auto *init = dyn_cast<CXXDefaultInitExpr>(expr))
    return importScalar(init->getExpr());
  if (auto *parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
    return importScalar(parameter->getReplacement());
  if (auto *list = dyn_cast<InitListExpr>(expr); list && list->getNumInits() == 1)
    return importScalar(list->getInit(0));
  if (auto *cast = dyn_cast<CastExpr>(expr))
    return importCast(cast, type);
  if (auto *unary = dyn_cast<UnaryOperator>(expr))
    return importUnary(unary);
  if (auto *binary = dyn_cast<BinaryOperator>(expr))
    return binary->isLogicalOp() ? importLogical(binary) : importBinary(binary);
  refuse(expr);
  return {};
}

mlir::Value ScalarImporter::convert(mlir::Value value, mlir::Type to, mlir::Location loc) {
  mlir::Type from = value.getType();
  if (from == to)
    return value;
  const bool fromBool = from.isInteger(1), toBool = to.isInteger(1);
  if (toBool && isa<mlir::FloatType>(from))
    return folded(builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, value,
                                                constant(builder.getF32FloatAttr(0.0f), loc)));
  if (toBool)
    return folded(
        builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, constant(0, loc)));
  if (isa<mlir::FloatType>(to)) {
    if (fromBool)
      return folded(builder.create<arith::UIToFPOp>(loc, to, value));
    return folded(builder.create<arith::SIToFPOp>(loc, to, value));
  }
  if (fromBool)
    return folded(builder.create<arith::ExtUIOp>(loc, to, value));
  return folded(builder.create<arith::FPToSIOp>(loc, to, value));
}

mlir::Value ScalarImporter::importCast(const CastExpr *cast, mlir::Type to) {
  switch (cast->getCastKind()) {
  case CK_LValueToRValue:
  case CK_NoOp:
  case CK_UserDefinedConversion:
  case CK_IntegralCast:
  case CK_BooleanToSignedIntegral:
  case CK_IntegralToBoolean:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_FloatingToBoolean:
  case CK_FloatingCast: {
    mlir::Value value = importScalar(cast->getSubExpr());
    return value ? convert(value, to, locate(cast->getExprLoc())) : mlir::Value();
  }
  default:
    refuse(cast);
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

mlir::Value ScalarImporter::importCall(const CallExpr *call) {
  std::optional<FunctionImporter::Returned> returned = functions.importCall(call);
  if (!returned)
    return {};
  return returned->object ? environment.read(*returned->object, call) : returned->contents.front();
}

mlir::Value ScalarImporter::importCeilDiv(const CallExpr *call) {
  mlir::Value count = importScalar(call->getArg(0));
  mlir::Value size = importScalar(call->getArg(1));
  if (!count || !size)
    return {};
  mlir::APInt divisor;
  if (mlir::matchPattern(size, mlir::m_ConstantInt(&divisor)) && divisor.isZero()) {
    error(call->getExprLoc(), Message::division_by_zero) << call->getSourceRange();
    return {};
  }
  mlir::Location loc = locate(call->getExprLoc());
  return withNames(folded(builder.create<arith::CeilDivSIOp>(loc, count, size)),
                   {call->getArg(0), call->getArg(1)});
}

mlir::Value ScalarImporter::importBuiltinCall(const CallExpr *call) {
  std::optional<Word> word = language.findCallee(call);
  if (word == Word::cdiv)
    return importCeilDiv(call);
  if (word == Word::as_number) {
    const Expr *object = cast<CXXMemberCallExpr>(call)->getImplicitObjectArgument();
    error(object->getExprLoc(), Message::elements_as_number)
        << unsigned(types.isVector(object->getType())) << object->getSourceRange();
    return {};
  }
  std::optional<mlir::Value> number;
  if (word) {
    number = tensors.importNumber(call, *word);
    if (!number)
      number = builtins.importNumberCall(call, *word);
  }
  if (number)
    return *number;
  refuse(call);
  return {};
}
