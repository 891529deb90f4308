//===- counting.h - The iterator of loops that count from 0 ---------------===//
#ifndef TK_LANGUAGE_COUNTING_H
#define TK_LANGUAGE_COUNTING_H

#include "types.h"

namespace tk {

/// Where a loop that counts 0, 1, ..., n - 1 is.
class counting_iterator {
public:
  /// The number this step has.
  int operator*() const;
  /// The next step.
  counting_iterator &operator++();
  /// Whether there are steps left before `other`.
  bool operator!=(const counting_iterator &other) const;

#ifndef __TKC__
  int at;
#endif
};

#ifndef __TKC__

inline int counting_iterator::operator*() const { return at; }
inline counting_iterator &counting_iterator::operator++() {
  ++at;
  return *this;
}
inline bool counting_iterator::operator!=(const counting_iterator &other) const {
  return at != other.at;
}

#endif // __TKC__

} // namespace tk

#endif // TK_LANGUAGE_COUNTING_H
