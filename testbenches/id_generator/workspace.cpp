#include "testbenches/id_generator/workspace.h"

#include "sc_models/common/types.h"
#include "sc_models/workload/fragment/lowered_convolution.h"

namespace tessera::testbench {

ConvolutionPacket Workspace::packet() const {
    PacketOptions options;
    options.zero_rule = zero_rule;
    LoweredGeometry g = lowered_geometry(ConvolutionGeometry::make(layer, rule), base, options);
    const std::uint32_t rows = g.n_chunks / g.row_pitch_chunks + tail_rows;
    g.row_pitch_chunks += row_padding_chunks;
    g.n_chunks = rows * g.row_pitch_chunks;
    return ConvolutionPacket::make(g);
}

Workspace configured_workspace(const Config& config) {
    Workspace workspace;
    workspace.layer = config.workload.layer;
    workspace.rule = config.workload.channel_rule;
    workspace.zero_rule = config.duplo.zero_rule;
    return workspace;
}

Workspace random_workspace(Session& session) {
    const auto pick = [&session](std::uint64_t low, std::uint64_t high) {
        return static_cast<std::uint32_t>(low + session.below(high - low + 1));
    };
    Workspace w;
    LayerConfig& l = w.layer;
    l.transposed = pick(0, 3) == 0;
    l.batch = pick(1, 4);
    l.groups = pick(0, 4) == 0 ? pick(2, 3) : 1;
    l.channels = l.groups * (pick(0, 1) == 0 ? pick(1, 20) : 16 * pick(1, 4));
    l.filters = l.groups * pick(1, 4);
    const std::uint32_t filter_height = pick(1, 5);
    const std::uint32_t filter_width = l.transposed ? filter_height : pick(1, 7);
    l.filter_height = filter_height;
    l.filter_width = filter_width;
    const std::uint32_t pad = l.transposed ? pick(0, filter_height - 1) : pick(0, 3);
    l.pad = pad;
    const std::uint32_t stride = pick(1, 3);
    l.stride = stride;
    // The filter fits the padded input, which a transposed layer stretches by its stride.
    const std::uint32_t stretch = l.transposed ? stride : 1;
    const std::uint32_t border = 2 * (l.transposed ? filter_height - 1 - pad : pad);
    const auto least = [stretch, border](std::uint32_t filter) {
        return filter > border + 1 ? ceil_div(filter - border, stretch) : 1;
    };
    l.height = pick(least(filter_height), 12);
    l.width = pick(least(filter_width), 20);
    const std::uint32_t rule = pick(0, 2);
    w.rule = rule == 0   ? ChannelRule::kPad16
             : rule == 1 ? ChannelRule::kPad8FilterRow
                         : ChannelRule::kDense;
    w.base = (session.random() >> pick(20, 40)) / 32 * 32;
    w.row_padding_chunks = pick(0, 2) == 0 ? pick(1, 5) : 0;
    w.tail_rows = pick(0, 1) == 0 ? pick(1, 20) : 0;
    w.zero_rule = pick(0, 3) != 0;
    return w;
}

}  // namespace tessera::testbench
