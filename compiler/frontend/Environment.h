//===- Environment.h - Variables and their values -------------------------===//
//
// Every scalar, tile, vector and tensor of every variable is a slot that holds its
// current SSA value. A variable is a name for a range of slots, and a reference one
// more name for such a range. A loop carries, and an `if` yields, the slots that its
// body gave other values.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_ENVIRONMENT_H
#define TKC_FRONTEND_ENVIRONMENT_H

#include "frontend/ImportContext.h"
#include "frontend/WarnUnused.h"

namespace tkc {

/// The values of an object, one for each slot; null where it has none yet.
using Contents = llvm::SmallVector<mlir::Value, 1>;

struct Slot {
  mlir::Value value;
  const clang::ValueDecl *variable; // null for a temporary
  clang::QualType type;             // of the variable
  unsigned first;                   // slot of the variable
  /// Of an array in a scope: whether its index is the scope's variable, so that this is what each
  /// warpgroup has of it, or a constant.
  enum Indexing { None, ByScope, ByConstant } indexing = None;
  /// The loop or branch that took the slot's value: it cannot carry shared memory.
  clang::SourceLocation lost = {};
};

class Environment : Importer {
public:
  Environment(ImportContext &context, WrittenValues &written)
      : Importer(context), written(written) {}

  // Names.
  /// A new object without values: of a variable, or of a temporary if that is null.
  Object allocate(const clang::ValueDecl *variable, clang::QualType type);
  /// Gives the variable an object. Nothing if the language has not its type.
  std::optional<Object> declare(const clang::ValueDecl *variable);
  /// The same of a reference, whose object is there.
  void declare(const clang::ValueDecl *variable, Object object);
  /// Lets the variable be a name of another object for a while.
  void bind(const clang::ValueDecl *variable, Object object) { objects[variable] = object; }
  void unbind(const clang::ValueDecl *variable) { objects.erase(variable); }
  std::optional<Object> find(const clang::ValueDecl *variable) const;
  /// An error was reported for the variable: reading it says nothing more.
  void setBroken(const clang::ValueDecl *variable) { broken.insert(variable); }
  bool isBroken(const clang::ValueDecl *variable) const { return broken.contains(variable); }

  // Values.
  /// The value of an object that is one value; an error if it has none yet.
  mlir::Value read(Object object, const clang::Expr *place);
  /// Gives an object of one value another one, and this the variable's name.
  void write(Object object, mlir::Value value);
  Contents copy(Object object) const;
  /// Gives a new object its values, which stay as they are.
  void fill(Object object, llvm::ArrayRef<mlir::Value> contents);
  unsigned countOf(Object object) const;

  // Slots.
  Slot &operator[](unsigned slot) { return slots[slot]; }
  llvm::MutableArrayRef<Slot> slotsOf(Object object);
  unsigned size() const { return slots.size(); }
  /// Ends the life of the slots from `mark` on.
  void truncate(unsigned mark) { slots.truncate(mark); }
  llvm::SmallVector<mlir::Value> currentValues() const;
  /// Back to these values; slots that came later are gone.
  void restore(llvm::ArrayRef<mlir::Value> values);
  /// "acc[1]", as the user writes a slot, and "acc_1".
  std::string spellingOf(unsigned slot) const;
  std::string nameOf(unsigned slot) const;

  // Lambdas over elements.
  /// Whether the body of an elementwise op is being imported: everything there is computed, nothing
  /// is decided.
  bool inLambda() const { return lambdaMark.has_value(); }
  /// Runs `body` in a lambda: the slots that there are now belong to the code around it.
  mlir::Value inLambda(llvm::function_ref<mlir::Value()> body);
  /// False, and an error, if a lambda over elements would change a variable that is not its own.
  bool mayChange(Object object, const clang::Expr *place);

private:
  WrittenValues &written;
  /// Those of an inner block are after those of an outer one.
  llvm::SmallVector<Slot> slots;
  llvm::DenseMap<const clang::ValueDecl *, Object> objects;
  llvm::DenseSet<const clang::ValueDecl *> broken;
  std::optional<unsigned> lambdaMark;
};

} // namespace tkc

#endif // TKC_FRONTEND_ENVIRONMENT_H
