//===- matmul_values.h - Matmuls that begin at zero -----------------------===//
//
// mma adds a product to an accumulator; mm gives the product alone. Sums are
// float, of integers int. Operands lie in shared memory or in registers; of two
// in registers, the layout tags decide whether the hardware can take them.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_MATMUL_VALUES_H
#define TK_LANGUAGE_MATMUL_VALUES_H

#include "matmul.h"
#include "vectors.h"

namespace tk {

/// The accumulator's type of matmuls of tiles like A: `float`, of integers `int`.
template <tile A> using sum_of = number_of<typename A::element>;

/// The matmul `a b`.
///
///     rt<float, BM, BN> c = mm_AB(a, b);
template <tile A, tile B>
TK_LANGUAGE("mm_AB")
rt<sum_of<A>, A::height, B::width> mm_AB(const A &a, const B &b);
/// Destination first: `mm_AB(to, a, b)` is `to = mm_AB(a, b)`.
template <tile_operand To, tile A, tile B>
TK_LANGUAGE("mm_AB")
void mm_AB(To &to, const A &a, const B &b);
/// `to = c + a b`; `to` may be c itself.
template <tile_operand To, tile A, tile B, tile C>
TK_LANGUAGE("mma_AB_of")
void mma_AB(To &to, const A &a, const B &b, const C &c);

/// The matmul `a bᵀ`.
///
///     rt<float, BM, BN> s = mm_ABt(q, k);
template <tile A, tile B>
TK_LANGUAGE("mm_ABt")
rt<sum_of<A>, A::height, B::height> mm_ABt(const A &a, const B &b);
/// Destination first: `mm_ABt(to, a, b)` is `to = mm_ABt(a, b)`.
template <tile_operand To, tile A, tile B>
TK_LANGUAGE("mm_ABt")
void mm_ABt(To &to, const A &a, const B &b);
/// `to = c + a bᵀ`; `to` may be c itself.
template <tile_operand To, tile A, tile B, tile C>
TK_LANGUAGE("mma_ABt_of")
void mma_ABt(To &to, const A &a, const B &b, const C &c);

/// The matmul `aᵀ b`.
///
///     rt<float, D, D> state = mm_AtB(k, v);
template <tile A, tile B>
TK_LANGUAGE("mm_AtB")
rt<sum_of<A>, A::width, B::width> mm_AtB(const A &a, const B &b);
/// Destination first: `mm_AtB(to, a, b)` is `to = mm_AtB(a, b)`.
template <tile_operand To, tile A, tile B>
TK_LANGUAGE("mm_AtB")
void mm_AtB(To &to, const A &a, const B &b);
/// `to = c + aᵀ b`; `to` may be c itself.
template <tile_operand To, tile A, tile B, tile C>
TK_LANGUAGE("mma_AtB_of")
void mma_AtB(To &to, const A &a, const B &b, const C &c);

/// The matmul `aᵀ bᵀ`.
///
///     rt<float, BM, BN> c = mm_AtBt(a, b);
template <tile A, tile B>
TK_LANGUAGE("mm_AtBt")
rt<sum_of<A>, A::width, B::height> mm_AtBt(const A &a, const B &b);
/// Destination first: `mm_AtBt(to, a, b)` is `to = mm_AtBt(a, b)`.
template <tile_operand To, tile A, tile B>
TK_LANGUAGE("mm_AtBt")
void mm_AtBt(To &to, const A &a, const B &b);
/// `to = c + aᵀ bᵀ`; `to` may be c itself.
template <tile_operand To, tile A, tile B, tile C>
TK_LANGUAGE("mma_AtBt_of")
void mma_AtBt(To &to, const A &a, const B &b, const C &c);

#ifndef __TKC__
// The three forms of a matmul, from the one in matmul.h.
#define TK_MATMUL(form, rows, cols)                                                                \
  template <tile A, tile B> rt<sum_of<A>, rows, cols> mm_##form(const A &a, const B &b) {          \
    rt<sum_of<A>, rows, cols> result = 0;                                                          \
    mma_##form(result, a, b);                                                                      \
    return result;                                                                                 \
  }                                                                                                \
  template <tile_operand To, tile A, tile B> void mm_##form(To &to, const A &a, const B &b) {      \
    To result = 0;                                                                                 \
    mma_##form(result, a, b);                                                                      \
    to = result;                                                                                   \
  }                                                                                                \
  template <tile_operand To, tile A, tile B, tile C>                                               \
  void mma_##form(To &to, const A &a, const B &b, const C &c) {                                    \
    To result = c;                                                                                 \
    mma_##form(result, a, b);                                                                      \
    to = result;                                                                                   \
  }

TK_MATMUL(AB, A::height, B::width)
TK_MATMUL(ABt, A::height, B::height)
TK_MATMUL(AtB, A::width, B::width)
TK_MATMUL(AtBt, A::width, B::height)
#undef TK_MATMUL
#endif

} // namespace tk

#endif // TK_LANGUAGE_MATMUL_VALUES_H
