//===- MlirHeaders.cpp - The source of the precompiled header -------------===//
#include "MlirHeaders.h"
