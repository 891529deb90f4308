//===- ImportBuiltins.cpp - The table of builtins, and what all share -----===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The function that makes a value of a builtin's operands.
struct BuiltinImporter::Row {
  Word word;
  mlir::Value (BuiltinImporter::*build)(const BuiltinCall &);
};

const BuiltinImporter::Row *BuiltinImporter::findRow(Word word) {
  using Self = BuiltinImporter;
  static const Row rows[] = {
      // Fills.
      {Word::fill, &Self::importFill},
      {Word::fill_vector, &Self::importFill},
      {Word::fill_into, &Self::importFill},
      {Word::zero, &Self::importFill},
      {Word::iota, &Self::importSequence},
      {Word::arange, &Self::importSequence},
      {Word::random, &Self::importRandom},
      // Along rows and columns.
      {Word::add_row, &Self::importAlong},
      {Word::sub_row, &Self::importAlong},
      {Word::mul_row, &Self::importAlong},
      {Word::div_row, &Self::importAlong},
      {Word::add_col, &Self::importAlong},
      {Word::sub_col, &Self::importAlong},
      {Word::mul_col, &Self::importAlong},
      {Word::div_col, &Self::importAlong},
      {Word::broadcast, &Self::importBroadcast},
      {Word::outer_add, &Self::importOuter},
      {Word::outer_sub, &Self::importOuter},
      {Word::outer_mul, &Self::importOuter},
      // Conversions.
      {Word::convert, &Self::importConversion},
      {Word::convert_vector, &Self::importConversion},
      {Word::copy, &Self::importConversion},
      {Word::copy_vector, &Self::importConversion},
      {Word::unlike, &Self::refuseConversion},
      // Masks and lambdas.
      {Word::mask, &Self::importMask},
      {Word::causal, &Self::importTriangle},
      {Word::tril, &Self::importTriangle},
      {Word::triu, &Self::importTriangle},
      {Word::right_fill, &Self::importTriangle},
      {Word::left_fill, &Self::importTriangle},
      {Word::lower_fill, &Self::importTriangle},
      {Word::upper_fill, &Self::importTriangle},
      {Word::select, &Self::importSelect},
      {Word::map, &Self::importMap},
      // Reductions.
      {Word::row_max, &Self::importReduction},
      {Word::row_min, &Self::importReduction},
      {Word::row_sum, &Self::importReduction},
      {Word::col_max, &Self::importReduction},
      {Word::col_min, &Self::importReduction},
      {Word::col_sum, &Self::importReduction},
      {Word::cumsum, &Self::importScan},
      {Word::total, &Self::importScan},
      // Parts and layouts.
      {Word::column, &Self::importColumn},
      {Word::slice, &Self::importSlice},
      {Word::left_half, &Self::importHalf},
      {Word::right_half, &Self::importHalf},
      {Word::upper_half, &Self::importHalf},
      {Word::lower_half, &Self::importHalf},
      {Word::concat_cols, &Self::importConcat},
      {Word::concat_rows, &Self::importConcat},
      {Word::even_cols, &Self::importDeinterleave},
      {Word::odd_cols, &Self::importDeinterleave},
      {Word::interleave_cols, &Self::importInterleave},
      {Word::transpose, &Self::importTranspose},
      {Word::swap_layout, &Self::importSwapLayout},
      // Transfers.
      {Word::loaded, &Self::importLoad},
      {Word::loaded_vector, &Self::importLoad},
      {Word::load_into, &Self::importLoad},
      {Word::load_vector_into, &Self::importLoad},
      {Word::loaded_shared, &Self::importSharedLoad},
      {Word::loaded_shared_vector, &Self::importSharedLoad},
      {Word::load_shared_into, &Self::importSharedLoad},
      {Word::store_shared, &Self::importSharedStore},
      {Word::gather, &Self::importGather},
      // MMAs.
      {Word::mma_AB, &Self::importMma},
      {Word::mma_ABt, &Self::importMma},
      {Word::mma_AtB, &Self::importMma},
      {Word::mma_AtBt, &Self::importMma},
      {Word::mma_AB_of, &Self::importMma},
      {Word::mma_ABt_of, &Self::importMma},
      {Word::mma_AtB_of, &Self::importMma},
      {Word::mma_AtBt_of, &Self::importMma},
      {Word::mm_AB, &Self::importMma},
      {Word::mm_ABt, &Self::importMma},
      {Word::mm_AtB, &Self::importMma},
      {Word::mm_AtBt, &Self::importMma},
  };
  if (findNumberFunction(word)) {
    static const Row elementwise{Word::map, &Self::importElementwise};
    return &elementwise;
  }
  const Row *found = llvm::find_if(rows, [&](const Row &row) { return row.word == word; });
  return found == std::end(rows) ? nullptr : found;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

BuiltinCall BuiltinImporter::analyze(const Expr *expr, Word word) {
  BuiltinCall builtin{expr, word, nullptr, {}, expr->getType()};
  if (auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
    builtin.operands.append(construct->arg_begin(), construct->arg_end());
    return builtin;
  }
  auto *call = cast<CallExpr>(expr);
  builtin.operands.append(call->arg_begin(), call->arg_end());
  auto *op = dyn_cast<CXXOperatorCallExpr>(call);
  const bool updates = op && op->isAssignmentOp(); // `a += b` reads its destination too
  if (!updates && !call->getType()->isVoidType())
    return builtin;
  builtin.destination = call->getArg(0);
  builtin.type = builtin.destination->getType();
  if (!updates)
    builtin.operands.erase(builtin.operands.begin());
  return builtin;
}

mlir::Value BuiltinImporter::build(const BuiltinCall &builtin) {
  if (kernel.inLambda()) {
    error(builtin.expr, Message::operation_in_lambda) << nameOf(builtin);
    return {};
  }
  const Row *row = findRow(builtin.word);
  return row ? (this->*row->build)(builtin) : mlir::Value();
}

mlir::Value BuiltinImporter::importValue(const Expr *expr) {
  expr = KernelImporter::peel(expr);
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr)) {
    KernelImporter::Contents contents;
    return kernel.importChoice(conditional, contents) ? contents.front() : mlir::Value();
  }
  if (expr->isGLValue())
    return readVariable(expr);
  if (std::optional<Word> word = kernel.language.findCallee(expr); word && findRow(*word))
    return build(analyze(expr, *word));
  if (auto *call = dyn_cast<CallExpr>(expr); call && kernel.isInlined(call->getCalleeDecl())) {
    std::optional<KernelImporter::Returned> returned = kernel.importCall(call);
    return returned ? returned->contents.front() : mlir::Value();
  }
  kernel.refuse(expr);
  return {};
}

