#define FMT_HEADER_ONLY
#include "core/text.h"

#include <fmt/format.h>

namespace tk::emulator {

std::string formatted_all(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

} // namespace tk::emulator
