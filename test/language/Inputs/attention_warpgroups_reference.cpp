#include "attention_export.h"

#include "../attention_warpgroups.tk"

EXPORT(attention_warpgroups, attention_warpgroups<64>)
EXPORT(attention_warpgroups_causal, attention_warpgroups<64, true>)
