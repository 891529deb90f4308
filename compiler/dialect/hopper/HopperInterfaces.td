//===- HopperInterfaces.td - Facts that passes and the backend ask of ops -===//
//
// An analysis that lists op names has to be found and extended by whoever adds an
// op, and what it forgets it gets wrong in silence. So an op says itself which
// shared memory it touches and when that is over, who meets in it, and how it is
// spelled; HopperInterfaces.h has the words for it.
//
//===----------------------------------------------------------------------===//
#ifndef HOPPER_INTERFACES
#define HOPPER_INTERFACES

include "mlir/IR/OpBase.td"

class Hopper_Interface<string name> : OpInterface<name> {
  let cppNamespace = "::tkc::hopper";
}

def SharedAccess : Hopper_Interface<"SharedAccess"> {
  let description = [{
    An op that reads or writes tiles in shared memory. Hazards, waits, the protocol check, bank conflicts, work
    counts and the explorer's timeline know an op by these facts alone.
  }];
  let methods = [
    InterfaceMethod<"The tiles that the op touches, in the order of its operands. Of an exchange, its scratch "
                    "memory, as written.",
                    "::llvm::SmallVector<::tkc::hopper::SharedUse, 2>", "getSharedUses">,
  ];
}

def BarrierUse : Hopper_Interface<"BarrierUse"> {
  let description = "An op at the mbarrier of a cursor's stage: it waits there, arrives there, or ends with an arrival.";
  let methods = [
    InterfaceMethod<"The ring of mbarriers.", "::mlir::Value", "getBarrier">,
    InterfaceMethod<"The cursor whose stage it is.", "::mlir::Value", "getCursor">,
  ];
}

def Exchange : Hopper_Interface<"Exchange"> {
  let description = [{
    An op in which warps exchange values through shared memory: each writes its part of `scratch`, all meet at the
    named barrier, read, and meet again before `scratch` may be written anew.
  }];
  let methods = [
    InterfaceMethod<"Null where nothing has to be exchanged; then nobody meets.", "::mlir::Value", "getScratch">,
    InterfaceMethod<"How many warpgroups share the tile, and meet.", "int64_t", "getWarpgroups">,
    InterfaceMethod<"The named barrier at which they meet.", "int64_t", "getBarrierId">,
  ];
}

def TmaCopy : Hopper_Interface<"TmaCopy"> {
  let description = [{
    An op that moves a box of a tensor, or some of its columns. Its tensor is an argument of the kernel, or a part of one,
    until tk-legalize-for-emission puts a tensor map in its place.
  }];
  let methods = [
    InterfaceMethod<"The tensor.", "::mlir::OpOperand &", "getTensorMutable">,
    InterfaceMethod<"The place of the box, in elements, slowest dimension first.", "::mlir::OperandRange",
                    "getCoordinates">,
    InterfaceMethod<"The tile in shared memory; null if the box goes elsewhere.", "::mlir::Value", "getTile">,
    InterfaceMethod<"The type that the tile has, or would have, in shared memory.", "::mlir::Type", "getTileType", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return $_op.getTile().getType();">,
    InterfaceMethod<"Tiles of consecutive indices of the dimension before the rows that a box brings.", "uint64_t",
                    "getDepth", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return 1;">,
    InterfaceMethod<"Whether the tensor is written to.", "bool", "isOutput">,
  ];
}

def CudaSpelling : Hopper_Interface<"CudaSpelling"> {
  let description = [{
    An op that the backend prints. The text itself is an overload of `backend::emit`; the op says where it is
    printed, what a reader takes it for, how many threads execute it and which headers of the runtime it needs.
  }];
  let methods = [
    InterfaceMethod<"How the op appears in the emitted CUDA.", "::tkc::hopper::Spelling", "getSpelling">,
  ];
}

// Spells<...> gives an op its CudaSpelling; arguments name enumerators of HopperInterfaces.h, and headers of
// runtime/hopper: "tile/move".
class Hopper_Spelled<string place, string kind, string executor, list<string> headers>
    : ParamNativeOpTrait<"Spelled", !interleave(!listconcat(
          ["::tkc::hopper::Place::" # place, "::tkc::hopper::StatementKind::" # kind,
           "::tkc::hopper::Executor::" # executor],
          !foreach(header, headers, "\"" # header # "\"")), ", ")> {
  let cppNamespace = "::tkc::hopper";
}
class Spells<string place, string kind, string executor, list<string> headers>
    : TraitList<[CudaSpelling, Hopper_Spelled<place, kind, executor, headers>]>;

/// A statement below the source line that asks for it.
class Statement<string kind, list<string> headers = []> : Spells<"Line", kind, "Warpgroup", headers>;
class OneThreadStatement<string kind, list<string> headers = []> : Spells<"Line", kind, "OneThread", headers>;
/// Set-up of the block and of its roles, for which no source line asks.
class SetUp<string kind, list<string> headers = []> : Spells<"SetUp", kind, "Warpgroup", headers>;
/// Bookkeeping of rings, for the statements around it.
class Bookkeeping<string kind> : Spells<"Bookkeeping", kind, "Warpgroup", []>;
/// Printed with the kernel's declarations, or as part of the ops that use it.
class Elsewhere<string kind, list<string> headers = []> : Spells<"Elsewhere", kind, "Warpgroup", headers>;

def RuntimeCall : Hopper_Interface<"RuntimeCall"> {
  let description = [{
    An op that computes registers from registers and is printed as a call of a function of the runtime with the op's
    operands as arguments: `result = callee(operands);`. It needs no overload of `backend::emit`. Where warps exchange
    values (Exchange), the call has the scratch memory, the barrier and the warpgroup's number besides:
    `result = callee<warpgroups>(source, scratch.address, barrier, index);`.
  }];
  let methods = [
    InterfaceMethod<"The function.", "::llvm::StringRef", "getCallee">,
    InterfaceMethod<"The name of a result for which the user has none. `source` is the name of the first operand, empty "
                    "if it has none.",
                    "::std::string", "nameResult", (ins "::llvm::StringRef":$source)>,
  ];
}

class Hopper_Calls<string callee, string resultName>
    : ParamNativeOpTrait<"Calls", "\"" # callee # "\", \"" # resultName # "\""> {
  let cppNamespace = "::tkc::hopper";
}

/// A call of a function whose name no attribute changes; `resultName` says what it has done to its operand: "swapped".
class Calls<string callee, string resultName> : TraitList<[RuntimeCall, Hopper_Calls<callee, resultName>]>;

// An op that may write its result where an operand of that type was, if nobody needs the operand any more.
def Hopper_InPlace : NativeOpTrait<"InPlace"> {
  let cppNamespace = "::tkc::hopper";
}

#endif // HOPPER_INTERFACES
