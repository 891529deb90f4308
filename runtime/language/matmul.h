//===- matmul.h - Matmuls of tiles ----------------------------------------===//
//
// Each element of the result is the float sum of float products; of integers, the
// int sum of int products. mma adds it to an accumulator, mms subtracts it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_MATMUL_H
#define TK_LANGUAGE_MATMUL_H

#include "numbers.h"
#include "tiles.h"

namespace tk {

#ifndef __TKC__
namespace detail {
template <bool transposeA, bool transposeB, bool subtract = false, tile Acc, tile A, tile B>
void multiply(Acc &acc, const A &a, const B &b) {
  constexpr int inner = transposeA ? A::height : A::width;
  static_assert((transposeA ? A::width : A::height) == Acc::height,
                "the accumulator has as many rows as the product");
  static_assert((transposeB ? B::height : B::width) == Acc::width,
                "the accumulator has as many columns as the product");
  static_assert((transposeB ? B::width : B::height) == inner,
                "the inner sizes of both operands are equal");
  using number = number_of<typename Acc::element>;
  // Row by row of the result, so that the innermost loop walks memory in order, and over numbers
  // that need not be converted each time.
  number right[inner][Acc::width];
  for (int k = 0; k < inner; ++k)
    for (int j = 0; j < Acc::width; ++j)
      right[k][j] = static_cast<number>(transposeB ? b.at(j, k) : b.at(k, j));
  for (int i = 0; i < Acc::height; ++i)
    for (int k = 0; k < inner; ++k) {
      const number factor = static_cast<number>(transposeA ? a.at(k, i) : a.at(i, k));
      const number left = subtract ? -factor : factor;
      for (int j = 0; j < Acc::width; ++j)
        acc.at(i, j) += left * right[k][j];
    }
}
} // namespace detail
#endif

/// `acc += a b`. The columns of `a` are as many as the rows of `b`.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mma_AB")
void mma_AB(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<false, false>(acc, a, b); });

/// `acc += a bᵀ`. The columns of `a` are as many as the columns of `b`.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mma_ABt")
void mma_ABt(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<false, true>(acc, a, b); });

/// `acc += aᵀ b`. The rows of `a` are as many as the rows of `b`.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mma_AtB")
void mma_AtB(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<true, false>(acc, a, b); });

/// `acc += aᵀ bᵀ`. The rows of `a` are as many as the columns of `b`.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mma_AtBt")
void mma_AtBt(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<true, true>(acc, a, b); });

/// `acc -= a b`: as `mma_AB`, but it subtracts. Of floats.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mms_AB")
void mms_AB(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<false, false, true>(acc, a, b); });

/// `acc -= a bᵀ`: as `mma_ABt`, but it subtracts. Of floats.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mms_ABt")
void mms_ABt(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<false, true, true>(acc, a, b); });

/// `acc -= aᵀ b`: as `mma_AtB`, but it subtracts. Of floats.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mms_AtB")
void mms_AtB(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<true, false, true>(acc, a, b); });

/// `acc -= aᵀ bᵀ`: as `mma_AtBt`, but it subtracts. Of floats.
template <tile Acc, tile A, tile B>
TK_LANGUAGE("mms_AtBt")
void mms_AtBt(Acc &acc, const A &a, const B &b)
    TK_MEANING({ detail::multiply<true, true, true>(acc, a, b); });

} // namespace tk

#endif // TK_LANGUAGE_MATMUL_H
