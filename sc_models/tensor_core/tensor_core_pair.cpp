#include "sc_models/tensor_core/tensor_core_pair.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sc_models/tensor_core/fedp.h"
#include "sc_models/workload/warp_instruction.h"

namespace tessera {
namespace {

void multiply(const MmaOperands& operands) {
    constexpr std::size_t kCopyBytes = kMmaElements * sizeof(HalfBits);
    std::array<HalfBits, kMmaElements> a{};
    std::array<HalfBits, kMmaElements> b{};
    std::array<float, kMmaElements> c{};
    std::memcpy(a.data(), operands.a[0], kCopyBytes);
    std::memcpy(b.data(), operands.b, kCopyBytes);
    std::memcpy(c.data(), operands.c, sizeof(c));
    std::array<float, kMmaElements> d{};
    mma_16x16x16(a.data(), b.data(), c.data(), d.data());
    if (operands.a[1] != operands.a[0] &&
        std::memcmp(operands.a[1], operands.a[0], kCopyBytes) != 0) {
        // The octets of the right half read their own copy of A.
        std::array<float, kMmaElements> right{};
        std::memcpy(a.data(), operands.a[1], kCopyBytes);
        mma_16x16x16(a.data(), b.data(), c.data(), right.data());
        for (std::size_t row = 0; row < kMmaSize; ++row) {
            const auto from =
                right.begin() + static_cast<std::ptrdiff_t>(row * kMmaSize + kMmaSize / 2);
            std::copy_n(from, kMmaSize / 2,
                        d.begin() + static_cast<std::ptrdiff_t>(row * kMmaSize + kMmaSize / 2));
        }
    }
    std::memcpy(operands.c, d.data(), sizeof(d));
}

}  // namespace

TensorCorePair::TensorCorePair(sc_core::sc_module_name name, const SmConfig& config,
                               const ClockDomain& clock, StatGroup& statistics)
    : sc_module(name), config_(config), clock_(clock) {
    from_sub_core.register_b_transport(this, &TensorCorePair::b_transport);
    statistics.counter("operations", operations_, "count", "16x16x16 multiply-accumulates");
    statistics.counter("busy_cycles", busy_cycles_, "cycles", "cycles the pair was occupied");
}

void TensorCorePair::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const auto* operands = payload.get_extension<MmaOperands>();
    if (operands == nullptr) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    const Cycle start = std::max(clock_.cycle_at(sc_core::sc_time_stamp() + delay), free_at_);
    free_at_ = start + config_.mma_initiation_cycles;
    ++operations_;
    busy_cycles_ += config_.mma_initiation_cycles;
    if (operands->c != nullptr) multiply(*operands);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = clock_.span(start + config_.mma_latency_cycles) - sc_core::sc_time_stamp();
}

}  // namespace tessera
