#include <algorithm>
#include <utility>

#include "sc_models/workload/register_values.h"
#include "sc_models/workload/tensor/tensor_kernels.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostVector = 8;       // results of a lane
constexpr std::uint32_t kResident = 8;         // rows of a lane that stay in registers: chosen
constexpr std::uint32_t kInFlight = 4;         // rows of others: Reduce.cuh's vt0
constexpr std::uint32_t kOverhead = 20;        // registers of addresses and indices
constexpr std::uint32_t kTapInstructions = 2;  // the next address, a comparison: chosen
constexpr std::uint32_t kMostSharedRow = 512;  // bytes of an access

// Registers as the scoreboard counts them.
constexpr std::uint8_t kSums = 0;
constexpr std::uint8_t kEnds = kSums + kMostStates * kMostVector;
constexpr std::uint8_t kOthers = kEnds + kMaxPassResults * kMostVector;
constexpr std::uint8_t kResult = kOthers + 1;
constexpr std::uint8_t kSlots = kResult + kChunkRegisters;
constexpr std::uint32_t kMostParameters = 2;  // scale and bias
constexpr std::uint8_t kParameters = kSlots + kResident * kSlotRegisters;
constexpr std::uint8_t kSumSlots = kParameters + kMostParameters * kSlotRegisters;
/// A slot of sums has registers that name the accesses and a vector of floats per lane.
constexpr std::uint32_t kSumSlotRegisters = kMostAccesses + kMostVector;
constexpr std::uint32_t kMostSumSlots = 5;
constexpr std::uint32_t kRegisters = kSumSlots + kMostSumSlots * kSumSlotRegisters;
static_assert(kRegisters < kNoRegister && kMostSumSlots >= kMostStates);
static_assert(kMostSumSlots * kSumSlotRegisters <= kResident * kSlotRegisters);

enum Function : std::uint32_t { kReset, kStep, kShuffle, kFold, kAdd, kEnd, kMap };

constexpr std::uint8_t slot(std::uint64_t i) {
    return static_cast<std::uint8_t>(kSlots + i * kSlotRegisters);
}
/// Position of a warp in the grid.
struct ColumnPlace {
    std::uint64_t tile = 0;
    std::uint32_t cta = 0;   ///< along rows
    std::uint32_t warp = 0;  ///< along rows
};

class ColumnProgram : public TensorProgram {
public:
    ColumnProgram(const TensorPlan& plan, const TensorPartAccess* access,
                  const std::vector<TensorAccess>& partials, ColumnStage stage, ColumnPlace place)
        : TensorProgram(plan, access), partials_(partials), stage_(stage), place_(place) {
        if (access == nullptr) return;
        const std::uint64_t inner = part().kept.back();
        const std::uint64_t tiles = ceil_div(inner, std::uint64_t{layout().tile()});
        const std::uint64_t begin = place.tile % tiles * layout().tile();
        first_ = place.tile / tiles * inner + begin;
        n_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(layout().tile(), inner - begin));
        rows_ = elements_of(part().reduced);
        taps_ =
            taps_of(rows_, place.cta * layout().warps + place.warp, layout().warps * layout().ctas);
        resident_ = stage == ColumnStage::kWhole && plan.formula.maps &&
                    rows_ <= std::uint64_t{kResident} * layout().rows_of_cta();
    }

