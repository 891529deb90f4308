//===- ImportBuiltins.cpp - Calls of builtins to ops of the tk dialect ----===//
#include "frontend/ImportBuiltins.h"

#include "frontend/BuiltinCall.h"
#include "frontend/ImportFunctions.h"
#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportScopes.h"

using namespace clang;
using namespace tkc;

using ImportValue = mlir::Value (*)(BuiltinCall &);
using ImportStore = bool (*)(BuiltinCall &);

/// The function that makes a value of a builtin's operands; null for other words.
static ImportValue findImporter(Word word) {
  switch (word) {
#define TKC_BUILTIN(name, importer)                                                                \
  case Word::name:                                                                                 \
    return importer;
#include "frontend/Builtins.def"
  default:
    return nullptr;
  }
}

static ImportStore findStore(Word word) {
  switch (word) {
#define TKC_STORE(name, importer)                                                                  \
  case Word::name:                                                                                 \
    return importer;
#include "frontend/Builtins.def"
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

mlir::Value BuiltinImporter::build(const Expr *expr, Word word) {
  BuiltinCall builtin(*this, expr, word);
  if (!environment.inLambda())
    return findImporter(word)(builtin);
  builtin.error(expr, Message::operation_in_lambda) << builtin.name();
  return {};
}

mlir::Value BuiltinImporter::importValue(const Expr *expr) {
  expr = peel(expr);
  if (auto *conditional = dyn_cast<ConditionalOperator>(expr)) {
    std::optional<Contents> chosen = objects.importChoice(conditional);
    return chosen ? chosen->front() : mlir::Value();
  }
  if (expr->isGLValue())
    return readVariable(expr);
  if (std::optional<Word> word = language.findCallee(expr); word && findImporter(*word))
    return build(expr, *word);
  if (auto *call = dyn_cast<CallExpr>(expr); call && functions.isInlined(call->getCalleeDecl())) {
    std::optional<FunctionImporter::Returned> returned = functions.importCall(call);
    return returned ? returned->contents.front() : mlir::Value();
  }
  refuse(expr);
  return {};
}

mlir::Value BuiltinImporter::readVariable(const Expr *expr) {
  if (environment.inLambda()) {
    error(expr->getExprLoc(), Message::lambda_reads_tile) << expr->getSourceRange();
    noteDeclaration(expr);
    return {};
  }
  std::optional<Object> object = objects.importObject(expr);
  mlir::Value value = object ? environment.read(*object, expr) : mlir::Value();
  // Shared memory that nobody has written.
  if (value && value.getDefiningOp<tk::AllocOp>()) {
    error(expr->getExprLoc(), Message::no_value)
        << environment.spellingOf(object->first) << expr->getSourceRange();
    noteDeclaration(expr);
    return {};
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool BuiltinImporter::importStatement(const CallExpr *call) {
  std::optional<Word> word = language.findCallee(call);
  if (!word)
    return refuse(call);
  BuiltinCall builtin(*this, call, *word);
  if (ImportStore import = findStore(*word)) {
    scope.noteStore(call->getExprLoc());
    return import(builtin);
  }
  if (!builtin.destination || !findImporter(*word)) {
    builtin.error(call, Message::result_unused) << builtin.name() << call->getSourceRange();
    return false;
  }
  mlir::Value value = build(call, *word);
  return value && objects.assign(builtin.destination, value);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

ScalarMath BuiltinImporter::mathAt(mlir::Location loc) {
  return ScalarMath(builder, loc, [this](mlir::TypedAttr value, mlir::Location place) {
    return constant(value, place);
  });
}

mlir::Value BuiltinImporter::importNumber(const Expr *expr) {
  mlir::Value value = scalars.importScalar(expr);
  return value ? mathAt(locate(expr->getExprLoc())).toNumber(value) : value;
}

std::optional<mlir::Value> BuiltinImporter::importNumberCall(const CallExpr *call, Word word) {
  NumberFunction function = findNumberFunction(word);
  if (!function && word != Word::random)
    return std::nullopt;
  llvm::SmallVector<mlir::Value> numbers;
  for (const Expr *argument : call->arguments())
    numbers.push_back(importNumber(argument));
  if (llvm::is_contained(numbers, mlir::Value()))
    return mlir::Value();
  mlir::Location loc = locate(call->getExprLoc());
  if (word == Word::random)
    return builder.create<tk::RandomOp>(loc, builder.getF32Type(), numbers[0], numbers[1],
                                        numbers[2], numbers[3]);
  ScalarMath math = mathAt(loc);
  return folded(function(math, numbers));
}
