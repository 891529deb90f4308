//===- ImportKernel.cpp - A kernel: parameters, grid, body ----------------===//
#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

KernelImporter::KernelImporter(ASTContext &ast, Vocabulary &language, mlir::ModuleOp module)
    : ast(ast), language(language), module(module), types(*module.getContext(), ast, language),
      builder(module.getContext()) {}

//===----------------------------------------------------------------------===//
// Places and variables
//===----------------------------------------------------------------------===//

mlir::Location KernelImporter::locate(SourceLocation place) {
  const SourceManager &sources = ast.getSourceManager();
  auto [file, offset] = sources.getDecomposedLoc(sources.getExpansionLoc(place));
  OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  if (!entry)
    return mlir::UnknownLoc::get(builder.getContext());
  return mlir::FileLineColLoc::get(builder.getContext(), entry->getName(),
                                   sources.getLineNumber(file, offset),
                                   sources.getColumnNumber(file, offset));
}

mlir::Location KernelImporter::locate(SourceLocation place, const NamedDecl *name) {
  return mlir::NameLoc::get(builder.getStringAttr(name->getName()), locate(place));
}

const ValueDecl *KernelImporter::variableOf(const Expr *expr) {
  auto *reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  return reference ? reference->getDecl() : nullptr;
}

mlir::Value KernelImporter::read(const ValueDecl *variable, const Expr *place) {
  if (broken.contains(variable))
    return {};
  auto entry = values.find(variable);
  if (entry == values.end()) {
    error(place->getExprLoc(), Message::outside_variable) << variable << place->getSourceRange();
    error(variable->getLocation(), Message::note_declared) << variable;
    return {};
  }
  if (!entry->second) {
    broken.insert(variable); // said once
    error(place->getExprLoc(), Message::no_value) << variable << place->getSourceRange();
    error(variable->getLocation(), Message::note_declared) << variable;
  }
  return entry->second;
}

void KernelImporter::assign(const ValueDecl *variable, mlir::Value value) {
  values[variable] = value;
  // The value carries the user's name, unless it is another variable's or a shared constant.
  mlir::Operation *op = value.getDefiningOp();
  if (op && op->getNumResults() == 1 && !isa<mlir::arith::ConstantOp>(op) &&
      !isa<mlir::NameLoc>(op->getLoc()))
    op->setLoc(mlir::NameLoc::get(builder.getStringAttr(variable->getName()), op->getLoc()));
}

void KernelImporter::noteDeclaration(const Expr *expr) {
  if (const ValueDecl *variable = variableOf(expr))
    error(variable->getLocation(), Message::note_declared_type) << variable << variable->getType();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool KernelImporter::import(const Instance &instance) {
  const FunctionDecl *function = instance.function;
  builder.setInsertionPointToEnd(module.getBody());
  auto kernel = builder.create<tk::KernelOp>(
      locate(function->getLocation()), instance.name, builder.getFunctionType({}, {}),
      instance.parameters.empty() ? mlir::StringAttr() : builder.getStringAttr(instance.parameters),
      /*consumers=*/mlir::IntegerAttr(), /*arg_attrs=*/mlir::ArrayAttr(),
      /*res_attrs=*/mlir::ArrayAttr());
  kernel->setAttr("tk.function", builder.getStringAttr(instance.spelling));
  entry = &kernel.getBody().emplaceBlock();
  builder.setInsertionPointToStart(entry);
  if (importParameters(function, kernel) && importBody(function))
    return true;
  if (instance.name != function->getName())
    error(function->getLocation(), Message::note_in_instance) << instance.spelling;
  return false;
}

bool KernelImporter::importParameters(const FunctionDecl *function, tk::KernelOp kernel) {
  bool ok = true;
  llvm::SmallVector<mlir::Type> argumentTypes;
  llvm::SmallVector<mlir::Attribute> names;
  if (function->isVariadic())
    ok = refuse(function);
  for (const ParmVarDecl *parameter : function->parameters()) {
    QualType type = parameter->getType();
    mlir::Type argument;
    if (types.isGlobal(type))
      argument = types.global(type, parameter->getLocation());
    else if (!(argument = types.scalar(type)))
      refuseType(parameter);
    if (argument && parameter->getName().empty()) {
      error(parameter->getLocation(), Message::parameter_without_name);
      argument = {};
    }
    if (!argument) {
      broken.insert(parameter);
      ok = false;
      continue;
    }
    argumentTypes.push_back(argument);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        tk::argumentNameAttrName, builder.getStringAttr(parameter->getName()))));
    values[parameter] = entry->addArgument(argument, locate(parameter->getLocation(), parameter));
  }
  kernel.setFunctionType(builder.getFunctionType(argumentTypes, {}));
  if (!names.empty())
    kernel.setArgAttrsAttr(builder.getArrayAttr(names));
  return ok;
}

