//===- scopes.h - Unrolled loops, and loops over warpgroups and warps -----===//
#ifndef TK_LANGUAGE_SCOPES_H
#define TK_LANGUAGE_SCOPES_H

#include "types.h"

namespace tk {

/// What `unrolled`, `warpgroups` and `warps` give: 0, 1, ..., n - 1.
class TK_LANGUAGE("constant_range") constant_range {
public:
  class iterator {
  public:
    int operator*() const;
    iterator &operator++();
    bool operator!=(const iterator &other) const;

#ifndef __TKC__
    int at;
#endif
  };
  iterator begin() const;
  iterator end() const;

#ifndef __TKC__
  int count;
#endif
};

/// A loop whose body is repeated `n` times in the kernel's text; `n` is a constant, and so is the
/// variable, which may index an array of tiles.
///
///     for (int i : unrolled(4))
///       acc[i] = 0;
TK_LANGUAGE("unrolled") constant_range unrolled(int n);

/// A loop whose steps run at the same time, each in a warpgroup of its own, on its own tiles: what
/// the body computes belongs to that warpgroup. `n` is a constant. Tiles declared in the body have
/// multiples of 64 rows.
///
///     for (int w : warpgroups(2)) {
///       st<bf16, 64, D> q = load(Q, {b, h, 2 * m + w, 0});
TK_LANGUAGE("warpgroups") constant_range warpgroups(int n);

/// The same for warps, whose tiles have multiples of 16 rows and whose products have both operands
/// in registers.
///
///     for (int w : warps(8)) {
///       rt<bf16, 16, D> q = load(Q, {b, h, 8 * m + w, 0});
TK_LANGUAGE("warps") constant_range warps(int n);

#ifndef __TKC__
inline constant_range unrolled(int n) { return {n}; }
inline constant_range warpgroups(int n) { return {n}; }
inline constant_range warps(int n) { return {n}; }
inline auto constant_range::begin() const -> iterator { return {0}; }
inline auto constant_range::end() const -> iterator { return {count > 0 ? count : 0}; }
inline int constant_range::iterator::operator*() const { return at; }
inline auto constant_range::iterator::operator++() -> iterator & {
  ++at;
  return *this;
}
inline bool constant_range::iterator::operator!=(const iterator &other) const {
  return at != other.at;
}
#endif

} // namespace tk

#endif // TK_LANGUAGE_SCOPES_H
