//===- tile/element.h - Single elements through shared memory -------------===//
//
// TMA often cannot load the single elements that a loop reads, such as the scale of a
// block: rows of such tensors need not be whole 16 bytes. The
// thread that starts the loads copies the element itself, asynchronously, into a
// ring beside the tiles'; the stage's barrier counts one arrival more, which comes
// when the element is there. Its readers then wait for nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_ELEMENT_H
#define TK_TILE_ELEMENT_H

#include <ptx/cp_async.h>
#include <tile/global.h>
#include <tile/move.h>

namespace tk {

// By one thread: the element at this place, or zero, becomes the vector's first, and then `landed` has one more
// arrival.
template <typename T, int length, int rank>
TK_DEVICE void copy_element(sv<T, length> to, const gl<T, rank> &tensor, const int (&at)[rank], barrier landed) {
  static_assert(sizeof(T) == 4, "an element that is copied asynchronously has 4 bytes");
  const bool inside = tensor.holds(at);
  cp_async_4(to.address, inside ? tensor.address(at) : tensor.data, inside ? 4 : 0);
  cp_async_mbarrier_arrive(landed.address);
}

// By any thread: the vector's first element.
template <typename T, int length> TK_DEVICE number_of<T> load_element(sv<T, length> from) {
  return load_element<T>(from.address);
}

} // namespace tk

#endif // TK_TILE_ELEMENT_H