private:
    enum class Phase { kBegin, kSteps, kLeftSums, kJoin, kResults };

    [[nodiscard]] const ColumnLayout& layout() const { return plan_.column; }
    [[nodiscard]] const TensorPass& pass() const { return plan_.formula.passes[0]; }
    [[nodiscard]] std::uint32_t lanes_elements() const { return kWarpLanes * layout().vector; }
    [[nodiscard]] bool is_first() const { return place_.warp == 0; }

    /// Number of groups of rows that worker `worker` of `workers` takes in turn.
    [[nodiscard]] std::uint64_t taps_of(std::uint64_t rows, std::uint64_t worker,
                                        std::uint64_t workers) const {
        const std::uint64_t groups = ceil_div(rows, std::uint64_t{layout().rows_of_warp()});
        return groups <= worker ? 0 : ceil_div(groups - worker, workers);
    }

    void next_batch() override {
        switch (phase_) {
            case Phase::kBegin:
                integer(access_->index_instructions);
                operate({}, lanes_elements(), {kSums, kSums}, kReset, 0, 0);
                phase_ = stage_ == ColumnStage::kJoin ? Phase::kLeftSums : Phase::kSteps;
                return;
            case Phase::kSteps:
                return steps();
            case Phase::kLeftSums:
                return add_sums();
            case Phase::kJoin:
                return join();
            default:
                return results();
        }
    }

    /// Adds up the warp's rows.
    void steps() {
        const std::uint64_t end = std::min(taps_, tap_ + (resident_ ? kResident : kInFlight));
        for (std::uint64_t t = tap_; t < end; ++t) load(t, slot(t - tap_));
        count_taps(end - tap_);
        for (std::uint64_t t = tap_; t < end; ++t) {
            if (pass().row_cost.fp32 > 0) {
                WarpInstruction& w = emit(Opcode::kOperation);
                w.set_operation(Operation::kFp32);
                w.count = static_cast<std::uint16_t>(pass().row_cost.fp32);
            }
            operate(with_conversions(pass().step_cost, 1), lanes_elements(),
                    {kSums, slot(t - tap_), kSlotRegisters}, kStep, 0, row_of(t));
        }
        tap_ = end;
        if (tap_ == taps_) phase_ = Phase::kJoin;
    }

    /// Adds up the sums of the preceding kernel's CTAs.
    void add_sums() {
        const std::uint32_t states = pass().states;
        const std::uint64_t taps = taps_of(layout().ctas, place_.warp, layout().warps);
        const std::uint64_t end =
            std::min<std::uint64_t>(taps, tap_ + std::min(kInFlight, kMostSumSlots / states));
        const auto row = [&](std::uint64_t t) {
            return (t * layout().warps + place_.warp) * layout().rows_of_warp();
        };
        for (std::uint64_t t = tap_; t < end; ++t) {
            for (std::uint32_t s = 0; s < states; ++s) {
                partials_[s].load_tile(tile(row(t), layout().ctas),
                                       sum_slot((t - tap_) * states + s), out_, lanes_);
            }
        }
        count_taps(end - tap_);
        for (std::uint64_t t = tap_; t < end; ++t) {
            operate(pass().join_cost, lanes_elements(),
                    {kSums, sum_slot((t - tap_) * states), states * kSumSlotRegisters}, kAdd, 0,
                    row(t));
        }
        tap_ = end;
        if (tap_ == taps) phase_ = Phase::kJoin;
    }

    /// Joins the sums of lanes, then those of warps; warps that do not need the result exit.
    void join() {
        const std::uint32_t states = pass().states;
        for (std::uint32_t apart = layout().rows_of_warp() / 2; apart > 0; apart /= 2) {
            WarpInstruction& shuffle = emit(Opcode::kOperation);
            shuffle.set_operation(Operation::kMove);
            shuffle.count = static_cast<std::uint16_t>(states * layout().vector);
            shuffle.dst = kOthers;
            shuffle.src_a = kSums;
            operate(pass().join_cost, lanes_elements(), {kSums, kSums, states * kMostVector},
                    kShuffle, 0, apart);
            out_.back().src_b = kOthers;
        }
        if (layout().warps > 1) join_warps();
        tap_ = 0;
        const bool goes_on = is_first() || (plan_.formula.maps && stage_ != ColumnStage::kShare);
        if (!goes_on) return exit();
        if (stage_ == ColumnStage::kShare) return leave_sums();
        operate(pass().end_cost, joined_elements(), {kEnds, kSums, states * kMostVector}, kEnd, 0,
                0);
        if (layout().warps > 1) spread_ends();
        phase_ = Phase::kResults;
    }

    /// Number of joined elements; shared memory returns one per lane.
    [[nodiscard]] std::uint32_t joined_elements() const {
        return layout().warps > 1 ? layout().tile() : lanes_elements();
    }

    /// Distributes the ends of its vector to each lane by shuffles.
    void spread_ends() {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kMove);
        w.count = static_cast<std::uint16_t>(plan_.formula.ends * layout().vector);
        w.dst = w.src_a = kEnds;
    }

    void join_warps() {
        const std::uint32_t states = pass().states;
        const std::uint32_t row_bytes = layout().tile() * sizeof(float);
        const auto place = [&](std::uint32_t s, std::uint32_t warp) {
            return Address{(s * layout().warps + warp) * row_bytes};
        };
        for (std::uint32_t s = 0; s < states; ++s) {
            shared(Opcode::kStoreShared, kSums + s * kMostVector, place(s, place_.warp));
        }
        emit(Opcode::kBarrier);
        const bool wanted = is_first() || (plan_.formula.maps && stage_ != ColumnStage::kShare);
        if (!wanted) return;
        const std::uint32_t at_a_time = kMostSumSlots / states;
        for (std::uint32_t warp = 0; warp < layout().warps; warp += at_a_time) {
            const std::uint32_t end = std::min(layout().warps, warp + at_a_time);
            for (std::uint32_t w = warp; w < end; ++w) {
                for (std::uint32_t s = 0; s < states; ++s) {
                    shared(Opcode::kLoadShared, sum_slot((w - warp) * states + s) + kMostAccesses,
                           place(s, w));
                }
            }
            for (std::uint32_t w = warp; w < end; ++w) {
                operate(pass().join_cost, joined_elements(),
                        {kSums, sum_slot((w - warp) * states), states * kSumSlotRegisters}, kFold,
                        0, w);
            }
        }
    }

    /// Moves a tile's floats between registers and shared memory.
    void shared(Opcode opcode, std::uint32_t reg, Address address) {
        const std::uint32_t bytes = layout().tile() * sizeof(float);
        for (std::uint32_t begin = 0; begin < bytes; begin += kMostSharedRow) {
            WarpInstruction& w = emit(opcode);
            const auto at = static_cast<std::uint8_t>(reg + begin / kWarpRegisterBytes);
            (opcode == Opcode::kLoadShared ? w.dst : w.src_a) = at;
            w.memory().set_rows(address + begin, 1, std::min(bytes - begin, kMostSharedRow));
        }
    }

    void leave_sums() {
        for (std::uint32_t s = 0; s < pass().states; ++s) {
            LaneTile t = tile(place_.cta, layout().ctas);
            t.rows = 1;
            partials_[s].store_tile(t, static_cast<std::uint8_t>(kSums + s * kMostVector), out_,
                                    lanes_);
        }
        exit();
    }

    void results() {
        const TensorFormula& f = plan_.formula;
        if (!f.maps) {
            operate(with_conversions(f.cost, 1), layout().tile(),
                    {kResult, kEnds, kMaxPassResults * kMostVector}, kMap, 0, 0);
            store(0, 1);
            return exit();
        }
        if (tap_ == 0 && f.operands > 1) load_parameters();
        const std::uint64_t end = std::min(taps_, tap_ + (resident_ ? kResident : kInFlight));
        for (std::uint64_t t = tap_; t < end && !resident_; ++t) load(t, slot(t - tap_));
        count_taps(end - tap_);
        for (std::uint64_t t = tap_; t < end; ++t) {
            operate(with_conversions(f.cost, f.operands + 1), lanes_elements(),
                    {kResult, slot(t - tap_), kSlotRegisters}, kMap, 0, row_of(t));
            out_.back().src_b = kEnds;
            store(row_of(t), tile(row_of(t), rows_).rows);
        }
        tap_ = end;
        if (tap_ == taps_) exit();
    }

    /// Loads scale and bias of the tile for all lanes; results wait for both.
    void load_parameters() {
        for (std::uint32_t i = 1; i < plan_.formula.operands; ++i) {
            access_->operands[i].load_tile(tile(0, rows_), parameter(i), out_, lanes_);
        }
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kMove);
        w.src_a = kParameters;
        w.set_function(nullptr, kMostParameters * kSlotRegisters);
    }

    void count_taps(std::uint64_t taps) {
        if (taps > 0) integer(static_cast<std::uint32_t>(taps) * kTapInstructions);
    }
    void load(std::uint64_t tap, std::uint8_t to) {
        access_->operands[0].load_tile(tile(row_of(tap), rows_), to, out_, lanes_);
    }
    void store(std::uint64_t row, std::uint32_t rows) {
        LaneTile t = tile(row, rows_);
        t.rows = rows;
        access_->result.store_tile(t, kResult, out_, lanes_);
    }

    [[nodiscard]] std::uint64_t row_of(std::uint64_t tap) const {
        return ((tap * layout().ctas + place_.cta) * layout().warps + place_.warp) *
               layout().rows_of_warp();
    }
    [[nodiscard]] LaneTile tile(std::uint64_t row, std::uint64_t rows) const {
        return {first_, n_, row, rows_at(row, rows), layout().vector, layout().lanes};
    }
    [[nodiscard]] std::uint32_t rows_at(std::uint64_t row, std::uint64_t rows) const {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(layout().rows_of_warp(), rows - row));
    }
    static std::uint8_t sum_slot(std::uint64_t i) {
        return static_cast<std::uint8_t>(kSumSlots + i * kSumSlotRegisters);
    }
    static std::uint8_t parameter(std::uint32_t operand) {
        return static_cast<std::uint8_t>(kParameters + (operand - 1) * kSlotRegisters);
    }

    using TensorProgram::apply;
    void apply(std::uint32_t function, std::uint32_t /*pass*/, const WarpInstruction& w,
               std::byte* registers) const override {
        const std::uint32_t all = lanes_elements();
        const std::uint32_t tile = layout().tile();
        const auto other = [&](std::uint32_t e) {
            return state(registers, w.src_a + kMostAccesses, kSumSlotRegisters, e);
        };
        switch (function) {
            case kReset:
                for (std::uint32_t e = 0; e < all; ++e) set_sum(registers, e, pass().first);
                return;
            case kStep:
                return each(w.call().position, rows_, [&](std::uint32_t e) {
                    const float x = element(registers, w.src_a + kMostAccesses, e);
                    set_sum(registers, e, pass().step(sum(registers, e), x, nullptr));
                });
            case kAdd:
                return each(w.call().position, layout().ctas, [&](std::uint32_t e) {
                    set_sum(registers, e, pass().join(sum(registers, e), other(e)));
                });
            case kShuffle:
                return shuffle(static_cast<std::uint32_t>(w.call().position) * tile, registers);
            case kFold:
                for (std::uint32_t e = 0; e < all; ++e) {
                    const PassState next = other(e % tile);
                    set_sum(registers, e,
                            w.call().position == 0 ? next : pass().join(sum(registers, e), next));
                }
                return;
            case kEnd:
                return end(registers);
            default:
                return map(w, registers);
        }
    }

    /// Calls `use` for the elements of the warp's lanes in rows from `row` on, out of `rows`.
    template <class Use>
    void each(std::uint64_t row, std::uint64_t rows, const Use& use) const {
        const std::uint32_t n = rows_at(row, rows);
        for (std::uint32_t j = 0; j < n; ++j) {
            for (std::uint32_t e = 0; e < n_; ++e) use(j * layout().tile() + e);
        }
    }

    void shuffle(std::uint32_t apart, std::byte* registers) const {
        std::vector<PassState> before(lanes_elements());
        for (std::uint32_t e = 0; e < before.size(); ++e) before[e] = sum(registers, e);
        for (std::uint32_t e = 0; e < before.size(); ++e) {
            set_sum(registers, e, pass().join(before[e & ~apart], before[e | apart]));
        }
    }

    void end(std::byte* registers) const {
        for (std::uint32_t e = 0; e < lanes_elements(); ++e) {
            float ends[kMaxPassResults] = {};
            pass().end(sum(registers, e), static_cast<float>(rows_), ends);
            for (std::uint32_t i = 0; i < kMaxPassResults; ++i) {
                set_single(registers, kEnds + i * kMostVector, e, ends[i]);
            }
        }
    }

    void map(const WarpInstruction& w, std::byte* registers) const {
        const TensorFormula& f = plan_.formula;
        each(w.call().position, f.maps ? rows_ : 1, [&](std::uint32_t e) {
            float ends[kMaxPassResults];
            for (std::uint32_t i = 0; i < kMaxPassResults; ++i) {
                ends[i] = single(registers, kEnds + i * kMostVector, e);
            }
            float x[1 + kMostParameters] = {};
            if (f.maps) x[0] = element(registers, w.src_a + kMostAccesses, e);
            for (std::uint32_t i = 1; i < f.operands; ++i) {
                x[i] = element(registers, parameter(i) + kMostAccesses, e);
            }
            set_element(registers, kResult, e, f.result(x, ends));
        });
    }

    /// Reads a state whose numbers are `apart` registers apart.
    static PassState state(const std::byte* registers, std::uint32_t reg, std::uint32_t apart,
                           std::uint32_t e) {
        PassState state{};
        for (std::uint32_t s = 0; s < kMostStates; ++s) {
            state.at(s) = single(registers, reg + s * apart, e);
        }
        return state;
    }
    static PassState sum(const std::byte* registers, std::uint32_t e) {
        return state(registers, kSums, kMostVector, e);
    }
    static void set_sum(std::byte* registers, std::uint32_t e, const PassState& sum) {
        for (std::uint32_t s = 0; s < kMostStates; ++s) {
            set_single(registers, kSums + s * kMostVector, e, sum.at(s));
        }
    }

    const std::vector<TensorAccess>& partials_;
    const ColumnStage stage_;
    const ColumnPlace place_;
    std::uint64_t first_ = 0;  ///< kept element of the tile
    std::uint32_t n_ = 0;
    std::uint64_t rows_ = 0, taps_ = 0, tap_ = 0;
    bool resident_ = false;
    Phase phase_ = Phase::kBegin;
};

}  // namespace

