//===- SourceNames.cpp - The user's name and line of a value --------------===//
//
// The frontend wraps the location of a named variable in a NameLoc. Passes hand
// locations on, so the name travels with whatever the variable becomes.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/SourceNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;

StringRef tkc::getSourceName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return fused.getLocations().empty() ? StringRef() : getSourceName(fused.getLocations().front());
  return {};
}

unsigned tkc::getSourceLine(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file.getLine();
  if (auto name = dyn_cast<NameLoc>(loc))
    return getSourceLine(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return fused.getLocations().empty() ? 0 : getSourceLine(fused.getLocations().front());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return getSourceLine(call.getCaller());
  return 0;
}

Location tkc::getUnnamedLoc(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return getUnnamedLoc(name.getChildLoc());
  return loc;
}

Location tkc::getNamedLoc(StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), getUnnamedLoc(loc));
}
