//===- DialectHeaders.cpp - The source of the precompiled header ----------===//
#include "DialectHeaders.h"
