//===- ImportKernel.h - A kernel's typed AST to the tk dialect ------------===//
//
// Clang has resolved names, types, templates and overloads; the importer only has to
// turn variables into SSA values. The importer walks the statements once, in
// order, as the program would run: functions are entered where they are called,
// and every scalar, tile, vector and tensor of every variable is a slot that
// holds its current SSA value. A loop carries, and an `if` yields, the slots that
// its body gave other values.
//
// Methods return null, nothing or false after an error that they reported.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_IMPORTKERNEL_H
#define TKC_FRONTEND_IMPORTKERNEL_H

#include "frontend/ClangAst.h"
#include "frontend/ImportTypes.h"
#include "frontend/Instances.h"
#include "frontend/Messages.h"
#include "frontend/ObjectLayout.h"
#include "frontend/ParameterNames.h"
#include "frontend/WarnUnused.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tkc {

/// Empty for declarations without a name, or with an operator's.
inline llvm::StringRef getName(const clang::NamedDecl *decl) {
  const clang::IdentifierInfo *name = decl->getIdentifier();
  return name ? name->getName() : llvm::StringRef();
}

class KernelImporter {
public:
  KernelImporter(clang::ASTContext &ast, Vocabulary &language, UnusedValues &unused,
                 mlir::ModuleOp module);
  ~KernelImporter();

  bool import(const Instance &instance);

private:
  using Variables = llvm::SetVector<const clang::ValueDecl *>;
  using Statements = llvm::ArrayRef<const clang::Stmt *>;
  /// The values of an object, one for each slot; null where it has none yet.
  using Contents = llvm::SmallVector<mlir::Value, 1>;
  /// The result of a function: its values, or the object that its reference refers to.
  struct Returned {
    Contents contents;
    std::optional<Object> object;
  };
  /// A function that is being imported at a place where it is called.
  struct Call {
    const clang::FunctionDecl *function;
    clang::SourceLocation place;
    std::optional<Object> self;    // `*this`
    std::optional<Object> result;  // what `return` writes, unless it is a reference
    std::optional<Object> referee; // what a returned reference refers to
    unsigned loops;                // around the call
  };
  struct Slot {
    mlir::Value value;
    const clang::ValueDecl *variable; // null for a temporary
    clang::QualType type;             // of the variable
    unsigned first;                   // slot of the variable
    /// Of an array in a scope: whether its index is the scope's variable, so that this is what each
    /// warpgroup has of it, or a constant.
    enum Indexing { none, by_scope, by_constant } indexing = none;
    /// The loop or branch that took the slot's value: it cannot carry shared memory.
    clang::SourceLocation lost = {};
  };
  /// A member function of `grid(...)` or `pipeline(...)`, with its constant arguments.
  struct Hint {
    Word word;
    llvm::SmallVector<int64_t, 2> values;
    clang::SourceLocation place;
  };
  /// The loops over warpgroups, or warps, of a kernel: together they are one op around all code of
  /// the grid.
  struct Scope {
    mlir::OwningOpRef<tk::EachOp> op;
    int64_t count = 0;                        // as the user wrote; warps come by four
    mlir::Value number;                       // the value of the variable
    const clang::VarDecl *variable = nullptr; // of the loop that is being imported
    clang::SourceLocation place;              // of the first loop
  };

  // ImportKernel.cpp: the kernel and its parameters.
  bool importParameters(const clang::FunctionDecl *function, tk::KernelOp kernel);
  bool importBody(const clang::FunctionDecl *function);

  // ImportGrid.cpp.
  bool importGrid(const clang::CXXForRangeStmt *loop);

  // ImportHints.cpp.
  /// The hints around a call of `grid` or `pipeline`, outermost first; `range` becomes that call.
  std::optional<llvm::SmallVector<Hint>> importHints(const clang::Expr *&range);
  bool checkHint(const Hint &hint, const clang::CXXMemberCallExpr *call);
  static void setHint(const Hint &hint, tk::KernelOp kernel, tk::GridOp grid);

  // ImportStatements.cpp: declarations and assignments.
  bool importStatement(const clang::Stmt *statement);
  bool importStatements(const clang::CompoundStmt *block);
  bool importExpressionStatement(const clang::Expr *expr);
  bool importDeclaration(const clang::Decl *decl);
  bool importVariable(const clang::VarDecl *variable);
  bool importAssignment(const clang::Expr *target, const clang::Expr *source);
  /// True for the assignment that C++ writes for a type by itself: all parts are copied.
  static bool isPlainAssignment(const clang::Expr *expr);
  bool importCompoundAssignment(const clang::CompoundAssignOperator *assignment);
  bool importIncrement(const clang::UnaryOperator *increment);

