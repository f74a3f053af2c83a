#include "sc_models/tensor_core/tensor_core_pair.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tessera {

TensorCorePair::TensorCorePair(sc_core::sc_module_name name, std::unique_ptr<MatrixUnit> unit,
                               const ClockDomain& clock, StatGroup& statistics)
    : sc_module(name), unit_(std::move(unit)), clock_(clock) {
    from_sub_core.register_b_transport(this, &TensorCorePair::b_transport);
    statistics.counter("operations", operations_, "count", "16x16x16 multiply-accumulates");
    statistics.counter("busy_cycles", busy_cycles_, "cycles", "cycles the pair was occupied");
    statistics.counter("rtl_cycles", rtl_cycles_, "cycles",
                       "clock cycles of RTL in the pair (impl)");
}

void TensorCorePair::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto* operands = payload.get_extension<MmaOperands>();
    if (operands == nullptr) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    const Cycle start = std::max(clock_.cycle_at(sc_core::sc_time_stamp() + delay), free_at_);
    const MatrixTiming takes =
        operands->c != nullptr ? multiply(start, *operands) : unit_->timing();
    free_at_ = start + takes.initiation;
    operands->free_at = free_at_;
    ++operations_;
    busy_cycles_ += takes.initiation;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = clock_.span(start + takes.latency) - sc_core::sc_time_stamp();
}

MatrixTiming TensorCorePair::multiply(Cycle start, const MmaOperands& operands) {
    constexpr std::size_t kCopyBytes = kMatrixElements * sizeof(HalfBits);
    std::array<HalfBits, kMatrixElements> a{};
    std::array<HalfBits, kMatrixElements> b{};
    std::array<float, kMatrixElements> c{};
    std::memcpy(a.data(), operands.a[0], kCopyBytes);
    std::memcpy(b.data(), operands.b, kCopyBytes);
    std::memcpy(c.data(), operands.c, sizeof(c));
    std::array<float, kMatrixElements> d{};
    const MatrixTiming takes = unit_->multiply(start, a.data(), b.data(), c.data(), d.data());
    if (operands.a[1] != operands.a[0] &&
        std::memcmp(operands.a[1], operands.a[0], kCopyBytes) != 0) {
        // The octets of the right half read their own copy of A.
        std::array<float, kMatrixElements> right{};
        std::memcpy(a.data(), operands.a[1], kCopyBytes);
        unit_->multiply(start, a.data(), b.data(), c.data(), right.data());
        constexpr std::ptrdiff_t kHalf = kMatrixSize / 2;
        for (std::ptrdiff_t row = 0; row < std::ptrdiff_t{kMatrixSize}; ++row) {
            const std::ptrdiff_t first = row * kMatrixSize + kHalf;
            std::copy_n(right.begin() + first, kHalf, d.begin() + first);
        }
    }
    std::memcpy(operands.c, d.data(), sizeof(d));
    rtl_cycles_ = unit_->rtl_cycles();
    return takes;
}

}  // namespace tessera
