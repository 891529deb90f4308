//===- HopperElementOps.h - Single elements through shared memory ----------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERELEMENTOPS_H
#define TKC_DIALECT_HOPPER_HOPPERELEMENTOPS_H

#include "dialect/hopper/Hopper.h"

#define GET_OP_CLASSES
#include "dialect/hopper/HopperElementOps.h.inc"

#endif // TKC_DIALECT_HOPPER_HOPPERELEMENTOPS_H
