// Rules between the keys of a configuration.
#pragma once

#include "sc_models/config/config_rules.h"

namespace tessera {

/// Checks the consistency of SMs, caches, memory, network, tensor cores, RTL and mechanisms.
void check_machine(const Config& config, const ConfigSource& source);
/// Checks that the workload is valid and that the machine can run it.
void check_workload(const Config& config, const ConfigSource& source);
/// Checks types and sparsity of the operands of products and convolutions, and that the machine
/// multiplies them. Those of attention are check_attention()'s.
void check_operands(const Config& config, const ConfigSource& source);
/// Checks the tiles of a product of fragments: their sizes, the registers of a thread, and that a
/// CTA fits an SM.
void check_tiling(const Config& config, const ConfigSource& source);

/// Checks the sizes of attention and of the rotary embedding, and that the machine has their
/// instructions.
void check_attention(const Config& config, const ConfigSource& source);

}  // namespace tessera
