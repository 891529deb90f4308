//===- MlirHeaders.cpp - What the precompiled header is built with --------===//
#include "MlirHeaders.h"
