//===- KernelFacts.cpp - Facts for several parts of a kernel's text -------===//
#include "backend/KernelFacts.h"

#include "backend/ElementTypes.h"
#include "backend/SourceLines.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TemplateParameters.h"
#include "dialect/tk/TkPartOp.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

BlockArgument backend::tensorBehind(Value source) {
  if (auto part = source.getDefiningOp<PartMapOp>())
    source = part.getMap();
  if (auto map = source.getDefiningOp<TensorMapOp>())
    source = map.getSource();
  source = tk::getWholeTensor(source);
  return dyn_cast<BlockArgument>(source);
}

static void collectExtents(KernelFacts &facts, Names &names) {
  facts.op.walk([&](tk::ExtentOp extent) {
    auto tensor = dyn_cast<BlockArgument>(extent.getSource());
    if (!tensor || extent.use_empty())
      return;
    unsigned argument = tensor.getArgNumber();
    auto known = llvm::find_if(facts.extents, [&](const ExtentFacts &fact) {
      return fact.argument == argument && fact.dim == int64_t(extent.getDim());
    });
    if (known == facts.extents.end())
      known = facts.extents.insert(known, {argument, int64_t(extent.getDim()), "", {}});
    known->values.push_back(extent);
  });
  llvm::sort(facts.extents, [](const ExtentFacts &a, const ExtentFacts &b) {
    return std::tie(a.argument, a.dim) < std::tie(b.argument, b.dim);
  });
  for (ExtentFacts &extent : facts.extents) {
    const ArgumentFacts &argument = facts.interface.arguments[extent.argument];
    StringRef userName = getSourceName(extent.values.front());
    if (userName.empty())
      extent.name = names.take(
          (argument.userName + "_" + dimensionName(argument.tensor.getRank(), extent.dim)).str());
    else
      extent.name = names.take(userName);
  }
}

static void collectMaps(KernelFacts &facts, Names &names) {
  facts.op.walk([&](TensorMapOp map) {
    unsigned argument = cast<BlockArgument>(map.getSource()).getArgNumber();
    std::string wanted = map.getName()
                             ? map.getName()->str()
                             : (facts.interface.arguments[argument].userName + "_map").str();
    facts.maps.push_back({map, argument, names.take(wanted)});
  });
}

static void collectGlobals(KernelFacts &facts) {
  for (auto [index, argument] : llvm::enumerate(facts.interface.arguments)) {
    const ElementType *element =
        argument.tensor ? elementType(argument.tensor.getElementType()) : nullptr;
    if (argument.isByElement && element)
      facts.globals.push_back(
          {unsigned(index),
           ("gl<" + element->name + ", " + Twine(argument.tensor.getRank()) + ">").str()});
  }
}

/// Whatever ops use together with one cursor has one number of stages.
static void collectStages(KernelFacts &facts, Names &names) {
  llvm::EquivalenceClasses<void *> walkedTogether;
  auto unite = [&](Value a, Value b) {
    walkedTogether.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  };
  facts.op.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](StageOp stage) { unite(stage.getRing(), stage.getCursor()); })
        .Case([&](BarrierUse use) { unite(use.getBarrier(), use.getCursor()); });
  });

  // One member that has a name gives it to all, rings before barriers.
  SmallVector<std::pair<void *, SharedFacts *>> named;
  auto isNamed = [&](void *leader) {
    return llvm::any_of(named, [&](const auto &known) { return known.first == leader; });
  };
  auto consider = [&](SharedFacts &shared) {
    void *value = shared.getValue().getAsOpaquePointer();
    auto member = walkedTogether.findLeader(value);
    if (member != walkedTogether.member_end() && !isNamed(*member))
      named.push_back({*member, &shared});
  };
  for (bool rings : {true, false})
    for (SharedFacts &shared : facts.shared)
      if (isa<AllocRingOp>(shared.op) == rings)
        consider(shared);

  for (auto [leader, shared] : named) {
    int64_t count = llvm::TypeSwitch<Type, int64_t>(shared->op->getResult(0).getType())
                        .Case<RingType, BarrierType>([](auto type) { return type.getStages(); });
    // `stages` itself is taken from the start, for this.
    std::string name = named.size() == 1 ? "stages" : names.take(shared->name + "_stages");
    for (auto it = walkedTogether.member_begin(walkedTogether.findValue(leader));
         it != walkedTogether.member_end(); ++it)
      facts.stagesIndex[Value::getFromOpaquePointer(*it)] = facts.stages.size();
    facts.stages.push_back({name, count});
  }
}

/// The prefix that tells a barrier's constants from those of others: "q_" of "q_full".
static StringRef getPrefix(StringRef barrier) {
  return barrier.consume_back("full") ? barrier : StringRef();
}

static void collectTransactions(KernelFacts &facts, Names &names) {
  for (const SharedFacts &shared : facts.shared) {
    if (!isa<AllocBarrierOp>(shared.op))
      continue;
    std::optional<int64_t> bytes;
    bool isUnique = true;
    for (Operation *user : shared.getValue().getUsers())
      if (auto expect = dyn_cast<ExpectBytesOp>(user)) {
        isUnique &= !bytes || *bytes == int64_t(expect.getBytes());
        bytes = expect.getBytes();
      }
    if (bytes && isUnique)
      facts.transactions.push_back(
          {shared.getValue(), names.take((getPrefix(shared.name) + "stage_bytes").str()), *bytes});
  }
}

