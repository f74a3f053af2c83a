// Interface of the L1 data cache to its SM, at either level of timing.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/memory/core/block_watch.h"
#include "sc_models/memory/core/prefetcher.h"
#include "sc_models/memory/core/tlb.h"

namespace tessera {

/// L1 data cache of an SM. Accesses use the sockets, not functions of this interface.
class L1 : public sc_core::sc_module, public BlockPresence {
public:
    [[nodiscard]] virtual tlm::tlm_base_target_socket_b<>& from_ldst() = 0;
    [[nodiscard]] virtual tlm::tlm_base_initiator_socket<>& to_memory() = 0;
    /// Drops all contents, as at the start of a kernel, and sets the capacity to `capacity_bytes`.
    /// Throws ConfigError if that is no positive multiple of ways x line bytes.
    virtual void resize(std::uint32_t capacity_bytes) = 0;
    /// Fetches the sectors proposed by `prefetcher` from now on; once, before the simulation
    /// starts. Its counters become child "prefetch" of `stats`, the group of the cache.
    virtual void attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats) = 0;
    /// Translates the addresses of requests to the level below with `tlb`; once, before the
    /// simulation starts.
    virtual void attach(std::unique_ptr<Tlb> tlb) = 0;
    /// Appends a line for each reason why an access waits; loosely timed there is none.
    virtual void describe_waiting(std::vector<std::string>& /*lines*/) const {}
    /// Appends a line for each broken conservation law.
    virtual void check(std::vector<std::string>& violations) const = 0;

protected:
    explicit L1(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace tessera
