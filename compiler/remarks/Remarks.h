//===- Remarks.h - Changes that passes made or nearly made, and why -------===//
//
// An optimising pass says at the source line what it has made faster, and where
// code has nearly the shape that it looks for, the obstacle. The words are
// in Remarks.def. A matcher that refuses says why:
//
//     return missed.because(loc, Remark::RowSumsTotalRead, name);
//
// and the pass reports the first reason if nothing else of the loop matches. Code
// that has nothing to do with a pattern gets no remark.
//
// The driver collects all remarks of a context for the report, and shows those
// that -Rtk-pass and -Rtk-missed ask for. Without a collector they are dropped.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_REMARKS_REMARKS_H
#define TKC_REMARKS_REMARKS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/FormatVariadic.h"
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tkc {

enum class Remark {
#define TKC_REMARK(name, pass, kind, text) name,
#include "remarks/Remarks.def"
};

/// "row-sums-on-tensor-cores"
llvm::StringRef getPassFlag(Remark remark);
/// True if the remark says what a pass has not done.
bool isMissed(Remark remark);
/// The text, with {0}, {1}, ... for its words.
const char *getFormat(Remark remark);

/// A remark at its place, with its words filled in.
struct PlacedRemark {
  template <typename... Words>
  PlacedRemark(mlir::Location loc, Remark remark, Words &&...words)
      : loc(loc), remark(remark),
        text(llvm::formatv(getFormat(remark), std::forward<Words>(words)...).str()) {}

  mlir::Location loc;
  Remark remark;
  std::string text;
};

/// Reports a remark about the kernel that `op` is in.
void report(mlir::Operation *op, const PlacedRemark &remark);

template <typename... Words>
void reportRemark(mlir::Operation *op, mlir::Location loc, Remark remark, Words &&...words) {
  report(op, PlacedRemark(loc, remark, std::forward<Words>(words)...));
}

/// The result of a matcher that refuses: false, failure or nothing.
struct Refusal {
  operator bool() const { return false; }
  operator llvm::LogicalResult() const { return llvm::failure(); }
  template <typename Match> operator std::optional<Match>() const { return std::nullopt; }
};

/// Why something was not matched although it nearly was: the first reason counts.
class MissedReason {
public:
  template <typename... Words>
  Refusal because(mlir::Location loc, Remark remark, Words &&...words) {
    if (!reason)
      reason.emplace(loc, remark, std::forward<Words>(words)...);
    return {};
  }

  explicit operator bool() const { return reason.has_value(); }

  /// Reports the reason, if there is one.
  void reportAt(mlir::Operation *op) const {
    if (reason)
      report(op, *reason);
  }

private:
  std::optional<PlacedRemark> reason;
};

/// A remark as the report shows it.
struct CollectedRemark {
  std::string kernel, text;
  Remark remark;
  unsigned line;
};

/// Collects the remarks of a context, each once for a kernel and a line. Those of one kernel are in
/// the order of the passes; threads collect those of several.
class RemarkCollector : public mlir::DialectInterface::Base<RemarkCollector> {
public:
  explicit RemarkCollector(mlir::Dialect *dialect) : Base(dialect) {}

  /// Adds a collector that shows what the named passes did and missed.
  static void add(mlir::MLIRContext &context, const std::set<std::string> &shownDone,
                  const std::set<std::string> &shownMissed);
  /// Null if there is none.
  static RemarkCollector *find(mlir::MLIRContext *context);

  void collect(llvm::StringRef kernel, const PlacedRemark &remark);
  llvm::ArrayRef<CollectedRemark> getRemarks() const { return remarks; }

private:
  std::set<std::string> shownDone, shownMissed;
  std::mutex mutex; // of the remarks
  std::vector<CollectedRemark> remarks;
};

} // namespace tkc

#endif // TKC_REMARKS_REMARKS_H