std::string KernelFacts::namedBarrier(int64_t id) const {
  for (const NamedBarrierFacts &barrier : namedBarriers)
    if (barrier.id == id)
      return barrier.name;
  return std::to_string(id);
}

std::string KernelFacts::transactionOf(Value barrier, int64_t bytes) const {
  for (const TransactionFacts &transaction : transactions)
    if (transaction.barrier == barrier)
      return transaction.name;
  return std::to_string(bytes);
}

std::string KernelFacts::stagesOf(Value value) const {
  if (auto index = stagesIndex.find(value); index != stagesIndex.end())
    return stages[index->second].name;
  int64_t count =
      llvm::TypeSwitch<Type, int64_t>(value.getType())
          .Case<RingType, BarrierType, CursorType>([](auto type) { return type.getStages(); });
  return std::to_string(count);
}

/// The template parameters get the names they have in the source, unless the kernel or its launcher
/// needs one of them itself.
static void collectParameters(KernelFacts &facts, Names &names, Names &launcherNames) {
  auto known = facts.op->getAttrOfType<ArrayAttr>(tk::parametersAttrName);
  for (Attribute entry : known ? known.getValue() : ArrayRef<Attribute>()) {
    auto parameter = dyn_cast<DictionaryAttr>(entry);
    if (!parameter || parameter.size() != 1)
      continue;
    auto value = dyn_cast<IntegerAttr>(parameter.begin()->getValue());
    if (!value)
      continue;
    StringRef userName = parameter.begin()->getName();
    std::string name = names.take(launcherNames.take(userName));
    facts.parameters.push_back({userName.str(), name, value.getInt()});
  }
}

int64_t RoleFacts::getStreams() const {
  RoleOp role = op;
  if (isScanner(role))
    return 0; // it is ahead of the others, and short
  return role.getKind() == RoleKind::Producer ? 1 : role.getWarpgroups();
}

/// A kernel's number in its file.
static int64_t numberOf(KernelOp kernel) {
  int64_t number = 0;
  for (Operation *before = kernel->getPrevNode(); before; before = before->getPrevNode())
    number += isa<KernelOp>(before);
  return number;
}

KernelFacts KernelFacts::collect(KernelOp kernel, Names &fileNames, Names &names) {
  KernelFacts facts;
  facts.op = kernel;
  facts.kernelName = fileNames.take((kernel.getSymName() + "_kernel").str());
  facts.planName = fileNames.take((kernel.getSymName() + "_plan").str());
  facts.registeredName = fileNames.take((kernel.getSymName() + "_registered").str());

  for (StringRef own : {facts.kernelName, facts.planName})
    names.take(own);
  // The kernel's own words first, then the user's: an argument called `threads` becomes threads_2.
  for (StringRef word : {"stages", "threads", "shared_bytes", "shared", "leader"})
    names.take(word);
  if (isProfiled(kernel))
    for (StringRef word :
         {"profile_build", "profile_kernel", "profile_streams", "profile_buffer", "profile_stream"})
      names.take(word);
  {
    // The launcher's variables matter only to its parameters.
    Names launcherNames = names;
    for (StringRef word : {"args", "maps", "shape", "stream"})
      launcherNames.take(word);
    collectParameters(facts, names, launcherNames);
    if (isProfiled(kernel))
      launcherNames.take("profiled");
    facts.interface = collectInterface(kernel, kernel.getParameters(), kernel.getEqualExtentsAttr(),
                                       launcherNames);
  }
  for (const ArgumentFacts &argument : facts.interface.arguments)
    names.take(argument.name);
  collectMaps(facts, names);
  collectGlobals(facts);
  collectExtents(facts, names);

  int64_t warpgroups = 0, streams = 0;
  kernel.walk([&](Operation *op) {
    if (auto role = dyn_cast<RoleOp>(op)) {
      int64_t first = isScanner(role) ? warpgroups - 1 : warpgroups; // the producer's
      facts.roles.push_back({role, first, warpgroups + getOwnWarpgroups(role), streams});
      warpgroups += getOwnWarpgroups(role);
      streams += facts.roles.back().getStreams();
    } else if (auto loop = dyn_cast<TileLoopOp>(op)) {
      if (!facts.tileLoop)
        facts.tileLoop = loop;
    }
  });
  kernel.walk([&](Operation *op) {
    StringRef wanted;
    if (auto ring = dyn_cast<AllocRingOp>(op))
      wanted = ring.getName();
    else if (auto barrier = dyn_cast<AllocBarrierOp>(op))
      wanted = barrier.getName();
    else if (auto scheduler = dyn_cast<TileSchedulerOp>(op)) {
      wanted = "tiles";
      facts.scheduler = scheduler;
    } else
      return;
    SharedFacts shared{op, names.take(wanted), {}};
    if (isa<TileSchedulerOp>(op)) {
      facts.schedulerName = shared.name;
      facts.counterName = names.take("counter");
    }
    shared.offset = names.take(shared.name + "_offset");
    facts.shared.push_back(shared);
  });
  collectStages(facts, names);
  collectTransactions(facts, names);
  facts.namedBarriers = collectNamedBarriers(kernel, names);
  if (isProfiled(kernel))
    facts.profile = {numberOf(kernel), streams, names.take("profile_records"),
                     names.take("profile")};
  return facts;
}