/// The loop over a grid that this statement is, if it is one.
static const CXXForRangeStmt *gridLoop(const Stmt *statement, Vocabulary &language) {
  auto *loop = dyn_cast<CXXForRangeStmt>(statement);
  return loop && language.find(loop->getRangeInit()->getType()) == Word::grid_space ? loop
                                                                                    : nullptr;
}

bool KernelImporter::importBody(const FunctionDecl *function) {
  auto *body = dyn_cast<CompoundStmt>(function->getBody());
  if (!body)
    return refuse(function->getBody()); // a function try block
  const CXXForRangeStmt *grid = nullptr;
  bool ok = true;
  for (const Stmt *statement : body->body()) {
    if (isa<NullStmt>(statement))
      continue;
    const CXXForRangeStmt *loop = gridLoop(statement, language);
    if (grid) {
      error(statement->getBeginLoc(), loop ? Message::second_grid : Message::after_grid);
      error(grid->getForLoc(), Message::note_grid);
      return false;
    }
    grid = loop;
    ok &= grid ? importGrid(grid) : importStatement(statement);
  }
  if (!grid && ok) {
    error(function->getLocation(), Message::kernel_without_grid) << function;
    error(body->getRBracLoc(), Message::note_add_grid);
    return false;
  }
  return ok;
}

bool KernelImporter::importGrid(const CXXForRangeStmt *loop) {
  if (loop->getInit())
    return refuse(loop->getInit());
  // The hints are calls around the call of grid(...).
  int64_t swizzle = 0;
  const Expr *range = loop->getRangeInit()->IgnoreUnlessSpelledInSource();
  while (language.findCallee(range) == Word::swizzle) {
    auto *hint = cast<CXXMemberCallExpr>(range);
    std::optional<int64_t> value = evaluate(hint->getArg(0));
    if (!value || *value < 1) {
      error(hint->getArg(0)->getExprLoc(), Message::hint_not_constant)
          << "swizzle" << hint->getArg(0)->getSourceRange();
      return false;
    }
    swizzle = *value;
    range = hint->getImplicitObjectArgument()->IgnoreUnlessSpelledInSource();
  }
  if (language.findCallee(range) != Word::grid) {
    error(range->getExprLoc(), Message::grid_not_direct) << range->getSourceRange();
    return false;
  }
  auto *call = cast<CallExpr>(range);
  if (swizzle && call->getNumArgs() < 2) {
    error(call->getExprLoc(), Message::swizzle_rank) << call->getSourceRange();
    return false;
  }

  llvm::SmallVector<mlir::Value> extents;
  for (const Expr *argument : call->arguments())
    extents.push_back(importScalar(argument));
  if (llvm::is_contained(extents, mlir::Value()))
    return false;

  llvm::SmallVector<const ValueDecl *> indices;
  const VarDecl *variable = loop->getLoopVariable();
  if (auto *decomposition = dyn_cast<DecompositionDecl>(variable))
    llvm::append_range(indices, decomposition->bindings());
  else if (call->getNumArgs() == 1)
    indices.push_back(variable);
  if (variable->getType()->isReferenceType() || indices.size() != extents.size()) {
    error(variable->getLocation(), Message::grid_variables) << unsigned(extents.size());
    return false;
  }
  // `for (auto m : grid(n))` gives the point itself, which is not an int yet.
  if (!isa<DecompositionDecl>(variable) && !types.scalar(variable->getType())) {
    error(variable->getLocation(), Message::grid_variables) << 1u;
    return false;
  }

  auto grid = builder.create<tk::GridOp>(locate(loop->getForLoc()), extents, swizzle);
  mlir::Block *block = &grid.getBody().emplaceBlock();
  for (const ValueDecl *index : indices)
    values[index] = block->addArgument(builder.getI32Type(), locate(index->getLocation(), index));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  auto outside = values;
  bool ok = importStatement(loop->getBody());
  values = outside;
  return ok;
}
