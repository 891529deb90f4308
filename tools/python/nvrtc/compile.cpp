//===- compile.cpp - One kernel by NVRTC ----------------------------------===//
#include "compile.h"

#include <dlfcn.h>

#ifdef __x86_64__ // see start.cpp
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#endif

bool nvrtc::load(char **names) {
  void *library = nullptr;
  for (; !library && *names; ++names)
    library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<decltype(+function)>(dlsym(library, name));
  };
  find(version, "nvrtcVersion");
  find(create, "nvrtcCreateProgram");
  find(compile, "nvrtcCompileProgram");
  find(log_size, "nvrtcGetProgramLogSize");
  find(log, "nvrtcGetProgramLog");
  find(code_size, "nvrtcGetCUBINSize");
  find(code, "nvrtcGetCUBIN");
  return version;
}

static void append(buffer &to, void *program, int (*get_size)(void *, size_t *),
                   int (*get)(void *, char *)) {
  size_t size = 0;
  if (get_size(program, &size) == 0 && size)
    get(program, to.grow(size));
}

buffer compile(const nvrtc &by, const char *text, const char *name, int count,
               const char *const *options) {
  void *program = nullptr;
  int status = by.create(&program, text, name, 0, nullptr, nullptr);
  if (status == 0)
    status = by.compile(program, count, options);
  buffer log, said;
  if (program)
    append(log, program, by.log_size, by.log);
  said.append(uint32_t(status));
  said.append(uint32_t(log.size));
  said.append(log.data, log.size);
  if (status == 0)
    append(said, program, by.code_size, by.code);
  return said;
}
