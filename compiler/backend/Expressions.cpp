//===- Expressions.cpp - Scalar values as C++ expressions -----------------===//
#include "backend/Expressions.h"

#include "backend/ElementTypes.h"
#include "backend/SourceLines.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TemplateParameters.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

#include <array>
#include <charconv>

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;

//===----------------------------------------------------------------------===//
// The table of scalar ops
//===----------------------------------------------------------------------===//

namespace {
enum class Form {
  Infix,    // a text b
  Logical,  // the same, for i1 alone; integers take the bitwise spelling below it
  Prefix,   // text a
  Function, // text(a, b)
  Cast,     // T(a), T the result's type
};

struct OperatorSpelling {
  StringRef op;
  Form form;
  StringRef text;
  Precedence precedence;
};
} // namespace

static constexpr OperatorSpelling spellings[] = {
    {arith::AddIOp::getOperationName(), Form::Infix, "+", Precedence::Additive},
    {arith::SubIOp::getOperationName(), Form::Infix, "-", Precedence::Additive},
    {arith::MulIOp::getOperationName(), Form::Infix, "*", Precedence::Multiplicative},
    {arith::DivSIOp::getOperationName(), Form::Infix, "/", Precedence::Multiplicative},
    {arith::RemSIOp::getOperationName(), Form::Infix, "%", Precedence::Multiplicative},
    {arith::CeilDivSIOp::getOperationName(), Form::Function, "ceil_div", Precedence::Primary},
    {arith::MinSIOp::getOperationName(), Form::Function, "min", Precedence::Primary},
    {arith::MaxSIOp::getOperationName(), Form::Function, "max", Precedence::Primary},
    {arith::AndIOp::getOperationName(), Form::Logical, "&&", Precedence::LogicalAnd},
    {arith::OrIOp::getOperationName(), Form::Logical, "||", Precedence::LogicalOr},
    {arith::XOrIOp::getOperationName(), Form::Logical, "!=", Precedence::Equality},
    {arith::AndIOp::getOperationName(), Form::Infix, "&", Precedence::BitAnd},
    {arith::OrIOp::getOperationName(), Form::Infix, "|", Precedence::BitOr},
    {arith::XOrIOp::getOperationName(), Form::Infix, "^", Precedence::BitXor},
    {arith::ShLIOp::getOperationName(), Form::Infix, "<<", Precedence::Shift},
    {arith::ShRSIOp::getOperationName(), Form::Infix, ">>", Precedence::Shift},
    {arith::ExtSIOp::getOperationName(), Form::Cast, "", Precedence::Primary},
    {arith::ExtUIOp::getOperationName(), Form::Cast, "", Precedence::Primary},
    {arith::TruncIOp::getOperationName(), Form::Cast, "", Precedence::Primary},
    {arith::SIToFPOp::getOperationName(), Form::Cast, "", Precedence::Primary},
    {arith::FPToSIOp::getOperationName(), Form::Cast, "", Precedence::Primary},
    {arith::IndexCastOp::getOperationName(), Form::Cast, "", Precedence::Primary},
    {arith::AddFOp::getOperationName(), Form::Infix, "+", Precedence::Additive},
    {arith::SubFOp::getOperationName(), Form::Infix, "-", Precedence::Additive},
    {arith::MulFOp::getOperationName(), Form::Infix, "*", Precedence::Multiplicative},
    {arith::DivFOp::getOperationName(), Form::Infix, "/", Precedence::Multiplicative},
    {arith::NegFOp::getOperationName(), Form::Prefix, "-", Precedence::Unary},
    {arith::MinNumFOp::getOperationName(), Form::Function, "fminf", Precedence::Primary},
    {arith::MaxNumFOp::getOperationName(), Form::Function, "fmaxf", Precedence::Primary},
    // One instruction each (ptx/math.h) where the loss is at most a few ulp; the others below.
    {math::Exp2Op::getOperationName(), Form::Function, "ex2", Precedence::Primary},
    {math::RsqrtOp::getOperationName(), Form::Function, "rsqrt_approx", Precedence::Primary},
    {math::SqrtOp::getOperationName(), Form::Function, "sqrt_approx", Precedence::Primary},
    {math::AbsFOp::getOperationName(), Form::Function, "fabsf", Precedence::Primary},
    {math::FloorOp::getOperationName(), Form::Function, "floorf", Precedence::Primary},
    {math::CeilOp::getOperationName(), Form::Function, "ceilf", Precedence::Primary},
    {math::FmaOp::getOperationName(), Form::Function, "fmaf", Precedence::Primary},
    {math::ExpOp::getOperationName(), Form::Function, "expf", Precedence::Primary},
    {math::LogOp::getOperationName(), Form::Function, "logf", Precedence::Primary},
    {math::ErfOp::getOperationName(), Form::Function, "erff", Precedence::Primary},
    {math::PowFOp::getOperationName(), Form::Function, "powf", Precedence::Primary},
    {math::AbsIOp::getOperationName(), Form::Function, "abs", Precedence::Primary},
    {tk::RandomOp::getOperationName(), Form::Function, "random_at", Precedence::Primary},
};

