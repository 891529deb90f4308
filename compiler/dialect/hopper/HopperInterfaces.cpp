//===- HopperInterfaces.cpp - The shared memory that ops touch ------------===//
#include "dialect/hopper/HopperInterfaces.h"

#include "dialect/hopper/EmissionAttributes.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/HopperElementOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

#include "dialect/hopper/HopperInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

using Uses = SmallVector<SharedUse, 2>;

Uses TmaLoadOp::getSharedUses() {
  return {{getDest(), Access::Write, Proxy::Async, Completion::Bytes, BankPattern::Box}};
}

Uses CopyElementOp::getSharedUses() {
  return {{getDest(), Access::Write, Proxy::Generic, Completion::Arrival}};
}

Uses TmaStoreOp::getSharedUses() {
  return {{getSource(), Access::Read, Proxy::Async, Completion::StoreGroup, BankPattern::Box}};
}

Uses StoreTailColumnsOp::getSharedUses() {
  return {{getSource(), Access::Read, Proxy::Generic, Completion::AtOnce}};
}

//===----------------------------------------------------------------------===//
// Registers and shared memory
//===----------------------------------------------------------------------===//

Uses StoreFragmentOp::getSharedUses() {
  return {{getDest(), Access::Write, Proxy::Generic, Completion::AtOnce, BankPattern::Fragment}};
}

Uses StoreVectorOp::getSharedUses() {
  return {{getDest(), Access::Write, Proxy::Generic, Completion::AtOnce}};
}

Uses LoadFragmentOp::getSharedUses() {
  bool isByRows = isa<FragmentType>(getResult().getType()) && !(*this)->hasAttr(transposedAttrName);
  return {{getSource(), Access::Read, Proxy::Generic, Completion::AtOnce,
           isByRows ? BankPattern::Fragment : BankPattern::Unknown}};
}

Uses LoadColumnOp::getSharedUses() {
  return {{getSource(), Access::Read, Proxy::Generic, Completion::AtOnce}};
}

Uses LoadElementOp::getSharedUses() {
  return {{getSource(), Access::Read, Proxy::Generic, Completion::AtOnce}};
}

//===----------------------------------------------------------------------===//
// MMAs and exchanges
//===----------------------------------------------------------------------===//

Uses WgmmaOp::getSharedUses() {
  Uses uses;
  for (Value operand : {getA(), Value(getB())})
    if (isa<SharedType>(operand.getType()))
      uses.push_back(
          {operand, Access::Read, Proxy::Async, Completion::MmaGroup, BankPattern::Matrix});
  return uses;
}

static Uses writeScratch(Value scratch, BankPattern pattern) {
  if (!scratch)
    return {};
  return {{scratch, Access::Write, Proxy::Generic, Completion::AtOnce, pattern}};
}

Uses ReduceColumnsOp::getSharedUses() {
  return writeScratch(getScratch(), BankPattern::ColumnValues);
}
Uses TransposeOp::getSharedUses() { return writeScratch(getScratch(), BankPattern::Unknown); }
Uses ScanOp::getSharedUses() { return writeScratch(getScratch(), BankPattern::Unknown); }

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

Uses hopper::getSharedUses(Operation *op) {
  auto access = dyn_cast<SharedAccess>(op);
  return access ? access.getSharedUses() : Uses();
}

Value hopper::getTileCompletedBy(Operation *op, Completion completion) {
  for (const SharedUse &use : getSharedUses(op))
    if (use.completion == completion)
      return use.tile;
  return {};
}

template <typename EffectType> static bool touchesTensor(Operation *op) {
  auto isTensor = [](Value operand) {
    return isa<tk::GlobalType, TensorMapType>(operand.getType());
  };
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || llvm::none_of(op->getOperands(), isTensor))
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource() == tk::GlobalMemory::get() && isa<EffectType>(effect.getEffect());
  });
}

bool hopper::readsTensor(Operation *op) { return touchesTensor<MemoryEffects::Read>(op); }
bool hopper::writesTensor(Operation *op) { return touchesTensor<MemoryEffects::Write>(op); }
