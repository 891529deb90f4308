//===- BuiltinImporter.h - Calls of builtins to ops of the tk dialect -----===//
//
// A builtin is a word of the language that works on tiles and vectors. It has two
// forms, which mean the same: `y = exp(x)` and, destination first, `exp(y, x)`. A
// BuiltinCall is a call with that difference taken away; a table says, for each
// word, which method makes a value of it.
//
// The language header declares more than the language has when tkc reads it, so
// that what does not fit together is answered here, in the words of the language.
//
// Methods return null or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_BUILTINIMPORTER_H
#define TKC_FRONTEND_BUILTINIMPORTER_H

#include "dialect/tk/Tk.h"
#include "frontend/ClangAst.h"
#include "frontend/Messages.h"
#include "frontend/ObjectLayout.h"
#include "frontend/ScalarMath.h"

namespace tkc {

class KernelImporter;

/// A call of a builtin, or a conversion or load that a constructor does, in either form.
struct BuiltinCall {
  const clang::Expr *expr;
  Word word;
  /// The variable that the value is assigned to; null in the value form.
  const clang::Expr *destination = nullptr;
  llvm::SmallVector<const clang::Expr *, 4> operands;
  /// The C++ type of the value.
  clang::QualType type;
};

/// An operand of a builtin.
struct Operand {
  const clang::Expr *expr = nullptr;
  mlir::Value value;

  explicit operator bool() const { return bool(value); }
  mlir::Type type() const { return value.getType(); }
  /// A tile or a vector, not a number.
  bool isElements() const { return isa<tk::ElementsInterface>(type()); }
  tk::ElementsInterface elements() const { return cast<tk::ElementsInterface>(type()); }
};

class BuiltinImporter {
public:
  explicit BuiltinImporter(KernelImporter &kernel) : kernel(kernel) {}

  /// Whether a builtin writes to a tensor.
  static bool isStore(Word word) {
    return word == Word::store || word == Word::store_vector || word == Word::store_add;
  }

  /// The value of an expression that is a tile or a vector.
  mlir::Value importValue(const clang::Expr *expr);
  /// A call of a builtin as a statement.
  bool importStatement(const clang::CallExpr *call);
  /// A call of a function of numbers in scalar code; nothing if `word` is none.
  std::optional<mlir::Value> importNumberCall(const clang::CallExpr *call, Word word);

  /// Shared memory that holds nothing yet, once for each tile of the grid.
  mlir::Value createAlloc(mlir::Location loc, mlir::Type type);

private:
  using Value = mlir::Value;
  using Operands = llvm::ArrayRef<Operand>;
  using Body =
      llvm::function_ref<Value(ScalarMath &, llvm::ArrayRef<Value> numbers, mlir::ValueRange at)>;
  using Indices = llvm::SmallVector<mlir::Value, 4>;
  struct Row; // of the table of builtins
  struct Mma;

  // ImportBuiltins.cpp: what all builtins share.
  static const Row *findRow(Word word);
  BuiltinCall analyze(const clang::Expr *expr, Word word);
  Value build(const BuiltinCall &builtin);
  Value readVariable(const clang::Expr *expr);
  Operand importOperand(const clang::Expr *expr);
  /// A tile or vector in registers; an error if it is in shared memory.
  Operand importRegisters(const BuiltinCall &builtin, const clang::Expr *expr);
  /// The same, or a number.
  Operand importRegistersOrNumber(const BuiltinCall &builtin, const clang::Expr *expr);
  Operand importTile(const BuiltinCall &builtin, const clang::Expr *expr);
  Operand importVector(const BuiltinCall &builtin, const clang::Expr *expr);
  /// A number as f32 or i32; a literal may be a double.
  Value importNumber(const clang::Expr *expr);
  /// A constant, `what` in the message if it is none.
  std::optional<int64_t> importConstant(const clang::Expr *expr, llvm::StringRef what);
  /// The type of a builtin's value; null after an error.
  mlir::Type importType(const BuiltinCall &builtin);

  // ImportMaps.cpp: the elementwise builtins, each one tk.map.
  Value importElementwise(const BuiltinCall &builtin);
  Value importAlong(const BuiltinCall &builtin);
  Value importBroadcast(const BuiltinCall &builtin);
  Value importOuter(const BuiltinCall &builtin);
  Value importConversion(const BuiltinCall &builtin);
  /// Refuses a value that C++ would convert and the language does not.
  Value refuseConversion(const BuiltinCall &builtin);
  /// The elements of `value` as another type.
  Value convert(Value value, mlir::Type element, mlir::Location loc);
  /// A map over those of `inputs` that are tiles or vectors; the others are used as they are.
  Value createMap(mlir::Location loc, mlir::Type type, mlir::ValueRange inputs, bool coordinates,
                  Body body);

  // ImportFills.cpp: values from nowhere.
  Value importFill(const BuiltinCall &builtin);
  Value importSequence(const BuiltinCall &builtin);
  Value importRandom(const BuiltinCall &builtin);
  Value createFill(mlir::Location loc, mlir::Type type, Value number);

