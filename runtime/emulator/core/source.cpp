#include "core/source.h"
#include "core/text.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <regex>

namespace tk::emulator {
namespace {

bool in_runtime(const std::string &file) {
  for (const char *part : {"/ptx/", "/tile/", "/core/", "/host/", "/c++/", "emulator/cuda.h"})
    if (file.find(part) != std::string::npos)
      return true;
  return false;
}

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string quoted(const std::string &path) {
  std::string result = "'";
  for (const char c : path)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

} // namespace

std::string source_line::shown() const {
  if (file.empty())
    return "an unknown line";
  return text.empty() ? formatted("{}:{}", file, number)
                      : formatted("{}:{} | {}", file, number, text);
}

void source_finder::look_up(const std::set<const void *> &addresses) {
  struct object {
    std::string arguments;
    std::vector<const void *> addresses;
  };
  std::map<std::string, object> objects;
  for (const void *address : addresses) {
    Dl_info info;
    if (!address || chains.count(address) || !dladdr(address, &info) || !info.dli_fname)
      continue;
    object &o = objects[info.dli_fname];
    // An address after a call belongs to the next line: step back into the call.
    o.arguments += formatted(" {:#x}", uintptr_t(address) - uintptr_t(info.dli_fbase) - 1);
    o.addresses.push_back(address);
  }
  for (const auto &[file, o] : objects) {
    const std::string command = "addr2line -a -i -e " + quoted(file) + o.arguments + " 2>/dev/null";
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe)
      continue;
    int index = -1;
    char buffer[4096];
    while (fgets(buffer, sizeof buffer, pipe)) {
      std::string text = trimmed(std::string(buffer, strcspn(buffer, "\n")));
      if (text.starts_with("0x") &&
          text.find(':') == std::string::npos) { // -a: the chain of the next address
        ++index;
        continue;
      }
      text = text.substr(0, text.find(" (discriminator"));
      const size_t colon = text.rfind(':');
      if (index < 0 || size_t(index) >= o.addresses.size() || colon == std::string::npos ||
          text[0] == '?')
        continue;
      chains[o.addresses[size_t(index)]].push_back(
          {text.substr(0, colon), atoi(text.c_str() + colon + 1)});
    }
    pclose(pipe);
  }
}

const source_finder::position *source_finder::outside_runtime(const void *address) const {
  const auto found = chains.find(address);
  if (found != chains.end())
    for (const position &p : found->second)
      if (p.line > 0 && !in_runtime(p.file))
        return &p;
  return nullptr;
}

source_line source_finder::find(const site &where) { return find({where.pc}, where); }

source_line source_finder::find(const std::vector<const void *> &frames, const site &otherwise) {
  for (const void *frame : frames)
    if (const position *p = outside_runtime(frame))
      return describe(*p);
  if (otherwise.where.line() == 0)
    return {};
  const position called{otherwise.where.file_name(), int(otherwise.where.line())};
  if (!in_runtime(called.file))
    return describe(called);
  source_line result; // a runtime header: better than nothing
  result.file = called.file.substr(called.file.rfind('/') + 1);
  result.number = called.line;
  result.text = "(compile the kernel with -g1 to see its own line)";
  return result;
}

const std::vector<std::string> &source_finder::text_of(const std::string &file) {
  const auto [found, is_new] = texts.try_emplace(file);
  if (is_new) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
      found->second.push_back(line);
  }
  return found->second;
}

source_line source_finder::describe(const position &at) {
  source_line result;
  result.file = at.file.substr(at.file.rfind('/') + 1);
  result.number = at.line;
  const auto &text = text_of(at.file);
  if (size_t(at.line) > text.size())
    return result;
  if (emitted.empty())
    emitted = at.file;
  result.text = trimmed(text[size_t(at.line) - 1]);

  static const std::regex origin(R"(\s*// (\S+\.tk:\d+ \| .*))"), role(R"(\s*// ---- (.*?) -*)");
  for (int i = at.line - 1; i >= 0 && (result.origin.empty() || result.role.empty()); --i) {
    const std::string &line = text[size_t(i)];
    std::smatch match;
    if (line.starts_with("}")) // the function before
      break;
    if (result.origin.empty() && result.role.empty() && std::regex_match(line, match, origin))
      result.origin = match[1];
    else if (result.role.empty() && std::regex_match(line, match, role))
      result.role = match[1];
  }
  return result;
}

std::pair<std::string, uint32_t> source_finder::area_of(uint32_t offset) {
  static const std::regex constant(R"(constexpr int (\w+)_offset = (\d+);.*)");
  std::string name;
  uint32_t start = 0;
  for (const std::string &line : text_of(emitted)) {
    std::smatch match;
    if (!std::regex_match(line, match, constant))
      continue;
    const uint32_t at = uint32_t(std::stoul(match[2]));
    if (at <= offset && (name.empty() || at >= start))
      name = match[1], start = at;
  }
  return {name, offset - start};
}

} // namespace tk::emulator
