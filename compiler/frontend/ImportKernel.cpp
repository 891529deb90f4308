//===- ImportKernel.cpp - A kernel: parameters, grid, body ----------------===//
#include "frontend/ImportKernel.h"

#include "dialect/tk/TkChoiceOp.h"

using namespace clang;
using namespace tkc;

KernelImporter::KernelImporter(ImportContext &context, UnusedValues &unused, mlir::ModuleOp module)
    : Importer(context), module(module), written(unused), environment(context, written),
      scalars(context, environment, objects, functions, tensors, builtins),
      tensors(context, scalars, objects),
      objects(context, environment, scalars, tensors, functions, statements, scope, builtins),
      functions(context, environment, scalars, objects, statements),
      statements(context, environment, written, scalars, objects, functions, loops, builtins),
      loops(context, environment, scalars, objects, functions, statements, scope),
      scope(context, environment, statements),
      builtins(context, {environment, scalars, tensors, objects, functions, scope}) {}

bool KernelImporter::import(const Instance &instance) {
  const FunctionDecl *function = instance.function;
  builder.setInsertionPointToEnd(module.getBody());
  auto kernel = builder.create<tk::KernelOp>(
      locate(function->getLocation()), instance.name, builder.getFunctionType({}, {}),
      instance.parameters.empty() ? mlir::StringAttr()
                                  : builder.getStringAttr(instance.parameters));
  kernel->setAttr(tk::functionAttrName, builder.getStringAttr(instance.spelling));
  context.parameters.begin(function);
  mlir::Block *entry = &kernel.getBody().emplaceBlock();
  constants.begin(entry);
  builder.setInsertionPointToStart(entry);
  if (importParameters(function, kernel) && importBody(function)) {
    written.finish();
    context.parameters.attach(kernel);
    return true;
  }
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
    const bool isTensor = types.isGlobal(type);
    mlir::Type argument =
        isTensor ? types.global(type, parameter->getLocation()) : types.scalar(type);
    if (!argument && !isTensor)
      refuseType(parameter);
    if (argument && parameter->getName().empty()) {
      error(parameter->getLocation(), Message::parameter_without_name);
      argument = {};
    }
    if (!argument) {
      environment.setBroken(parameter);
      ok = false;
      continue;
    }
    argumentTypes.push_back(argument);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        tk::argumentNameAttrName, builder.getStringAttr(parameter->getName()))));
    Object object = *environment.declare(parameter);
    environment[object.first].value =
        kernel.getBody().addArgument(argument, locate(parameter->getLocation(), parameter));
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
    ok &= grid ? importGrid(grid) : statements.importSequence(statement);
  }
  if (!grid && ok) {
    error(function->getLocation(), Message::kernel_without_grid) << function;
    error(body->getRBracLoc(), Message::note_add_grid);
    return false;
  }
  return ok;
}
