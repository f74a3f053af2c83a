// Clusters of SMs with their assign tables on a mesh, observed at every boundary.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/memory/core/address_map.h"
#include "sc_models/noc/noc.h"
#include "sc_models/opportunistic/opportunistic_unit.h"
#include "testbenches/assign_table/toy_l1.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/initiator.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/run_until_idle.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Receives all that happens at the boundaries of the SMs.
class AssignObserver {
public:
    virtual ~AssignObserver() = default;
    /// SM `sm` sends a message at cycle `at`.
    virtual void on_sent(std::uint32_t sm, const MeshMessage& message, Cycle at) = 0;
    /// A message arrives at SM `sm` at cycle `at` and has not been processed.
    virtual void on_arrival(std::uint32_t sm, const MeshMessage& message, Cycle at) = 0;
    /// The message has been processed.
    virtual void on_processed(std::uint32_t sm, const MeshMessage& message) = 0;
    /// The operation of a warp is decided.
    virtual void on_decided(std::uint32_t sm, std::uint32_t warp,
                            const VectorDecision& decision) = 0;
    /// Result that an assistant warp adds to an output.
    struct Execution {
        Address input = 0, weights = 0, output = 0;
        float result = 0;
    };
    /// The assistant warp of SM `sm` starts an assigned operation.
    virtual void on_execution(std::uint32_t sm, const Execution& execution) = 0;
};

/// Clusters of SMs: each SM is an OpportunisticUnit with a toy L1, warp slots without programs and
/// an assistant warp of fixed speed; messages travel over the mesh.
class AssignRig : public sc_core::sc_module {
public:
    static constexpr std::uint32_t kWarps = 4;
    static constexpr Cycle kAssistantCycles = 12;  ///< of an operation of the assistant warp
    static constexpr Address kOutputs = Address{1} << 40U;  ///< address of the outputs

    /// One cluster for each configuration; all must have the same cluster_sms. Throws ConfigError
    /// if the mesh has no room for them.
    AssignRig(const sc_core::sc_module_name& name, Session& session,
              const std::vector<OpportunisticConfig>& clusters, std::size_t l1_blocks,
              AssignObserver& observer);
    ~AssignRig() override;
    SC_HAS_PROCESS(AssignRig);

    [[nodiscard]] std::uint32_t sms() const { return static_cast<std::uint32_t>(sms_.size()); }
    [[nodiscard]] Cycle now() const { return session_.clock.now(); }
    [[nodiscard]] ToyL1& l1(std::uint32_t sm);
    [[nodiscard]] OpportunisticUnit& unit(std::uint32_t sm);
    [[nodiscard]] AssignCluster& cluster(std::uint32_t index) { return *clusters_[index]; }
    [[nodiscard]] const StatGroup& statistics() const { return statistics_; }
    [[nodiscard]] std::uint32_t line_bytes() const { return line_bytes_; }
    /// Returns the input or weight at an address: small integers, so that sums are exact.
    [[nodiscard]] static float word(Address address) {
        return static_cast<float>(address / 4 * 7 % 11);
    }

    /// Starts a kernel of `operations` operations, each with an output of its own.
    void start_kernel(std::uint64_t operations);
    /// Operation on three words of the input and of the weights, with output number `output`.
    [[nodiscard]] VectorOperation operation(Address input, Address weights,
                                            std::uint64_t output) const;
    /// Calls `action` at cycle `at`, or in the present cycle if that is past.
    void schedule(Cycle at, std::function<void()> action);
    /// Issues an operation of a warp; the observer gets the decision.
    void issue(std::uint32_t sm, std::uint32_t warp, const VectorOperation& operation);
    /// Adds the sums of a warp to its output.
    void store(std::uint32_t sm, std::uint32_t warp);
    /// Runs until no event is left.
    static void drain() { run_until_idle(); }
    void check(std::vector<std::string>& violations) const;

private:
    class Sm;
    void run();
    void make_mesh(std::uint32_t sms);
    void poll_assistant(std::uint32_t sm);

    Session& session_;
    AssignObserver& observer_;
    const std::vector<OpportunisticConfig> configs_;
    const std::uint32_t line_bytes_, sector_bytes_;
    AddressMap map_;
    CheckedLinks links_;
    CycleTicker ticker_;
    PayloadPool pool_;
    StatGroup statistics_{"assign"};
    MemoryTarget memory_;
    OutputLedger ledger_;
    LaneLayout layout_;
    std::unique_ptr<Noc> mesh_;
    std::vector<std::unique_ptr<AssignCluster>> clusters_;
    std::vector<std::unique_ptr<Initiator>> initiators_;
    std::vector<std::unique_ptr<Sm>> sms_;
    std::multimap<Cycle, std::function<void()>> actions_;
    sc_core::sc_event scheduled_;
};

}  // namespace tessera::testbench
