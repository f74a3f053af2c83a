// The way of A fragments through the detection unit (Duplo IV-A, IV-B).
#include <fmt/format.h>
#include <algorithm>

#include "sc_models/sm/ldst_unit.h"

namespace tessera {

FragmentLoad LdstUnit::fragment_load(const WarpAccess& access) const {
    const WarpInstruction& instruction = *access.instruction;
    return {compact_warp(access.warp), access.sub_core.value(),
            static_cast<std::uint32_t>(instruction.dst - first_a_register_) / kRegistersPerFragment,
            instruction.address, instruction.row_pitch_bytes};
}

std::byte* LdstUnit::unit_data(PhysRegId phys) {
    const std::size_t bytes = detection_->unit_bytes();
    const std::size_t needed = (std::size_t{phys.value()} + 1) * bytes;
    if (unit_bytes_.size() < needed) unit_bytes_.resize(std::max(needed, 2 * unit_bytes_.size()));
    return unit_bytes_.data() + phys.value() * bytes;
}

void LdstUnit::trace_unit(const ActiveLoad& load, std::uint32_t unit, Cycle now,
                          const Outcome& outcome) {
    WaveRecorder& wave = *observers_.wave;
    const DataId& id = load.ids[detection_->first_row(unit) / detection_->rows_per_unit()];
    wave.set(traces_.element, now, id.element);
    wave.set(traces_.batch, now, id.batch);
    // The buffer answers in the last of its cycles.
    const Cycle answer = now + std::max<Cycle>(config_.duplo.latency_cycles, 1) - 1;
    switch (outcome.kind) {
        case AccessKind::kHit:
            wave.pulse(traces_.lookups, now, 1);
            wave.pulse(traces_.hits, answer, 1);
            wave.set(traces_.hit_class, answer, static_cast<std::uint64_t>(outcome.hit_class));
            break;
        case AccessKind::kMiss:
            wave.pulse(traces_.lookups, now, 1);
            wave.pulse(traces_.misses, answer, 1);
            break;
        case AccessKind::kZero:
            wave.pulse(traces_.zeros, now, 1);
            break;
        case AccessKind::kBypass:
            wave.pulse(traces_.bypasses, now, 1);
            break;
    }
    constexpr std::uint64_t kNone = (std::uint64_t{1} << kPhysicalUnitBits) - 1;
    wave.set(traces_.entries, answer, detection_->history().size());
    wave.set(traces_.architectural, answer, load.load.fragment * detection_->units() + unit);
    wave.set(traces_.physical, answer, outcome.phys.valid() ? outcome.phys.value() : kNone);
}

void LdstUnit::check_hit(const ActiveLoad& load, const WarpInstruction& instruction,
                         std::uint32_t unit, PhysRegId phys) {
    const std::uint32_t first = detection_->first_row(unit);
    ++checked_hits_;
    for (std::uint32_t i = 0; i < detection_->rows_per_unit(); ++i) {
        std::array<std::byte, kFragmentRowBytes> memory{};
        std::array<std::byte, kFragmentRowBytes> held{};  // zero rule: nothing is held
        const Address address =
            instruction.address + Address{first + i} * instruction.row_pitch_bytes;
        read_memory(address, memory.data(), kFragmentRowBytes);
        if (phys.valid()) {
            std::copy_n(unit_data(phys) + i * kFragmentRowBytes, kFragmentRowBytes, held.data());
        }
        if (memory == held) continue;
        if (value_mismatches_++ == 0) {
            const DataId& id = load.ids[first / detection_->rows_per_unit()];
            first_mismatch_ = fmt::format(
                "address {:#x} (element id {}, batch {}), physical unit {}, cycle {}", address,
                id.element, id.batch,
                phys.valid() ? fmt::to_string(phys.value()) : "none (zero rule)", time_.now());
        }
        return;
    }
}

void LdstUnit::read_a_fragment(WarpId warp, std::uint8_t reg,
                               std::array<std::byte, kFragmentBytes>& scratch,
                               const std::byte* (&copies)[2]) {
    constexpr std::uint32_t kCopyBytes = kFragmentRows * kFragmentRowBytes;
    if (!detection_ || !detection_->powered()) {
        copies[0] = registers_.at(warp, reg);
        copies[1] = copies[0] + kCopyBytes;
        return;
    }
    const std::uint32_t fragment =
        static_cast<std::uint32_t>(reg - first_a_register_) / kRegistersPerFragment;
    const std::uint32_t bytes = detection_->unit_bytes();
    for (std::uint32_t unit = 0; unit < detection_->units(); ++unit) {
        std::byte* to = scratch.data() + detection_->copy_of(unit) * kCopyBytes +
                        detection_->first_row(unit) * kFragmentRowBytes;
        const PhysRegId phys = detection_->mapping(compact_warp(warp), fragment, unit);
        if (phys.valid()) {
            std::copy_n(unit_data(phys), bytes, to);
        } else {
            std::fill_n(to, bytes, std::byte{0});
        }
    }
    const bool one_copy = detection_->copy_of(detection_->units() - 1) == 0;
    copies[0] = scratch.data();
    copies[1] = one_copy ? scratch.data() : scratch.data() + kCopyBytes;
}

}  // namespace tessera
