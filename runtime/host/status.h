//===- status.h - What a kernel's C function returns ----------------------===//
//
// Plain C. A status is a code and a sentence for a person; nothing is launched
// or written unless the code is TK_OK.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_STATUS_H
#define TK_HOST_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tk_code {
  TK_OK = 0,
  TK_INVALID_ARGUMENT = 1,   // a tensor is not what the kernel needs
  TK_UNSUPPORTED_DEVICE = 2, // no device, or not compute capability 9.0
  TK_LAUNCH_FAILED = 3,      // the CUDA runtime refused; the message says what it said
  TK_EMULATOR_FAULT = 4      // the emulator found a deadlock, a hazard or a protocol error
} tk_code;

typedef struct tk_status {
  int32_t code;       // a tk_code
  char message[1020]; // one sentence, empty when there is nothing to say; zero-terminated
} tk_status;

#ifdef __cplusplus
}
#endif

#endif // TK_HOST_STATUS_H
