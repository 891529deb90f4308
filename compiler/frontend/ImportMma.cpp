//===- ImportMma.cpp - mma and mm to tk.mma -------------------------------===//
//
// Errors on any machine are reported here: sizes, sums that would be narrowed,
// and layout tags of operands in registers. How large a tile may be is for
// tk-verify-layouts to say.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

/// The form, and whether the call begins at zero or has its accumulator as the last operand.
struct BuiltinImporter::Mma {
  tk::MmaForm form;
  enum { Adds, AddsTo, FromZero } kind;
  Operand a, b;
  Operand acc; // none in the value form of mm

  bool transposesA() const { return form == tk::MmaForm::AtB || form == tk::MmaForm::AtBt; }
  bool transposesB() const { return form == tk::MmaForm::ABt || form == tk::MmaForm::AtBt; }
  tk::TileType typeOfA() const { return cast<tk::TileType>(a.type()); }
  tk::TileType typeOfB() const { return cast<tk::TileType>(b.type()); }
  int64_t rows() const { return transposesA() ? typeOfA().getCols() : typeOfA().getRows(); }
  int64_t inner() const { return transposesA() ? typeOfA().getRows() : typeOfA().getCols(); }
  int64_t innerOfB() const { return transposesB() ? typeOfB().getCols() : typeOfB().getRows(); }
  int64_t cols() const { return transposesB() ? typeOfB().getRows() : typeOfB().getCols(); }
};

static tk::MmaForm formOf(Word word) {
  switch (word) {
  case Word::mma_AB:
  case Word::mma_AB_of:
  case Word::mm_AB:
    return tk::MmaForm::AB;
  case Word::mma_ABt:
  case Word::mma_ABt_of:
  case Word::mm_ABt:
    return tk::MmaForm::ABt;
  case Word::mma_AtB:
  case Word::mma_AtB_of:
  case Word::mm_AtB:
    return tk::MmaForm::AtB;
  default:
    return tk::MmaForm::AtBt;
  }
}

mlir::Value BuiltinImporter::importMma(const BuiltinCall &builtin) {
  Mma mma{formOf(builtin.word), Mma::Adds, {}, {}, {}};
  switch (builtin.word) {
  case Word::mm_AB:
  case Word::mm_ABt:
  case Word::mm_AtB:
  case Word::mm_AtBt:
    mma.kind = Mma::FromZero;
    break;
  case Word::mma_AB_of:
  case Word::mma_ABt_of:
  case Word::mma_AtB_of:
  case Word::mma_AtBt_of:
    mma.kind = Mma::AddsTo;
    break;
  default:
    break;
  }
  mma.a = importOperand(builtin.operands[0]);
  mma.b = importOperand(builtin.operands[1]);
  if (!mma.a || !mma.b)
    return {};
  // The destination is checked before it is read: its type matters more than whether it is set.
  mlir::Location loc = locate(builtin.expr);
  mlir::Type sum = ScalarMath::numberOf(mma.typeOfA().getElementType());
  mlir::Type type = tk::TileType::get(sum.getContext(), mma.rows(), mma.cols(), sum,
                                      tk::Space::Register, tk::Layout::Row);
  if (!checkMmaOperands(builtin, mma) || !checkAccumulator(builtin, mma, type))
    return {};
  mlir::Value acc;
  if (mma.kind == Mma::FromZero)
    acc = createFill(loc, type, mathAt(loc).number(0.0f));
  else
    acc = importValue(mma.kind == Mma::Adds ? builtin.destination : builtin.operands[2]);
  if (!acc)
    return {};
  return kernel.builder.create<tk::MmaOp>(loc, type, mma.form, acc, mma.a.value, mma.b.value);
}

static std::string shapeOf(int64_t rows, int64_t cols) {
  return (llvm::Twine(rows) + " x " + llvm::Twine(cols)).str();
}

/// The builtin, without what its last operands say.
static std::string builtinOf(bool fromZero, tk::MmaForm form) {
  return (fromZero ? "mm_" : "mma_") + tk::stringifyMmaForm(form).str();
}

