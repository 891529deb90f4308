//===- ImportMma.cpp - mma and mm to tk.mma -------------------------------===//
//
// Errors on any machine are reported here: sizes, sums that would be narrowed,
// and layout tags of operands in registers. How large a tile may be is for
// tk-verify-layouts to say.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinCall.h"
#include "frontend/ImportScopes.h"

using namespace clang;
using namespace tkc;

namespace {
struct Mma {
  tk::MmaForm form;
  /// The sum begins as the destination, the last operand, or zero.
  enum Start { Destination, Operand, Zero } start;
  tkc::Operand a, b;
  bool isSubtracted = false;

  bool transposesA() const { return form == tk::MmaForm::AtB || form == tk::MmaForm::AtBt; }
  bool transposesB() const { return form == tk::MmaForm::ABt || form == tk::MmaForm::AtBt; }
  tk::TileType typeOfA() const { return cast<tk::TileType>(a.type()); }
  tk::TileType typeOfB() const { return cast<tk::TileType>(b.type()); }
  int64_t rows() const { return transposesA() ? typeOfA().getCols() : typeOfA().getRows(); }
  int64_t inner() const { return transposesA() ? typeOfA().getRows() : typeOfA().getCols(); }
  int64_t innerOfB() const { return transposesB() ? typeOfB().getCols() : typeOfB().getRows(); }
  int64_t cols() const { return transposesB() ? typeOfB().getRows() : typeOfB().getCols(); }
};
} // namespace

static std::pair<tk::MmaForm, Mma::Start> mmaOf(Word word) {
  switch (word) {
#define TKC_MMA(name, form, start)                                                                 \
  case Word::name:                                                                                 \
    return {tk::MmaForm::form, Mma::start};
#include "frontend/Builtins.def"
  default:
    llvm_unreachable("not a row of TKC_MMA");
  }
}

static std::string shapeOf(int64_t rows, int64_t cols) {
  return (llvm::Twine(rows) + " x " + llvm::Twine(cols)).str();
}

static bool subtracts(Word word) {
  switch (word) {
#define TKC_MMA(name, form, start)
#define TKC_MMS(name, form, start) case Word::name:
#include "frontend/Builtins.def"
    return true;
  default:
    return false;
  }
}

/// The builtin, without what its last operands say.
static std::string builtinOf(const Mma &mma, tk::MmaForm form) {
  const char *stem = mma.isSubtracted ? "mms_" : mma.start == Mma::Zero ? "mm_" : "mma_";
  return stem + tk::stringifyMmaForm(form).str();
}

/// Where operands lie, and the tags of those in registers: the tensor cores take A by rows and B by
/// columns.
static bool checkMmaSpaces(BuiltinCall &builtin, const Mma &mma) {
  const bool inWarps = builtin.scope.isOfWarps();
  for (auto [name, operand, transposed] :
       {std::tuple("A", mma.a, mma.transposesA()), std::tuple("B", mma.b, mma.transposesB())}) {
    auto type = cast<tk::TileType>(operand.type());
    const bool isA = llvm::StringRef(name) == "A";
    if (type.isShared())
      continue;
    if (!isA && !inWarps) {
      builtin.error(operand.expr, Message::mma_register_b) << operand.expr->getSourceRange();
      builtin.noteDeclaration(operand.expr);
      return false;
    }
    const tk::Layout wanted = isA == transposed ? tk::Layout::Col : tk::Layout::Row;
    if (type.getLayout() == wanted)
      continue;
    builtin.error(operand.expr, Message::mma_layout)
        << builtinOf(mma, mma.form) << name << tk::stringifyLayout(wanted)
        << tk::stringifyLayout(type.getLayout()) << operand.expr->getSourceRange();
    builtin.noteDeclaration(operand.expr);
    builtin.noteWrap(operand.expr, Message::note_swap_layout, "swap_layout");
    return false;
  }
  return true;
}