  // ImportBranches.cpp: if, and what leaves a block early.
  /// The statements of a block, with `continue` and `return` among them.
  bool importSequence(Statements statements);
  /// `if`, with the statements after it if one of its branches leaves the block.
  bool importIf(const clang::IfStmt *branch, Statements rest = {});
  bool importReturn(const clang::ReturnStmt *statement);
  /// Imports the two branches of a decision. Slots that differ after them get the results of the
  /// `scf.if`.
  bool importBranches(mlir::Value condition, clang::SourceLocation place,
                      llvm::function_ref<bool()> whenTrue, llvm::function_ref<bool()> whenFalse);
  /// The same in a lambda over elements, where both are computed.
  bool selectBranches(mlir::Value condition, mlir::Location loc,
                      llvm::function_ref<bool()> whenTrue, llvm::function_ref<bool()> whenFalse);

  // ImportLoops.cpp.
  bool importRangeFor(const clang::CXXForRangeStmt *loop);
  bool importPipeline(const clang::CXXForRangeStmt *loop, const clang::Expr *range);
  bool importFor(const clang::ForStmt *loop);
  bool importLoop(clang::SourceLocation place, const clang::ValueDecl *index, mlir::Value from,
                  mlir::Value to, mlir::Value step, const clang::Stmt *body,
                  mlir::Attribute pipeline);

  // ImportScopes.cpp: loops whose number of steps is known, written out or side by side.
  bool importConstantRange(const clang::CXXForRangeStmt *loop, const clang::Expr *range);
  bool importUnrolled(const clang::CXXForRangeStmt *loop, int64_t count);
  bool importOverArray(const clang::CXXForRangeStmt *loop);
  bool importScope(const clang::CXXForRangeStmt *loop, tk::EachWorker worker, int64_t count);
  /// True if each warpgroup, or warp, has its own element alone of an array in the object.
  /// True for shared memory that the kernel writes itself, at whatever point of a loop.
  static bool isWrittenMemory(mlir::Value shared);
  /// Shared tiles that a loop does nothing to but store parts of them (ImportWrittenParts.cpp):
  /// gives those without a value their memory, which the loop then carries.
  void prepareParts(const clang::Stmt *body);
  /// Whether a loop that carries `carried` has only stored parts to what became `yielded`, and has
  /// stored all parts if there was no value before.
  bool hasWrittenParts(mlir::scf::ForOp loop, mlir::BlockArgument carried, mlir::Value yielded);
  bool isOfScope(Object object);
  /// Whether the scope has warps that only make a warpgroup whole.
  bool hasIdleWarps();
  /// Says that the object is used as a whole where it is not there as such.
  bool checkNotOfScope(Object object, const clang::Expr *expr);
  /// Each warpgroup's element of an array that its number indexes.
  std::optional<Object> importOwnElement(Object array, int64_t extent,
                                         const clang::ArraySubscriptExpr *subscript);
  /// Puts the code of the grid into the scope that it used.
  bool closeScope(mlir::Block *grid);

  // ImportChanges.cpp: which variables a statement may change.
  /// Adds the variables that `statement` assigns: by an assignment, an increment, or as an argument
  /// bound to a reference that is not const.
  static void collectAssigned(const clang::Stmt *statement, Variables &assigned);
  /// The slots with a value that `statement` may give another one, in order; some it may not.
  llvm::SmallVector<unsigned> slotsThatMayChange(const clang::Stmt *statement);

  // ImportFunctions.cpp: functions of the user's, entered where they are called.
  /// True for a function that is no word of the language and has a body.
  bool isInlined(const clang::Decl *callee) const;
  std::optional<Returned> importCall(const clang::CallExpr *call);
  std::optional<Returned> enter(const clang::FunctionDecl *function,
                                llvm::ArrayRef<const clang::Expr *> arguments,
                                std::optional<Object> self, clang::SourceLocation place);
  bool bindParameter(const clang::ParmVarDecl *parameter, const clang::Expr *argument);
  std::optional<Returned> importFunctionBody(const clang::FunctionDecl *function,
                                             std::optional<Object> self,
                                             clang::SourceLocation place);
  bool importInitializers(const clang::CXXConstructorDecl *constructor, Object self);
  bool mayEnter(const clang::FunctionDecl *function, clang::SourceLocation place);
  /// The result of `lambda(arguments...)`, whose parameters are values; null after an error.
  mlir::Value applyLambda(const clang::Expr *lambda, Object closure,
                          llvm::ArrayRef<mlir::Value> arguments);
  /// Whether the body of an elementwise op is being imported: everything there is computed, nothing
  /// is decided.
  bool inLambda() const { return lambdaMark.has_value(); }
  /// False, and an error, if a lambda over elements would change a variable that is not its own.
  bool mayChange(Object object, const clang::Expr *place);