bool BuiltinImporter::checkMmaOperands(const BuiltinCall &builtin, const Mma &mma) {
  const Expr *a = mma.a.expr, *b = mma.b.expr;
  auto noteBoth = [&] {
    noteDeclaration(a);
    noteDeclaration(b);
    return false;
  };
  tk::TileType typeA = mma.typeOfA(), typeB = mma.typeOfB();
  if (typeA.getElementType() != typeB.getElementType()) {
    error(builtin.expr, Message::mma_elements)
        << spell(typeA.getElementType()) << spell(typeB.getElementType()) << a->getSourceRange()
        << b->getSourceRange();
    return noteBoth();
  }
  for (const Operand &operand : {mma.a, mma.b})
    if (mlir::Type element = operand.elements().getElementType();
        element.isF32() || element.isInteger(32)) {
      error(operand.expr, Message::mma_element)
          << spell(element) << unsigned(element.isF32()) << operand.expr->getSourceRange();
      noteDeclaration(operand.expr);
      return false;
    }
  if (mma.inner() != mma.innerOfB()) {
    error(builtin.expr, Message::mma_inner)
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
      error(builtin.expr, Message::note_other_form)
          << builtinOf(mma.kind == Mma::FromZero, other.form);
    }
    return false;
  }
  return checkMmaSpaces(builtin, mma);
}

/// Where operands lie, and the tags of those in registers: the tensor cores take A by rows and B by
/// columns.
bool BuiltinImporter::checkMmaSpaces(const BuiltinCall &builtin, const Mma &mma) {
  const bool inWarps = kernel.scope.op && kernel.scope.op->getWorker() == tk::EachWorker::Warp;
  for (auto [name, operand, transposed] :
       {std::tuple("A", mma.a, mma.transposesA()), std::tuple("B", mma.b, mma.transposesB())}) {
    auto type = cast<tk::TileType>(operand.type());
    const bool isA = llvm::StringRef(name) == "A";
    if (type.isShared() && inWarps) {
      error(operand.expr, Message::mma_shared_in_warps) << name << operand.expr->getSourceRange();
      noteDeclaration(operand.expr);
      error(operand.expr, Message::note_load_first) << 0u;
      return false;
    }
    if (type.isShared())
      continue;
    if (!isA && !inWarps) {
      error(operand.expr, Message::mma_register_b) << operand.expr->getSourceRange();
      noteDeclaration(operand.expr);
      return false;
    }
    const tk::Layout wanted = isA == transposed ? tk::Layout::Col : tk::Layout::Row;
    if (type.getLayout() == wanted)
      continue;
    error(operand.expr, Message::mma_layout)
        << builtinOf(mma.kind == Mma::FromZero, mma.form) << name << tk::stringifyLayout(wanted)
        << tk::stringifyLayout(type.getLayout()) << operand.expr->getSourceRange();
    noteDeclaration(operand.expr);
    noteWrap(operand.expr, Message::note_swap_layout, "swap_layout");
    return false;
  }
  return true;
}

bool BuiltinImporter::checkAccumulator(const BuiltinCall &builtin, const Mma &mma,
                                       mlir::Type type) {
  if (!builtin.destination)
    return true;
  auto acc = dyn_cast_or_null<tk::TileType>(importType(builtin));
  auto wanted = cast<tk::TileType>(type);
  if (!acc || acc == wanted)
    return bool(acc);
  const Expr *expr = builtin.destination;
  if (!acc.isRegister() || acc.getElementType() != wanted.getElementType())
    error(expr, Message::accumulator_type)
        << spell(wanted.getElementType()) << expr->getType() << expr->getSourceRange();
  else if (acc.getLayout() != wanted.getLayout())
    error(expr, Message::accumulator_layout) << expr->getSourceRange();
  else
    error(expr, Message::mma_result)
        << shapeOf(wanted.getRows(), wanted.getCols()) << shapeOf(acc.getRows(), acc.getCols())
        << expr->getSourceRange() << mma.a.expr->getSourceRange() << mma.b.expr->getSourceRange();
  noteDeclaration(expr);
  return false;
}
