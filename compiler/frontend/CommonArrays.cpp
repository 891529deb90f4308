//===- CommonArrays.cpp - Shared tiles that warpgroups choose by their numbers ===//
//
// An array that the number of a warpgroup indexes is each one's own, and one that constants index
// is a variable for each element. Of shared tiles it may be both: each warpgroup writes its own,
// and all read all of them.
//
//   st<bf16, 64, 64> p[2];
//   for (int w : warpgroups(2))
//     store(p[w], x);
//   for (int w : warpgroups(2))
//     for (int t : unrolled(2))
//       mma_AB(o[w], p[t], v);
//
// Such an array is one tile of all rows, 128 x 64, of which each warpgroup writes a part, as it
// does by `store(p, {w, 0}, x)`: so who waits for whom is known as there. How an array is indexed
// shows only later, so the text around its declaration is asked.
//
// Elements that loads fill, by constants, are tiles of their own until a number chooses one of
// them: what it chooses is a part of their stack, which tk-stack-loads makes one load.
//
//===----------------------------------------------------------------------===//
#include "frontend/CommonArrays.h"

#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportScopes.h"
#include "frontend/SharedValues.h"
#include "frontend/Vocabulary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <set>

using namespace clang;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Which arrays
//===----------------------------------------------------------------------===//

namespace {
/// How a function uses the elements of an array.
class ElementUses {
public:
  ElementUses(const VarDecl *array, Vocabulary &language) : array(array), language(language) {}

  void visit(const Stmt *statement) {
    if (!statement)
      return;
    if (auto *loop = dyn_cast<CXXForRangeStmt>(statement)) {
      std::optional<Word> range = language.findCallee(peel(loop->getRangeInit()));
      if (range == Word::warpgroups)
        numbers.insert(loop->getLoopVariable());
      if (range == Word::warpgroups || range == Word::warps)
        derived.insert(loop->getLoopVariable());
    }
    if (auto *call = dyn_cast<CallExpr>(statement))
      noteArguments(call);
    if (auto *declaration = dyn_cast<DeclStmt>(statement))
      for (const Decl *decl : declaration->decls())
        if (auto *name = dyn_cast<VarDecl>(decl); name && name->getInit())
          noteName(name);
    if (auto *reference = dyn_cast<DeclRefExpr>(statement))
      unindexed += reference->getDecl() == array;
    if (auto *subscript = dyn_cast<ArraySubscriptExpr>(statement))
      if (const Expr *index = indexOf(subscript)) {
        (mentions(numbers, index) ? byNumber : otherwise) = true;
        --unindexed;
      }
    for (const Stmt *child : statement->children())
      visit(child);
  }

  bool areChosen() const { return !isChanged; }

  bool areCommon() const {
    return byNumber && otherwise && !isLoaded && !hasOtherNames && unindexed == 0;
  }

private:
  /// The index, if this is an element of the array.
  const Expr *indexOf(const Expr *expr) const {
    auto *subscript = dyn_cast<ArraySubscriptExpr>(expr->IgnoreParenImpCasts());
    auto *base =
        subscript ? dyn_cast<DeclRefExpr>(subscript->getBase()->IgnoreParenImpCasts()) : nullptr;
    return base && base->getDecl() == array ? subscript->getIdx() : nullptr;
  }

  /// Tiles that a load fills have barriers of their own, and a gather fills whole ones. A function
  /// may write to its parameter.
  void noteArguments(const CallExpr *call) {
    std::optional<Word> word = language.findCallee(call);
    const bool loads = isa<CXXOperatorCallExpr>(call) || word == Word::load_into ||
                       word == Word::load_vector_into || word == Word::gather;
    isLoaded |= loads && call->getNumArgs() > 0 && indexOf(call->getArg(0));
    hasOtherNames |=
        !word && llvm::any_of(call->arguments(), [&](const Expr *expr) { return indexOf(expr); });
    for (unsigned number = 0; number < call->getNumArgs(); ++number)
      if (const Expr *index = indexOf(call->getArg(number)); index && mayChange(call, number))
        isChanged |= mentions(derived, index);
  }

  /// Whether a call may change this argument: it is no constant to the function.
  static bool mayChange(const CallExpr *call, unsigned number) {
    auto *function = dyn_cast_or_null<FunctionDecl>(call->getCalleeDecl());
    auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
    if (isa<CXXOperatorCallExpr>(call) && method && number-- == 0)
      return !method->isConst();
    if (!function || number >= function->getNumParams())
      return true;
    QualType type = function->getParamDecl(number)->getType();
    return type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
  }

