//===- ptx/pdl.h - Programmatic dependent launch --------------------------===//
#ifndef TK_PTX_PDL_H
#define TK_PTX_PDL_H

#include <ptx/device.h>

namespace tk {

TK_DEVICE void griddepcontrol_wait(TK_PLACE) { emulator::griddepcontrol_wait(where); }

// A hint to the next launch; there is never one under way.
TK_DEVICE void griddepcontrol_launch_dependents() {}

} // namespace tk

#endif // TK_PTX_PDL_H
