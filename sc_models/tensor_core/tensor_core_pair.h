// The two tensor cores of a sub-core.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <memory>
#include <systemc>

#include "sc_models/common/clock.h"
#include "sc_models/common/statistics.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tensor_core/matrix_unit.h"

namespace tessera {

/// Pair of tensor cores, 128 multiply-adds a cycle, so a 16x16x16 multiply-accumulate occupies it
/// for 32 cycles. One b_transport with an MmaOperands extension; the delay comes back as the cycle
/// at which D is written, the extension tells until when the pair is busy. The caller does not
/// start the next before. Where operands are given, `unit` computes D.
class TensorCorePair : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<TensorCorePair> from_sub_core{"from_sub_core"};

    TensorCorePair(sc_core::sc_module_name name, std::unique_ptr<MatrixUnit> unit,
                   const ClockDomain& clock, StatGroup& statistics);

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    MatrixTiming multiply(Cycle start, const MmaOperands& operands);

    const std::unique_ptr<MatrixUnit> unit_;
    const ClockDomain& clock_;
    Cycle free_at_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t busy_cycles_ = 0;
    std::uint64_t rtl_cycles_ = 0;
};

}  // namespace tessera