/// The spelling of an integer comparison; none for the unsigned ones, which the language has not.
static std::optional<OperatorSpelling> spellingOf(arith::CmpIPredicate predicate) {
  StringRef op = arith::CmpIOp::getOperationName();
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return OperatorSpelling{op, Form::Infix, "==", Precedence::Equality};
  case arith::CmpIPredicate::ne:
    return OperatorSpelling{op, Form::Infix, "!=", Precedence::Equality};
  case arith::CmpIPredicate::slt:
    return OperatorSpelling{op, Form::Infix, "<", Precedence::Relational};
  case arith::CmpIPredicate::sle:
    return OperatorSpelling{op, Form::Infix, "<=", Precedence::Relational};
  case arith::CmpIPredicate::sgt:
    return OperatorSpelling{op, Form::Infix, ">", Precedence::Relational};
  case arith::CmpIPredicate::sge:
    return OperatorSpelling{op, Form::Infix, ">=", Precedence::Relational};
  default:
    return std::nullopt;
  }
}

/// C++'s comparisons of floats: ordered ones, and the unordered !=.
static std::optional<OperatorSpelling> spellingOf(arith::CmpFPredicate predicate) {
  StringRef op = arith::CmpFOp::getOperationName();
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return OperatorSpelling{op, Form::Infix, "==", Precedence::Equality};
  case arith::CmpFPredicate::UNE:
    return OperatorSpelling{op, Form::Infix, "!=", Precedence::Equality};
  case arith::CmpFPredicate::OLT:
    return OperatorSpelling{op, Form::Infix, "<", Precedence::Relational};
  case arith::CmpFPredicate::OLE:
    return OperatorSpelling{op, Form::Infix, "<=", Precedence::Relational};
  case arith::CmpFPredicate::OGT:
    return OperatorSpelling{op, Form::Infix, ">", Precedence::Relational};
  case arith::CmpFPredicate::OGE:
    return OperatorSpelling{op, Form::Infix, ">=", Precedence::Relational};
  default:
    return std::nullopt;
  }
}

/// Functions whose instruction loses more than a few bits: it stands only where the op allows an
/// approximation, and not where the launcher may have to compute it, too.
static std::optional<OperatorSpelling> spellApproximated(Operation *op, bool inMap) {
  struct Pair {
    StringRef op, approximate, exact;
  };
  static constexpr Pair pairs[] = {{math::Log2Op::getOperationName(), "lg2", "log2f"},
                                   {math::TanhOp::getOperationName(), "tanh_approx", "tanhf"},
                                   {math::SinOp::getOperationName(), "sin_approx", "sinf"},
                                   {math::CosOp::getOperationName(), "cos_approx", "cosf"}};
  for (const Pair &pair : pairs)
    if (pair.op == op->getName().getStringRef()) {
      bool mayApproximate =
          inMap && arith::bitEnumContainsAny(
                       cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue(),
                       arith::FastMathFlags::afn);
      return OperatorSpelling{pair.op, Form::Function,
                              mayApproximate ? pair.approximate : pair.exact, Precedence::Primary};
    }
  return std::nullopt;
}