  // ImportMasks.cpp.
  Value importMask(const BuiltinCall &builtin);
  Value importTriangle(const BuiltinCall &builtin);
  Value importSelect(const BuiltinCall &builtin);

  // ImportLambdas.cpp.
  Value importMap(const BuiltinCall &builtin);
  static bool isLambda(const clang::Expr *expr);
  /// The captures of a lambda, before it is applied in a map.
  std::optional<Object> importLambda(const clang::Expr *expr);
  Value applyLambda(const clang::Expr *lambda, Object closure, llvm::ArrayRef<Value> arguments);
  /// The same of a row and a column, as a condition.
  Value applyPredicate(const clang::Expr *lambda, Object closure, mlir::ValueRange at,
                       ScalarMath &math);

  // ImportReductions.cpp.
  Value importReduction(const BuiltinCall &builtin);
  Value importScan(const BuiltinCall &builtin);

  // ImportParts.cpp.
  Value importColumn(const BuiltinCall &builtin);
  Value importSlice(const BuiltinCall &builtin);
  Value importHalf(const BuiltinCall &builtin);
  Value importConcat(const BuiltinCall &builtin);
  /// A tile whose columns are told apart: each row lies in one quad of threads.
  Operand importTileInRows(const BuiltinCall &builtin, const clang::Expr *expr);
  Value importDeinterleave(const BuiltinCall &builtin);
  Value importInterleave(const BuiltinCall &builtin);
  Value importTranspose(const BuiltinCall &builtin);
  Value importSwapLayout(const BuiltinCall &builtin);

  // ImportTransfers.cpp.
  Value importLoad(const BuiltinCall &builtin);
  Value importSharedLoad(const BuiltinCall &builtin);
  Value importSharedStore(const BuiltinCall &builtin);
  Value importGather(const BuiltinCall &builtin);
  bool importStore(const BuiltinCall &builtin);
  /// The source and the place in it of `x = load(from, at)` and `load(x, from, at)`.
  static std::pair<const clang::Expr *, const clang::Expr *> sourceOf(const BuiltinCall &builtin);
  /// Says that what initialises a tile is no load.
  Value refuseSource(const BuiltinCall &builtin);
  bool importIndices(const clang::CXXConstructExpr *place, Indices &indices);
  /// A tensor, and the indices of a place in it.
  Value importTensorAt(const clang::Expr *tensor, const clang::Expr *place, bool forTile,
                       Indices &indices);
  /// The indices of a part of a shared tile or vector; none if it is the whole.
  bool importPart(const clang::Expr *place, const Operand &whole, mlir::Type part,
                  Indices &indices);
  bool checkSharedMove(const BuiltinCall &builtin, tk::ElementsInterface registers,
                       const Operand &shared);
  /// The call of `load` in the initial value of a tile.
  static const clang::Expr *callOf(const BuiltinCall &builtin);

  // ImportMma.cpp.
  Value importMma(const BuiltinCall &builtin);
  bool checkMmaOperands(const BuiltinCall &builtin, const Mma &mma);
  bool checkMmaSpaces(const BuiltinCall &builtin, const Mma &mma);
  bool checkAccumulator(const BuiltinCall &builtin, const Mma &mma, mlir::Type type);

  // CheckOperands.cpp: what fits together.
  /// An operand of an elementwise builtin whose result is like `leader`: a number, something of its
  /// shape and layout, or a vector that lies along it.
  bool checkBeside(const BuiltinCall &builtin, const Operand &operand, const Operand &leader,
                   bool sameElement = true);
  bool checkAlong(const BuiltinCall &builtin, const Operand &operand, const Operand &leader);
  bool checkLies(tk::TileVectorType vector, tk::TileType tile, const clang::Expr *place);
  bool checkElements(const BuiltinCall &builtin, const Operand &operand, const Operand &leader);
  bool checkOrientation(const BuiltinCall &builtin, const Operand &vector, tk::Orientation wanted);
  /// The result is in registers.
  bool checkResult(const BuiltinCall &builtin, mlir::Type type);
  /// The destination, if there is one, has this type.
  bool checkDestination(const BuiltinCall &builtin, mlir::Type type);
  static mlir::Type inRegisters(mlir::Type type);
  mlir::Value inLayoutOf(tk::ElementsInterface type, mlir::Value value, mlir::Location loc);
  /// A type as the user writes it: "rt<bf16, 64, 32>".
  static std::string spell(mlir::Type type);
  std::string textOf(const clang::Expr *expr);
  /// A note that says to write `call(expr)`, with a fix-it.
  void noteWrap(const clang::Expr *expr, Message note, llvm::StringRef call);

  // Places.
  mlir::Location locate(const clang::Expr *expr);
  ScalarMath mathAt(mlir::Location loc);
  /// The builtin as the user wrote it.
  std::string nameOf(const BuiltinCall &builtin);
  clang::DiagnosticBuilder error(const clang::Expr *place, Message message);
  void noteDeclaration(const clang::Expr *expr);

  KernelImporter &kernel;
};

} // namespace tkc

#endif // TKC_FRONTEND_BUILTINIMPORTER_H
