#include <algorithm>
#include <utility>

#include "sc_models/workload/register_values.h"
#include "sc_models/workload/tensor/tensor_kernels.h"

namespace tessera {
namespace {

constexpr std::uint32_t kPlacedWarps = 16;  // of a row; rows of more warps have places of their own
constexpr std::uint32_t kResident = 8;      // slots: chunks of a warp that stay in registers
constexpr std::uint32_t kOverhead = 20;     // registers of addresses, indices, sums and ends
/// Shared memory of one sum of each warp.
constexpr std::uint32_t state_bytes(std::uint32_t warps) {
    return std::max(warps, kPlacedWarps) * static_cast<std::uint32_t>(sizeof(float));
}
constexpr std::uint32_t pass_bytes(std::uint32_t warps) {
    return kMostStates * state_bytes(warps);
}

// Registers as the scoreboard counts them.
constexpr std::uint8_t kSums = 0;
constexpr std::uint8_t kEnds = kSums + kMostStates;
constexpr std::uint8_t kOthers = kEnds + kMaxPassResults;  // sums of other warps
constexpr std::uint8_t kResult = kOthers + kMostStates;
constexpr std::uint8_t kFirstSlot = kResult + kChunkRegisters;
constexpr std::uint32_t kMostParameters = 2;  // scale and bias
constexpr std::uint32_t kRegisters = kFirstSlot + (kResident + kMostParameters) * kSlotRegisters;
static_assert(kRegisters < kNoRegister);

enum Function : std::uint32_t { kReset, kStep, kJoin, kTake, kSpread, kEnd, kMap };
constexpr std::uint32_t kRowBytes = kWarpLanes * sizeof(float);  // a float of each lane
constexpr std::uint32_t kUnroll = 4;  // of a loop whose length is unknown: chosen, as nvcc does
static_assert(kFirstSlot + kWarpLanes <= kRegisters, "a register for each lane's sum of a warp");

constexpr std::uint8_t slot(std::uint32_t i) {
    return static_cast<std::uint8_t>(kFirstSlot + i * kSlotRegisters);
}
constexpr std::uint8_t parameter_slot(std::uint32_t i) {
    return slot(kResident + i);
}

class RowProgram : public TensorProgram {
public:
    RowProgram(const TensorPlan& plan, const TensorPartAccess* access, std::uint64_t row,
               std::uint32_t warp, std::uint32_t warps)
        : TensorProgram(plan, access), row_(row), warp_(warp), warps_(warps) {
        if (access == nullptr) return;
        elements_ = elements_of(part().reduced);
        vectors_ = chunks_of_warp(ceil_div(layout().vectors_end, std::uint64_t{layout().chunk}));
        const std::uint64_t singles = elements_ - layout().vectors_end;
        chunks_ = vectors_ + chunks_of_warp(ceil_div(singles, std::uint64_t{kWarpLanes}));
        resident_ = layout().resident;
    }

private:
    [[nodiscard]] const RowLayout& layout() const { return plan_.row; }
    /// This warp's share of `all` items that the row's warps take in turn.
    [[nodiscard]] std::uint64_t chunks_of_warp(std::uint64_t all) const {
        return all <= warp_ ? 0 : ceil_div(all - warp_, std::uint64_t{warps_});
    }

    void next_batch() override {
        if (!begun_) {
            begun_ = true;
            integer(access_->index_instructions);
            if (resident_) {
                for (std::uint64_t c = 0; c < chunks_; ++c) load(0, c, slot(slot_of(c)));
            }
        }
        const TensorFormula& f = plan_.formula;
        if (pass_ < f.passes.size()) return next_of_pass();
        if (!f.maps) {
            if (warp_ == 0) {
                operate(with_conversions(f.cost, 1), 1, {kResult, kEnds, kMaxPassResults}, kMap, 0,
                        0);
                access_->result.store(0, row_, 1, kResult, out_, lanes_);
            }
            return exit();
        }
        if (at_ < chunks_) {
            if (!resident_) load(0, at_, slot(0));
            for (std::uint32_t i = 1; i < f.operands; ++i) load(i, at_, parameter_slot(i - 1));
            const std::uint8_t x = resident_ ? slot(slot_of(at_)) : slot(0);
            const std::uint32_t n = elements_in(at_);
            operate(with_conversions(f.cost, f.operands + 1), n, {kResult, x, kSlotRegisters}, kMap,
                    0, at_);
            WarpInstruction& w = out_.back();
            w.src_b = kEnds;
            if (f.operands > 1) wait_for_parameters();
            store(at_);
            ++at_;
        }
        if (at_ == chunks_) exit();
    }

