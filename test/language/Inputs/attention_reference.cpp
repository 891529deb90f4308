#include "attention_export.h"

#include "../attention.tk"

EXPORT(attention, attention<128>)
EXPORT(attention_causal, attention<128, true>)
EXPORT(attention_64, attention<64, false, 64, 96>)
EXPORT(attention_64_causal, attention<64, true, 64, 96>)