  // ImportContents.cpp: what objects are initialised with.
  bool importContents(const clang::Expr *expr, Contents &contents);
  bool importInto(Object object, const clang::Expr *init);
  bool importElements(Object object, const clang::InitListExpr *list);
  bool importConstructor(Object object, const clang::CXXConstructExpr *construct);
  bool importClosure(Object object, const clang::LambdaExpr *lambda);
  bool importChoice(const clang::ConditionalOperator *conditional, Contents &contents);
  bool fillWithZeros(Object object, mlir::Location loc);

  // ImportObjects.cpp: variables, their parts, and their contents.
  /// The object that an expression refers to: a variable, a part of one, or a temporary made for
  /// it.
  std::optional<Object> importObject(const clang::Expr *expr);
  std::optional<Object> importElement(const clang::ArraySubscriptExpr *subscript);
  std::optional<Object> importMember(const clang::MemberExpr *member);
  std::optional<Object> objectOf(const clang::ValueDecl *variable, const clang::Expr *place);
  std::optional<Object> temporary(const clang::Expr *expr);
  /// A new object without values: of a variable, or of a temporary if that is null.
  Object allocate(const clang::ValueDecl *variable, clang::QualType type);
  /// Gives the variable an object. Nothing if the language has not its type.
  std::optional<Object> declare(const clang::ValueDecl *variable);
  /// The value of an object that is one value; an error if it has none yet.
  mlir::Value read(Object object, const clang::Expr *place);
  void write(Object object, mlir::Value value);
  /// Gives what `target` refers to a new value: the destination of a builtin.
  bool assignTo(const clang::Expr *target, mlir::Value value);
  unsigned countOf(Object object);
  bool copy(Object from, Contents &contents);
  /// The expression without what makes no difference to its value: parentheses, copies, casts that
  /// keep the type.
  static const clang::Expr *peel(const clang::Expr *expr);
  /// "acc[1]", as the user writes a slot, and "acc_1".
  std::string spellingOf(unsigned slot);
  std::string nameOf(unsigned slot);
  static bool isShared(mlir::Type type);
  llvm::SmallVector<mlir::Value> currentValues() const;
  /// Back to these values; slots that came later are gone.
  void restore(llvm::ArrayRef<mlir::Value> values);

  // ImportExpressions.cpp: scalars and constants.
  mlir::Value importScalar(const clang::Expr *expr);
  mlir::Value importCast(const clang::CastExpr *cast, mlir::Type to);
  mlir::Value importScalarCall(const clang::CallExpr *call);
  mlir::Value convert(mlir::Value value, mlir::Type to, mlir::Location loc);
  mlir::Value constant(mlir::TypedAttr value, mlir::Location loc);
  mlir::Value constant(int32_t value, mlir::Location loc);
  /// The constant that a fresh op computes, if its operands are constants; else its result.
  mlir::Value folded(mlir::Value result);
  /// The value of an `int` expression that Clang can compute.
  std::optional<int64_t> evaluate(const clang::Expr *expr) const;
  /// The same, also where it depends on variables of unrolled loops and on arguments.
  std::optional<int64_t> importConstant(const clang::Expr *expr);
  static std::optional<int64_t> constantOf(mlir::Value value);

  // ImportOperators.cpp.
  mlir::Value importUnary(const clang::UnaryOperator *unary);
  mlir::Value importBinary(const clang::BinaryOperator *binary);
  mlir::Value importLogical(const clang::BinaryOperator *binary);
  mlir::Value importConditional(const clang::ConditionalOperator *conditional);
  /// `result`, whose operator remembers which of its operands are template parameters.
  mlir::Value withNames(mlir::Value result, llvm::ArrayRef<const clang::Expr *> operands);
  mlir::Value combine(clang::BinaryOperatorKind kind, mlir::Value left, mlir::Value right,
                      const clang::Expr *place);
  /// Imports an operand that C++ evaluates only if `condition` equals `when`. Ops that must not run
  /// otherwise are moved into an `scf.if`.
  mlir::Value importGuarded(const clang::Expr *expr, mlir::Value condition, bool when);
  /// The ops that were built since `last` was the last one of its block, constants apart.
  llvm::SmallVector<mlir::Operation *> opsSince(mlir::Operation *last);
  mlir::Operation *lastOp();
  /// Lets divisions that C++ does only if `condition` equals `when` divide by 1 otherwise.
  void guardDivisors(llvm::ArrayRef<mlir::Operation *> ops, mlir::Value condition, bool when);