    /// Waits for the parameters separately, because an operation reads one range of registers.
    void wait_for_parameters() {
        WarpInstruction map = out_.back();
        out_.pop_back();
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kMove);
        w.src_a = parameter_slot(0);
        w.set_function(nullptr, kMostParameters * kSlotRegisters);
        out_.push_back(map);
    }

    void next_of_pass() {
        const TensorPass& pass = plan_.formula.passes[pass_];
        if (at_ == 0) operate({}, kWarpLanes, {kSums, kSums}, kReset, pass_, 0);
        const std::uint64_t end =
            std::min(chunks_, at_ + (resident_ ? kResident : layout().in_flight));
        if (!resident_) {
            for (std::uint64_t c = at_; c < end; ++c) {
                load(0, c, slot(static_cast<std::uint32_t>(c - at_)));
            }
            integer(static_cast<std::uint32_t>(end - at_) + 1);
        }
        for (std::uint64_t c = at_; c < end; ++c) {
            operate(with_conversions(pass.step_cost + pass.row_cost, 1), elements_in(c),
                    {kSums, slot(static_cast<std::uint32_t>(c - at_)), kSlotRegisters}, kStep,
                    pass_, c);
        }
        at_ = end;
        if (at_ < chunks_) return;
        if (layout().first_warp_joins) {
            join_block();
        } else {
            for (std::uint32_t apart = kWarpLanes / 2; apart > 0; apart /= 2) join(apart);
            if (warps_ > 1) join_warps();
        }
        operate(pass.end_cost, kWarpLanes, {kEnds, kSums, pass.states}, kEnd, pass_, 0);
        ++pass_;
        at_ = 0;
    }

    /// Shuffles, then joins each lane's sum with that of another.
    void join(std::uint32_t apart) {
        const TensorPass& pass = plan_.formula.passes[pass_];
        WarpInstruction& shuffle = emit(Opcode::kOperation);
        shuffle.set_operation(Operation::kMove);
        shuffle.count = static_cast<std::uint16_t>(pass.states);
        shuffle.dst = kOthers;
        shuffle.src_a = kSums;
        operate(pass.join_cost, kWarpLanes, {kSums, kSums, pass.states}, kJoin, pass_, apart);
        out_.back().src_b = kOthers;
    }

    void join_warps() {
        const std::uint32_t states = plan_.formula.passes[pass_].states;
        const Address base = Address{pass_} * pass_bytes(warps_);
        const std::uint32_t pitch = state_bytes(warps_);
        for (std::uint32_t s = 0; s < states; ++s) {
            store_shared(static_cast<std::uint8_t>(kSums + s),
                         base + s * pitch + warp_ * sizeof(float), sizeof(float));
        }
        barrier();
        for (std::uint32_t s = 0; s < states; ++s) {
            load_shared(static_cast<std::uint8_t>(kOthers + s), base + s * pitch,
                        warps_ * sizeof(float));
        }
        operate({}, kWarpLanes, {kSums, kOthers, states}, kSpread, pass_, warps_);
        for (std::uint32_t apart = warps_ / 2; apart > 0; apart /= 2) join(apart);
    }

