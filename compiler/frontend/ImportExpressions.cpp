//===- ImportExpressions.cpp - Scalar expressions to arith ----------------===//
//
// Scalars are i32, f32 and i1. Whatever Clang can compute becomes a constant, so
// template parameters and constexpr variables leave no trace in the IR.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportKernel.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

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
  return result.Val.getInt().trySExtValue();
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
  if (!type) {
    if (auto *call = dyn_cast<CallExpr>(expr); call && !language.findCallee(call))
      return refuse(expr), mlir::Value();
    error(expr->getExprLoc(), Message::scalar_type) << expr->getType() << expr->getSourceRange();
    return {};
  }
  if (mlir::TypedAttr value = evaluateScalar(expr, type, ast))
    return constant(value, locate(expr->getExprLoc()));

  if (auto *full = dyn_cast<FullExpr>(expr))
    return importScalar(full->getSubExpr());
  if (auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
    return importScalar(temporary->getSubExpr());
  if (auto *argument = dyn_cast<CXXDefaultArgExpr>(expr))
    return importScalar(argument->getExpr());
  if (auto *parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
    return importScalar(parameter->getReplacement());
  if (auto *list = dyn_cast<InitListExpr>(expr); list && list->getNumInits() == 1)
    return importScalar(list->getInit(0));
  if (auto *cast = dyn_cast<CastExpr>(expr))
    return importCast(cast, type);
  if (auto *reference = dyn_cast<DeclRefExpr>(expr))
    return read(reference->getDecl(), reference);
  if (auto *unary = dyn_cast<UnaryOperator>(expr))
    return importUnary(unary);
  if (auto *binary = dyn_cast<BinaryOperator>(expr))
    return binary->isLogicalOp() ? importLogical(binary) : importBinary(binary);
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr))
    return importConditional(conditional);
  if (auto *call = dyn_cast<CallExpr>(expr))
    return importScalarCall(call);
  refuse(expr);
  return {};
}

mlir::Value KernelImporter::convert(mlir::Value value, mlir::Type to, mlir::Location loc) {
  mlir::Type from = value.getType();
  if (from == to)
    return value;
  const bool fromBool = from.isInteger(1), toBool = to.isInteger(1);
  if (toBool && isa<mlir::FloatType>(from))
    return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, value,
                                         constant(builder.getF32FloatAttr(0.0f), loc));
  if (toBool)
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, constant(0, loc));
  if (isa<mlir::FloatType>(to)) {
    if (fromBool)
      return builder.create<arith::UIToFPOp>(loc, to, value);
    return builder.create<arith::SIToFPOp>(loc, to, value);
  }
  if (fromBool)
    return builder.create<arith::ExtUIOp>(loc, to, value);
  return builder.create<arith::FPToSIOp>(loc, to, value);
}