  // Tiles, vectors and the builtins on them: ImportBuiltins.cpp.
  friend class BuiltinImporter;
  mlir::Value importTile(const clang::Expr *expr);
  bool importTileCall(const clang::CallExpr *call);
  std::optional<mlir::Value> importNumberCall(const clang::CallExpr *call);
  mlir::Value importElementOf(const clang::CXXMemberCallExpr *call);

  // ImportTensors.cpp: elements, parts and extents of tensors.
  mlir::Value importTensor(const clang::Expr *expr);
  /// The extent of the dimension that many before the last one; 1 if there is none.
  mlir::Value importExtent(const clang::CallExpr *call, int64_t fromLast);
  mlir::Value importTensorPart(const clang::CXXMemberCallExpr *call, int64_t fromLast);
  /// False, and an error, if `moved` cannot be loaded from the tensor, or stored to it, because
  /// that is a part of one.
  bool checkPart(mlir::Value tensor, mlir::Type moved, bool isStored, const clang::Expr *place);

  // WarnUnused.cpp: tiles and vectors that are computed for nothing.
  /// A value that a variable got.
  struct Written {
    mlir::Operation *op;
    const clang::ValueDecl *variable;
    UnusedValues::Value fate;
  };
  void noteWrite(unsigned slot, mlir::Value value);
  /// Statements of a branch that is not taken may be the uses of a value.
  void noteDiscarded(const clang::IfStmt *branch, const clang::Stmt *discarded);
  void noteUnused();

  // RefuseUnsupported.cpp: C++ that the language has not, by name.
  bool refuse(const clang::Stmt *statement);
  bool refuse(const clang::Decl *decl);
  bool refuseType(const clang::ValueDecl *decl);

  // Places.
  /// The variable that an expression names, if it does.
  static const clang::ValueDecl *variableOf(const clang::Expr *expr);
  void noteDeclaration(const clang::Expr *expr);
  mlir::Location locate(clang::SourceLocation place);
  mlir::Location locate(clang::SourceLocation place, const clang::NamedDecl *name);
  clang::DiagnosticBuilder error(clang::SourceLocation place, Message message) {
    return report(ast.getDiagnostics(), place, message);
  }
  /// Counts a statement; false, and an error the first time, if unrolling and inlining make too
  /// many.
  bool countWork(clang::SourceLocation place);
  /// False, and an error, if loops, branches and blocks nest too deep.
  bool nest(clang::SourceLocation place);

  clang::ASTContext &ast;
  Vocabulary &language;
  UnusedValues &unused;
  mlir::ModuleOp module;
  TypeImporter types;
  ParameterNames parameters;
  ObjectLayout layout;
  mlir::OpBuilder builder;

  /// The contents of the variables in scope. Those of an inner block are after those of an outer
  /// one.
  llvm::SmallVector<Slot> slots;
  llvm::DenseMap<const clang::ValueDecl *, Object> objects;
  /// Variables that an error was reported for: reading one says nothing more.
  llvm::DenseSet<const clang::ValueDecl *> broken;
  /// The calls that are being imported, outermost first.
  llvm::SmallVector<Call> calls;
  /// Functions that an error was reported in: it is not said again at the next call.
  llvm::DenseSet<const clang::FunctionDecl *> wrongFunctions;
  /// Constants stand at the top of the kernel, once each.
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  mlir::Operation *lastConstant = nullptr;
  mlir::Block *entry = nullptr;
  Scope scope;
  /// Stores in the grid but in no loop over warpgroups.
  llvm::SmallVector<clang::SourceLocation> storesOutside;
  /// In a lambda over elements: the slots below belong to the code around it.
  std::optional<unsigned> lambdaMark;
  llvm::SmallVector<Written> written;
  /// The variables that branches which are not taken name; all, if those are not known.
  llvm::SmallPtrSet<const clang::ValueDecl *, 8> discarded;
  bool hasUnknownDiscarded = false;
  clang::SourceLocation statementPlace; // of the statement that is being imported
  unsigned nesting = 0;                 // of loops, branches and blocks
  unsigned loops = 0;                   // around the statement
  unsigned work = 0;                    // statements imported so far
};

} // namespace tkc

#endif // TKC_FRONTEND_IMPORTKERNEL_H
