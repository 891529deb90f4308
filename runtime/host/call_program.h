//===- call_program.h - A program that calls kernels for another ----------===//
//
// The program that `tkc run` links with a kernel, emulated or the reference. The caller and
// the program share a file: a record at its start says which kernel is called
// with what, the tensors lie after it, and the status and the emulator's report
// come back in it. So a kernel that crashes takes nobody with it. A byte on a socket asks
// for a call, another says that it is over: starting a program and making the
// stacks of a thousand threads takes as long as many a kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_CALL_PROGRAM_H
#define TK_HOST_CALL_PROGRAM_H

#include <host/abi.h>

union tk_call_scalar {
  float f32;
  int32_t i32;
  bool boolean;
};

/// The start of the shared file. `data` of its tensors counts bytes from there.
struct tk_call_record {
  static constexpr int max_arguments = 64;
  static constexpr int report_bytes = 1 << 16;

  uint32_t kernel; // its number in the program
  int32_t num_sms; // of the emulator, as are seed and policy
  uint64_t seed;
  char policy[32];
  tk_tensor tensors[max_arguments]; // in order, without the scalars
  tk_call_scalar scalars[max_arguments];
  int32_t code; // of the status
  char message[1024];
  char report[report_bytes];
};

#ifdef TK_CALL_PROGRAM // in the program itself
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The reference has no emulator.
extern "C" __attribute__((weak)) int tk_emulator_configure(uint64_t seed, const char *policy, int num_sms);
extern "C" __attribute__((weak)) const char *tk_emulator_report(void);

using tk_call_function = tk_status (*)(const tk_tensor *, const tk_call_scalar *);

/// The whole program: its arguments are the numbers of the open file and of the socket.
inline int tk_call_program(int argc, char **argv, const tk_call_function *functions) {
  struct stat facts;
  const int file = argc == 3 ? atoi(argv[1]) : -1;
  if (fstat(file, &facts) != 0) {
    fprintf(stderr, "this program is started by tkc run\n");
    return 2;
  }
  void *start = mmap(nullptr, size_t(facts.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) {
    perror("cannot share memory with tkc run");
    return 2;
  }
  auto *record = static_cast<tk_call_record *>(start);
  const int socket = atoi(argv[2]);
  for (char byte; read(socket, &byte, 1) == 1;) {
    tk_tensor tensors[tk_call_record::max_arguments];
    memcpy(tensors, record->tensors, sizeof(tensors));
    for (tk_tensor &tensor : tensors)
      tensor.data = static_cast<char *>(start) + reinterpret_cast<uintptr_t>(tensor.data);
    if (tk_emulator_configure)
      tk_emulator_configure(record->seed, record->policy, record->num_sms);
    const tk_status status = functions[record->kernel](tensors, record->scalars);
    record->code = status.code;
    snprintf(record->message, sizeof(record->message), "%s", status.message);
    if (tk_emulator_report)
      snprintf(record->report, sizeof(record->report), "%s", tk_emulator_report());
    if (write(socket, &byte, 1) != 1)
      return 2;
  }
  return 0;
}

#endif // TK_CALL_PROGRAM

#endif // TK_HOST_CALL_PROGRAM_H
