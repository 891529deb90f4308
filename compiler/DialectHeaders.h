//===- DialectHeaders.h - MLIR's headers and those of both dialects -------===//
//
// Precompiled, as MlirHeaders.h is, for the libraries above the dialects. Files
// still include what they use.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECTHEADERS_H
#define TKC_DIALECTHEADERS_H

#include "MlirHeaders.h"
#include "dialect/hopper/Hopper.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/tk/Tk.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkPartOp.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#endif // TKC_DIALECTHEADERS_H
