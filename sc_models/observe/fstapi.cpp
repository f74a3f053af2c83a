// GTKWave's fstapi from Verilator's sources, one translation unit as in Verilator's own tracer.
#define FST_CONFIG_INCLUDE "fst_config.h"
#include <gtkwave/fastlz.c>  // NOLINT(bugprone-suspicious-include)
#include <gtkwave/fstapi.c>  // NOLINT(bugprone-suspicious-include)
#include <gtkwave/lz4.c>     // NOLINT(bugprone-suspicious-include)
