#include <algorithm>
#include <utility>

#include "sc_models/workload/register_values.h"
#include "sc_models/workload/tensor/tensor_kernels.h"

namespace tessera {
namespace {

constexpr std::uint32_t kWarps = 4;          // of a CTA: chosen
constexpr std::uint32_t kInFlight = 4;       // loads of a row's or window's elements: chosen
constexpr std::uint32_t kOverhead = 16;      // registers of addresses and indices
constexpr std::uint32_t kFloatsOfChunk = 8;  // registers of a chunk of halves as floats

// Registers as the scoreboard counts them.
constexpr std::uint8_t kSums = 0;
constexpr std::uint8_t kEnds = kSums + kFloatsOfChunk;
constexpr std::uint8_t kResult = kEnds + kMaxPassResults * kFloatsOfChunk;
constexpr std::uint8_t kFirstSlot = kResult + kChunkRegisters;
constexpr std::uint32_t kSlots = kMostMapOperands;
constexpr std::uint8_t kIndices = kFirstSlot + kSlots * kSlotRegisters;
constexpr std::uint32_t kIndexRegisters =
    kMostAccesses + kChunkRegisters * kIndexBytes / 2;  // of a chunk of halves
constexpr std::uint32_t kRegisters = kIndices + kIndexRegisters;
static_assert(kSlots >= kInFlight && kRegisters < kNoRegister);

enum Function : std::uint32_t { kStep, kEnd, kMap };

constexpr std::uint8_t slot(std::uint32_t i) {
    return static_cast<std::uint8_t>(kFirstSlot + i * kSlotRegisters);
}

class MapProgram : public TensorProgram {
public:
    MapProgram(const TensorPlan& plan, const TensorPartAccess* access, std::uint64_t first)
        : TensorProgram(plan, access), first_(first) {
        if (access == nullptr) return;
        n_ = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(chunk_elements(plan.type), elements_of(part().kept) - first));
        taps_ = elements_of(part().reduced);
    }

private:
    void next_batch() override {
        if (tap_ == 0 && pass_ == 0) {
            integer(access_->index_instructions);
            if (operands() < access_->operands.size()) load_indices();
        }
        if (pass_ < plan_.formula.passes.size()) return next_of_pass();
        if (!plan_.formula.maps) {
            for (std::uint32_t i = 0; i < plan_.formula.operands; ++i) {
                load(plan_.formula.first_operand + i, 0, slot(i));
            }
            result(0);
            return exit();
        }
        const std::uint64_t end =
            std::min(taps_, tap_ + (plan_.formula.operands == 1 ? kInFlight : 1));
        for (std::uint64_t tap = tap_; tap < end; ++tap) {
            for (std::uint32_t i = 0; i < plan_.formula.operands; ++i) {
                load(i, tap, slot(i + static_cast<std::uint32_t>(tap - tap_)));
            }
        }
        if (tap_ > 0) integer(static_cast<std::uint32_t>(end - tap_) * kTapInstructions);
        for (std::uint64_t tap = tap_; tap < end; ++tap) result(tap);
        tap_ = end;
        if (tap_ == taps_) exit();
    }

    /// Number of operands that the formula reads, including all passes.
    [[nodiscard]] std::size_t operands() const {
        return std::max(1U, plan_.formula.first_operand + plan_.formula.operands);
    }

    /// Loads indices, then computes addresses from them: a comparison with the ends, a
    /// multiply-add.
    void load_indices() {
        load(static_cast<std::uint32_t>(operands()), 0, kIndices);
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kInteger);
        w.count = static_cast<std::uint16_t>(kTapInstructions * ceil_div(n_, kWarpLanes));
        w.src_a = kIndices;
        w.set_function(nullptr, kIndexRegisters);
    }

    void next_of_pass() {
        const TensorPass& pass = plan_.formula.passes[pass_];
        const std::uint64_t end = std::min(taps_, tap_ + kInFlight);
        const auto taps = static_cast<std::uint32_t>(end - tap_);
        for (std::uint32_t i = 0; i < taps; ++i) load(0, tap_ + i, slot(i));
        const bool checks = access_->operands[0].has_outside();
        integer(taps * (checks ? 2 : 1) * kTapInstructions);
        for (std::uint32_t i = 0; i < taps; ++i) {
            operate(with_conversions(pass.step_cost, 1), n_, {kSums, slot(i), kSlotRegisters},
                    kStep, pass_, tap_ + i);
        }
        tap_ = end;
        if (tap_ < taps_) return;
        operate(pass.end_cost, n_, {end_register(pass_), kSums}, kEnd, pass_, 0);
        ++pass_;
        tap_ = 0;
    }

    void load(std::uint32_t operand, std::uint64_t tap, std::uint8_t to) {
        access_->operands[operand].load(first_, tap, n_, to, out_, lanes_);
    }

    void result(std::uint64_t tap) {
        const TensorFormula& f = plan_.formula;
        const bool copies = f.cost.fp32 == 0 && f.passes.empty();
        const OperatorCost cost = copies ? f.cost : with_conversions(f.cost, f.operands + 1);
        if (f.maps) {
            const auto at = static_cast<std::uint32_t>(tap - tap_);
            operate(cost, n_, {kResult, slot(at), f.operands * kSlotRegisters}, kMap, 0, tap);
            if (pass_ > 0) out_.back().src_b = end_register(pass_ - 1);
        } else {
            const bool loads = f.operands > 0;
            const Operands registers = loads
                                           ? Operands{kResult, slot(0), f.operands * kSlotRegisters}
                                           : Operands{kResult, end_register(pass_ - 1)};
            operate(cost, n_, registers, kMap, 0, tap);
            out_.back().src_b = end_register(pass_ - 1);
        }
        access_->result.store(first_, tap, n_, kResult, out_, lanes_);
    }