mlir::Value KernelImporter::importCast(const CastExpr *cast, mlir::Type to) {
  switch (cast->getCastKind()) {
  case CK_LValueToRValue:
  case CK_NoOp:
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

mlir::Value KernelImporter::importUnary(const UnaryOperator *unary) {
  mlir::Location loc = locate(unary->getOperatorLoc());
  switch (unary->getOpcode()) {
  case UO_Plus:
    return importScalar(unary->getSubExpr());
  case UO_Minus: {
    mlir::Value value = importScalar(unary->getSubExpr());
    if (!value)
      return {};
    if (isa<mlir::FloatType>(value.getType()))
      return builder.create<arith::NegFOp>(loc, value);
    return builder.create<arith::SubIOp>(loc, constant(0, loc), value);
  }
  case UO_Not:
  case UO_LNot: {
    mlir::Value value = importScalar(unary->getSubExpr());
    if (!value)
      return {};
    mlir::Value ones =
        constant(mlir::IntegerAttr::get(value.getType(), -1), loc); // -1 of i1 is true
    return builder.create<arith::XOrIOp>(loc, value, ones);
  }
  default:
    refuse(unary);
    return {};
  }
}

static std::optional<arith::CmpIPredicate> integerPredicate(BinaryOperatorKind kind) {
  switch (kind) {
  case BO_LT:
    return arith::CmpIPredicate::slt;
  case BO_LE:
    return arith::CmpIPredicate::sle;
  case BO_GT:
    return arith::CmpIPredicate::sgt;
  case BO_GE:
    return arith::CmpIPredicate::sge;
  case BO_EQ:
    return arith::CmpIPredicate::eq;
  case BO_NE:
    return arith::CmpIPredicate::ne;
  default:
    return std::nullopt;
  }
}

/// C++ compares a NaN as unequal to everything, itself too.
static std::optional<arith::CmpFPredicate> floatPredicate(BinaryOperatorKind kind) {
  switch (kind) {
  case BO_LT:
    return arith::CmpFPredicate::OLT;
  case BO_LE:
    return arith::CmpFPredicate::OLE;
  case BO_GT:
    return arith::CmpFPredicate::OGT;
  case BO_GE:
    return arith::CmpFPredicate::OGE;
  case BO_EQ:
    return arith::CmpFPredicate::OEQ;
  case BO_NE:
    return arith::CmpFPredicate::UNE;
  default:
    return std::nullopt;
  }
}

mlir::Value KernelImporter::combine(BinaryOperatorKind kind, mlir::Value left, mlir::Value right,
                                    const Expr *place) {
  mlir::Location loc = locate(place->getExprLoc());
  const bool isFloat = isa<mlir::FloatType>(left.getType());
  if (isFloat) {
    if (auto predicate = floatPredicate(kind))
      return builder.create<arith::CmpFOp>(loc, *predicate, left, right);
  } else if (auto predicate = integerPredicate(kind)) {
    return builder.create<arith::CmpIOp>(loc, *predicate, left, right);
  }
  switch (kind) {
  case BO_Add:
    if (isFloat)
      return builder.create<arith::AddFOp>(loc, left, right);
    return builder.create<arith::AddIOp>(loc, left, right);
  case BO_Sub:
    if (isFloat)
      return builder.create<arith::SubFOp>(loc, left, right);
    return builder.create<arith::SubIOp>(loc, left, right);
  case BO_Mul:
    if (isFloat)
      return builder.create<arith::MulFOp>(loc, left, right);
    return builder.create<arith::MulIOp>(loc, left, right);
  case BO_Div:
    if (isFloat)
      return builder.create<arith::DivFOp>(loc, left, right);
    return builder.create<arith::DivSIOp>(loc, left, right);
  case BO_Rem:
    return builder.create<arith::RemSIOp>(loc, left, right);
  case BO_Shl:
    return builder.create<arith::ShLIOp>(loc, left, right);
  case BO_Shr:
    return builder.create<arith::ShRSIOp>(loc, left, right);
  case BO_And:
    return builder.create<arith::AndIOp>(loc, left, right);
  case BO_Or:
    return builder.create<arith::OrIOp>(loc, left, right);
  case BO_Xor:
    return builder.create<arith::XOrIOp>(loc, left, right);
  default:
    refuse(place);
    return {};
  }
}

mlir::Value KernelImporter::importBinary(const BinaryOperator *binary) {
  if (binary->isAssignmentOp()) {
    error(binary->getOperatorLoc(), Message::assignment_inside) << binary->getSourceRange();
    return {};
  }
  mlir::Value left = importScalar(binary->getLHS());
  mlir::Value right = importScalar(binary->getRHS());
  if (!left || !right)
    return {};
  mlir::APInt divisor;
  if ((binary->getOpcode() == BO_Div || binary->getOpcode() == BO_Rem) &&
      mlir::matchPattern(right, mlir::m_ConstantInt(&divisor)) && divisor.isZero()) {
    error(binary->getOperatorLoc(), Message::division_by_zero) << binary->getSourceRange();
    return {};
  }
  return combine(binary->getOpcode(), left, right, binary);
}

//===----------------------------------------------------------------------===//
// && || ?:
//===----------------------------------------------------------------------===//

mlir::Value KernelImporter::importGuarded(const Expr *expr, mlir::Value condition, bool when) {
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Block::iterator after = builder.getInsertionPoint();
  mlir::Operation *last = after == block->begin() ? nullptr : &*std::prev(after);
  mlir::Value value = importScalar(expr);
  if (!value)
    return {};
  // Constants went to the top of the kernel, so what is new here is this operand alone.
  llvm::SmallVector<mlir::Operation *> fresh;
  for (auto it = last ? std::next(last->getIterator()) : block->begin(); it != after; ++it)
    if (!isa<arith::ConstantOp>(*it))
      fresh.push_back(&*it);
  if (llvm::all_of(fresh, [](mlir::Operation *op) { return mlir::isPure(op); }))
    return value;

  // A division, say, whose divisor the condition shows not to be zero.
  mlir::Location loc = locate(expr->getExprLoc());
  auto guard = builder.create<mlir::scf::IfOp>(loc, value.getType(), condition, true);
  mlir::Block *evaluated = when ? guard.thenBlock() : guard.elseBlock();
  mlir::Block *skipped = when ? guard.elseBlock() : guard.thenBlock();
  for (mlir::Operation *op : fresh)
    op->moveBefore(evaluated, evaluated->end());
  mlir::OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToEnd(evaluated);
  builder.create<mlir::scf::YieldOp>(loc, value);
  mlir::Value nothing = constant(cast<mlir::TypedAttr>(builder.getZeroAttr(value.getType())), loc);
  builder.setInsertionPointToEnd(skipped);
  builder.create<mlir::scf::YieldOp>(loc, nothing);
  return guard.getResult(0);
}

mlir::Value KernelImporter::importLogical(const BinaryOperator *binary) {
  const bool isAnd = binary->getOpcode() == BO_LAnd;
  mlir::Value left = importScalar(binary->getLHS());
  mlir::Value right = left ? importGuarded(binary->getRHS(), left, isAnd) : left;
  if (!right)
    return {};
  mlir::Location loc = locate(binary->getOperatorLoc());
  if (isAnd)
    return builder.create<arith::AndIOp>(loc, left, right);
  return builder.create<arith::OrIOp>(loc, left, right);
}

mlir::Value KernelImporter::importConditional(const ConditionalOperator *conditional) {
  if (std::optional<int64_t> decided = evaluate(conditional->getCond()))
    return importScalar(*decided ? conditional->getTrueExpr() : conditional->getFalseExpr());
  mlir::Value condition = importScalar(conditional->getCond());
  if (!condition)
    return {};
  mlir::Value whenTrue = importGuarded(conditional->getTrueExpr(), condition, true);
  mlir::Value whenFalse = importGuarded(conditional->getFalseExpr(), condition, false);
  if (!whenTrue || !whenFalse)
    return {};
  return builder.create<arith::SelectOp>(locate(conditional->getQuestionLoc()), condition, whenTrue,
                                         whenFalse);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

mlir::Value KernelImporter::importScalarCall(const CallExpr *call) {
  mlir::Location loc = locate(call->getExprLoc());
  std::optional<Word> word = language.findCallee(call);
  auto extent = [&](int64_t fromLast) -> mlir::Value {
    mlir::Value tensor = importTensor(cast<CXXMemberCallExpr>(call)->getImplicitObjectArgument());
    if (!tensor)
      return {};
    int64_t dim = cast<tk::GlobalType>(tensor.getType()).getRank() - 1 - fromLast;
    if (dim < 0)
      return constant(1, loc);
    return builder.create<tk::ExtentOp>(loc, builder.getI32Type(), tensor, dim);
  };
  if (word == Word::cols)
    return extent(0);
  if (word == Word::rows)
    return extent(1);
  if (word == Word::depth)
    return extent(2);
  if (word == Word::batch)
    return extent(3);
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
    return builder.create<arith::CeilDivSIOp>(loc, count, size);
  }
  refuse(call);
  return {};
}
