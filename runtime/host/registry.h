//===- host/registry.h - The kernels of a program or shared object --------===//
//
// Emitted code says of each kernel that there is one; tk_prepare goes through them.
// The list is made by static objects, so it holds all .cu files that are linked
// together, and a shared object that is closed takes its kernels off.
//
// Everything in tk::host is hidden: a shared object with kernels has its own CUDA
// runtime, which knows no other object's, and perhaps another version of this code.
//
// Plain C++; host/launch.h includes it, since what it takes to prepare a kernel
// differs between the GPU and the emulator.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_REGISTRY_H
#define TK_HOST_REGISTRY_H

#include <host/abi.h>

#include <mutex>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

struct kernel_list;
inline kernel_list &all_kernels();

// One kernel, for as long as this object lives.
class registered_kernel {
public:
  template <typename... parameters>
  registered_kernel(const char *name, void (*kernel)(parameters...), int shared_bytes);
  ~registered_kernel();
  registered_kernel(const registered_kernel &) = delete;
  registered_kernel &operator=(const registered_kernel &) = delete;

  const char *name;   // for messages
  const void *kernel; // as the CUDA runtime knows it
  int shared_bytes;   // of a block

private:
  friend struct kernel_list;
  registered_kernel *next;
};

struct kernel_list {
  std::mutex lock;
  registered_kernel *first = nullptr;

  // Calls `prepare` for each kernel until a status is not TK_OK.
  template <typename function> tk_status for_each(function prepare) {
    const std::lock_guard<std::mutex> guard(lock);
    tk_status status = {TK_OK, ""};
    for (const registered_kernel *each = first; each && status.code == TK_OK; each = each->next)
      status = prepare(*each);
    return status;
  }

  void add(registered_kernel &kernel) {
    const std::lock_guard<std::mutex> guard(lock);
    kernel.next = first;
    first = &kernel;
  }
  void remove(registered_kernel &kernel) {
    const std::lock_guard<std::mutex> guard(lock);
    for (registered_kernel **at = &first; *at; at = &(*at)->next)
      if (*at == &kernel) {
        *at = kernel.next;
        return;
      }
  }
};

inline kernel_list &all_kernels() {
  static kernel_list list;
  return list;
}

template <typename... parameters>
registered_kernel::registered_kernel(const char *name, void (*kernel)(parameters...), int shared_bytes)
    : name(name), kernel(reinterpret_cast<const void *>(kernel)), shared_bytes(shared_bytes), next(nullptr) {
  all_kernels().add(*this);
}
inline registered_kernel::~registered_kernel() { all_kernels().remove(*this); }

} // namespace host
} // namespace tk

#endif // TK_HOST_REGISTRY_H
