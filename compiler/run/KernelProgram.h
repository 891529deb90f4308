//===- KernelProgram.h - Calling a kernel in a program of its own ---------===//
#ifndef TKC_RUN_KERNELPROGRAM_H
#define TKC_RUN_KERNELPROGRAM_H

#include "run/SharedMemory.h"
#include "run/Signature.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <host/call_program.h>
#include <sys/types.h>

namespace tkc::run {

using Scalar = tk_call_scalar;

/// The source of the program's `main`, for runtime/host/call_program.h. A signature's number in the
/// list is its kernel's number in calls.
std::string callSource(llvm::ArrayRef<Signature> kernels);

/// Which kernel of a program is called, and how the emulator runs it.
struct Call {
  std::string program; // a path
  unsigned kernel;
  uint64_t seed;
  std::string policy;
  int numSms;
};

struct CallResult {
  int32_t code; // a tk_code
  std::string message;
  std::string report; // the emulator's; empty if it found nothing
};

/// The tensors and scalars of calls, in memory that programs share, and the program that was called
/// last, which waits for the next call.
class CallMemory {
public:
  CallMemory();
  ~CallMemory();

  /// Room for a tensor, zeroed; it lives as long as this.
  uint8_t *take(size_t bytes) { return memory.take(bytes); }

  /// Has the program call the kernel and waits for it. `tensors` and `scalars` are the arguments in
  /// order, each list without the other; `data` of the tensors was taken here, before the program's
  /// first call. If the program dies, so does this process, in the same way.
  CallResult call(const Call &call, llvm::ArrayRef<tk_tensor> tensors,
                  llvm::ArrayRef<Scalar> scalars);

private:
  SharedMemory memory;
  tk_call_record *record;
  std::string program; // the running one; empty if there is none
  pid_t process = 0;
  int socket = -1;

  void start(const std::string &path);
  /// Its status, as waitpid gives it.
  int end();
};

} // namespace tkc::run

#endif // TKC_RUN_KERNELPROGRAM_H
