//===- ResourceLimits.cpp - An end to every compilation -------------------===//
//
// frontend/Limits.cpp bounds the known causes of explosions in the parser: tokens,
// templates, constant evaluation. This is for unknown ones, there or in a pass:
// whoever runs tkc in an editor or a build gets an answer, and keeps a machine that
// works.
//
// Two timers send a signal: one of processor time, which a busy machine does not
// change, and one of the clock, which also runs while a file is opened or read, or
// a program that was started, such as nvcc, does not end. The memory limit is the kernel's, so that
// whoever asks for too much is refused and ends here. A signal's handler, or one for lack of
// memory, may only write and leave, so the messages are made before.
//
//===----------------------------------------------------------------------===//
#include "driver/ResourceLimits.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

using namespace tkc;

/// Not SIGALRM: LLVM's sys::Wait takes that one over, and drops it.
static constexpr int clockSignal = SIGVTALRM;

static std::string timeMessage, clockMessage, memoryMessage;

[[noreturn]] static void leave(const std::string &message) {
  // Nothing can be done if it is not written.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  _exit(1);
}

static void endOfTime(int) { leave(timeMessage); }
static void endOfClock(int) { leave(clockMessage); }
static void endOfMemory() { leave(memoryMessage); }

/// Bytes of this process that the kernel's limit counts: what it may write to and shares with
/// nobody.
static uint64_t countedBytes() {
  unsigned long pages = 0;
  if (FILE *file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
      pages = 0;
    fclose(file);
  }
  return uint64_t(pages) * uint64_t(sysconf(_SC_PAGESIZE));
}

ResourceLimits::ResourceLimits(const char *tool, const std::string &input, unsigned seconds,
                               unsigned mebibytes, uint64_t stackBytes, const char *work)
    : stackBytes(stackBytes) {
  std::string start = std::string(tool) + ": error: '" + input + "' takes more than ";
  timeMessage = start + std::to_string(seconds) + " seconds to " + work + " --time-limit\n";
  clockMessage = start + std::to_string(uint64_t(clockPerTime) * seconds) +
                 " seconds on the clock, where " + std::to_string(seconds) +
                 " of computing are allowed: does a file or pipe that it reads, or a program that "
                 "it starts, never end? "
                 "--time-limit gives more\n";
  memoryMessage =
      start + std::to_string(mebibytes) + " MiB of memory to " + work + " --memory-limit\n";
  if (seconds != 0)
    limitTime(seconds);
  if (mebibytes != 0)
    limitMemory((uint64_t(mebibytes) << 20) + stackBytes);
}

/// A machine without such timers has no limit.
void ResourceLimits::limitTime(unsigned seconds) {
  std::signal(SIGXCPU, endOfTime);
  std::signal(clockSignal, endOfClock);
  auto arm = [&](clockid_t clock, int signal, time_t after) {
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal;
    static_assert(sizeof(timer_t) == sizeof(timers[0]));
    if (timer_create(clock, &event, reinterpret_cast<timer_t *>(&timers[armed])) != 0)
      return;
    itimerspec when = {};
    when.it_value.tv_sec = after;
    timer_settime(static_cast<timer_t>(timers[armed++]), 0, &when, nullptr);
  };
  arm(CLOCK_PROCESS_CPUTIME_ID, SIGXCPU, time_t(seconds));
  arm(CLOCK_MONOTONIC, clockSignal, time_t(seconds) * clockPerTime);
}

void ResourceLimits::limitMemory(uint64_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  memoryBefore = limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, countedBytes() + bytes);
  if (setrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  limitsMemory = true;
  std::set_new_handler(endOfMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endOfMemory(); });
}

void ResourceLimits::changeMemory(int64_t bytes) {
  rlimit limit;
  if (!limitsMemory || getrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  stackBytes += uint64_t(bytes);
  limit.rlim_cur = std::min<rlim_t>(memoryBefore, limit.rlim_cur + rlim_t(bytes));
  setrlimit(RLIMIT_DATA, &limit);
}

void ResourceLimits::endIfMemoryIsShort() const {
  constexpr uint64_t little = 8 << 20;
  rlimit limit;
  if (limitsMemory && getrlimit(RLIMIT_DATA, &limit) == 0 &&
      countedBytes() + stackBytes + std::max<uint64_t>(little, limit.rlim_cur / 16) >
          limit.rlim_cur)
    endOfMemory();
}

ResourceLimits::~ResourceLimits() {
  for (unsigned i = 0; i < armed; ++i)
    timer_delete(static_cast<timer_t>(timers[i]));
  if (!limitsMemory)
    return;
  llvm::remove_bad_alloc_error_handler();
  std::set_new_handler(nullptr);
  rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = memoryBefore;
    setrlimit(RLIMIT_DATA, &limit);
  }
}
