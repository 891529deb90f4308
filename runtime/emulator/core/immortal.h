//===- core/immortal.h - Objects that are never destroyed -----------------===//
//
// Static objects that a launch uses: a thread may still run one when its process ends.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_IMMORTAL_H
#define TK_EMULATOR_CORE_IMMORTAL_H

namespace tk::emulator {

template <typename T> T &make_immortal() { return *new T; }

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_IMMORTAL_H
