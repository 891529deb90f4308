//===- Tuned.h - Measurements of tkc tune for a source's kernels ----------===//
#ifndef TKC_DRIVER_TUNED_H
#define TKC_DRIVER_TUNED_H

#include "frontend/Frontend.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace tkc {

struct TunedInstance {
  std::string function; // "gemm<64, 128>", as C++ names it
  int64_t efficiency;   // percent
};

/// A shape that was measured.
struct TunedShape {
  std::vector<std::pair<std::string, std::vector<int64_t>>> extents; // of each tensor
  uint64_t chosen;                                                   // the fastest instance
  double ms, defaultMs;
};

/// One function of one source on one device.
struct TunedEntry {
  std::string kernel, source, sourceHash, version, device, date;
  int64_t sms;
  std::vector<TunedInstance> instances;
  std::vector<uint64_t> kept; // the kernels that the function chooses among
  std::vector<TunedShape> shapes;
};

/// The database of --tuned, as far as it is about one source.
class TunedSource {
public:
  /// Reads the file; entries of other sources than one of this name are left out.
  static llvm::Expected<TunedSource> read(llvm::StringRef path, llvm::StringRef sourceName);

  /// The instances that were measured of the source with this hash. Measurements of another
  /// state of the source, or by another tkc, are left out and warned of later.
  std::vector<TunedFunction> select(llvm::StringRef sourceHash);

  /// Sets the efficiencies and the tables of measured extents; emits the warnings.
  void apply(mlir::ModuleOp module) const;

private:
  std::string path, sourceName;
  std::vector<TunedEntry> entries;
  std::vector<std::string> warnings;
};

} // namespace tkc

#endif // TKC_DRIVER_TUNED_H