  void noteName(const VarDecl *name) {
    const Expr *index = indexOf(name->getInit());
    if (name->getType()->isReferenceType()) {
      hasOtherNames |= index != nullptr;
      isChanged |= index && mentions(derived, index) &&
                   !name->getType().getNonReferenceType().isConstQualified();
    } else if (mentions(derived, name->getInit())) {
      derived.insert(name);
    }
  }

  using Variables = std::set<const ValueDecl *>;

  static bool mentions(const Variables &variables, const Stmt *statement) {
    auto *reference = dyn_cast_or_null<DeclRefExpr>(statement);
    if (reference && variables.count(reference->getDecl()))
      return true;
    return statement && llvm::any_of(statement->children(),
                                     [&](const Stmt *child) { return mentions(variables, child); });
  }

  const VarDecl *array;
  Vocabulary &language;
  bool byNumber = false, otherwise = false, isLoaded = false, hasOtherNames = false;
  bool isChanged = false; // an element that a number chooses
  int unindexed = 0;      // times that the array is named and not an element
  Variables numbers;      // of the warpgroups
  Variables derived;      // of warpgroups or warps, and what is computed of them
};
} // namespace

bool tkc::isCommonArray(const VarDecl *variable, Vocabulary &language) {
  auto *function = dyn_cast_or_null<FunctionDecl>(variable->getParentFunctionOrMethod());
  const Expr *init = variable->getInit();
  if (!function || !variable->getType()->isConstantArrayType() ||
      (init && isa<InitListExpr>(init->IgnoreImplicit())))
    return false;
  ElementUses uses(variable, language);
  uses.visit(function->getBody());
  return uses.areCommon();
}

bool tkc::isChosenByNumber(const VarDecl *variable, Vocabulary &language) {
  auto *function = dyn_cast_or_null<FunctionDecl>(variable->getParentFunctionOrMethod());
  if (!function)
    return false;
  ElementUses uses(variable, language);
  uses.visit(function->getBody());
  return uses.areChosen();
}

//===----------------------------------------------------------------------===//
// Types and places
//===----------------------------------------------------------------------===//

tk::ElementsInterface tkc::getCommonType(tk::ElementsInterface element, int64_t count) {
  if (auto vector = dyn_cast<tk::TileVectorType>(element))
    return tk::TileVectorType::get(element.getContext(), vector.getLength() * count,
                                   vector.getElementType(), vector.getSpace(),
                                   vector.getOrientation());
  auto tile = cast<tk::TileType>(element);
  return tk::TileType::get(element.getContext(), tile.getRows() * count, tile.getCols(),
                           tile.getElementType(), tile.getSpace(), tile.getLayout());
}

/// Rows of a tile, elements of a vector.
static int64_t getHeight(mlir::Type type) {
  if (auto vector = dyn_cast<tk::TileVectorType>(type))
    return vector.getLength();
  return cast<tk::TileType>(type).getRows();
}

static mlir::Value multiplied(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                              int64_t by) {
  return builder.createOrFold<mlir::arith::MulIOp>(
      loc, value, builder.create<mlir::arith::ConstantIntOp>(loc, by, 32));
}

