//===- ptx/fence.h - Making writes visible to another proxy ---------------===//
#ifndef TK_PTX_FENCE_H
#define TK_PTX_FENCE_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE void fence_proxy_async(TK_PLACE) { emulator::fence_proxy_async(where); }

TK_DEVICE void fence_mbarrier_init(TK_PLACE) { emulator::fence_mbarrier_init(where); }

} // namespace tk

#endif // TK_PTX_FENCE_H
