//===- core/text.h - Text with values in it -------------------------------===//
//
// fmt::format for the files of this folder. It lives in one file: where fmt has
// headers only, each file that formats would compile all of it again.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_TEXT_H
#define TK_EMULATOR_CORE_TEXT_H

#include <fmt/core.h>
#include <string>

namespace tk::emulator {

std::string formatted_all(fmt::string_view text, fmt::format_args values);

template <typename... Values>
std::string formatted(fmt::format_string<Values...> text, Values &&...values) {
  return formatted_all(text, fmt::make_format_args(values...));
}

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_TEXT_H
