// Assign table behind its pins, which repeats what a cluster's table is asked.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>

#include "sc_models/noc/noc.h"
#include "sc_models/pins/assign_table_pins.h"
#include "testbenches/assign_table/naive_assign_table.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Operations that arrive at a cluster's table go, in their order, to a table behind its pins as
/// well. It takes as many clock cycles for each as it needs, and its receiver stalls. Each answer
/// must be that of the reference.
class PinTable final : public sc_core::sc_module {
public:
    using Rtl = tessera::AssignTableRtl;

    /// Throws ConfigError for more entries or SMs than the table has behind its pins.
    PinTable(const sc_core::sc_module_name& name, Session& session, std::uint32_t entries,
             std::uint32_t sms);
    SC_HAS_PROCESS(PinTable);

    /// Queues what a message asks of the table, with the answer of the reference, which has not
    /// processed it. Throws ConfigError for a block that has too many bits.
    void repeat(const MeshMessage& message, NaiveAssignTable reference);
    /// Operations without an answer.
    [[nodiscard]] std::size_t waiting() const { return operations_.size(); }

private:
    static constexpr Cycle kMaxCycles = 10'000;
    struct Operation {
        Rtl::Op op = Rtl::Op::kLookup;
        BlockPair pair;
        std::uint32_t sm = 0;  ///< within the cluster
        // Answer of the reference.
        bool done = false, replaced = false;
        std::uint32_t holder = 0;  ///< of a look-up
        std::uint32_t count = 0;   ///< entries that an invalidation removes
        std::uint32_t size = 0;
    };

    void queue(const Operation& operation);
    void run();
    Rtl::Outputs step(const Rtl::Inputs& in);
    void set_up();
    void play(const Operation& operation);
    void compare(const Operation& operation, const Rtl::Outputs& out);

    Session& session_;
    const std::uint32_t entries_;
    StallingReceiver receiver_;
    std::unique_ptr<ClockedBlock<Rtl::Inputs, Rtl::Outputs>> block_;
    std::deque<Operation> operations_;
    std::uint64_t losses_ = 0;  ///< blocks that L1s have lost
    sc_core::sc_event queued_;
};

}  // namespace tessera::testbench