    /// blockReduce of SoftMax.cu: each thread's sum goes to shared memory. A lane of the first warp
    /// adds up the 32 sums of one warp, whose loads meet in one bank, and the first thread those of
    /// the warps. Precondition: sums of one number.
    void join_block() {
        barrier();  // the results of the pass before have been read
        store_shared(kSums, Address{warp_} * kRowBytes, kRowBytes);
        barrier();
        if (warp_ == 0) {
            for (std::uint32_t i = 0; i < kWarpLanes; ++i) {
                WarpInstruction& load =
                    load_shared(free_register(i), i * sizeof(float), sizeof(float));
                load.memory().rows = static_cast<std::uint16_t>(warps_);
                load.memory().row_pitch_bytes = kRowBytes;
                load.registers().pitch_bytes = sizeof(float);
            }
            operate({}, kWarpLanes, {kSums, kSums}, kReset, pass_, 0);
            for (std::uint32_t i = 0; i < kWarpLanes; ++i) take(free_register(i));
            store_shared(kSums, 0, warps_ * sizeof(float));
        }
        barrier();
        if (warp_ == 0) {
            operate({}, kWarpLanes, {kSums, kSums}, kReset, pass_, 0);
            for (std::uint32_t first = 0; first < warps_; first += kUnroll) {
                const std::uint32_t end = std::min(warps_, first + kUnroll);
                for (std::uint32_t i = first; i < end; ++i) {
                    load_shared(free_register(i), i * sizeof(float), sizeof(float));
                }
                for (std::uint32_t i = first; i < end; ++i) take(free_register(i));
            }
            store_shared(kSums, 0, sizeof(float));
        }
        barrier();
        load_shared(kOthers, 0, sizeof(float));
        operate({}, kWarpLanes, {kSums, kOthers}, kSpread, pass_, 1);
    }
    /// Registers of chunks hold nothing between passes of rows that are loaded again.
    static std::uint8_t free_register(std::uint32_t i) {
        return static_cast<std::uint8_t>(kFirstSlot + i);
    }
    /// Joins each lane's sum with its number in register `from`.
    void take(std::uint8_t from) {
        operate(plan_.formula.passes[pass_].join_cost, kWarpLanes, {kSums, kSums}, kTake, pass_,
                from);
        out_.back().src_b = from;
    }

    void barrier() { emit(Opcode::kBarrier); }
    void store_shared(std::uint8_t from, Address address, std::size_t bytes) {
        WarpInstruction& store = emit(Opcode::kStoreShared);
        store.src_a = from;
        store.memory().set_rows(address, 1, bytes);
    }
    WarpInstruction& load_shared(std::uint8_t to, Address address, std::size_t bytes) {
        WarpInstruction& load = emit(Opcode::kLoadShared);
        load.dst = to;
        load.memory().set_rows(address, 1, bytes);
        return load;
    }

    [[nodiscard]] std::uint64_t first_of(std::uint64_t c) const {
        if (c < vectors_) return (c * warps_ + warp_) * layout().chunk;
        return layout().vectors_end + ((c - vectors_) * warps_ + warp_) * kWarpLanes;
    }
    [[nodiscard]] std::uint32_t elements_in(std::uint64_t c) const {
        const bool vector = c < vectors_;
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(vector ? layout().chunk : kWarpLanes,
                                    (vector ? layout().vectors_end : elements_) - first_of(c)));
    }
    static std::uint32_t slot_of(std::uint64_t c) { return static_cast<std::uint32_t>(c); }
    void load(std::uint32_t operand, std::uint64_t c, std::uint8_t to) {
        access_->operands[operand].load(first_of(c), row_, elements_in(c), to, out_, lanes_);
    }
    void store(std::uint64_t c) {
        access_->result.store(first_of(c), row_, elements_in(c), kResult, out_, lanes_);
    }

