//===- SourceLines.cpp - Locations as a reader sees them ------------------===//
#include "backend/SourceLines.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tkc::backend;

std::optional<SourceLine> tkc::backend::sourceLineOf(Location loc) {
  using Result = std::optional<SourceLine>;
  return llvm::TypeSwitch<LocationAttr, Result>(loc)
      .Case([](FileLineColLoc at) -> Result {
        return SourceLine{at.getFilename().getValue(), at.getLine(), at.getColumn()};
      })
      .Case([](NameLoc named) { return sourceLineOf(named.getChildLoc()); })
      .Case([](CallSiteLoc call) { return sourceLineOf(call.getCaller()); })
      .Case([](FusedLoc fused) -> Result {
        for (Location part : fused.getLocations())
          if (Result line = sourceLineOf(part))
            return line;
        return std::nullopt;
      })
      .Default([](LocationAttr) -> Result { return std::nullopt; });
}

std::string tkc::backend::describe(const SourceLine &line) {
  return (llvm::sys::path::filename(line.file) + ":" + llvm::Twine(line.line)).str();
}
