// Workspaces of lowered convolutions for the ID generator's testbench.
#pragma once

#include "sc_models/config/workload_config.h"
#include "sc_models/isa/convolution_packet.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Workspace of a convolution layer in memory.
struct Workspace {
    static constexpr Address kBase = 0x10000000;

    LayerConfig layer;
    ChannelRule rule = ChannelRule::kPad16;
    Address base = kBase;                  ///< a multiple of 32
    std::uint32_t row_padding_chunks = 0;  ///< behind each row, beyond what the layer needs
    std::uint32_t tail_rows = 0;           ///< behind the last image
    bool zero_rule = false;                ///< recognise all-zero chunks

    /// Packet that the workload writes for the ID generator. Throws ConfigError for an impossible
    /// layer.
    [[nodiscard]] ConvolutionPacket packet() const;
};

/// Workspace of the configured layer.
[[nodiscard]] Workspace configured_workspace(const Config& config);
/// Small legal layer: batches, groups, strides, padding, transposed ones, each rule of channels.
[[nodiscard]] Workspace random_workspace(Session& session);

}  // namespace tessera::testbench
