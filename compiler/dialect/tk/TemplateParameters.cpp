//===- TemplateParameters.cpp - Which numbers are the user's parameters ---===//
#include "dialect/tk/TemplateParameters.h"

#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace tkc;

void tk::nameOperand(Value result, StringRef parameter) {
  Operation *op = result.getDefiningOp();
  if (parameter.empty() || !op || op->hasTrait<OpTrait::ConstantLike>())
    return;
  SmallVector<Attribute> names;
  if (auto known = op->getAttrOfType<ArrayAttr>(namedOperandsAttrName))
    names.append(known.begin(), known.end());
  names.push_back(StringAttr::get(op->getContext(), parameter));
  op->setAttr(namedOperandsAttrName, ArrayAttr::get(op->getContext(), names));
}

StringRef tk::getExtentName(Operation *kernel, StringRef variable, unsigned rank, unsigned dim) {
  auto variables = kernel->getAttrOfType<DictionaryAttr>(extentsAttrName);
  auto extents = variables ? variables.getAs<ArrayAttr>(variable) : ArrayAttr();
  if (!extents || extents.size() != rank || dim >= rank)
    return {};
  auto name = dyn_cast<StringAttr>(extents[dim]);
  return name ? name.getValue() : StringRef();
}

void tk::shareExtents(Operation *kernel, StringRef from, StringRef to) {
  auto variables = kernel->getAttrOfType<DictionaryAttr>(extentsAttrName);
  Attribute extents = variables ? variables.get(from) : Attribute();
  if (!extents)
    return;
  NamedAttrList all(variables);
  if (Attribute known = variables.get(to); known && known != extents)
    all.erase(to);
  else
    all.set(to, extents);
  kernel->setAttr(extentsAttrName, all.getDictionary(kernel->getContext()));
}

void tk::copyParameters(Operation *from, Operation *to) {
  for (StringRef name : {parametersAttrName, extentsAttrName})
    if (Attribute known = from->getAttr(name))
      to->setAttr(name, known);
}

StringRef tk::getVariableName(Value value) {
  StringRef name = getSourceName(value);
  auto result = dyn_cast<OpResult>(value);
  if (!name.empty() || !result)
    return name;
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return getSourceName(loop.getRegionIterArg(result.getResultNumber()));
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return getVariableName(branch.thenYield().getOperand(result.getResultNumber()));
  return name;
}
