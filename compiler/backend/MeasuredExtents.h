//===- MeasuredExtents.h - The table of tkc tune in a launcher ------------===//
#ifndef TKC_BACKEND_MEASUREDEXTENTS_H
#define TKC_BACKEND_MEASUREDEXTENTS_H

#include "backend/Interface.h"
#include "dialect/tk/TkChoiceOp.h"

#include <optional>
#include <string>
#include <vector>

namespace tkc::backend {

/// Which kernel of a choice was measured to be the fastest, by extents.
struct MeasuredExtents {
  struct Place {
    unsigned argument;
    int64_t dim;
  };
  struct Row {
    std::vector<int64_t> extents; // at the places
    int64_t choice;
    double ms, defaultMs;
  };
  std::string file, device, date;
  int64_t sms;
  std::vector<Place> places; // those that the others follow from
  std::vector<Row> rows;
};

/// The measurements of the choice; none without --tuned. `interface` is that of its kernels.
std::optional<MeasuredExtents> getMeasuredExtents(tk::ChoiceOp choice, const Interface &interface);

} // namespace tkc::backend

#endif // TKC_BACKEND_MEASUREDEXTENTS_H
