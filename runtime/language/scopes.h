//===- scopes.h - Unrolled loops, and loops over warpgroups and warps -----===//
#ifndef TK_LANGUAGE_SCOPES_H
#define TK_LANGUAGE_SCOPES_H

#include "counting.h"
#include "types.h"

namespace tk {

/// The range of `unrolled`, `warpgroups` and `warps`: 0, 1, ..., n - 1.
class TK_LANGUAGE("constant_range") constant_range {
public:
  counting_iterator begin() const;
  counting_iterator end() const;

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

/// The same for warps, whose tiles have multiples of 16 rows and whose matmuls have both operands
/// in registers.
///
///     for (int w : warps(8)) {
///       rt<bf16, 16, D> q = load(Q, {b, h, 8 * m + w, 0});
TK_LANGUAGE("warps") constant_range warps(int n);

#ifndef __TKC__
inline constant_range unrolled(int n) { return {n}; }
inline constant_range warpgroups(int n) { return {n}; }
inline constant_range warps(int n) { return {n}; }
inline counting_iterator constant_range::begin() const { return {0}; }
inline counting_iterator constant_range::end() const { return {count > 0 ? count : 0}; }
#endif

} // namespace tk

#endif // TK_LANGUAGE_SCOPES_H
