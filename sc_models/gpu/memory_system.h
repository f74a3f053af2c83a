// Memory system: all blocks below the L1 caches.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/gpu/foreign_memory.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/dram_statistics.h"
#include "sc_models/memory/core/l2_statistics.h"
#include "sc_models/memory/core/memory_image.h"
#include "sc_models/noc/noc.h"
#include "sc_models/tlm/lt/link_binder.h"

namespace tessera {

/// Configuration and context of a memory system.
struct MemorySystemPlan {
    std::uint32_t sms = 0;
    const NocConfig& noc;
    const L2Config& l2;
    const DramConfig& dram;
    bool values = false;
    StatGroup& statistics;  ///< gets children `crossbar` or `mesh`, `l2[i]` and `dram[i]`
    Observers observers;
    LinkBinder* binder = nullptr;            ///< binds the links; null: directly
    const ForeignMemory* foreign = nullptr;  ///< null: no foreign memory
};

/// Crossbar or mesh, L2 slices, DRAM channels and the memory's contents, connected, at either level
/// of timing; without the blocks that a foreign memory replaces. The initiator socket of every SM's
/// L1 is bound to `socket(sm)`. Accesses use the sockets, not functions of this interface.
class MemorySystem : public sc_core::sc_module {
public:
    MemorySystem(const MemorySystem&) = delete;
    MemorySystem& operator=(const MemorySystem&) = delete;

    [[nodiscard]] tlm::tlm_base_target_socket_b<>& socket(SmId sm);
    /// Returns the network's message links; null: it carries no messages between SMs.
    [[nodiscard]] MessageLinks* messages() { return noc_ ? noc_->messages() : nullptr; }
    /// Returns the contents of the machine's own memory; null: a foreign memory holds them.
    [[nodiscard]] MemoryImage* image() { return ours(MemoryPlace::kBelowL2) ? &image_ : nullptr; }
    [[nodiscard]] const AddressMap& address_map() const { return map_; }
    /// Returns the transactions, misses and write-backs in flight; loosely timed, none is in flight
    /// between calls.
    [[nodiscard]] virtual std::size_t outstanding() const;
    [[nodiscard]] bool idle() const { return outstanding() == 0; }
    /// Returns the first cycle after all data counted by DRAM. Loosely timed, it may lie ahead of
    /// the SMs: an access is counted when it is scheduled.
    [[nodiscard]] virtual Cycle busy_until() const { return 0; }
    /// Notes the begin of a kernel whose first access cannot come before `first`.
    virtual void start_kernel(Cycle /*first*/) {}
    /// Returns the end of a kernel whose SMs end at `end`: that, or busy_until() if a channel has
    /// counted more data since `first` than its bus moves until `end`. Loosely timed, writes are
    /// posted without limit, so SMs that only write would outrun DRAM.
    [[nodiscard]] virtual Cycle end_of_kernel(Cycle end) const { return end; }
    /// Appends a line for each block and reason why something waits.
    virtual void describe_waiting(std::vector<std::string>& lines) const;
    /// Appends a line for each conservation law broken in a block or between two; some hold only
    /// when all blocks are idle and are checked only then.
    void check(std::vector<std::string>& violations) const;

    /// Checks bytes through the network against the sum over L2 slices.
    static void check_levels(const std::string& name, const NocTraffic& noc, const L2Statistics& l2,
                             std::vector<std::string>& violations);
    /// Checks requests of all L2 slices against those of all DRAM channels.
    static void check_levels(const std::string& name, const L2Statistics& l2,
                             const DramStatistics& dram, std::vector<std::string>& violations);

protected:
    /// Counters of the blocks at both ends of a link.
    struct Totals {
        L2Statistics l2;
        DramStatistics dram;
    };

    /// Throws ConfigError if the address map cannot be built, or if the foreign memory does not
    /// have one socket for each link.
    MemorySystem(const sc_core::sc_module_name& name, const MemorySystemPlan& plan);

    /// Returns whether the blocks right below `place` are the machine's own.
    [[nodiscard]] bool ours(MemoryPlace place) const {
        return foreign_.empty() || place < foreign_place_;
    }
    /// Binds network, `slices` and, by `channel_of(slice)`, DRAM, except blocks replaced by a
    /// foreign memory.
    template <class Slice, class ChannelOf>
    void wire(LinkBinder* binder, const std::vector<std::unique_ptr<Slice>>& slices,
              ChannelOf&& channel_of) {
        for (std::uint32_t i = 0; i < map_.slices(); ++i) {
            if (ours(MemoryPlace::kBelowNoc)) {
                bind_link(binder, noc_->slice_socket(i), slices[i]->target);
                bind_link(binder, slices[i]->initiator,
                          ours(MemoryPlace::kBelowL2) ? channel_of(i) : *foreign_[i]);
            } else {
                bind_link(binder, noc_->slice_socket(i), *foreign_[i]);
            }
        }
    }
    /// Checks the blocks and sums their counters.
    template <class Slice, class Channel>
    static Totals add_up(const std::vector<std::unique_ptr<Slice>>& slices,
                         const std::vector<std::unique_ptr<Channel>>& channels,
                         std::vector<std::string>& violations) {
        Totals sum;
        for (const auto& slice : slices) {
            slice->check(violations);
            sum.l2.bytes_read += slice->statistics().bytes_read;
            sum.l2.bytes_written += slice->statistics().bytes_written;
            sum.l2.fetch_requests_below += slice->statistics().fetch_requests_below;
            sum.l2.write_backs_below += slice->statistics().write_backs_below;
        }
        for (const auto& channel : channels) {
            channel->check(violations);
            sum.dram.reads += channel->statistics().reads;
            sum.dram.writes += channel->statistics().writes;
        }
        return sum;
    }

private:
    /// add_up() of the traffic that has crossed the links.
    [[nodiscard]] virtual Totals check_blocks(std::vector<std::string>& violations) const = 0;

    AddressMap map_;
    MemoryImage image_;
    MemoryPlace foreign_place_ = MemoryPlace::kBelowL2;
    ForeignMemory::Sockets foreign_;  ///< by SM or slice; empty: no foreign memory

protected:
    MemoryImage& own_image() { return image_; }
    std::unique_ptr<Noc> noc_;  ///< null: the foreign memory is right below the L1s
};

}  // namespace tessera