void tkc::placeInWhole(mlir::OpBuilder &builder, mlir::Location loc, const CommonElement &element,
                       mlir::Type part, llvm::SmallVectorImpl<mlir::Value> &indices) {
  if (indices.empty())
    indices.append(isa<tk::TileType>(element.type) ? 2 : 1,
                   builder.create<mlir::arith::ConstantIntOp>(loc, 0, 32));
  mlir::Value first =
      multiplied(builder, loc, element.index, getHeight(element.type) / getHeight(part));
  indices.front() = builder.createOrFold<mlir::arith::AddIOp>(loc, first, indices.front());
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// True if the value is computed from the number of the warpgroup and constants.
static bool isOfNumber(mlir::Value value, const ScopeImporter &scope) {
  mlir::Operation *op = value.getDefiningOp();
  return scope.isNumber(value) || Constants::valueOf(value) ||
         (isa_and_nonnull<mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::MulIOp>(op) &&
          llvm::all_of(op->getOperands(),
                       [&](mlir::Value operand) { return isOfNumber(operand, scope); }));
}

std::optional<CommonElement> ObjectImporter::findCommonElement(const Expr *expr) {
  auto *subscript = dyn_cast<ArraySubscriptExpr>(expr->IgnoreParenImpCasts());
  auto *base =
      subscript ? dyn_cast<DeclRefExpr>(subscript->getBase()->IgnoreParenImpCasts()) : nullptr;
  auto *variable = base ? dyn_cast<VarDecl>(base->getDecl()) : nullptr;
  auto *array = variable ? ast.getAsConstantArrayType(variable->getType()) : nullptr;
  std::optional<Object> object = array ? environment.find(variable) : std::nullopt;
  if (!object || !types.isValue(array->getElementType()))
    return std::nullopt;
  auto type = dyn_cast_or_null<tk::ElementsInterface>(
      types.value(array->getElementType(), expr->getExprLoc()));
  if (!type || !isShared(type) || !isCommonArray(variable, language))
    return std::nullopt;
  const int64_t extent = array->getSize().getLimitedValue();
  mlir::Value index = scalars.importScalar(subscript->getIdx());
  std::optional<int64_t> number = index ? Constants::valueOf(index) : std::nullopt;
  if (!index || (number && (*number < 0 || *number >= extent)) || !isOfNumber(index, scope) ||
      (scope.isNumber(index) && scope.getWorkers() > extent))
    return std::nullopt; // the array's own check says why
  return CommonElement{
      {array->getElementType(), object->first}, index, getCommonType(type, extent), type};
}

mlir::Value ObjectImporter::readWhole(const CommonElement &element, const Expr *expr) {
  mlir::Value whole = environment.read(element.whole, expr);
  if (!whole || !whole.getDefiningOp<tk::AllocOp>())
    return whole;
  error(expr->getExprLoc(), Message::no_value)
      << environment.spellingOf(element.whole.first) << expr->getSourceRange();
  noteDeclaration(expr);
  return {};
}

mlir::Value ObjectImporter::createRows(tk::ElementsInterface type, mlir::Value whole,
                                       mlir::Value index, mlir::Location loc) {
  llvm::SmallVector<mlir::Value, 2> indices{multiplied(builder, loc, index, getHeight(type)),
                                            constant(0, loc)};
  return builder.create<tk::SliceOp>(loc, type, whole, llvm::SmallVector<int64_t, 2>{0, 0},
                                     indices);
}

mlir::Value ObjectImporter::readCommonElement(const CommonElement &element, const Expr *expr) {
  mlir::Value whole = readWhole(element, expr);
  if (!whole)
    return {};
  mlir::Location loc = locate(expr->getExprLoc());
  const int64_t height = getHeight(element.type);
  if (std::optional<int64_t> number = Constants::valueOf(element.index))
    return builder.create<tk::SliceOp>(loc, element.type, whole,
                                       llvm::SmallVector<int64_t, 2>{*number * height, 0});
  return createRows(element.type, whole, element.index, loc);
}

/// True if the elements of an array are shared tiles that loads fill, and not all the same.
static bool areLoaded(llvm::ArrayRef<Slot> elements) {
  return llvm::all_of(elements,
                      [](const Slot &slot) {
                        return slot.value && slot.value.getDefiningOp<tk::LoadOp>() &&
                               isa<tk::TileType>(slot.value.getType());
                      }) &&
         llvm::any_of(elements,
                      [&](const Slot &slot) { return slot.value != elements.front().value; });
}

mlir::Value ObjectImporter::readChosenElement(const ArraySubscriptExpr *subscript) {
  auto *base = dyn_cast<DeclRefExpr>(subscript->getBase()->IgnoreParenImpCasts());
  auto *variable = base ? dyn_cast<VarDecl>(base->getDecl()) : nullptr;
  std::optional<Object> array = variable && ast.getAsConstantArrayType(variable->getType())
                                    ? environment.find(variable)
                                    : std::nullopt;
  if (!array || !areLoaded(environment.slotsOf(*array)))
    return {};
  mlir::Value index = scalars.importScalar(subscript->getIdx());
  llvm::SmallVector<mlir::Value> tiles = environment.copy(*array);
  if (!index || Constants::valueOf(index) || !isOfNumber(index, scope) ||
      (scope.isNumber(index) && scope.getWorkers() > int64_t(tiles.size())) ||
      !isChosenByNumber(variable, language))
    return {};
  auto type = cast<tk::TileType>(tiles.front().getType());
  mlir::Value all = builder.create<tk::StackOp>(locate(subscript->getExprLoc(), variable),
                                                getCommonType(type, tiles.size()), tiles);
  return createRows(type, all, index, locate(subscript->getExprLoc()));
}
