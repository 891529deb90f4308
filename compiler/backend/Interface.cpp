//===- Interface.cpp - The C function of a kernel -------------------------===//
#include "backend/Interface.h"

#include "backend/ElementTypes.h"
#include "backend/Expressions.h"
#include "backend/KernelFacts.h"
#include "backend/SourceLines.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/tk/TkElementOp.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

StringRef backend::dimensionName(int64_t rank, int64_t dim) {
  static constexpr StringLiteral names[] = {"cols", "rows", "depth", "batch"};
  return names[rank - 1 - dim];
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

/// The kernel's argument after the operand of an op that moves tiles.
static ArgumentFacts *argumentBehind(Interface &interface, Value source) {
  BlockArgument argument = tensorBehind(source);
  return argument ? &interface.arguments[argument.getArgNumber()] : nullptr;
}

Interface backend::collectInterface(FunctionOpInterface kernel, std::optional<StringRef> parameters,
                                    ArrayAttr equalExtents, Names &names) {
  Interface interface{kernel, kernel.getName().str(), kernel.getName().str(), {}, equalExtents, {}};
  if (parameters && !parameters->empty())
    interface.title += "<" + parameters->str() + ">";
  if (std::optional<SourceLine> line = sourceLineOf(kernel.getLoc()))
    interface.title += ", " + describe(*line);

  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    ArgumentFacts argument;
    auto userName = kernel.getArgAttrOfType<StringAttr>(index, tk::argumentNameAttrName);
    argument.userName = userName ? userName.getValue() : "argument";
    argument.name = names.take(argument.userName);
    argument.tensor = dyn_cast<tk::GlobalType>(type);
    argument.scalar = argument.tensor ? Type() : type;
    interface.arguments.push_back(argument);
  }
  if (isProfiled(kernel))
    interface.profile = names.take("profile");
  kernel->walk([&](Operation *op) {
    ArgumentFacts unknown;
    auto argument = [&](Value tensor) -> ArgumentFacts & {
      ArgumentFacts *found = argumentBehind(interface, tensor);
      return found ? *found : unknown;
    };
    auto read = [&](Value tensor, bool byElement) {
      argument(tensor).isRead = true;
      (byElement ? argument(tensor).isByElement : argument(tensor).isCopied) = true;
    };
    auto write = [&](Value tensor, bool accumulates, bool byElement) {
      argument(tensor).isWritten = true;
      argument(tensor).isRead |= accumulates;
      argument(tensor).isAdded |= accumulates;
      (byElement ? argument(tensor).isByElement : argument(tensor).isCopied) = true;
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tk::LoadOp load) { read(load.getSource(), false); })
        .Case<GatherOp, tk::GatherOp, tk::ElementOp, CopyElementOp>(
            [&](auto gather) { read(gather.getSource(), true); })
        .Case([&](TmaStoreOp store) { write(store.getDest(), store.getAccumulate(), false); })
        .Case([&](StoreGlobalOp store) { write(store.getDest(), store.getAccumulate(), true); })
        .Case<ScatterOp, tk::ScatterOp>(
            [&](auto scatter) { write(scatter.getDest(), bool(scatter.getCombine()), true); })
        .Case([&](tk::StoreOp store) {
          auto vector = dyn_cast<tk::TileVectorType>(store.getValue().getType());
          write(store.getDest(), store.getAccumulate(), vector && vector.isRegister());
        })
        .Case([&](TmaCopy copy) {
          if (!copy.isOutput())
            read(copy.getTensorMutable().get(), false);
        });
  });
  return interface;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void backend::emitOrigin(CudaPrinter &out, StringRef version, StringRef sourceName) {
  out.comment(("Written by tkc " + version + " from " + sourceName + ". Do not edit: change " +
               sourceName + " and run tkc again.")
                  .str());
}

LogicalResult backend::checkNames(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op); symbol && !isIdentifier(symbol.getName()))
      return op.emitOpError("has a name that is no identifier of C: '")
             << escaped(symbol.getName()) << "'";
  return success();
}

/// How C spells a scalar parameter.
static StringRef parameterType(Type type) {
  return type.isInteger(32) ? "int32_t" : scalarTypeName(type);
}

void backend::emitSignature(const Interface &interface, CudaPrinter &out, StringRef head,
                            StringRef tail, StringRef stream) {
  SmallVector<std::string> parameters;
  for (const ArgumentFacts &argument : interface.arguments)
    parameters.push_back(argument.tensor
                             ? "const tk_tensor *" + argument.name
                             : parameterType(argument.scalar).str() + " " + argument.name);
  parameters.push_back(stream.str());
  out.list(head + " " + interface.name() + "(", parameters, tail);
}

