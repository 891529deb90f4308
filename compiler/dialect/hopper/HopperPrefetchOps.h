//===- HopperPrefetchOps.h - Prefetches while another kernel drains --------===//
#ifndef TKC_DIALECT_HOPPER_HOPPERPREFETCHOPS_H
#define TKC_DIALECT_HOPPER_HOPPERPREFETCHOPS_H

#include "dialect/hopper/Hopper.h"

#define GET_OP_CLASSES
#include "dialect/hopper/HopperPrefetchOps.h.inc"

#endif // TKC_DIALECT_HOPPER_HOPPERPREFETCHOPS_H
