//===- jobs.cpp - Kernels that are compiled side by side ------------------===//
#include "jobs.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool start(job &of, const nvrtc &by, const char *text, const char *name, int count,
           const char *const *options) {
  int ends[2];
  if (pipe(ends))
    return false;
  pid_t parent = getpid();
  of.process = fork();
  if (of.process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    buffer said = compile(by, text, name, count, options);
    // Not exit: what NVRTC would tidy up ends with the process.
    _exit(write_all(ends[1], said.data, said.size) ? 0 : 1);
  }
  int error = errno;
  close(ends[1]);
  if (of.process < 0)
    close(ends[0]);
  errno = error;
  of.pipe = ends[0];
  return of.process > 0;
}

bool has_ended(job &of) {
  constexpr size_t most = 1 << 16;
  ssize_t got = read(of.pipe, of.said.grow(most), most);
  of.said.size -= most - (got > 0 ? got : 0);
  return got == 0 || (got < 0 && errno != EINTR);
}

void answer(job &of, int to) {
  int status = 0;
  while (waitpid(of.process, &status, 0) < 0 && errno == EINTR)
    ;
  close(of.pipe);
  outcome how = WIFSIGNALED(status)   ? outcome::killed
                : WEXITSTATUS(status) ? outcome::ended
                                      : outcome::compiled;
  int detail = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  uint32_t head[] = {of.kernel, uint32_t(how), uint32_t(detail), uint32_t(of.said.size)};
  write_all(to, head, sizeof head) && write_all(to, of.said.data, of.said.size);
  of.said.release();
}