std::uint64_t partial_floats(const TensorPlan& plan) {
    if (plan.mapping != TensorMapping::kColumns || plan.column.ctas == 1) return 0;
    return elements_of(plan.parts[0].kept) * plan.column.ctas * plan.formula.passes[0].states;
}

TensorColumnKernel::TensorColumnKernel(TensorTask task, ColumnStage stage)
    : TensorKernel(std::move(task)), stage_(stage) {
    const ColumnLayout& layout = plan().column;
    const TensorFormula& f = plan().formula;
    const std::uint32_t states = f.passes[0].states;
    const bool shares = stage == ColumnStage::kShare || (stage == ColumnStage::kJoin && f.maps);
    set_grid(ceil_div(layout.tiles, std::uint64_t{layout.groups}) * (shares ? layout.ctas : 1),
             layout.warps * layout.groups);
    if (layout.warps > 1) {
        info_.shared_memory_bytes = states * layout.warps * layout.tile() * sizeof(float);
    }
    const std::uint32_t held = stage == ColumnStage::kWhole && f.maps ? kResident : kInFlight;
    const std::uint32_t parameters = std::max(f.operands, 1U) - 1;
    info_.registers_per_thread =
        kOverhead + (states + f.ends) * layout.vector + (held + parameters + 1) * kChunkRegisters;
    info_.scoreboard_registers = kRegisters;
    if (stage == ColumnStage::kWhole) return;
    if (stage == ColumnStage::kShare) info_.name += ".sums";
    const std::uint64_t kept = elements_of(plan().parts[0].kept);
    partial_part_.kept = {kept};
    partial_part_.reduced = {layout.ctas};
    partial_part_.result.axes.push_back({1, static_cast<std::int64_t>(kept), {}});
    for (std::uint32_t s = 0; s < states; ++s) {
        const StoredTensor sums{partial_part_.result, TensorType::kFp32,
                                task_.addresses.partials + s * kept * layout.ctas * sizeof(float)};
        partials_.emplace_back(partial_part_, sums, true, task_.granularity, task_.values,
                               kVectorBytes / sizeof(float));
    }
}

std::unique_ptr<WarpProgram> TensorColumnKernel::program(CtaId cta, std::uint32_t warp) const {
    const ColumnLayout& layout = plan().column;
    const std::uint64_t groups = ceil_div(layout.tiles, std::uint64_t{layout.groups});
    ColumnPlace place;
    place.tile = cta.value() % groups * layout.groups + warp / layout.warps;
    place.cta = static_cast<std::uint32_t>(cta.value() / groups);
    place.warp = warp % layout.warps;
    const bool has_work = place.tile < layout.tiles;
    return std::make_unique<ColumnProgram>(plan(), has_work ? access_.data() : nullptr, partials_,
                                           stage_, place);
}

}  // namespace tessera
