//===- BuiltinCall.h - A call of a builtin, while it is imported ----------===//
//
// A builtin is a word of the language that works on tiles and vectors. It has two
// forms, which mean the same: `y = exp(x)` and, destination first, `exp(y, x)`. A
// BuiltinCall is a call with that difference taken away, and what an importer of
// builtins (Builtins.def) needs: its operands as values, checks that they fit
// together, and the ops that several builtins build.
//
// The language header declares more than the language has when tkc reads it, so
// that what does not fit together is answered here, in the words of the language.
//
// Methods return null, nothing or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_BUILTINCALL_H
#define TKC_FRONTEND_BUILTINCALL_H

#include "frontend/ImportBuiltins.h"
#include "frontend/ScalarMath.h"

namespace tkc {

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

class BuiltinCall : public Importer, public BuiltinSurroundings {
public:
  using Value = mlir::Value;
  using Body =
      llvm::function_ref<Value(ScalarMath &, llvm::ArrayRef<Value> numbers, mlir::ValueRange at)>;

  /// A call, or a conversion or load that a constructor does, in either form.
  BuiltinCall(BuiltinImporter &importer, const clang::Expr *expr, Word word);

  const clang::Expr *expr;
  Word word;
  /// The variable that the value is assigned to; null in the value form.
  const clang::Expr *destination = nullptr;
  llvm::SmallVector<const clang::Expr *, 4> operands;
  /// The C++ type of the value.
  clang::QualType type;

  // BuiltinCall.cpp: operands as values.
  Operand importOperand(const clang::Expr *expr);
  /// A tile or vector in registers; an error if it is in shared memory.
  Operand importRegisters(const clang::Expr *expr);
  /// The same, or a number.
  Operand importRegistersOrNumber(const clang::Expr *expr);
  Operand importTile(const clang::Expr *expr);
  Operand importVector(const clang::Expr *expr);
  /// A number as f32 or i32; a literal may be a double.
  Value importNumber(const clang::Expr *expr);
  /// A constant, `what` in the message if it is none.
  std::optional<int64_t> importConstant(const clang::Expr *expr, llvm::StringRef what);
  /// The type of the value.
  mlir::Type importType();

  // BuiltinCall.cpp: ops.
  /// A map over those of `inputs` that are tiles or vectors; the others are used as they are.
  Value createMap(mlir::Type type, mlir::ValueRange inputs, bool coordinates, Body body) {
    return createMap(locate(), type, inputs, coordinates, body);
  }
  Value createFill(mlir::Location loc, mlir::Type type, Value number);
  /// The elements of `value` as another type.
  Value convert(Value value, mlir::Type element, mlir::Location loc);
  /// `value`, a tile or vector, in the layout of `type`.
  Value inLayoutOf(tk::ElementsInterface type, Value value, mlir::Location loc);
  ScalarMath mathAt(mlir::Location loc) { return builtins.mathAt(loc); }

  // CheckOperands.cpp: what fits together.
  /// An operand of an elementwise builtin whose result is like `leader`: a number, something of its
  /// shape and layout, or a vector that lies along it.
  bool checkBeside(const Operand &operand, const Operand &leader, bool sameElement = true);
  bool checkLies(tk::TileVectorType vector, tk::TileType tile, const clang::Expr *place);
  bool checkElements(const Operand &operand, const Operand &leader);
  bool checkOrientation(const Operand &vector, tk::Orientation wanted);
  /// The result is in registers.
  bool checkResult(mlir::Type type);
  /// The destination, if there is one, has this type.
  bool checkDestination(mlir::Type type);

  // Places.
  using Importer::error;
  using Importer::locate;
  mlir::Location locate() { return Importer::locate(expr->getExprLoc()); }
  mlir::Location locate(const clang::Expr *place) { return Importer::locate(place->getExprLoc()); }
  /// The builtin as the user wrote it.
  std::string name() const;
  clang::DiagnosticBuilder error(const clang::Expr *place, Message message) {
    return Importer::error(place->getExprLoc(), message);
  }
  /// A note that says to write `call(expr)`, with a fix-it.
  void noteWrap(const clang::Expr *expr, Message note, llvm::StringRef call);

  BuiltinImporter &builtins;

private:
  Value createMap(mlir::Location loc, mlir::Type type, mlir::ValueRange inputs, bool coordinates,
                  Body body);
  bool checkAlong(const Operand &operand, const Operand &leader);
};

/// The importers of all builtins.
#define TKC_BUILTIN(name, importer) mlir::Value importer(BuiltinCall &builtin);
#define TKC_STORE(name, importer) bool importer(BuiltinCall &builtin);
#include "frontend/Builtins.def"

} // namespace tkc

#endif // TKC_FRONTEND_BUILTINCALL_H
