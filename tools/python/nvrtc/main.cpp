//===- main.cpp - Machine code of kernels, each from a process of its own -===//
//
// Usage: tkc-nvrtc LIBRARY ...     (tools/python/src/tkc/nvrtc.py starts it)
//
// Threads that compile in one process wait for each other in NVRTC's allocations. Processes do not.
// This one loads NVRTC, the first of the libraries that there is, while the compiler still works on
// the source; then it forks a process for each kernel. All of them begin in the same state, so that
// machine code does not depend on how many work at once, and one that crashes is an answer as
// others are.
//
// Numbers are of 32 bits. It writes whether there is NVRTC and its version (major, minor), and
// reads the length of a request and that: how many kernels at once, a name and a text, options for
// all, the number of kernels, and for each what stands after the text and its options (a text is
// its length, its bytes and a zero; options are their number and texts). It writes an answer for
// each kernel (jobs.h), as they come. Where its input ends early, whoever asked is gone, and so is
// all of it.
//
//===----------------------------------------------------------------------===//
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace {

struct list {
  const char **items;
  int count;
};

struct kernel {
  const char *after;
  list options;
};

struct request {
  const char *name, *text;
  list options;
  kernel *kernels;
  uint32_t kernel_count, at_once;
};

template <typename T> T *make(size_t count) {
  auto *made = static_cast<T *>(calloc(count ? count : 1, sizeof(T)));
  if (!made)
    abort();
  return made;
}

// A number of items of at least four bytes each.
uint32_t count_in(reader &in) {
  uint32_t count = in.number();
  if (count > size_t(in.end - in.at) / sizeof(uint32_t)) {
    in.is_whole = false;
    return 0;
  }
  return count;
}

list read_list(reader &in) {
  uint32_t count = count_in(in);
  list result = {make<const char *>(count), int(count)};
  for (uint32_t i = 0; i < count; ++i)
    result.items[i] = in.text();
  return result;
}

bool read_request(request &of) {
  uint32_t length;
  if (!read_all(0, &length, sizeof length))
    return false;
  char *bytes = make<char>(length);
  if (!read_all(0, bytes, length))
    return false;
  reader in = {bytes, bytes + length};
  of.at_once = in.number();
  of.name = in.text();
  of.text = in.text();
  of.options = read_list(in);
  of.kernel_count = count_in(in);
  of.kernels = make<kernel>(of.kernel_count);
  for (uint32_t i = 0; i < of.kernel_count; ++i) {
    of.kernels[i].after = in.text();
    of.kernels[i].options = read_list(in);
  }
  return in.is_whole && of.at_once;
}

bool start(job &with, const nvrtc &by, const request &of) {
  const kernel &one = of.kernels[with.kernel];
  size_t length = strlen(of.text);
  char *text = make<char>(length + strlen(one.after) + 1);
  memcpy(text, of.text, length);
  strcpy(text + length, one.after);
  int count = of.options.count + one.options.count;
  auto **options = make<const char *>(count);
  memcpy(static_cast<void *>(options), static_cast<const void *>(of.options.items),
         of.options.count * sizeof *options);
  memcpy(static_cast<void *>(options + of.options.count),
         static_cast<const void *>(one.options.items), one.options.count * sizeof *options);
  bool is_started = start(with, by, text, of.name, count, options);
  free(text);
  free(static_cast<void *>(options));
  return is_started;
}

// At most `at_once` processes, until all kernels have an answer. False if whoever asked is gone.
bool run(const nvrtc &by, const request &of, int to) {
  const uint32_t at_once = of.at_once < of.kernel_count ? of.at_once : of.kernel_count;
  auto *jobs = make<job>(at_once);
  auto *waits = make<pollfd>(at_once + 1);
  uint32_t next = 0, running = 0;
  while (next < of.kernel_count || running) {
    while (next < of.kernel_count && running < at_once) {
      job &fresh = jobs[running];
      fresh = job();
      fresh.kernel = next;
      if (start(fresh, by, of)) {
        ++running;
      } else if (running) {
        break; // the system has no more now
      } else {
        uint32_t said[] = {next, uint32_t(outcome::not_started), uint32_t(errno), 0};
        write_all(to, said, sizeof said);
      }
      ++next;
    }
    waits[0] = {0, POLLIN, 0};
    for (uint32_t i = 0; i < running; ++i)
      waits[i + 1] = {jobs[i].pipe, POLLIN, 0};
    if (poll(waits, running + 1, -1) < 0)
      continue;
    if (waits[0].revents)
      return false;
    for (uint32_t i = running; i-- > 0;)
      if (waits[i + 1].revents && has_ended(jobs[i])) {
        answer(jobs[i], to);
        jobs[i] = jobs[--running];
      }
  }
  return true;
}

} // namespace

int main(int, char **arguments) {
  signal(SIGPIPE, SIG_IGN);
  // Whatever NVRTC prints must not stand between answers.
  int to = fcntl(1, F_DUPFD_CLOEXEC, 3);
  dup2(2, 1);
  nvrtc by = {};
  int version[2] = {};
  uint32_t is_loaded = by.load(arguments + 1);
  if (is_loaded)
    by.version(&version[0], &version[1]);
  uint32_t hello[] = {is_loaded, uint32_t(version[0]), uint32_t(version[1])};
  request of = {};
  if (!write_all(to, hello, sizeof hello) || !is_loaded || !read_request(of))
    return 1;
  return run(by, of, to) ? 0 : 1;
}
