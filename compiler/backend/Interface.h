//===- Interface.h - The C function of a kernel ---------------------------===//
//
// The emitted CUDA and the reference export the same C functions and refuse the
// same arguments in the same words. So what they need is collected from a kernel
// of either dialect, and the signature and the checks are printed here.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_INTERFACE_H
#define TKC_BACKEND_INTERFACE_H

#include "backend/CudaPrinter.h"
#include "backend/Names.h"
#include "backend/SafeText.h"
#include "dialect/hopper/Hopper.h"
#include "mlir/IR/BuiltinOps.h"

namespace tkc::backend {

struct ArgumentFacts {
  llvm::StringRef userName;
  std::string name;      // of the C function's parameter
  tk::GlobalType tensor; // null for a scalar
  mlir::Type scalar;     // null for a tensor
  bool isRead = false, isWritten = false;
  bool isAdded = false;     // to its content: it is read and written
  bool isCopied = false;    // by TMA
  bool isByElement = false; // threads read or write single elements
};

/// On a kernel whose CUDA records when its statements begin.
inline constexpr llvm::StringLiteral profiledAttrName = "hopper.profiled";
inline bool isProfiled(mlir::Operation *kernel) { return kernel->hasAttr(profiledAttrName); }

struct Interface {
  mlir::FunctionOpInterface kernel;
  std::string exported; // name of the C function
  std::string title;    // "gemm<BM = 128, BN = 256, BK = 64>, gemm.tk:4"
  llvm::SmallVector<ArgumentFacts> arguments;
  mlir::ArrayAttr equalExtents; // of #hopper.equal_extent; may be null
  std::string profile;          // the parameter for the records; empty without --profile

  llvm::StringRef name() const { return exported; }

  /// True if this extent is the next multiple of 16, for its tensor lies in fragment order.
  bool isRounded(unsigned argument, int64_t dim) const {
    tk::GlobalType tensor = arguments[argument].tensor;
    return tensor && tensor.getInFragments() && tensor.getFragmentDim() == dim;
  }
};

/// Of a hopper.kernel or tk.kernel; the parameters' names are taken from `names`.
Interface collectInterface(mlir::FunctionOpInterface kernel,
                           std::optional<llvm::StringRef> parameters, mlir::ArrayAttr equalExtents,
                           Names &names);

/// "rows" or "cols" (or "depth", "batch"): what dimension `dim` of a tensor of this rank is called.
llvm::StringRef dimensionName(int64_t rank, int64_t dim);

/// Refuses kernels whose names are no identifiers, which only IR written by hand has.
mlir::LogicalResult checkNames(mlir::ModuleOp module);

/// `head` gemm(const tk_tensor *A, ..., `stream`) `tail`
void emitSignature(const Interface &interface, CudaPrinter &out, llvm::StringRef head,
                   llvm::StringRef tail, llvm::StringRef stream);

/// Parameters of a function that launches, after the kernel's own arguments.
std::string launchParameters(const Interface &interface, llvm::StringRef last = "tk_stream stream");

/// A condition that must hold before anything is launched.
struct Requirement {
  enum class Kind {
    Tensor,     // `a` has this element type and rank, and lies as TMA wants it
    Elements,   // the same of one that only threads reach
    Extent,     // dimension `dimA` of `a` is `extent`
    SameExtent, // dimension `dimA` of `a` is as large as `dimB` of `b`
    Written,    // the elements of `a` are distinct
    Fragments,  // `a` lies in fragment order: dimension `dimA` is a multiple of 16
    Rounded     // dimension `dimA` of `a` is `dimB` of `b`, rounded up to a multiple of 16
  };
  Kind kind;
  unsigned a;
  unsigned b = 0;
  int64_t dimA = 0, dimB = 0, extent = 0;
  std::string reason = {}; // "both are walked by m, gemm.tk:5"
};

/// In the order in which they are asked: those after one that does not hold may rely on it.
llvm::SmallVector<Requirement> getRequirements(const Interface &interface);

/// The checks with which the C function begins. False if an error was reported.
bool emitArgumentChecks(const Interface &interface, CudaPrinter &out);

/// The first line of every emitted file.
void emitOrigin(CudaPrinter &out, llvm::StringRef version, llvm::StringRef sourceName);

} // namespace tkc::backend

#endif // TKC_BACKEND_INTERFACE_H
