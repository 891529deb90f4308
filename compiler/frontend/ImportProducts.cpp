//===- ImportProducts.cpp - mma and mm to tk.mma --------------------------===//
//
// What is wrong on any machine is said here: sizes, sums that would be narrowed,
// and layout tags of operands in registers. How large a tile may be is for
// tk-verify-layouts to say.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

/// The form, and whether the call begins at zero or has its accumulator as the last operand.
struct BuiltinImporter::Product {
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

mlir::Value BuiltinImporter::importProduct(const BuiltinCall &builtin) {
  Product product{formOf(builtin.word), Product::Adds, {}, {}, {}};
  switch (builtin.word) {
  case Word::mm_AB:
  case Word::mm_ABt:
  case Word::mm_AtB:
  case Word::mm_AtBt:
    product.kind = Product::FromZero;
    break;
  case Word::mma_AB_of:
  case Word::mma_ABt_of:
  case Word::mma_AtB_of:
  case Word::mma_AtBt_of:
    product.kind = Product::AddsTo;
    break;
  default:
    break;
  }
  product.a = importOperand(builtin.operands[0]);
  product.b = importOperand(builtin.operands[1]);
  if (!product.a || !product.b)
    return {};
  // The destination is checked before it is read: what it is matters more than whether it is set.
  mlir::Location loc = locate(builtin.expr);
  mlir::Type sum = ScalarMath::numberOf(product.typeOfA().getElementType());
  mlir::Type type = tk::TileType::get(sum.getContext(), product.rows(), product.cols(), sum,
                                      tk::Space::Register, tk::Layout::Row);
  if (!checkProductOperands(builtin, product) || !checkAccumulator(builtin, product, type))
    return {};
  mlir::Value acc;
  if (product.kind == Product::FromZero)
    acc = createFill(loc, type, mathAt(loc).number(0.0f));
  else
    acc = importValue(product.kind == Product::Adds ? builtin.destination : builtin.operands[2]);
  if (!acc)
    return {};
  return kernel.builder.create<tk::MmaOp>(loc, type, product.form, acc, product.a.value,
                                          product.b.value);
}

static std::string shapeOf(int64_t rows, int64_t cols) {
  return (llvm::Twine(rows) + " x " + llvm::Twine(cols)).str();
}

/// The builtin, without what its last operands say.
static std::string builtinOf(bool fromZero, tk::MmaForm form) {
  return (fromZero ? "mm_" : "mma_") + tk::stringifyMmaForm(form).str();
}

bool BuiltinImporter::checkProductOperands(const BuiltinCall &builtin, const Product &product) {
  const Expr *a = product.a.expr, *b = product.b.expr;
  auto noteBoth = [&] {
    noteDeclaration(a);
    noteDeclaration(b);
    return false;
  };
  tk::TileType typeA = product.typeOfA(), typeB = product.typeOfB();
  if (typeA.getElementType() != typeB.getElementType()) {
    error(builtin.expr, Message::mma_elements)
        << spell(typeA.getElementType()) << spell(typeB.getElementType()) << a->getSourceRange()
        << b->getSourceRange();
    return noteBoth();
  }
  for (const Operand &operand : {product.a, product.b})
    if (mlir::Type element = operand.elements().getElementType();
        element.isF32() || element.isInteger(32)) {
      error(operand.expr, Message::mma_element)
          << spell(element) << unsigned(element.isF32()) << operand.expr->getSourceRange();
      noteDeclaration(operand.expr);
      return false;
    }
  if (product.inner() != product.innerOfB()) {
    error(builtin.expr, Message::mma_inner)
        << (product.transposesA() ? "transposed " : "") << shapeOf(product.rows(), product.inner())
        << (product.transposesB() ? "transposed " : "")
        << shapeOf(product.innerOfB(), product.cols()) << unsigned(product.inner())
        << unsigned(product.innerOfB()) << a->getSourceRange() << b->getSourceRange();
    noteBoth();
    // Often the other form is meant.
    if (product.inner() == product.cols()) {
      Product other = product;
      other.form = product.transposesA()
                       ? (product.transposesB() ? tk::MmaForm::AtB : tk::MmaForm::AtBt)
                       : (product.transposesB() ? tk::MmaForm::AB : tk::MmaForm::ABt);
      error(builtin.expr, Message::note_other_form)
          << builtinOf(product.kind == Product::FromZero, other.form);
    }
    return false;
  }
  return checkProductSpaces(builtin, product);
}

/// Where operands lie, and the tags of those in registers: the tensor cores take A by rows and B by
/// columns.
bool BuiltinImporter::checkProductSpaces(const BuiltinCall &builtin, const Product &product) {
  const bool inWarps = kernel.scope.op && kernel.scope.op->getWorker() == tk::EachWorker::Warp;
  for (auto [name, operand, transposed] : {std::tuple("A", product.a, product.transposesA()),
                                           std::tuple("B", product.b, product.transposesB())}) {
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
        << builtinOf(product.kind == Product::FromZero, product.form) << name
        << tk::stringifyLayout(wanted) << tk::stringifyLayout(type.getLayout())
        << operand.expr->getSourceRange();
    noteDeclaration(operand.expr);
    noteWrap(operand.expr, Message::note_swap_layout, "swap_layout");
    return false;
  }
  return true;
}

bool BuiltinImporter::checkAccumulator(const BuiltinCall &builtin, const Product &product,
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
        << expr->getSourceRange() << product.a.expr->getSourceRange()
        << product.b.expr->getSourceRange();
  noteDeclaration(expr);
  return false;
}
