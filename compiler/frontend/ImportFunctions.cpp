//===- ImportFunctions.cpp - Functions, entered where they are called -----===//
#include "frontend/ImportFunctions.h"

#include "frontend/ImportObjects.h"
#include "frontend/ImportScalars.h"
#include "frontend/ImportStatements.h"

using namespace clang;
using namespace tkc;

/// Far deeper than people nest functions.
static constexpr unsigned deepestCalls = 32;
/// How many of the calls around an error are shown, outermost first.
static constexpr unsigned mostNotes = 8;

bool FunctionImporter::isInlined(const Decl *callee) const {
  auto *function = dyn_cast_or_null<FunctionDecl>(callee);
  return function && !language.isMarked(function) && function->isDefined();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::optional<FunctionImporter::Returned> FunctionImporter::importCall(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee)
    return refuse(call), std::nullopt;
  llvm::ArrayRef<const Expr *> arguments(call->getArgs(), call->getNumArgs());
  std::optional<Object> self;
  auto *method = dyn_cast<CXXMethodDecl>(callee);
  if (method && !method->isStatic()) {
    const Expr *object = nullptr;
    if (auto *member = dyn_cast<CXXMemberCallExpr>(call)) {
      object = member->getImplicitObjectArgument();
    } else {
      object = arguments.front(); // of an operator
      arguments = arguments.drop_front();
    }
    if (isa<CXXThisExpr>(object->IgnoreParenImpCasts()) && !calls.empty()) {
      self = calls.back().self;
    } else if (object->getType()->isPointerType()) {
      refuse(object);
      return std::nullopt;
    } else {
      self = objects.importObject(object);
    }
    if (!self)
      return std::nullopt;
  }
  const FunctionDecl *definition = nullptr;
  if (!callee->isDefined(definition))
    return refuse(call), std::nullopt;
  return enter(definition, arguments, self, call->getExprLoc());
}

bool FunctionImporter::mayEnter(const FunctionDecl *function, SourceLocation place) {
  auto same = [&](const Call &call) { return call.function == function; };
  if (const Call *first = llvm::find_if(calls, same); first != calls.end()) {
    error(place, Message::recursion) << function;
    for (const Call &call : llvm::ArrayRef(first, calls.end()))
      error(call.place, Message::note_called) << call.function;
    return false;
  }
  if (calls.size() == deepestCalls) {
    error(place, Message::calls_too_deep) << deepestCalls;
    return false;
  }
  auto *method = dyn_cast<CXXMethodDecl>(function);
  const char *what = function->isVariadic()             ? "a function with '...'"
                     : method && method->isVirtual()    ? "a virtual function"
                     : language.isKernel(function)      ? "a call of a kernel"
                     : isa<CXXDestructorDecl>(function) ? "a destructor"
                                                        : nullptr;
  if (what) {
    error(place, Message::unsupported_plain) << what;
    error(function->getLocation(), Message::note_declared) << function;
    return false;
  }
  return position.countWork(place) && !wrong.contains(function);
}

bool FunctionImporter::bindParameter(const ParmVarDecl *parameter, const Expr *argument) {
  if (parameter->getType()->isReferenceType()) {
    std::optional<Object> object = objects.importObject(argument);
    if (object)
      environment.declare(parameter, *object);
    return object.has_value();
  }
  QualType type = parameter->getType();
  if (!types.isValue(type) && !type->isRecordType()) {
    refuseType(parameter);
    return false;
  }
  if (!layout.count(type, parameter->getLocation()))
    return false;
  std::optional<Contents> contents = objects.importContents(argument);
  if (!contents)
    return false;
  environment.fill(*environment.declare(parameter), *contents);
  return true;
}

std::optional<FunctionImporter::Returned>
FunctionImporter::enter(const FunctionDecl *function, llvm::ArrayRef<const Expr *> arguments,
                        std::optional<Object> self, SourceLocation place) {
  if (!mayEnter(function, place))
    return std::nullopt;
  const unsigned mark = environment.size();
  bool ok = true;
  for (auto [parameter, argument] : llvm::zip(function->parameters(), arguments))
    ok &= bindParameter(parameter, argument);
  if (!ok)
    return std::nullopt;
  std::optional<Returned> returned = importBody(function, self, place);
  if (returned && returned->object && returned->object->first >= mark &&
      returned->object->first < environment.size()) {
    error(place, Message::dangling_reference) << function;
    return std::nullopt;
  }
  environment.truncate(mark);
  return returned;
}

/// The object that `this` is in the body of a lambda: that of the function around it.
static std::optional<Object> capturedThis(const CXXRecordDecl *closure, auto &&calls) {
  const DeclContext *around = closure->getDeclContext();
  for (const auto &call : llvm::reverse(calls))
    if (call.function->getCanonicalDecl() == around->getPrimaryContext() ||
        static_cast<const DeclContext *>(call.function) == around)
      return call.self;
  return std::nullopt;
}

bool FunctionImporter::importInitializers(const CXXConstructorDecl *constructor, Object self) {
  bool ok = true;
  for (const CXXCtorInitializer *init : constructor->inits()) {
    Object part = self;
    if (init->isMemberInitializer())
      part = layout.field(self, init->getMember());
    else if (init->isBaseInitializer())
      part = layout.base(self, init->getBaseClass()->getAsCXXRecordDecl());
    else if (!init->isDelegatingInitializer())
      return refuse(init->getInit());
    ok = ok && objects.importInto(part, init->getInit());
  }
  return ok;
}

