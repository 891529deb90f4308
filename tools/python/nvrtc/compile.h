//===- compile.h - One kernel by NVRTC ------------------------------------===//
#ifndef TKC_NVRTC_COMPILE_H
#define TKC_NVRTC_COMPILE_H

#include "wire.h"

// The functions of NVRTC that are called.
struct nvrtc {
  int (*version)(int *major, int *minor);
  int (*create)(void **program, const char *text, const char *name, int headers,
                const char *const *, const char *const *);
  int (*compile)(void *program, int count, const char *const *options);
  int (*log_size)(void *program, size_t *size);
  int (*log)(void *program, char *log);
  int (*code_size)(void *program, size_t *size);
  int (*code)(void *program, char *code);

  // The first of the libraries that there is; false where there is none.
  bool load(char **names);
};

// What it says of a kernel: NVRTC's status, the log's size, the log and the machine code.
buffer compile(const nvrtc &by, const char *text, const char *name, int count,
               const char *const *options);

#endif // TKC_NVRTC_COMPILE_H
