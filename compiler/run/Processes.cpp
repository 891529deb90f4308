//===- Processes.cpp - Work in processes of its own -----------------------===//
//
// The kernel's program that a piece of work starts may crash, and the work ends as
// the program does. So each gets a child of its own, which dies without harm.
//
//===----------------------------------------------------------------------===//
#include "run/Processes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace tkc::run;

static volatile sig_atomic_t interrupted = 0;

void tkc::run::catchInterrupts() {
  sys::SetInterruptFunction([] { interrupted = 1; });
}
bool tkc::run::wasInterrupted() { return interrupted; }

namespace {
struct Child {
  unsigned index;
  pid_t process;
  int output, errors; // -1 once it is closed
  ProcessResult result;
};
} // namespace

static void writeAll(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return;
    text = text.drop_front(std::max<ssize_t>(0, written));
  }
}

/// A child that has started, or none with the reason in the result's `death`.
static Child start(unsigned index, function_ref<void(unsigned, Write)> work) {
  Child child = {index, -1, -1, -1, {}};
  int output[2], errors[2];
  if (pipe2(output, O_CLOEXEC) != 0) {
    child.result.death = strerror(errno);
    return child;
  }
  if (pipe2(errors, O_CLOEXEC) != 0) {
    child.result.death = strerror(errno);
    close(output[0]);
    close(output[1]);
    return child;
  }
  child.process = fork();
  if (child.process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int signal : {SIGINT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM})
      std::signal(signal, SIG_DFL);
    dup2(errors[1], STDERR_FILENO);
    work(index, [&](StringRef text) { writeAll(output[1], text); });
    _exit(0);
  }
  if (child.process < 0)
    child.result.death = strerror(errno);
  close(output[1]);
  close(errors[1]);
  child.output = output[0];
  child.errors = errors[0];
  return child;
}

/// Takes what has come; closes the file at its end.
static void readSome(int &file, std::string &text) {
  char buffer[65536];
  ssize_t count = read(file, buffer, sizeof(buffer));
  if (count > 0)
    text.append(buffer, size_t(count));
  else if (count == 0 || errno != EINTR) {
    close(file);
    file = -1;
  }
}

static void reap(Child &child) {
  if (child.process < 0)
    return;
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status))
    child.result.death =
        "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  else if (WEXITSTATUS(status) != 0)
    child.result.death = "status " + std::to_string(WEXITSTATUS(status));
}

bool tkc::run::runInProcesses(unsigned count, unsigned jobs,
                              function_ref<void(unsigned, Write)> work,
                              function_ref<bool(unsigned, ProcessResult)> finish,
                              function_ref<void()> tick) {
  std::vector<Child> children;
  unsigned next = 0;
  bool startsMore = true;
  while ((startsMore && next < count) || !children.empty()) {
    while (startsMore && next < count && children.size() < jobs)
      children.push_back(start(next++, work));

    std::vector<pollfd> files;
    for (Child &child : children)
      for (int file : {child.output, child.errors})
        files.push_back({file, POLLIN, 0}); // -1 is passed over
    poll(files.data(), files.size(), /*milliseconds=*/200);
    if (interrupted) {
      for (Child &child : children)
        if (child.process > 0)
          kill(child.process, SIGKILL);
      for_each(children, reap);
      return false;
    }
    for (auto [i, child] : enumerate(children)) {
      if (files[2 * i].revents)
        readSome(child.output, child.result.output);
      if (files[2 * i + 1].revents)
        readSome(child.errors, child.result.errors);
      if (child.output != -1 || child.errors != -1)
        continue;
      reap(child);
      startsMore &= finish(child.index, std::move(child.result));
    }
    erase_if(children, [](const Child &child) { return child.output == -1 && child.errors == -1; });
    tick();
  }
  return true;
}
