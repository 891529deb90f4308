//===- HopperPartOps.h - Parts of tensors by TMA --------------------------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERPARTOPS_H
#define TKC_DIALECT_HOPPER_HOPPERPARTOPS_H

#include "dialect/hopper/Hopper.h"

#define GET_OP_CLASSES
#include "dialect/hopper/HopperPartOps.h.inc"

#endif // TKC_DIALECT_HOPPER_HOPPERPARTOPS_H
