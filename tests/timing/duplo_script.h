// Kernels of loads of A that Duplo looks up, on one SM: a small layer, its packet and its machine.
#pragma once

#include <functional>
#include <utility>

#include "sc_models/isa/convolution_packet.h"
#include "tests/support/script_kernel.h"
#include "tests/support/timing_cases.h"

namespace tessera::test {

/// A layer of 8 x 8 x 16 in a workspace of 64 rows of 288 bytes, and where its packet lies.
constexpr Address kWorkspace = 0x20000000;
constexpr Address kPacket = 0x30000000;
constexpr std::uint32_t kRowPitch = 288;

inline void put_packet(ScriptMachine& machine) {
    LoweredGeometry g;
    g.base = kWorkspace;
    g.batch = 1;
    g.input_height = g.input_width = g.output_height = g.output_width = 8;
    g.channels = 16;
    g.filter_height = g.filter_width = 3;
    g.pad = 1;
    g.filter_row_chunks = 3;
    g.row_pitch_chunks = 9;
    g.n_chunks = 64 * 9;
    const ConvolutionPacket::Bytes bytes = ConvolutionPacket::make(g).encode();
    machine.gpu().write_memory(kPacket, bytes.data(), bytes.size());
}

inline ScriptKernel duplo_kernel(Script script) {
    ScriptKernel kernel(std::move(script));
    kernel.edit().convolution_packet = kPacket;
    kernel.edit().a_fragments = 4;
    return kernel;
}

inline Config with_duplo(const std::function<void(Config&)>& change = {}) {
    Config config = one_sm();
    config.duplo.enabled = true;
    if (change) change(config);
    return config;
}

}  // namespace tessera::test