static std::optional<OperatorSpelling> spellingOf(Operation *op, bool inMap) {
  if (std::optional<OperatorSpelling> function = spellApproximated(op, inMap))
    return function;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return spellingOf(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return spellingOf(compare.getPredicate());
  bool isBool = op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  for (const OperatorSpelling &spelling : spellings)
    if (spelling.op == op->getName().getStringRef() && (spelling.form != Form::Logical || isBool))
      return spelling;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Constants and types
//===----------------------------------------------------------------------===//

StringRef backend::scalarTypeName(Type type) {
  if (type.isInteger(1))
    return "bool";
  if (type.isInteger(32))
    return "int";
  if (type.isInteger(64))
    return "int64_t";
  if (type.isF32())
    return "float";
  return {};
}

std::optional<int64_t> backend::constantValue(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// The shortest float literal that reads back as the same bits.
static Expression spellFloat(const APFloat &value) {
  std::string sign = value.isNegative() ? "-" : "";
  Precedence precedence = value.isNegative() ? Precedence::Unary : Precedence::Primary;
  if (value.isNaN())
    return {"NAN"};
  if (value.isInfinity())
    return {sign + "INFINITY", precedence};
  std::array<char, 32> buffer; // the shortest digits take at most 16
  char *end = std::to_chars(buffer.begin(), buffer.end(), value.convertToFloat()).ptr;
  StringRef digits(buffer.data(), end - buffer.data());
  bool hasPoint = digits.find_first_of(".e") != StringRef::npos;
  return {digits.str() + (hasPoint ? "f" : ".0f"), precedence};
}

static std::optional<Expression> spellConstant(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(attr); number && elementType(number.getType())) {
    APFloat value = number.getValue(); // of a narrow type: the float of its value
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    return spellFloat(value);
  }
  auto number = dyn_cast<IntegerAttr>(attr);
  if (!number)
    return std::nullopt;
  if (number.getType().isInteger(1))
    return Expression{number.getValue().isZero() ? "false" : "true"};
  if (number.getValue().isMinSignedValue()) // its digits alone would be a literal of a wider type
    return Expression{number.getType().isInteger(64) ? "INT64_MIN" : "INT32_MIN"};
  int64_t digits = number.getValue().getSExtValue();
  return Expression{llvm::itostr(digits), digits < 0 ? Precedence::Unary : Precedence::Primary};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void Expressions::error(Operation *op, const Twine &message) {
  if (reported.insert(op).second)
    op->emitOpError(message);
}

bool Expressions::isKnownAtLaunch(Value value) const {
  if (isBound(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isKnownAtLaunch(operand); });
}

std::string Expressions::text(Value value, Precedence tightness) {
  Expression expression = spell(value);
  if (expression.precedence < tightness)
    return "(" + expression.text + ")";
  return expression.text;
}

std::string Expressions::texts(ValueRange values) {
  std::string list;
  llvm::ListSeparator comma;
  for (Value value : values)
    list += std::string(StringRef(comma)) + text(value);
  return list;
}

Expression Expressions::spell(Value value) {
  if (auto known = names.find(value); known != names.end())
    return {known->second};
  if (std::optional<Expression> constant = spellConstant(value))
    return *constant;
  if (Operation *op = value.getDefiningOp())
    return spellOperator(op);
  error(value.getParentBlock()->getParentOp(), "has an argument that no emitted variable holds");
  return {"0"};
}

static Precedence tighter(Precedence precedence) { return Precedence(int(precedence) + 1); }

/// How tightly the operands of a binary operator must bind. Integer sums and products may be
/// regrouped; and where people misremember C++'s order, host compilers ask for parentheses.
static std::pair<Precedence, Precedence> operandTightness(Operation *op,
                                                          const OperatorSpelling &spelling) {
  auto isSame = [&](unsigned operand) {
    Operation *inner = op->getOperand(operand).getDefiningOp();
    return inner && inner->getName() == op->getName();
  };
  bool regroups =
      isa<arith::AddIOp, arith::AndIOp, arith::OrIOp>(op) || (isa<arith::MulIOp>(op) && isSame(1));
  switch (spelling.precedence) {
  case Precedence::LogicalOr:
    return {isSame(0) ? Precedence::LogicalOr : Precedence::Equality,
            isSame(1) ? Precedence::LogicalOr : Precedence::Equality};
  case Precedence::BitOr:
  case Precedence::BitXor:
  case Precedence::BitAnd:
  case Precedence::Shift:
    return {Precedence::Unary, Precedence::Unary};
  case Precedence::Equality:
  case Precedence::Relational:
    return {Precedence::Additive, Precedence::Additive};
  default:
    return {spelling.precedence, regroups ? spelling.precedence : tighter(spelling.precedence)};
  }
}

/// The ops by which maps read the elements of a value, also where a branch on a vote gives them.
static void collectReaders(Value value, SmallVectorImpl<Operation *> &users) {
  for (OpOperand &read : value.getUses())
    if (auto reader = dyn_cast<hopper::MapOp>(read.getOwner()))
      llvm::append_range(users, reader.getElements()[read.getOperandNumber()].getUsers());
    else if (auto branch = dyn_cast<scf::IfOp>(read.getOwner()->getParentOp());
             branch && branch.getCondition().getDefiningOp<hopper::AnyRowOp>() &&
             isa<scf::YieldOp>(read.getOwner()))
      collectReaders(branch.getResult(read.getOperandNumber()), users);
}

/// The ops of a map that read an op of its body; of a yield, those of other maps that read the
/// result.
static void collectUsers(Operation *op, SmallVectorImpl<Operation *> &users) {
  llvm::append_range(users, op->getUsers());
  for (OpOperand &use : op->getUses())
    if (auto map = dyn_cast<hopper::MapOp>(use.getOwner()->getParentOp());
        map && isa<tk::YieldOp>(use.getOwner()))
      collectReaders(map.getResult(use.getOperandNumber()), users);
}

/// True for a part of an exponent, also of one in another map.
static bool isInExponent(Operation *op) {
  SmallVector<Operation *> users;
  llvm::SmallPtrSet<Operation *, 16> seen;
  collectUsers(op, users);
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    if (isa<math::Exp2Op, math::ExpOp>(user))
      return true;
    if (isa<arith::MulFOp, arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::SelectOp,
            math::FmaOp>(user) &&
        seen.insert(user).second)
      collectUsers(user, users);
  }
  return false;
}

/// True for a sum that must not become a multiply-add with a product that it adds: passes have made
/// one of each that may, unless they say that it does not matter.
static bool isRoundedAlone(Operation *op) {
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue();
  auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
  return !arith::bitEnumContainsAny(flags, arith::FastMathFlags::contract) &&
         llvm::none_of(op->getOperands(), isConstant) && isInExponent(op);
}

std::string Expressions::spellParameter(StringRef userName, int64_t value) const {
  for (const Parameter &parameter : parameters)
    if (parameter.userName == userName && parameter.value == value)
      return parameter.name;
  return llvm::itostr(value);
}

std::string Expressions::operandText(Operation *op, unsigned index, Precedence tightness) {
  Value operand = op->getOperand(index);
  auto names = op->getAttrOfType<ArrayAttr>(tk::namedOperandsAttrName);
  std::optional<int64_t> value = names ? constantValue(operand) : std::nullopt;
  if (!value || isBound(operand))
    return text(operand, tightness);
  std::string number = llvm::itostr(*value), spelled = number;
  for (auto name : names.getAsRange<StringAttr>()) {
    std::string parameter = spellParameter(name.getValue(), *value);
    if (parameter == number || parameter == spelled)
      continue;
    if (spelled != number) // either of two parameters that are equal
      return text(operand, tightness);
    spelled = parameter;
  }
  return spelled == number ? text(operand, tightness) : spelled;
}

Expression Expressions::spellOperator(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return {text(select.getCondition(), Precedence::LogicalOr) + " ? " +
                text(select.getTrueValue(), tighter(Precedence::Conditional)) + " : " +
                text(select.getFalseValue(), tighter(Precedence::Conditional)),
            Precedence::Conditional};

  if (auto element = dyn_cast<tk::ElementOp>(op)) {
    return {(element.getEarly() ? "load_element_early(" : "load_element(") +
            text(element.getSource()) + ", {" + texts(element.getIndices()) + "})"};
  }

  // An element of a narrow type is held as the float, or int, of its value.
  if (isElementConversion(op) && isNarrow(op->getOperand(0).getType()) &&
      elementType(op->getOperand(0).getType())->number ==
          elementType(op->getResult(0).getType())->name)
    return spell(op->getOperand(0));
  if (isElementConversion(op) && isNarrow(op->getResult(0).getType()))
    return {"rounded<" + elementType(op->getResult(0).getType())->name.str() + ">(" +
            text(op->getOperand(0)) + ")"};
  if (isa<arith::BitcastOp>(op))
    return {(op->getResult(0).getType().isF32() ? "int_as_float(" : "float_as_int(") +
            text(op->getOperand(0)) + ")"};
  if (isa<arith::FPToSIOp>(op) && inMap && op->getResult(0).getType().isInteger(32))
    return {"cvt_s32(" + text(op->getOperand(0)) + ")"};
  if (auto divide = dyn_cast<arith::DivFOp>(op);
      divide && divide.getFastmath() == arith::FastMathFlags::arcp)
    return {text(divide.getLhs(), Precedence::Multiplicative) + " * reciprocal(" +
                text(divide.getRhs()) + ")",
            Precedence::Multiplicative};
  if (auto divide = dyn_cast<arith::DivFOp>(op);
      divide && matchPattern(divide.getLhs(), m_OneFloat()))
    return {"rcp(" + text(divide.getRhs()) + ")"};
  // In scalar code `/`, which is exact; of elements a function call and a branch would be too slow.
  if (isa<arith::DivFOp>(op) && inMap)
    return {"divide(" + texts(op->getOperands()) + ")"};

  if (inMap && isa<arith::AddFOp, arith::SubFOp>(op) && isRoundedAlone(op))
    return {(isa<arith::AddFOp>(op) ? "add_rn(" : "sub_rn(") + texts(op->getOperands()) + ")"};

  if (auto part = dyn_cast<tk::PartOp>(op))
    return {"tk::part<" + llvm::utostr(part.getDim()) + ">(" + texts(part->getOperands()) + ")"};
  if (isa<hopper::PartMapOp>(op))
    return {"rows_of(" + texts(op->getOperands()) + ")"};

  std::optional<OperatorSpelling> spelling = spellingOf(op, inMap);
  if (!spelling) {
    error(op, "has no spelling as a scalar expression in CUDA");
    return {"0"};
  }
  switch (spelling->form) {
  case Form::Infix:
  case Form::Logical: {
    Value left = op->getOperand(0), right = op->getOperand(1);
    if (isa<arith::SubIOp>(op) && constantValue(left) == 0)
      return {"-" + text(right, Precedence::Primary), Precedence::Unary};
    if (isa<arith::XOrIOp>(op) && constantValue(right) == -1 && right.getType().isInteger(1))
      return {"!" + text(left, Precedence::Unary), Precedence::Unary};
    if (isa<arith::XOrIOp>(op) && constantValue(right) == -1)
      return {"~" + text(left, Precedence::Unary), Precedence::Unary};
    auto [leftTightness, rightTightness] = operandTightness(op, *spelling);
    // Canonical IR writes a - 1 as a + -1.
    std::optional<int64_t> addend = isa<arith::AddIOp>(op) ? constantValue(right) : std::nullopt;
    if (addend && *addend < 0 && *addend > INT32_MIN)
      return {text(left, leftTightness) + " - " + llvm::itostr(-*addend), spelling->precedence};
    return {operandText(op, 0, leftTightness) + " " + spelling->text.str() + " " +
                operandText(op, 1, rightTightness),
            spelling->precedence};
  }
  case Form::Prefix:
    return {spelling->text.str() + text(op->getOperand(0), tighter(Precedence::Unary)),
            Precedence::Unary};
  case Form::Function: {
    SmallVector<std::string> operands;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      operands.push_back(operandText(op, i));
    return {spelling->text.str() + "(" + llvm::join(operands, ", ") + ")"};
  }
  case Form::Cast: {
    StringRef type = scalarTypeName(op->getResult(0).getType());
    if (type.empty())
      error(op, "converts to a type that has no spelling in CUDA");
    return {type.str() + "(" + text(op->getOperand(0)) + ")"};
  }
  }
  return {"0"};
}

//===----------------------------------------------------------------------===//
// Which values become named constants
//===----------------------------------------------------------------------===//

unsigned Expressions::countOperators(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || isBound(value) || op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  unsigned count = 1;
  for (Value operand : op->getOperands())
    count += countOperators(operand);
  return count;
}

bool Expressions::wantsName(Operation *op) const {
  Value value = op->getResult(0);
  if (op->hasTrait<OpTrait::ConstantLike>() || isBound(value) || value.use_empty())
    return false;
  constexpr unsigned longExpression = 6;  // operators that one line still shows at a glance
  constexpr unsigned shortExpression = 3; // operators that may be repeated
  unsigned count = countOperators(value);
  bool isCostly = isa<tk::RandomOp>(op); // and not to be said twice
  return !getSourceName(value).empty() || count > longExpression || isa<tk::ElementOp>(op) ||
         (isCostly && !value.hasOneUse()) || (count > shortExpression && !value.hasOneUse());
}
