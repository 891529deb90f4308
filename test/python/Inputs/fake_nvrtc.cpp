// fake_nvrtc.cpp - An NVRTC whose machine code is its options and text, and that does what a
// kernel's text asks of it:
//   dies SIGNAL     the process is killed
//   ends STATUS     the process exits
//   status NUMBER   this is what NVRTC answers
//   prints          to standard output and standard error
//   sleeps MS
//   meets COUNT MS FOLDER   waits until this many kernels are under way, each with a file in the
//   folder; MS at most
// The text is followed by that of FAKE_NVRTC in the environment.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <string>
#include <thread>
#include <unistd.h>

struct program {
  std::string text, code, log;
};

static void wait(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

static int count_files(const char *folder) {
  int count = 0;
  if (DIR *opened = opendir(folder)) {
    while (dirent *entry = readdir(opened))
      count += entry->d_name[0] != '.';
    closedir(opened);
  }
  return count;
}

static int obey(program &of, const std::string &words) {
  int number = 0, ms = 0;
  char folder[1000];
  const char *at = words.c_str();
  if (std::sscanf(at, "dies %d", &number) == 1)
    std::raise(number);
  if (std::sscanf(at, "ends %d", &number) == 1)
    _exit(number);
  if (std::sscanf(at, "sleeps %d", &number) == 1)
    wait(number);
  if (std::strncmp(at, "prints", 6) == 0) {
    std::puts("on standard output");
    std::fputs("on standard error\n", stderr);
    std::fflush(stdout);
  }
  if (std::sscanf(at, "meets %d %d %999s", &number, &ms, folder) == 3) {
    std::string mine = std::string(folder) + "/" + std::to_string(getpid());
    std::fclose(std::fopen(mine.c_str(), "w"));
    for (; count_files(folder) < number && ms > 0; ms -= 10)
      wait(10);
    of.log = count_files(folder) < number ? "nobody came" : "met";
    wait(100); // the others look, too
    unlink(mine.c_str());
  }
  if (std::sscanf(at, "status %d", &number) == 1) {
    of.log = "says " + std::to_string(number);
    return number;
  }
  return 0;
}

extern "C" {
int nvrtcVersion(int *major, int *minor) {
  *major = 13, *minor = 0;
  return 0;
}
int nvrtcCreateProgram(void **made, const char *text, const char *name, int, const char *const *,
                       const char *const *) {
  const char *more = std::getenv("FAKE_NVRTC");
  *made = new program{text + std::string(more ? more : ""), std::string(name) + "\n", ""};
  return 0;
}
int nvrtcDestroyProgram(void **) { return 0; }
int nvrtcCompileProgram(void *given, int count, const char *const *options) {
  program &of = *static_cast<program *>(given);
  std::string number;
  for (int i = 0; i < count; ++i) {
    of.code += std::string(options[i]) + "\n";
    if (std::strncmp(options[i], "-DTKC_KERNEL=", 13) == 0)
      number = options[i] + 13;
  }
  of.code += of.text;
  of.log = "compiled";
  // "kernel 2: dies 9": what is asked of kernel 2.
  size_t at = of.text.find("kernel " + number + ": ");
  return at == std::string::npos ? 0 : obey(of, of.text.substr(at + number.size() + 9));
}
int nvrtcGetProgramLogSize(void *given, size_t *size) {
  *size = static_cast<program *>(given)->log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(void *given, char *log) {
  std::strcpy(log, static_cast<program *>(given)->log.c_str());
  return 0;
}
int nvrtcGetCUBINSize(void *given, size_t *size) {
  *size = static_cast<program *>(given)->code.size();
  return 0;
}
int nvrtcGetCUBIN(void *given, char *code) {
  const std::string &made = static_cast<program *>(given)->code;
  std::memcpy(code, made.data(), made.size());
  return 0;
}
}
