//===- ImportOperators.cpp - + < && ?: and their like to arith ------------===//
//
// C++ evaluates the second operand of && and || and one of the last two of ?:
// only if the first says so. Here all are evaluated, which is cheaper than a
// branch, unless one must not be: a division whose divisor may be zero.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportScalars.h"

#include "dialect/tk/TemplateParameters.h"
#include "frontend/GuardedOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace clang;
using namespace tkc;
namespace arith = mlir::arith;

mlir::Value ScalarImporter::importUnary(const UnaryOperator *unary) {
  mlir::Location loc = locate(unary->getOperatorLoc());
  switch (unary->getOpcode()) {
  case UO_Plus:
    return importScalar(unary->getSubExpr());
  case UO_Minus: {
    mlir::Value value = importScalar(unary->getSubExpr());
    if (!value)
      return {};
    if (isa<mlir::FloatType>(value.getType()))
      return folded(builder.create<arith::NegFOp>(loc, value));
    return folded(builder.create<arith::SubIOp>(loc, constant(0, loc), value));
  }
  case UO_Not:
  case UO_LNot: {
    mlir::Value value = importScalar(unary->getSubExpr());
    if (!value)
      return {};
    mlir::Value ones =
        constant(mlir::IntegerAttr::get(value.getType(), -1), loc); // -1 of i1 is true
    return folded(builder.create<arith::XOrIOp>(loc, value, ones));
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

mlir::Value ScalarImporter::combine(BinaryOperatorKind kind, mlir::Value left, mlir::Value right,
                                    const Expr *place) {
  mlir::Location loc = locate(place->getExprLoc());
  const bool isFloat = isa<mlir::FloatType>(left.getType());
  if (isFloat) {
    if (auto predicate = floatPredicate(kind))
      return folded(builder.create<arith::CmpFOp>(loc, *predicate, left, right));
  } else if (auto predicate = integerPredicate(kind)) {
    return folded(builder.create<arith::CmpIOp>(loc, *predicate, left, right));
  }
  switch (kind) {
  case BO_Add:
    if (isFloat)
      return folded(builder.create<arith::AddFOp>(loc, left, right));
    return folded(builder.create<arith::AddIOp>(loc, left, right));
  case BO_Sub:
    if (isFloat)
      return folded(builder.create<arith::SubFOp>(loc, left, right));
    return folded(builder.create<arith::SubIOp>(loc, left, right));
  case BO_Mul:
    if (isFloat)
      return folded(builder.create<arith::MulFOp>(loc, left, right));
    return folded(builder.create<arith::MulIOp>(loc, left, right));
  case BO_Div:
    if (isFloat)
      return folded(builder.create<arith::DivFOp>(loc, left, right));
    return folded(builder.create<arith::DivSIOp>(loc, left, right));
  case BO_Rem:
    return folded(builder.create<arith::RemSIOp>(loc, left, right));
  case BO_Shl:
    return folded(builder.create<arith::ShLIOp>(loc, left, right));
  case BO_Shr:
    return folded(builder.create<arith::ShRSIOp>(loc, left, right));
  case BO_And:
    return folded(builder.create<arith::AndIOp>(loc, left, right));
  case BO_Or:
    return folded(builder.create<arith::OrIOp>(loc, left, right));
  case BO_Xor:
    return folded(builder.create<arith::XOrIOp>(loc, left, right));
  default:
    refuse(place);
    return {};
  }
}

mlir::Value ScalarImporter::withNames(mlir::Value result, llvm::ArrayRef<const Expr *> operands) {
  for (const Expr *operand : operands)
    if (result)
      tk::nameOperand(result, context.parameters.find(operand));
  return result;
}

mlir::Value ScalarImporter::importBinary(const BinaryOperator *binary) {
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
  return withNames(combine(binary->getOpcode(), left, right, binary),
                   {binary->getLHS(), binary->getRHS()});
}

//===----------------------------------------------------------------------===//
// && || ?:
//===----------------------------------------------------------------------===//

mlir::Value ScalarImporter::importGuarded(const Expr *expr, mlir::Value condition, bool when) {
  mlir::Operation *last = lastOp(builder);
  const llvm::SmallVector<mlir::Value> before = environment.currentValues();
  mlir::Value value = importScalar(expr);
  if (!value)
    return {};
  if (llvm::ArrayRef(environment.currentValues()).take_front(before.size()) !=
      llvm::ArrayRef(before)) {
    error(expr->getExprLoc(), Message::changes_inside) << expr->getSourceRange();
    return {};
  }
  llvm::SmallVector<mlir::Operation *> fresh = opsSince(last, builder);
  // Say a division whose divisor the condition shows not to be zero. (A lambda has no branches.)
  if (environment.inLambda() || llvm::all_of(fresh, [](mlir::Operation *op) {
        return mlir::isPure(op) || mayDivideByZero(op);
      })) {
    guardDivisors(fresh, condition, when, builder, constants);
    return value;
  }

  // A function that stores, or has a loop.
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

mlir::Value ScalarImporter::importLogical(const BinaryOperator *binary) {
  const bool isAnd = binary->getOpcode() == BO_LAnd;
  mlir::Value left = importScalar(binary->getLHS());
  // The first operand may decide alone.
  if (std::optional<int64_t> decided = left ? Constants::valueOf(left) : std::nullopt)
    return isAnd == bool(*decided) ? importScalar(binary->getRHS()) : left;
  mlir::Value right = left ? importGuarded(binary->getRHS(), left, isAnd) : left;
  if (!right)
    return {};
  mlir::Location loc = locate(binary->getOperatorLoc());
  if (isAnd)
    return folded(builder.create<arith::AndIOp>(loc, left, right));
  return folded(builder.create<arith::OrIOp>(loc, left, right));
}

mlir::Value ScalarImporter::importConditional(const ConditionalOperator *conditional) {
  if (std::optional<int64_t> decided = evaluate(conditional->getCond()))
    return importScalar(*decided ? conditional->getTrueExpr() : conditional->getFalseExpr());
  mlir::Value condition = importScalar(conditional->getCond());
  if (!condition)
    return {};
  if (std::optional<int64_t> decided = Constants::valueOf(condition))
    return importScalar(*decided ? conditional->getTrueExpr() : conditional->getFalseExpr());
  mlir::Value whenTrue = importGuarded(conditional->getTrueExpr(), condition, true);
  mlir::Value whenFalse = importGuarded(conditional->getFalseExpr(), condition, false);
  if (!whenTrue || !whenFalse)
    return {};
  return folded(builder.create<arith::SelectOp>(locate(conditional->getQuestionLoc()), condition,
                                                whenTrue, whenFalse));
}