    static std::uint8_t end_register(std::uint32_t i) {
        return static_cast<std::uint8_t>(kEnds + i * kFloatsOfChunk);
    }

    using TensorProgram::apply;
    void apply(std::uint32_t function, std::uint32_t pass, const WarpInstruction& w,
               std::byte* registers) const override {
        switch (function) {
            case kStep:
                return step(pass, w, registers);
            case kEnd:
                for (std::uint32_t e = 0; e < n_; ++e) {
                    float ends[kMaxPassResults];
                    read_ends(registers, e, ends);
                    plan_.formula.passes[pass].end({single(registers, kSums, e)},
                                                   count_of(part(), first_ + e), ends);
                    for (std::uint32_t i = 0; i < kMaxPassResults; ++i) {
                        set_single(registers, end_register(i), e, ends[i]);
                    }
                }
                return;
            default:
                return map(w, registers);
        }
    }

    void step(std::uint32_t pass, const WarpInstruction& w, std::byte* registers) const {
        const TensorPass& what = plan_.formula.passes[pass];
        const std::vector<std::int64_t> offsets = outside_of(0, w.call().position);
        for (std::uint32_t e = 0; e < n_; ++e) {
            float x = operand(registers, w.src_a, e, offsets, part().operands[0].tensor);
            if (!part().weights.empty()) x *= weight_of(part(), first_ + e, w.call().position);
            float ends[kMaxPassResults];
            read_ends(registers, e, ends);
            PassState sum = what.first;
            if (w.call().position > 0) sum = {single(registers, kSums, e)};
            set_single(registers, kSums, e, what.step(sum, x, ends)[0]);
        }
    }

    void map(const WarpInstruction& w, std::byte* registers) const {
        const TensorFormula& f = plan_.formula;
        std::vector<std::int64_t> offsets[kMostMapOperands];
        for (std::uint32_t i = 0; i < f.operands; ++i) {
            offsets[i] = outside_of(f.first_operand + i, w.call().position);
        }
        for (std::uint32_t e = 0; e < n_; ++e) {
            float ends[kMaxPassResults];
            read_ends(registers, e, ends);
            float x[kMostMapOperands] = {};
            for (std::uint32_t i = 0; i < f.operands; ++i) {
                const std::size_t tensor = part().operands[f.first_operand + i].tensor;
                x[i] = operand(registers, w.src_a + i * kSlotRegisters, e, offsets[i], tensor);
            }
            set_element(registers, kResult, e, f.result(x, ends));
        }
    }

    void read_ends(const std::byte* registers, std::uint32_t e, float* ends) const {
        for (std::uint32_t i = 0; i < kMaxPassResults; ++i) {
            ends[i] = single(registers, end_register(i), e);
        }
    }

    /// Offsets of an operand's elements; empty if none is outside.
    [[nodiscard]] std::vector<std::int64_t> outside_of(std::uint32_t i, std::uint64_t tap) const {
        std::vector<std::int64_t> offsets;
        if (access_->operands[i].has_outside()) {
            walk_offsets(part(), part().operands[i], true, first_, tap, n_, offsets);
        }
        return offsets;
    }

    [[nodiscard]] float operand(const std::byte* registers, std::uint32_t at, std::uint32_t e,
                                const std::vector<std::int64_t>& offsets,
                                std::size_t tensor) const {
        if (!offsets.empty() && offsets[e] == kOutside) return plan_.formula.outside;
        return element(registers, at + kMostAccesses, e, tensor);
    }

    static constexpr std::uint32_t kTapInstructions = 2;  // the next address, a comparison: chosen

    const std::uint64_t first_;
    std::uint32_t n_ = 0;
    std::uint64_t taps_ = 0, tap_ = 0;
    std::uint32_t pass_ = 0;
};

}  // namespace

TensorMapKernel::TensorMapKernel(TensorTask task) : TensorKernel(std::move(task)) {
    std::uint64_t ctas = 0;
    const std::uint32_t chunk = chunk_elements(plan().type);
    for (const TensorPart& part : plan().parts) {
        first_cta_.push_back(ctas);
        ctas += ceil_div(elements_of(part.kept), std::uint64_t{chunk} * kWarps);
    }
    set_grid(ctas, kWarps);
    const TensorFormula& f = plan().formula;
    const auto passes = static_cast<std::uint32_t>(f.passes.size());
    const std::uint32_t loads = std::max(f.operands, passes > 0 ? kInFlight : 1);
    const bool has_indices =
        plan().parts[0].operands.size() > std::max(1U, f.first_operand + f.operands);
    const std::uint32_t floats = chunk / kWarpLanes;  // of a thread
    info_.registers_per_thread = kOverhead + (has_indices ? kIndexRegisters - kMostAccesses : 0) +
                                 (loads + 1) * kChunkRegisters +
                                 (passes > 0 ? (passes + 1) * floats : floats);
    info_.scoreboard_registers = kRegisters;
}

std::unique_ptr<WarpProgram> TensorMapKernel::program(CtaId cta, std::uint32_t warp) const {
    const auto part = static_cast<std::size_t>(
        std::upper_bound(first_cta_.begin(), first_cta_.end(), cta.value()) - first_cta_.begin() -
        1);
    const std::uint64_t chunk = (cta.value() - first_cta_[part]) * kWarps + warp;
    const std::uint64_t first = chunk * chunk_elements(plan().type);
    const bool has_work = first < elements_of(plan().parts[part].kept);
    return std::make_unique<MapProgram>(plan(), has_work ? &access_[part] : nullptr, first);
}

}  // namespace tessera