std::string backend::launchParameters(const Interface &interface, StringRef last) {
  return (interface.profile.empty() ? "" : "const tk_tensor *" + interface.profile + ", ") +
         last.str();
}

/// "both are walked by m, gemm.tk:5"
static std::string reason(Location kernel, EqualExtentAttr extents) {
  std::string text = "both are walked by " + extents.getIndex().str();
  std::optional<SourceLine> line = sourceLineOf(kernel);
  if (line && extents.getLine())
    text += ", " + describe({line->file, unsigned(extents.getLine())});
  return text;
}

SmallVector<Requirement> backend::getRequirements(const Interface &interface) {
  using Kind = Requirement::Kind;
  SmallVector<Requirement> required;
  for (auto [index, argument] : llvm::enumerate(interface.arguments))
    if (argument.tensor) {
      bool onlyByElement = argument.isByElement && !argument.isCopied;
      bool inFragments = argument.tensor.getInFragments();
      required.push_back(
          {onlyByElement && !inFragments ? Kind::Elements : Kind::Tensor, unsigned(index)});
      if (inFragments)
        required.push_back({Kind::Fragments, unsigned(index), 0, argument.tensor.getFragmentDim()});
    }
  for (auto [index, argument] : llvm::enumerate(interface.arguments))
    if (argument.tensor)
      for (auto [dim, extent] : llvm::enumerate(argument.tensor.getShape()))
        if (!ShapedType::isDynamic(extent))
          required.push_back({Kind::Extent, unsigned(index), 0, int64_t(dim), 0, extent});
  if (interface.equalExtents)
    for (auto pair : interface.equalExtents.getAsRange<EqualExtentAttr>()) {
      Requirement &same = required.emplace_back(Requirement{
          Kind::SameExtent, unsigned(pair.getFirstArgument()), unsigned(pair.getSecondArgument()),
          pair.getFirstDim(), pair.getSecondDim(), 0, reason(interface.kernel->getLoc(), pair)});
      bool isFirst = interface.isRounded(same.a, same.dimA);
      if (isFirst == interface.isRounded(same.b, same.dimB))
        continue;
      same.kind = Kind::Rounded;
      if (!isFirst) {
        std::swap(same.a, same.b);
        std::swap(same.dimA, same.dimB);
      }
    }
  for (auto [index, argument] : llvm::enumerate(interface.arguments))
    if (argument.isWritten)
      required.push_back({Kind::Written, unsigned(index)});
  return required;
}

bool backend::emitArgumentChecks(const Interface &interface, CudaPrinter &out) {
  using Kind = Requirement::Kind;
  bool ok = true;
  out.line("host::arguments args(" + quoted(interface.name()) + ");");
  if (!interface.profile.empty())
    out.line("args.elements(\"profile\", " + interface.profile + ", TK_I32, 1);");
  for (const Requirement &required : getRequirements(interface)) {
    const ArgumentFacts &a = interface.arguments[required.a];
    const ArgumentFacts &b = interface.arguments[required.b];
    std::string given = quoted(a.userName) + ", " + a.name;
    switch (required.kind) {
    case Kind::Tensor:
    case Kind::Elements: {
      const ElementType *element = elementType(a.tensor.getElementType());
      if (!element) {
        interface.kernel->emitOpError("has a tensor '" + a.userName +
                                      "' of elements that have no spelling in CUDA: ")
            << a.tensor.getElementType();
        ok = false;
        continue;
      }
      out.line((required.kind == Kind::Elements ? "args.elements(" : "args.tensor(") + given +
               ", " + element->dtype + ", " + Twine(a.tensor.getRank()) + ");");
      break;
    }
    case Kind::Extent:
      out.line("args.extent(" + given + ", " + Twine(required.dimA) + ", " +
               Twine(required.extent) + ");");
      break;
    case Kind::SameExtent:
    case Kind::Rounded:
      out.line((required.kind == Kind::Rounded ? "args.rounded_extent(" : "args.same_extent(") +
                   given + ", " + Twine(required.dimA) + ", " + quoted(b.userName) + ", " + b.name +
                   ", " + Twine(required.dimB) + ");",
               required.reason);
      break;
    case Kind::Written:
      out.line("args.written(" + given + ");", "no two of its elements may be one place");
      break;
    case Kind::Fragments:
      out.line("args.fragments(" + given + ", " + Twine(required.dimA) + ");",
               "whole blocks of 16 are in fragment order");
      break;
    }
  }
  out.line("if (args.done())");
  out.indent();
  out.line("return args.status();");
  out.unindent();
  return ok;
}
