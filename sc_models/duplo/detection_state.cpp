#include "sc_models/duplo/detection_state.h"

#include <numeric>

namespace tessera {

void DetectionState::start(const ConvolutionPacket& packet, std::uint32_t warps,
                           std::uint32_t a_fragments, Cycle awake_at) {
    producer_of_slot_.resize(warps);
    std::iota(producer_of_slot_.begin(), producer_of_slot_.end(), 0u);
    next_producer_ = warps;
    a_fragments_ = a_fragments;
    region_begin_ = packet.base;
    region_end_ = packet.end();
    tag_ = packet.kernel_tag;
    awake_at_ = awake_at;
    powered_ = true;
    detecting_ = true;
}

}  // namespace tessera
