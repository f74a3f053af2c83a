// What an SM sees of its L1 data cache, at either level of timing.
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

/// L1 data cache of an SM. Accesses do not pass this face, but the sockets that it names.
class L1 : public sc_core::sc_module, public BlockPresence {
public:
    [[nodiscard]] virtual tlm::tlm_base_target_socket_b<>& from_ldst() = 0;
    [[nodiscard]] virtual tlm::tlm_base_initiator_socket<>& to_memory() = 0;
    /// Drops all contents, as at the start of a kernel; the cache has `capacity_bytes` from now on.
    /// Throws ConfigError if that is no positive multiple of ways x line bytes.
    virtual void resize(std::uint32_t capacity_bytes) = 0;
    /// From now on fetches what `prefetcher` expects; once, before the simulation starts. Counters
    /// become child "prefetch" of `stats`, the group of the cache.
    virtual void attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats) = 0;
    /// From now on `tlb` translates the addresses of what goes below; once, before the simulation
    /// starts.
    virtual void attach(std::unique_ptr<Tlb> tlb) = 0;
    /// Appends a line for each reason why an access does not go on; loosely timed there is none.
    virtual void describe_waiting(std::vector<std::string>& /*lines*/) const {}
    /// Appends a line for each broken conservation law.
    virtual void check(std::vector<std::string>& violations) const = 0;

protected:
    explicit L1(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace tessera
