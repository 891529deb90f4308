//===- ImportFunctions.cpp - Functions, entered where they are called -----===//
//
// There are no calls in the IR: the statements of a function are imported at the
// place of the call, with its parameters bound to the arguments. A parameter that
// is a reference is one more name for the argument, so nothing is copied back.
// Member functions, constructors, operators and lambdas are functions.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

/// Far deeper than people nest functions.
static constexpr unsigned deepestCalls = 32;
/// How many of the calls around an error are shown, outermost first.
static constexpr unsigned mostNotes = 8;

bool KernelImporter::isInlined(const Decl *callee) const {
  auto *function = dyn_cast_or_null<FunctionDecl>(callee);
  return function && !language.isMarked(function) && function->isDefined();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::optional<KernelImporter::Returned> KernelImporter::importCall(const CallExpr *call) {
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
      self = importObject(object);
    }
    if (!self)
      return std::nullopt;
  }
  const FunctionDecl *definition = nullptr;
  if (!callee->isDefined(definition))
    return refuse(call), std::nullopt;
  return enter(definition, arguments, self, call->getExprLoc());
}

bool KernelImporter::mayEnter(const FunctionDecl *function, SourceLocation place) {
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
  return countWork(place) && !wrongFunctions.contains(function);
}

bool KernelImporter::bindParameter(const ParmVarDecl *parameter, const Expr *argument) {
  if (parameter->getType()->isReferenceType()) {
    std::optional<Object> object = importObject(argument);
    if (object)
      objects[parameter] = *object;
    broken.erase(parameter);
    return object.has_value();
  }
  QualType type = parameter->getType();
  if (!types.isValue(type) && !type->isRecordType()) {
    refuseType(parameter);
    return false;
  }
  Contents contents;
  if (!layout.count(type, parameter->getLocation()) || !importContents(argument, contents))
    return false;
  std::optional<Object> object = declare(parameter);
  for (auto [index, value] : llvm::enumerate(contents))
    slots[object->first + index].value = value;
  return true;
}

std::optional<KernelImporter::Returned>
KernelImporter::enter(const FunctionDecl *function, llvm::ArrayRef<const Expr *> arguments,
                      std::optional<Object> self, SourceLocation place) {
  if (!mayEnter(function, place))
    return std::nullopt;
  const unsigned mark = slots.size();
  bool ok = true;
  for (auto [parameter, argument] : llvm::zip(function->parameters(), arguments))
    ok &= bindParameter(parameter, argument);
  if (!ok)
    return std::nullopt;
  std::optional<Returned> returned = importFunctionBody(function, self, place);
  if (returned && returned->object && returned->object->first >= mark &&
      returned->object->first < slots.size()) {
    error(place, Message::dangling_reference) << function;
    return std::nullopt;
  }
  slots.truncate(mark);
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

bool KernelImporter::importInitializers(const CXXConstructorDecl *constructor, Object self) {
  bool ok = true;
  for (const CXXCtorInitializer *init : constructor->inits()) {
    Object part = self;
    if (init->isMemberInitializer())
      part = layout.field(self, init->getMember());
    else if (init->isBaseInitializer())
      part = layout.base(self, init->getBaseClass()->getAsCXXRecordDecl());
    else if (!init->isDelegatingInitializer())
      return refuse(init->getInit());
    ok = ok && importInto(part, init->getInit());
  }
  return ok;
}

std::optional<KernelImporter::Returned>
KernelImporter::importFunctionBody(const FunctionDecl *function, std::optional<Object> self,
                                   SourceLocation place) {
  Call call{function, place, self, {}, {}, loops};
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
      auto known = objects.find(variable);
      shadowed.push_back(
          {variable, known == objects.end() ? std::nullopt : std::optional(known->second)});
      objects[variable] = layout.field(*self, captures.lookup(variable));
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
      call.result = allocate(nullptr, result);
  }
  calls.push_back(call);
  {
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(function))
      ok = ok && importInitializers(constructor, *self);
    if (auto *body = dyn_cast_or_null<CompoundStmt>(function->getBody()))
      ok = ok && importSequence(Statements(body->body_begin(), body->size()));
    else if (function->getBody())
      ok = refuse(function->getBody()); // a function try block, a coroutine
  }
  call = calls.pop_back_val();
  for (auto [variable, object] : llvm::reverse(shadowed))
    if (object)
      objects[variable] = *object;
    else
      objects.erase(variable);

  if (!ok) {
    wrongFunctions.insert(function);
    if (calls.size() < mostNotes)
      error(place, Message::note_in_call) << function;
    return std::nullopt;
  }
  Returned returned{{}, call.referee};
  if (call.result) {
    copy(*call.result, returned.contents);
    if (types.isValue(result) && !returned.contents.front()) {
      error(function->getLocation(), Message::no_result) << function;
      error(place, Message::note_in_call) << function;
      return std::nullopt;
    }
  }
  return returned;
}

//===----------------------------------------------------------------------===//
// Lambdas of the builtins
//===----------------------------------------------------------------------===//

mlir::Value KernelImporter::applyLambda(const Expr *lambda, Object closure,
                                        llvm::ArrayRef<mlir::Value> arguments) {
  const unsigned mark = slots.size();
  const CXXRecordDecl *record = lambda->getType().getNonReferenceType()->getAsCXXRecordDecl();
  const FunctionDecl *function = record->getLambdaCallOperator(), *definition = nullptr;
  if (!function->isDefined(definition) || !mayEnter(definition, lambda->getExprLoc()))
    return {};
  mlir::Location loc = locate(lambda->getExprLoc());
  for (auto [parameter, value] : llvm::zip(definition->parameters(), arguments)) {
    mlir::Type type = types.scalar(parameter->getType().getNonReferenceType());
    Object object = allocate(parameter, parameter->getType());
    slots[object.first].value = convert(value, type, loc);
    objects[parameter] = object;
  }
  std::optional<Returned> returned = importFunctionBody(definition, closure, lambda->getExprLoc());
  slots.truncate(mark);
  if (!returned || returned->contents.size() != 1)
    return {};
  return returned->contents.front();
}