std::optional<FunctionImporter::Returned> FunctionImporter::importBody(const FunctionDecl *function,
                                                                       std::optional<Object> self,
                                                                       SourceLocation place) {
  Call call{function, place, self, {}, {}, position.loops};
  auto *method = dyn_cast<CXXMethodDecl>(function);
  const CXXRecordDecl *closure =
      method && method->getParent()->isLambda() ? method->getParent() : nullptr;

  // A variable that a lambda captured by value keeps the value that it had then.
  llvm::SmallVector<std::pair<const ValueDecl *, std::optional<Object>>> shadowed;
  if (closure && self) {
    llvm::DenseMap<const ValueDecl *, FieldDecl *> captures;
    FieldDecl *thisField = nullptr;
    closure->getCaptureFields(captures, thisField);
    for (const LambdaCapture &capture : closure->captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() == LCK_ByRef)
        continue;
      const ValueDecl *variable = capture.getCapturedVar();
      shadowed.push_back({variable, environment.find(variable)});
      environment.bind(variable, layout.field(*self, captures.lookup(variable)));
    }
    call.self = capturedThis(closure, calls);
  }

  QualType result = function->getReturnType();
  const bool isConstructor = isa<CXXConstructorDecl>(function);
  bool ok = true;
  if (!result->isVoidType() && !result->isReferenceType() && !isConstructor) {
    if (!layout.count(result, function->getLocation()))
      ok = false;
    else
      call.result = environment.allocate(nullptr, result);
  }
  calls.push_back(call);
  {
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(function))
      ok = ok && importInitializers(constructor, *self);
    if (auto *body = dyn_cast_or_null<CompoundStmt>(function->getBody()))
      ok = ok && statements.importSequence({body->body_begin(), body->size()});
    else if (function->getBody())
      ok = refuse(function->getBody()); // a function try block, a coroutine
  }
  call = calls.pop_back_val();
  for (auto [variable, object] : llvm::reverse(shadowed))
    if (object)
      environment.bind(variable, *object);
    else
      environment.unbind(variable);

  if (!ok) {
    wrong.insert(function);
    if (calls.size() < mostNotes)
      error(place, Message::note_in_call) << function;
    return std::nullopt;
  }
  Returned returned{{}, call.referee};
  if (call.result) {
    returned.contents = environment.copy(*call.result);
    if (types.isValue(result) && !returned.contents.front()) {
      error(function->getLocation(), Message::no_result) << function;
      error(place, Message::note_in_call) << function;
      return std::nullopt;
    }
  }
  return returned;
}

//===----------------------------------------------------------------------===//
// The function that is being imported
//===----------------------------------------------------------------------===//

bool FunctionImporter::isInLoop() const {
  return position.loops > (isEntered() ? calls.back().loops : 0);
}

std::optional<Object> FunctionImporter::self() const {
  return isEntered() ? calls.back().self : std::nullopt;
}

llvm::SmallVector<Object> FunctionImporter::selves() const {
  llvm::SmallVector<Object> objects;
  for (const Call &call : calls)
    if (call.self)
      objects.push_back(*call.self);
  return objects;
}

bool FunctionImporter::importReturn(const ReturnStmt *statement) {
  if (!isEntered()) {
    error(statement->getReturnLoc(), Message::return_from_kernel);
    return false;
  }
  if (isInLoop()) {
    error(statement->getReturnLoc(), Message::return_from_loop);
    return false;
  }
  const Expr *value = statement->getRetValue();
  if (!value)
    return true;
  if (value->getType()->isVoidType())
    return statements.importExpressionStatement(value);
  if (calls.back().result)
    return objects.importInto(*calls.back().result, value);
  std::optional<Object> object = objects.importObject(value);
  if (!object)
    return false;
  std::optional<Object> &referee = calls.back().referee;
  if (referee && referee->first != object->first) {
    error(statement->getReturnLoc(), Message::reference_chosen);
    return false;
  }
  referee = object;
  return true;
}

//===----------------------------------------------------------------------===//
// Lambdas of the builtins
//===----------------------------------------------------------------------===//

mlir::Value FunctionImporter::applyLambda(const Expr *lambda, Object closure,
                                          llvm::ArrayRef<mlir::Value> arguments) {
  const unsigned mark = environment.size();
  const CXXRecordDecl *record = lambda->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const FunctionDecl *function = record->getLambdaCallOperator(), *definition = nullptr;
  if (!function->isDefined(definition) || !mayEnter(definition, lambda->getExprLoc()))
    return {};
  mlir::Location loc = locate(lambda->getExprLoc());
  for (auto [parameter, value] : llvm::zip(definition->parameters(), arguments)) {
    mlir::Type type = types.scalar(parameter->getType().getNonReferenceType());
    Object object = *environment.declare(parameter);
    environment[object.first].value = scalars.convert(value, type, loc);
  }
  std::optional<Returned> returned = importBody(definition, closure, lambda->getExprLoc());
  environment.truncate(mark);
  if (!returned || returned->contents.size() != 1)
    return {};
  return returned->contents.front();
}
