//===- host/status.h - Making a tk_status ---------------------------------===//
//
// The sentence lies in a buffer of the calling thread, which its next failure
// overwrites. No CUDA here.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_STATUS_H
#define TK_HOST_STATUS_H

#include <host/abi.h>

#include <stdarg.h>
#include <stdio.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

inline tk_status ok_status() {
  const tk_status status = {TK_OK, ""};
  return status;
}

// A formatted message that begins with the kernel's name.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
inline tk_status
make_status_v(tk_code code, const char *kernel, const char *format, va_list values) {
  thread_local char message[1024];
  const int prefix = snprintf(message, sizeof(message), "%s: ", kernel);
  if (prefix >= 0 && size_t(prefix) < sizeof(message))
    vsnprintf(message + prefix, sizeof(message) - size_t(prefix), format, values);
  const tk_status status = {code, message};
  return status;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
inline tk_status
make_status(tk_code code, const char *kernel, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const tk_status status = make_status_v(code, kernel, format, values);
  va_end(values);
  return status;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_STATUS_H
