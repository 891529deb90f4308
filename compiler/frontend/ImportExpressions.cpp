//===- ImportExpressions.cpp - Scalar expressions to arith ----------------===//
//
// Scalars are i32, f32 and i1. Whatever Clang can compute becomes a constant, so
// template parameters and constexpr variables leave no trace in the IR.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/TkElementOp.h"
#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<int64_t> KernelImporter::evaluate(const Expr *expr) const {
  Expr::EvalResult result;
  if (!expr->getType()->isIntegralOrEnumerationType() || !expr->EvaluateAsInt(result, ast))
    return std::nullopt;
  return result.Val.getInt().tryExtValue();
}

mlir::Value KernelImporter::constant(mlir::TypedAttr value, mlir::Location loc) {
  mlir::Value &known = constants[value];
  if (known)
    return known;
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(entry);
  auto op = builder.create<arith::ConstantOp>(loc, value);
  lastConstant = op;
  return known = op;
}

mlir::Value KernelImporter::constant(int32_t value, mlir::Location loc) {
  return constant(builder.getI32IntegerAttr(value), loc);
}

mlir::Value KernelImporter::folded(mlir::Value result) {
  mlir::Operation *op = result.getDefiningOp();
  llvm::SmallVector<mlir::Attribute> operands;
  for (mlir::Value operand : op->getOperands()) {
    mlir::Attribute value;
    if (!mlir::matchPattern(operand, mlir::m_Constant(&value)))
      return result;
    operands.push_back(value);
  }
  llvm::SmallVector<mlir::OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return result;
  mlir::Value known = llvm::dyn_cast<mlir::Value>(results.front());
  if (!known) {
    auto value = dyn_cast<mlir::TypedAttr>(cast<mlir::Attribute>(results.front()));
    if (!value || value.getType() != result.getType())
      return result;
    known = constant(value, op->getLoc());
  }
  op->erase();
  return known;
}

std::optional<int64_t> KernelImporter::constantOf(mlir::Value value) {
  mlir::APInt number;
  if (!value || !mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return std::nullopt;
  return value.getType().isInteger(1) ? int64_t(number.getBoolValue()) : number.getSExtValue();
}

std::optional<int64_t> KernelImporter::importConstant(const Expr *expr) {
  if (std::optional<int64_t> value = evaluate(expr))
    return value;
  return types.scalar(expr->getType()) ? constantOf(importScalar(expr)) : std::nullopt;
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

mlir::Value KernelImporter::importScalar(const Expr *expr) {
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

  if (auto *call = dyn_cast<CallExpr>(expr)) {
    if (!isInlined(call->getCalleeDecl()))
      return importScalarCall(call);
    std::optional<Returned> returned = importCall(call);
    if (!returned)
      return {};
    return returned->object ? read(*returned->object, expr) : returned->contents.front();
  }
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr))
    return importConditional(conditional);
  if (expr->isGLValue()) {
    std::optional<Object> object = importObject(expr);
    return object ? read(*object, expr) : mlir::Value();
  }
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

mlir::Value KernelImporter::convert(mlir::Value value, mlir::Type to, mlir::Location loc) {
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

mlir::Value KernelImporter::importCast(const CastExpr *cast, mlir::Type to) {
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

/// Scale.at(m, k)
mlir::Value KernelImporter::importElementOf(const CXXMemberCallExpr *call) {
  mlir::Value tensor = importTensor(call->getImplicitObjectArgument());
  if (!tensor)
    return {};
  auto type = mlir::cast<tk::GlobalType>(tensor.getType());
  if (call->getNumArgs() != type.getRank()) {
    error(call->getExprLoc(), Message::index_count)
        << unsigned(type.getRank()) << call->getNumArgs() << call->getSourceRange();
    noteDeclaration(call->getImplicitObjectArgument());
    return {};
  }
  if (loops == 0) {
    error(call->getExprLoc(), Message::element_outside_grid) << call->getSourceRange();
    return {};
  }
  llvm::SmallVector<mlir::Value> indices;
  for (const Expr *index : call->arguments())
    indices.push_back(importScalar(index));
  if (llvm::is_contained(indices, mlir::Value()))
    return {};
  const bool isFloat = mlir::isa<mlir::FloatType>(type.getElementType());
  return builder.create<tk::ElementOp>(
      locate(call->getExprLoc()), isFloat ? mlir::Type(builder.getF32Type()) : builder.getI32Type(),
      tensor, indices);
}

mlir::Value KernelImporter::importScalarCall(const CallExpr *call) {
  mlir::Location loc = locate(call->getExprLoc());
  std::optional<Word> word = language.findCallee(call);
  if (word == Word::element)
    return importElementOf(cast<CXXMemberCallExpr>(call));
  if (word == Word::cols)
    return importExtent(call, 0);
  if (word == Word::rows)
    return importExtent(call, 1);
  if (word == Word::depth)
    return importExtent(call, 2);
  if (word == Word::batch)
    return importExtent(call, 3);
  if (word == Word::cdiv) {
    mlir::Value count = importScalar(call->getArg(0));
    mlir::Value size = importScalar(call->getArg(1));
    if (!count || !size)
      return {};
    mlir::APInt divisor;
    if (mlir::matchPattern(size, mlir::m_ConstantInt(&divisor)) && divisor.isZero()) {
      error(call->getExprLoc(), Message::division_by_zero) << call->getSourceRange();
      return {};
    }
    return withNames(folded(builder.create<arith::CeilDivSIOp>(loc, count, size)),
                     {call->getArg(0), call->getArg(1)});
  }
  if (std::optional<mlir::Value> number = importNumberCall(call))
    return *number;
  refuse(call);
  return {};
}
