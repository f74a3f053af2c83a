// State of a detection unit: its kernel's packet and warps, and whether loads are looked up.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/duplo/active_load.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// State of a detection unit from the packet of a kernel to its end. Between `start` and `end` the
/// unit is powered. It looks up loads from a cycle on (it wakes up), until `stop_detection`.
class DetectionState {
public:
    /// Starts a kernel with `warps` warp slots of `a_fragments` A fragments each, whose loads have
    /// ids from cycle `awake_at` on.
    void start(const ConvolutionPacket& packet, std::uint32_t warps, std::uint32_t a_fragments,
               Cycle awake_at);
    void wake_at(Cycle cycle) { awake_at_ = cycle; }
    void stop_detection() { detecting_ = false; }
    void end() { powered_ = detecting_ = false; }

    [[nodiscard]] bool powered() const { return powered_; }
    [[nodiscard]] bool detecting() const { return detecting_; }
    [[nodiscard]] Cycle awake_at() const { return awake_at_; }
    /// Returns why no load at `now` has ids; kNone: they may have.
    [[nodiscard]] BypassReason bypass(Cycle now) const {
        if (!detecting_) return BypassReason::kOff;
        return now < awake_at_ ? BypassReason::kAsleep : BypassReason::kNone;
    }
    /// Returns whether [address, address + bytes) meets the workspace while loads are looked up.
    [[nodiscard]] bool is_detected(Address address, std::uint64_t bytes) const {
        return detecting_ && address < region_end_ && address + bytes > region_begin_;
    }
    [[nodiscard]] std::uint8_t tag() const { return tag_; }

    /// Returns whether a load belongs to a warp and fragment of the kernel.
    [[nodiscard]] bool has(const FragmentLoad& load) const {
        return load.warp < producer_of_slot_.size() && load.fragment < a_fragments_;
    }
    /// Starts the state of the kernel's next load.
    void begin(const FragmentLoad& load, ActiveLoad& active) {
        active.load = load;
        active.serial = next_serial_++;
        active.producer = producer_of_slot_[load.warp];
    }
    /// Frees the slot of a warp that exited: its next warp is another producer.
    void free_slot(std::uint32_t warp) { producer_of_slot_[warp] = next_producer_++; }
    [[nodiscard]] std::uint32_t a_fragments() const { return a_fragments_; }

private:
    bool powered_ = false;
    bool detecting_ = false;
    std::uint8_t tag_ = 0;
    Cycle awake_at_ = 0;
    Address region_begin_ = 0, region_end_ = 0;
    std::uint32_t a_fragments_ = 0;
    std::uint32_t next_serial_ = 1;  ///< over all kernels
    std::uint32_t next_producer_ = 0;
    std::vector<std::uint32_t> producer_of_slot_;
};

}  // namespace tessera
