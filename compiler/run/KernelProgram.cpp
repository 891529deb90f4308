//===- KernelProgram.cpp - Calling a kernel in a program of its own -------===//
//
// Not dlopen: a static tkc cannot load libraries. And a kernel's type is known only
// now, so that a call from here would have to be put together by hand; the host's
// compiler does that when it compiles the source that is written here.
//
//===----------------------------------------------------------------------===//
#include "run/KernelProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace tkc::run;

static StringRef typeName(const Argument &argument) {
  if (!argument.scalar)
    return "const tk_tensor *";
  switch (*argument.scalar) {
  case ScalarKind::F32:
    return "float";
  case ScalarKind::I32:
    return "int";
  case ScalarKind::Bool:
    return "bool";
  }
  return "";
}

static StringRef memberName(ScalarKind kind) {
  return kind == ScalarKind::F32 ? "f32" : kind == ScalarKind::I32 ? "i32" : "boolean";
}

std::string tkc::run::callSource(ArrayRef<Signature> kernels) {
  std::string text;
  raw_string_ostream os(text);
  os << "#define TK_CALL_PROGRAM\n#include <host/call_program.h>\n";
  for (auto [i, kernel] : enumerate(kernels)) {
    SmallVector<std::string> types, values;
    unsigned tensors = 0, scalars = 0;
    for (const Argument &argument : kernel.arguments) {
      types.push_back(typeName(argument).str());
      values.push_back(argument.scalar ? "scalars[" + std::to_string(scalars++) + "]." +
                                             memberName(*argument.scalar).str()
                                       : "tensors + " + std::to_string(tensors++));
    }
    types.push_back("tk_stream");
    values.push_back("nullptr");
    // Weak, so that a kernel that is missing in CUDA that was edited by hand is told by its name.
    os << "\nextern \"C\" __attribute__((weak)) tk_status " << kernel.name << "("
       << join(types, ", ") << ");\n"
       << "static tk_status call_" << i
       << "(const tk_tensor *tensors, const tk_call_scalar *scalars) {\n"
       << "  if (!" << kernel.name << ")\n"
       << "    return {TK_LAUNCH_FAILED, \"it has no function '" << kernel.name << "'\"};\n"
       << "  return " << kernel.name << "(" << join(values, ", ") << ");\n}\n";
  }
  os << "\nint main(int argc, char **argv) {\n"
     << "  static const tk_call_function functions[] = {"
     << join(map_range(seq<size_t>(0, kernels.size()),
                       [](size_t i) { return "call_" + std::to_string(i); }),
             ", ")
     << "};\n  return tk_call_program(argc, argv, functions);\n}\n";
  return text;
}

CallMemory::CallMemory() : record(new(memory.take(sizeof(tk_call_record))) tk_call_record()) {}

CallMemory::~CallMemory() {
  if (!program.empty())
    end();
}

/// The program inherits the file and the socket, and ends with this process.
void CallMemory::start(const std::string &path) {
  int ends[2];
  process = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? fork() : -1;
  if (process < 0) {
    perror("cannot start the kernel's program");
    _exit(1);
  }
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(ends[1], F_SETFD, 0); // this one stays open
    std::string file = std::to_string(memory.file()), end = std::to_string(ends[1]);
    execl(path.c_str(), path.c_str(), file.c_str(), end.c_str(), nullptr);
    perror(path.c_str());
    _exit(127);
  }
  close(ends[1]);
  socket = ends[0];
  program = path;
}

int CallMemory::end() {
  close(socket); // it takes that as the end
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  program.clear();
  return status;
}

/// Ends this process as `status` says that a program ended.
[[noreturn]] static void dieOf(int status) {
  if (WIFSIGNALED(status))
    std::raise(WTERMSIG(status)); // its handlers are the system's; see Processes.cpp
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

CallResult CallMemory::call(const Call &call, ArrayRef<tk_tensor> tensors,
                            ArrayRef<Scalar> scalars) {
  if (tensors.size() > tk_call_record::max_arguments ||
      scalars.size() > tk_call_record::max_arguments) {
    return {TK_LAUNCH_FAILED, "it has more arguments than tkc run can pass", {}};
  }
  record->kernel = call.kernel;
  record->num_sms = call.numSms;
  record->seed = call.seed;
  strncpy(record->policy, call.policy.c_str(), sizeof(record->policy) - 1);
  copy(scalars, record->scalars);
  record->report[0] = 0;
  for (auto [i, tensor] : enumerate(tensors)) {
    record->tensors[i] = tensor;
    record->tensors[i].data = reinterpret_cast<void *>(memory.offsetOf(tensor.data));
  }

  if (program != call.program) {
    if (!program.empty())
      end();
    start(call.program);
  }
  char byte = 0;
  ssize_t moved = send(socket, &byte, 1, MSG_NOSIGNAL);
  while (moved == 1 && (moved = read(socket, &byte, 1)) < 0 && errno == EINTR)
    moved = 1;
  if (moved != 1)
    dieOf(end());
  return {record->code, record->message, record->report};
}
