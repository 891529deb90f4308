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

// The three forms of a matmul, from the one in matmul.h: `mm_AB(a, b)`, destination first
// `mm_AB(to, a, b)`, and `mma_AB(to, a, b, c)`, which is `to = c + a b`; `to` may be c itself.
#define TK_MATMUL(mm, mma, rows, cols)                                                             \
  template <tile A, tile B>                                                                        \
  TK_LANGUAGE(#mm)                                                                                 \
  rt<sum_of<A>, rows, cols> mm(const A &a, const B &b) TK_MEANING({                                \
    rt<sum_of<A>, rows, cols> result = 0;                                                          \
    mma(result, a, b);                                                                             \
    return result;                                                                                 \
  });                                                                                              \
  template <tile_operand To, tile A, tile B>                                                       \
  TK_LANGUAGE(#mm)                                                                                 \
  void mm(To &to, const A &a, const B &b) TK_MEANING({                                             \
    To result = 0;                                                                                 \
    mma(result, a, b);                                                                             \
    to = result;                                                                                   \
  });                                                                                              \
  template <tile_operand To, tile A, tile B, tile C>                                               \
  TK_LANGUAGE(#mma "_of")                                                                          \
  void mma(To &to, const A &a, const B &b, const C &c) TK_MEANING({                                \
    To result = c;                                                                                 \
    mma(result, a, b);                                                                             \
    to = result;                                                                                   \
  });

/// The matmul `a b`.
///
///     rt<float, BM, BN> c = mm_AB(a, b);
TK_MATMUL(mm_AB, mma_AB, A::height, B::width)
/// The matmul `a bᵀ`.
///
///     rt<float, BM, BN> s = mm_ABt(q, k);
TK_MATMUL(mm_ABt, mma_ABt, A::height, B::height)
/// The matmul `aᵀ b`.
///
///     rt<float, D, D> state = mm_AtB(k, v);
TK_MATMUL(mm_AtB, mma_AtB, A::width, B::width)
/// The matmul `aᵀ bᵀ`.
///
///     rt<float, BM, BN> c = mm_AtBt(a, b);
TK_MATMUL(mm_AtBt, mma_AtBt, A::width, B::height)
#undef TK_MATMUL

// `mms_AB(to, a, b, c)` is `to = c - a b`; `to` may be c itself.
#define TK_SUBTRACTED(mms)                                                                         \
  template <tile_operand To, tile A, tile B, tile C>                                               \
  TK_LANGUAGE(#mms "_of")                                                                          \
  void mms(To &to, const A &a, const B &b, const C &c) TK_MEANING({                                \
    To result = c;                                                                                 \
    mms(result, a, b);                                                                             \
    to = result;                                                                                   \
  });
/// `to = c - a b`.
TK_SUBTRACTED(mms_AB)
/// `to = c - a bᵀ`.
TK_SUBTRACTED(mms_ABt)
/// `to = c - aᵀ b`.
TK_SUBTRACTED(mms_AtB)
/// `to = c - aᵀ bᵀ`.
TK_SUBTRACTED(mms_AtBt)
#undef TK_SUBTRACTED

} // namespace tk

#endif // TK_LANGUAGE_MATMUL_VALUES_H
