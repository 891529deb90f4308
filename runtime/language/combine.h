//===- combine.h - What a store does to an element ------------------------===//
#ifndef TK_LANGUAGE_COMBINE_H
#define TK_LANGUAGE_COMBINE_H

#include "numbers.h"
#include "types.h"

#ifndef __TKC__
namespace tk::detail {

struct replace_element {
  template <typename T> void operator()(T &element, auto x) const { element = convert<T>(x); }
};
struct add_to_element {
  template <typename T> void operator()(T &element, auto x) const {
    element = convert<T>(static_cast<number_of<T>>(element) + convert<T>(x));
  }
};
// A NaN is neither larger nor smaller.
struct keep_larger_element {
  template <typename T> void operator()(T &element, auto x) const {
    const T other = convert<T>(x);
    if (static_cast<number_of<T>>(other) > static_cast<number_of<T>>(element))
      element = other;
  }
};
struct keep_smaller_element {
  template <typename T> void operator()(T &element, auto x) const {
    const T other = convert<T>(x);
    if (static_cast<number_of<T>>(other) < static_cast<number_of<T>>(element))
      element = other;
  }
};

} // namespace tk::detail
#endif

#endif // TK_LANGUAGE_COMBINE_H