    using TensorProgram::apply;
    void apply(std::uint32_t function, std::uint32_t number, const WarpInstruction& w,
               std::byte* registers) const override {
        float ends[kMaxPassResults];
        for (std::uint32_t i = 0; i < kMaxPassResults; ++i)
            ends[i] = single(registers, kEnds + i, 0);
        if (function == kMap) return map(w, registers, ends);
        const TensorPass& pass = plan_.formula.passes[number];
        switch (function) {
            case kReset:
                return each_lane(registers, [&](std::uint32_t) { return pass.first; });
            case kStep:
                for (std::uint32_t e = 0; e < w.call().elements; ++e) {
                    const float x = element(registers, w.src_a + kMostAccesses, e);
                    const std::uint32_t lane =
                        layout().thread_of(first_of(w.call().position) + e) % kWarpLanes;
                    set_state(registers, lane, pass.step(state(registers, kSums, lane), x, ends));
                }
                return;
            case kJoin: {
                PassState before[kWarpLanes];
                for (std::uint32_t i = 0; i < kWarpLanes; ++i) {
                    before[i] = state(registers, kSums, i);
                }
                const auto apart = static_cast<std::uint32_t>(w.call().position);
                return each_lane(registers, [&](std::uint32_t lane) {
                    return pass.join(before[lane & ~apart], before[lane | apart]);
                });
            }
            case kTake:
                return each_lane(registers, [&](std::uint32_t lane) {
                    const auto from = static_cast<std::uint32_t>(w.call().position);
                    return pass.join(state(registers, kSums, lane),
                                     {single(registers, from, lane)});
                });
            case kSpread:
                return each_lane(registers, [&](std::uint32_t lane) {
                    return state(registers, kOthers,
                                 lane % static_cast<std::uint32_t>(w.call().position));
                });
            default:
                pass.end(state(registers, kSums, 0), static_cast<float>(elements_), ends);
                for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
                    for (std::uint32_t i = 0; i < kMaxPassResults; ++i) {
                        set_single(registers, kEnds + i, lane, ends[i]);
                    }
                }
        }
    }

    void map(const WarpInstruction& w, std::byte* registers, const float* ends) const {
        for (std::uint32_t e = 0; e < w.call().elements; ++e) {
            float x[1 + kMostParameters] = {};
            if (plan_.formula.maps) x[0] = element(registers, w.src_a + kMostAccesses, e);
            for (std::uint32_t i = 1; i < plan_.formula.operands; ++i) {
                x[i] = element(registers, parameter_slot(i - 1) + kMostAccesses, e);
            }
            set_element(registers, kResult, e, plan_.formula.result(x, ends));
        }
    }

    static PassState state(const std::byte* registers, std::uint32_t reg, std::uint32_t lane) {
        PassState state;
        for (std::uint32_t s = 0; s < kMostStates; ++s) {
            state.at(s) = single(registers, reg + s, lane);
        }
        return state;
    }
    static void set_state(std::byte* registers, std::uint32_t lane, const PassState& state) {
        for (std::uint32_t s = 0; s < kMostStates; ++s) {
            set_single(registers, kSums + s, lane, state.at(s));
        }
    }
    template <class Value>
    static void each_lane(std::byte* registers, const Value& value) {
        for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
            set_state(registers, lane, value(lane));
        }
    }

    const std::uint64_t row_;
    const std::uint32_t warp_, warps_;
    std::uint64_t elements_ = 0;
    std::uint64_t vectors_ = 0, chunks_ = 0;  ///< of the warp: of vectors, and all
    bool resident_ = false, begun_ = false;
    std::uint32_t pass_ = 0;
    std::uint64_t at_ = 0;  ///< chunk within the warp
};

}  // namespace

TensorRowKernel::TensorRowKernel(TensorTask task) : TensorKernel(std::move(task)) {
    const RowLayout& layout = plan().row;
    const std::uint64_t rows = elements_of(plan().parts[0].kept);
    const std::uint64_t elements = elements_of(plan().parts[0].reduced);
    set_grid(ceil_div(rows, std::uint64_t{layout.rows_of_cta}), layout.warps * layout.rows_of_cta);
    if (layout.first_warp_joins) {
        info_.shared_memory_bytes = layout.warps * kRowBytes;
    } else if (layout.warps > 1) {
        info_.shared_memory_bytes =
            static_cast<std::uint32_t>(plan().formula.passes.size()) * pass_bytes(layout.warps);
    }
    const std::uint64_t chunks = ceil_div(elements, std::uint64_t{layout.chunk} * layout.warps);
    const auto held =
        static_cast<std::uint32_t>(layout.resident ? chunks : std::uint64_t{layout.in_flight});
    const std::uint32_t parameters = std::max(plan().formula.operands, 1U) - 1;
    info_.registers_per_thread = kOverhead + (held + parameters + 1) * kChunkRegisters;
    info_.scoreboard_registers = kRegisters;
}

std::unique_ptr<WarpProgram> TensorRowKernel::program(CtaId cta, std::uint32_t warp) const {
    const RowLayout& layout = plan().row;
    const bool of_warp = layout.warps == 1;
    const std::uint64_t row =
        of_warp ? std::uint64_t{cta.value()} * layout.rows_of_cta + warp : cta.value();
    const bool has_work = row < elements_of(plan().parts[0].kept);
    return std::make_unique<RowProgram>(plan(), has_work ? access_.data() : nullptr, row,
                                        of_warp ? 0 : warp, layout.warps);
}

}  // namespace tessera
