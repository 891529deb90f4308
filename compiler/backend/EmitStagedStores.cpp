//===- EmitStagedStores.cpp - Stores through staging buffers as CUDA ------===//
//
// Stores that are alike are calls of a lambda at the top of the role:
// it sees the role's variables, and its parameters are the differences of the stores.
//
//===----------------------------------------------------------------------===//
#include "backend/KernelEmitter.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

static std::string nameFunction(KernelEmitter &e, StringRef tensor, bool adds) {
  return e.names.take(((adds ? "store_add_" : "store_") + tensor).str());
}

static void emitFunction(KernelEmitter &e, StagedStore &store) {
  std::string tensor = "tensor";
  if (BlockArgument argument = tensorBehind(store.copy.getDest()))
    tensor = e.facts.interface.arguments[argument.getArgNumber()].name;
  std::string name = nameFunction(e, tensor, store.copy.getAccumulate());
  e.storeFunctions.push_back(name);
  Names::Scope scope(e.names);
  std::string buffer = e.names.take("buffer"), part = e.names.take("part"),
              origin = e.names.take("origin");

  Origin lines(e.out, store.copy);
  e.currentLine = sourceLineOf(store.wait.getLoc()); // printed above the calls
  e.out.comment("a part of a tile goes to " + tensor + " through a staging buffer");
  e.out.list(
      "const auto " + name + " = [&](",
      {"const auto &" + buffer, "const auto &" + part,
       "const int (&" + origin + ")[" + std::to_string(store.copy.getCoordinates().size()) + "]"},
      ") {");
  e.out.indent();
  e.out.line("if (leader)");
  e.out.indent();
  emitOp(e, store.wait);
  e.out.unindent();
  emitOp(e, store.freed);
  emitStoreRegisters(e, buffer, part);
  emitOp(e, store.fence);
  emitOp(e, store.written);
  e.out.open("if (leader) {");
  emitTmaStore(e, store.copy, origin, buffer);
  e.out.close();
  if (store.tail)
    emitTailColumns(e, store.tail, origin, buffer);
  e.out.close("};");
}

void backend::emitStoreFunctions(KernelEmitter &e) {
  e.storeFunctions.clear();
  // Records of --profile tell the stores apart.
  e.stores = e.facts.profile ? StagedStores() : StagedStores(e.role);
  for (StagedStore &store : e.stores.getFunctions())
    emitFunction(e, store);
}

Operation *backend::emitStoreCall(KernelEmitter &e, Operation *op) {
  auto call = e.stores.lookup(op);
  if (!call)
    return nullptr;
  auto &[store, function] = *call;
  SmallVector<Operation *> statements{store.wait,    store.freed, store.write, store.fence,
                                      store.written, store.copy,  store.tail};
  Operation *end = store.getLast()->getNextNode();
  for (Operation *inside = op; inside != end; inside = inside->getNextNode())
    if (!llvm::is_contained(statements, inside))
      emitOp(e, inside);
  Origin lines(e.out, store.copy);
  emitSourceLine(e, op->getLoc());
  e.out.list(e.storeFunctions[function] + "(",
             {tileText(e, store.write.getDest()), registersText(e, store.write),
              originText(e, store.copy.getCoordinates())},
             ");");
  return store.getLast();
}
