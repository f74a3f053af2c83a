// Everything below the L1 caches.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/memory_image.h"
#include "sc_models/memory/lt/dram_channel.h"
#include "sc_models/memory/lt/l2_slice.h"
#include "sc_models/noc/lt/crossbar.h"
#include "sc_models/noc/lt/mesh.h"
#include "sc_models/tlm/link_binder.h"

namespace tessera {

/// Crossbar or mesh, L2 slices, DRAM channels and the memory's contents, wired up. The initiator
/// socket of every SM's L1 is bound to `socket(sm)`.
class MemorySystem : public sc_core::sc_module {
public:
    /// Registers children `crossbar` or `mesh`, `l2[i]` and `dram[i]` of `stats`. With a `binder`,
    /// links are bound by it. Throws ConfigError on a configuration that cannot be built (see the
    /// parts).
    MemorySystem(const sc_core::sc_module_name& name, std::uint32_t sms, const NocConfig& noc,
                 const L2Config& l2, const DramConfig& dram, const ClockDomain& clock, bool values,
                 StatGroup& stats, Observers observers, LinkBinder* binder = nullptr);
    MemorySystem(const MemorySystem&) = delete;
    MemorySystem& operator=(const MemorySystem&) = delete;

    [[nodiscard]] tlm::tlm_base_target_socket<>& socket(SmId sm);
    /// Null: a crossbar is in its place.
    [[nodiscard]] Mesh* mesh() { return mesh_.get(); }
    [[nodiscard]] MemoryImage& image() { return image_; }
    [[nodiscard]] const AddressMap& address_map() const { return map_; }
    /// Appends a line for each conservation law broken in a block or between two.
    void check(std::vector<std::string>& violations) const;
    /// The laws between levels: bytes through the network against sums over L2 slices and
    /// channels.
    static void check_levels(const std::string& name, const NocTraffic& noc, const L2Statistics& l2,
                             const DramStatistics& dram, std::vector<std::string>& violations);

private:
    AddressMap map_;
    MemoryImage image_;
    std::unique_ptr<Crossbar> crossbar_;  ///< or
    std::unique_ptr<Mesh> mesh_;
    std::vector<std::unique_ptr<L2Slice>> slices_;
    std::vector<std::unique_ptr<DramChannel>> channels_;
};

}  // namespace tessera