mlir::Value BuiltinImporter::readVariable(const Expr *expr) {
  if (kernel.inLambda()) {
    error(expr, Message::lambda_reads_tile) << expr->getSourceRange();
    noteDeclaration(expr);
    return {};
  }
  std::optional<Object> object = kernel.importObject(expr);
  mlir::Value value = object ? kernel.read(*object, expr) : mlir::Value();
  // Shared memory that nobody has written.
  if (value && value.getDefiningOp<tk::AllocOp>()) {
    error(expr, Message::no_value) << kernel.spellingOf(object->first) << expr->getSourceRange();
    noteDeclaration(expr);
    return {};
  }
  return value;
}

bool BuiltinImporter::importStatement(const CallExpr *call) {
  std::optional<Word> word = kernel.language.findCallee(call);
  if (!word)
    return kernel.refuse(call);
  BuiltinCall builtin = analyze(call, *word);
  if (isStore(*word))
    return importStore(builtin);
  if (!builtin.destination || !findRow(*word)) {
    error(call, Message::result_unused) << nameOf(builtin) << call->getSourceRange();
    return false;
  }
  mlir::Value value = build(builtin);
  return value && kernel.assignTo(builtin.destination, value);
}

std::optional<mlir::Value> BuiltinImporter::importNumberCall(const CallExpr *call, Word word) {
  const NumberFunction *function = findNumberFunction(word);
  if (!function && word != Word::random)
    return std::nullopt;
  llvm::SmallVector<mlir::Value> numbers;
  for (const Expr *argument : call->arguments())
    numbers.push_back(importNumber(argument));
  if (llvm::is_contained(numbers, mlir::Value()))
    return mlir::Value();
  mlir::Location loc = locate(call);
  if (word == Word::random)
    return kernel.builder.create<tk::RandomOp>(loc, kernel.builder.getF32Type(), numbers[0],
                                               numbers[1], numbers[2], numbers[3]);
  ScalarMath math = mathAt(loc);
  return kernel.folded(function->build(math, numbers));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand BuiltinImporter::importOperand(const Expr *expr) { return {expr, importValue(expr)}; }

mlir::Value BuiltinImporter::importNumber(const Expr *expr) {
  mlir::Value value = kernel.importScalar(expr);
  return value ? mathAt(locate(expr)).toNumber(value) : value;
}

/// The type of an expression as the user wrote it, before C++ bound it to a parameter.
static QualType asWritten(const Expr *expr) {
  return expr->IgnoreParenImpCasts()->getType().getUnqualifiedType();
}

Operand BuiltinImporter::importRegisters(const BuiltinCall &builtin, const Expr *expr) {
  if (!kernel.types.isTile(expr->getType()) && !kernel.types.isVector(expr->getType())) {
    error(expr, Message::not_a_tile)
        << nameOf(builtin) << asWritten(expr) << expr->getSourceRange();
    return {};
  }
  Operand operand = importOperand(expr);
  if (!operand)
    return {};
  auto tile = dyn_cast<tk::TileType>(operand.type());
  auto vector = dyn_cast<tk::TileVectorType>(operand.type());
  if (tile ? tile.isRegister() : vector && vector.isRegister())
    return operand;
  error(expr, Message::operand_in_shared)
      << nameOf(builtin) << unsigned(bool(vector)) << expr->getSourceRange();
  noteDeclaration(expr);
  error(expr, Message::note_load_first) << unsigned(bool(vector));
  return {};
}

Operand BuiltinImporter::importRegistersOrNumber(const BuiltinCall &builtin, const Expr *expr) {
  if (kernel.types.isTile(expr->getType()) || kernel.types.isVector(expr->getType()))
    return importRegisters(builtin, expr);
  return {expr, importNumber(expr)};
}

Operand BuiltinImporter::importTile(const BuiltinCall &builtin, const Expr *expr) {
  Operand operand = importRegisters(builtin, expr);
  if (!operand || isa<tk::TileType>(operand.type()))
    return operand;
  error(expr, Message::needs_tile) << nameOf(builtin) << asWritten(expr) << expr->getSourceRange();
  noteDeclaration(expr);
  return {};
}

Operand BuiltinImporter::importVector(const BuiltinCall &builtin, const Expr *expr) {
  Operand operand = importRegisters(builtin, expr);
  if (!operand || isa<tk::TileVectorType>(operand.type()))
    return operand;
  error(expr, Message::needs_vector)
      << nameOf(builtin) << asWritten(expr) << expr->getSourceRange();
  noteDeclaration(expr);
  return {};
}

std::optional<int64_t> BuiltinImporter::importConstant(const Expr *expr, llvm::StringRef what) {
  std::optional<int64_t> value = kernel.importConstant(expr);
  if (!value)
    error(expr, Message::part_not_constant) << what << expr->getSourceRange();
  return value;
}

mlir::Type BuiltinImporter::importType(const BuiltinCall &builtin) {
  return kernel.types.value(builtin.type, builtin.expr->getExprLoc());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

mlir::Location BuiltinImporter::locate(const Expr *expr) {
  return kernel.locate(expr->getExprLoc());
}

ScalarMath BuiltinImporter::mathAt(mlir::Location loc) {
  return ScalarMath(kernel.builder, loc, [this](mlir::TypedAttr value, mlir::Location place) {
    return kernel.constant(value, place);
  });
}

std::string BuiltinImporter::nameOf(const BuiltinCall &builtin) {
  if (auto *op = dyn_cast<CXXOperatorCallExpr>(builtin.expr))
    return getOperatorSpelling(op->getOperator());
  if (auto *call = dyn_cast<CallExpr>(builtin.expr))
    if (const FunctionDecl *callee = call->getDirectCallee())
      return callee->getNameAsString();
  return cast<CXXConstructExpr>(builtin.expr)->getConstructor()->getParent()->getNameAsString();
}

DiagnosticBuilder BuiltinImporter::error(const Expr *place, Message message) {
  return kernel.error(place->getExprLoc(), message);
}

void BuiltinImporter::noteDeclaration(const Expr *expr) { kernel.noteDeclaration(expr); }

//===----------------------------------------------------------------------===//
// Questions of the rest of the importer
//===----------------------------------------------------------------------===//

mlir::Value KernelImporter::importTile(const Expr *expr) {
  return BuiltinImporter(*this).importValue(expr);
}

bool KernelImporter::importTileCall(const CallExpr *call) {
  return BuiltinImporter(*this).importStatement(call);
}

std::optional<mlir::Value> KernelImporter::importNumberCall(const CallExpr *call) {
  std::optional<Word> word = language.findCallee(call);
  return word ? BuiltinImporter(*this).importNumberCall(call, *word) : std::nullopt;
}
