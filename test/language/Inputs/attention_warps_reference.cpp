#include "attention_export.h"

#include "../attention_warps.tk"

EXPORT(attention_warps, attention_warps<64>)