static bool checkMmaOperands(BuiltinCall &builtin, const Mma &mma) {
  const Expr *a = mma.a.expr, *b = mma.b.expr;
  auto noteBoth = [&] {
    builtin.noteDeclaration(a);
    builtin.noteDeclaration(b);
    return false;
  };
  tk::TileType typeA = mma.typeOfA(), typeB = mma.typeOfB();
  if (typeA.getElementType() != typeB.getElementType()) {
    builtin.error(builtin.expr, Message::mma_elements)
        << spell(typeA.getElementType()) << spell(typeB.getElementType()) << a->getSourceRange()
        << b->getSourceRange();
    return noteBoth();
  }
  for (const Operand &operand : {mma.a, mma.b})
    if (mlir::Type element = operand.elements().getElementType();
        element.isF32() || element.isInteger(32)) {
      builtin.error(operand.expr, Message::mma_element)
          << spell(element) << unsigned(element.isF32()) << operand.expr->getSourceRange();
      builtin.noteDeclaration(operand.expr);
      return false;
    }
  if (mlir::Type element = typeA.getElementType();
      mma.isSubtracted && isa<mlir::IntegerType>(element)) {
    builtin.error(builtin.expr, Message::mms_integers)
        << builtinOf(mma, mma.form) << spell(element)
        << ("mm_" + tk::stringifyMmaForm(mma.form)).str() << builtin.expr->getSourceRange();
    return false;
  }
  if (mma.inner() != mma.innerOfB()) {
    builtin.error(builtin.expr, Message::mma_inner)
        << (mma.transposesA() ? "transposed " : "") << shapeOf(mma.rows(), mma.inner())
        << (mma.transposesB() ? "transposed " : "") << shapeOf(mma.innerOfB(), mma.cols())
        << unsigned(mma.inner()) << unsigned(mma.innerOfB()) << a->getSourceRange()
        << b->getSourceRange();
    noteBoth();
    // Often the other form is meant.
    if (mma.inner() == mma.cols()) {
      Mma other = mma;
      other.form = mma.transposesA() ? (mma.transposesB() ? tk::MmaForm::AtB : tk::MmaForm::AtBt)
                                     : (mma.transposesB() ? tk::MmaForm::AB : tk::MmaForm::ABt);
      builtin.error(builtin.expr, Message::note_other_form) << builtinOf(mma, other.form);
    }
    return false;
  }
  return checkMmaSpaces(builtin, mma);
}

static bool checkAccumulator(BuiltinCall &builtin, const Mma &mma, mlir::Type type) {
  if (!builtin.destination)
    return true;
  auto acc = dyn_cast_or_null<tk::TileType>(builtin.importType());
  auto wanted = cast<tk::TileType>(type);
  if (!acc || acc == wanted)
    return bool(acc);
  const Expr *expr = builtin.destination;
  if (!acc.isRegister() || acc.getElementType() != wanted.getElementType())
    builtin.error(expr, Message::accumulator_type)
        << spell(wanted.getElementType()) << expr->getType() << expr->getSourceRange();
  else if (acc.getLayout() != wanted.getLayout())
    builtin.error(expr, Message::accumulator_layout) << expr->getSourceRange();
  else
    builtin.error(expr, Message::mma_result)
        << shapeOf(wanted.getRows(), wanted.getCols()) << shapeOf(acc.getRows(), acc.getCols())
        << expr->getSourceRange() << mma.a.expr->getSourceRange() << mma.b.expr->getSourceRange();
  builtin.noteDeclaration(expr);
  return false;
}

mlir::Value tkc::importMma(BuiltinCall &builtin) {
  auto [form, start] = mmaOf(builtin.word);
  Mma mma{form, start, {}, {}, subtracts(builtin.word)};
  mma.a = builtin.importOperand(builtin.operands[0]);
  mma.b = builtin.importOperand(builtin.operands[1]);
  if (!mma.a || !mma.b)
    return {};
  // The destination is checked before it is read: its type matters more than whether it is set.
  mlir::Location loc = builtin.locate();
  mlir::Type sum = ScalarMath::numberOf(mma.typeOfA().getElementType());
  mlir::Type type = tk::TileType::get(sum.getContext(), mma.rows(), mma.cols(), sum,
                                      tk::Space::Register, tk::Layout::Row);
  if (!checkMmaOperands(builtin, mma) || !checkAccumulator(builtin, mma, type))
    return {};
  mlir::Value acc;
  if (mma.start == Mma::Zero)
    acc = builtin.createFill(loc, type, builtin.mathAt(loc).number(0.0f));
  else
    acc = builtin.builtins.importValue(mma.start == Mma::Destination ? builtin.destination
                                                                     : builtin.operands[2]);
  if (!acc)
    return {};
  return builtin.builder.create<tk::MmaOp>(loc, type, mma.form, acc, mma.a.value, mma.b.value,
                                           /*sums=*/false, /*subtracts=*/mma.isSubtracted);
}
