// Everything below the L1 caches, approximately timed.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/memory/at/dram_channel_at.h"
#include "sc_models/memory/at/l2_slice_at.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/memory_image.h"
#include "sc_models/noc/at/crossbar_at.h"
#include "sc_models/noc/at/mesh_at.h"
#include "sc_models/tlm/link_binder.h"

namespace tessera {

/// Crossbar or mesh, L2 slices, DRAM channels and the memory's contents, wired up; as MemorySystem,
/// with the same statistics. The initiator socket of every SM's L1CacheAt is bound to `socket(sm)`.
class MemorySystemAt : public sc_core::sc_module {
public:
    /// Registers children `crossbar` or `mesh`, `l2[i]` and `dram[i]` of `stats`; `pool` must
    /// outlive it. With a `binder`, links are bound by it. Throws ConfigError on a configuration
    /// that cannot be built (see the parts).
    MemorySystemAt(const sc_core::sc_module_name& name, std::uint32_t sms, const NocConfig& noc,
                   const L2Config& l2, const DramConfig& dram, CycleTicker& ticker, bool values,
                   PayloadPool& pool, StatGroup& stats, Observers observers,
                   LinkBinder* binder = nullptr);
    MemorySystemAt(const MemorySystemAt&) = delete;
    MemorySystemAt& operator=(const MemorySystemAt&) = delete;

    [[nodiscard]] tlm::tlm_base_target_socket<>& socket(SmId sm);
    /// Null: a crossbar is in its place.
    [[nodiscard]] MeshAt* mesh() { return mesh_.get(); }
    [[nodiscard]] MemoryImage& image() { return image_; }
    [[nodiscard]] const AddressMap& address_map() const { return map_; }
    /// Transactions, misses and write-backs that are not over.
    [[nodiscard]] std::size_t outstanding() const;
    [[nodiscard]] bool idle() const { return outstanding() == 0; }
    /// Appends a line for each block and reason for which something waits.
    void describe_waiting(std::vector<std::string>& lines) const;
    /// Appends a line for each conservation law broken in a block or between two; some hold only
    /// when all is idle, and are looked at only then.
    void check(std::vector<std::string>& violations) const;

private:
    AddressMap map_;
    MemoryImage image_;
    std::unique_ptr<CrossbarAt> crossbar_;  ///< or
    std::unique_ptr<MeshAt> mesh_;
    std::vector<std::unique_ptr<L2SliceAt>> slices_;
    std::vector<std::unique_ptr<DramChannelAt>> channels_;
};

}  // namespace tessera
