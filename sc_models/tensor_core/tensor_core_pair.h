// The two FEDP tensor cores of a sub-core.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include "sc_models/common/clock.h"
#include "sc_models/common/statistics.h"
#include "sc_models/sm/sm_config.h"
#include "sc_models/sm/warp_port.h"

namespace tessera {

/// Pair of Volta tensor cores (Duplo II-B): 2 x 16 four-element dot product units, 128
/// multiply-adds a cycle, so a 16x16x16 multiply-accumulate occupies the pair for 32 cycles. One
/// b_transport with an MmaOperands extension; the delay comes back as the cycle at which D is
/// written. The caller keeps the initiation interval. Where operands are given, D is computed with
/// FEDP numerics.
class TensorCorePair : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<TensorCorePair> from_sub_core{"from_sub_core"};

    TensorCorePair(sc_core::sc_module_name name, const SmConfig& config, const ClockDomain& clock,
                   StatGroup& statistics);

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    const SmConfig& config_;
    const ClockDomain& clock_;
    Cycle free_at_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t busy_cycles_ = 0;
};

}  // namespace tessera
