#include "sc_models/workload/library/split_k_reduction.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/staged/gathered_operand.h"
#include "sc_models/workload/value_at.h"

namespace tessera {
namespace {

constexpr std::uint32_t kWarps = 8;                                          // of a CTA
constexpr std::uint32_t kElements = 4 * kWarpRegisterBytes / sizeof(float);  // of a warp
constexpr std::uint32_t kRows = kElements / kFragmentRows;                   // of floats
constexpr std::uint32_t kAdditions = kElements / 32;                         // instructions
constexpr std::uint32_t kInFlight = 8;                                       // parts
constexpr std::uint32_t kOverhead = 8;  // registers, instructions
constexpr std::uint8_t kFirstPart = kAccessRegisters;
constexpr std::uint8_t kHalves = kFirstPart + kInFlight * kAccessRegisters;
constexpr std::uint32_t kRegisters = kHalves + kAccessRegisters + kOverhead;

/// Operands of the epilogue reuse the registers of parts.
static_assert(ProductEpilogue::kMostInMemory <= kInFlight);
constexpr std::uint8_t register_of_part(std::uint32_t i) {
    return static_cast<std::uint8_t>(kFirstPart + i * kAccessRegisters);
}

}  // namespace

/// Functions of the reduction's instructions on the sums at dst.
class ReductionEpilogue : public RegisterFunction {
public:
    explicit ReductionEpilogue(const SplitKSums& sums) : sums_(sums) {}

    /// kAdd: adds the INT32 at src_a. kRequantise: takes the sums to bytes by the bias and the
    /// factors at src_a, one per sum. kPack: packs those at src_a. kStep and above: applies that
    /// step of the epilogue; halves of an operand in memory are at src_a, one per sum.
    enum What : std::uint32_t { kAdd, kRequantise, kPack, kStep };

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        const std::byte* const from = registers + w.src_a * kWarpRegisterBytes;
        std::byte* const to = registers + w.dst * kWarpRegisterBytes;
        switch (w.call().variant) {
            case kAdd:
                for (std::size_t i = 0; i < kElements; ++i) {
                    const auto sum =
                        value_at<std::uint32_t>(to, i) + value_at<std::uint32_t>(from, i);
                    std::memcpy(to + i * sizeof sum, &sum, sizeof sum);
                }
                return;
            case kRequantise:
                return requantise(*sums_.requantization.rule, from,
                                  from + kAccessRegisters * kWarpRegisterBytes, kElements, to);
            case kPack:
                return pack_bytes(from, kElements, to);
            default:
                run_step(w, registers);
        }
    }

private:
    void run_step(const WarpInstruction& w, std::byte* registers) const {
        const ProductEpilogue& epilogue = *sums_.epilogue.epilogue;
        const std::uint32_t step = w.call().variant - kStep;
        const ProductEpilogue::Operand* const operand = epilogue.operand_of(step);
        const bool in_memory =
            operand != nullptr && operand->place != ProductEpilogue::OperandExtent::kScalar;
        const std::byte* const halves = registers + w.src_a * kWarpRegisterBytes;
        std::byte* const sums = registers + w.dst * kWarpRegisterBytes;
        float other = operand != nullptr ? operand->scalar : 0;
        for (std::size_t i = 0; i < kElements; ++i) {
            if (in_memory) {
                other = to_float(value_at<HalfBits>(halves, i), format_of(sums_.operands));
            }
            const float y = epilogue.apply_step(step, value_at<float>(sums, i), other);
            std::memcpy(sums + i * sizeof y, &y, sizeof y);
        }
    }

    const SplitKSums& sums_;
};

namespace {

/// The first registers hold the sum, followed by parts in flight, then C or D as halves.
class ReductionProgram : public WarpProgram {
public:
    ReductionProgram(const SplitKSums& sums, const ReductionEpilogue& epilogue, std::uint64_t first)
        : sums_(sums), epilogue_(epilogue), first_(first) {}

    std::size_t fill(WarpInstruction* out, std::size_t /*capacity*/) override {
        out_ = out;
        count_ = 0;
        if (done_) return 0;
        if (first_ >= sums_.elements) {
            finish();
        } else if (part_ == 0) {
            begin();
        } else if (part_ < sums_.count) {
            add_parts();
        } else {
            if (!all_loaded_) load_others();
            if (count_ == 0) go_on();
        }
        return count_;
    }

private:
    WarpInstruction& emit(Opcode opcode) { return out_[count_++] = WarpInstruction(opcode); }

    void begin() {
        emit(Opcode::kAlu).count = kOverhead;
        load(sums_.parts, sizeof(float), 0);
        part_ = 1;
    }

    void add_parts() {
        const std::uint32_t count = std::min(kInFlight, sums_.count - part_);
        for (std::uint32_t i = 0; i < count; ++i) {
            load(sums_.parts + Address{part_ + i} * sums_.elements * sizeof(float), sizeof(float),
                 register_of_part(i));
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            add(register_of_part(i));
        }
        part_ += count;
    }

    [[nodiscard]] std::uint32_t element_bytes() const {
        if (!sums_.requantization.empty()) return sizeof(std::uint8_t);
        return sums_.halves ? sizeof(HalfBits) : sizeof(float);
    }
    [[nodiscard]] bool has_steps() const { return !sums_.epilogue.empty(); }

    void add(std::uint8_t part) {
        if (!is_integer(sums_.operands)) return floats(FloatOperation::kAdd, 0, part);
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kInteger);
        w.dst = w.src_b = 0;
        w.src_a = part;
        w.count = kAdditions;
        w.set_function(&epilogue_, kAccessRegisters).variant = ReductionEpilogue::kAdd;
    }

    /// Loads C and adds it; the epilogue's operands are loaded meanwhile.
    void load_others() {
        all_loaded_ = true;
        if (sums_.reads_c) load(sums_.c, element_bytes(), kHalves);
        if (has_steps()) load_operands();
        if (!sums_.requantization.empty()) load_columns();
        if (sums_.reads_c) {
            floats(sums_.halves ? FloatOperation::kAddHalves : FloatOperation::kAdd, 0, kHalves);
        }
    }

    void go_on() {
        if (has_steps() && step_ < sums_.epilogue.epilogue->steps().size()) {
            return run_step(step_++);
        }
        write();
        finish();
    }

    void load_operands() {
        std::uint32_t loaded = 0;
        const std::vector<ProductEpilogue::Operand>& operands = sums_.epilogue.epilogue->operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (operands[i].place == ProductEpilogue::OperandExtent::kScalar) continue;
            const std::uint8_t to = register_of_part(loaded++);
            load(sums_.epilogue.operands[i], sizeof(HalfBits), to);
            if (operands[i].place == ProductEpilogue::OperandExtent::kColumns) {
                spread_columns(out_[count_ - 1], sums_.epilogue.operands[i], sizeof(HalfBits),
                               sums_.epilogue.pitch);
            }
        }
    }

    /// Loads bias and factors of the requantization, one of each per element.
    void load_columns() {
        const PlacedRequantization& placed = sums_.requantization;
        load(placed.bias, sizeof(std::int32_t), register_of_part(0));
        spread_columns(out_[count_ - 1], placed.bias, sizeof(std::int32_t), placed.pitch);
        load(placed.factors, sizeof(float), register_of_part(1));
        spread_columns(out_[count_ - 1], placed.factors, sizeof(float), placed.pitch);
    }

    /// Spreads the columns of the warp's elements, one value per element: rows of D are contiguous.
    void spread_columns(WarpInstruction& w, Address base, std::uint32_t bytes,
                        std::uint64_t pitch) {
        LaneAccess& lanes = lanes_.emplace_back();
        const std::uint64_t end = std::min(sums_.elements, first_ + kElements);
        for (std::uint64_t at = first_; at < end;) {
            const std::uint64_t next = std::min(end, (at / pitch + 1) * pitch);
            lanes.pieces.push_back({static_cast<std::int64_t>(base + at % pitch * bytes),
                                    static_cast<std::uint32_t>((next - at) * bytes),
                                    static_cast<std::uint32_t>((at - first_) * bytes)});
            at = next;
        }
        set_pieces(w, lanes);
    }

    void run_step(std::size_t step) {
        const ProductEpilogue& epilogue = *sums_.epilogue.epilogue;
        WarpInstruction made(Opcode::kOperation);
        made.dst = made.src_a = 0;
        made.set_function(&epilogue_).variant =
            static_cast<std::uint32_t>(ReductionEpilogue::kStep + step);
        const std::int32_t which = epilogue.steps()[step].operand;
        if (which >= 0 &&
            epilogue.operand_of(step)->place != ProductEpilogue::OperandExtent::kScalar) {
            const auto in_memory = [](const ProductEpilogue::Operand& operand) {
                return operand.place != ProductEpilogue::OperandExtent::kScalar;
            };
            made.src_a = register_of_part(static_cast<std::uint32_t>(std::count_if(
                epilogue.operands().begin(), epilogue.operands().begin() + which, in_memory)));
            made.src_b = 0;
        }
        made_.clear();
        append_step(epilogue, step, kElements, made, made_);
        count_ = static_cast<std::size_t>(std::copy(made_.begin(), made_.end(), out_) - out_);
    }

    void write() {
        const std::uint32_t bytes = element_bytes();
        const bool packs = !sums_.requantization.empty();
        if (packs) {
            to_bytes();
        } else if (sums_.halves) {
            floats(FloatOperation::kRound, kHalves, 0);
        }
        access(Opcode::kStoreGlobal, sums_.d, bytes).src_a = sums_.halves || packs ? kHalves : 0;
    }

    void to_bytes() {
        WarpInstruction& scaled = emit(Opcode::kOperation);
        scaled.set_operation(Operation::kFp32);
        scaled.dst = scaled.src_b = 0;
        scaled.src_a = register_of_part(0);
        scaled.count = static_cast<std::uint16_t>(sums_.requantization.rule->cost() * kAdditions);
        scaled.set_function(&epilogue_, 2 * kAccessRegisters).variant =
            ReductionEpilogue::kRequantise;
        WarpInstruction& packed = emit(Opcode::kOperation);
        packed.set_operation(Operation::kFp32);
        packed.dst = kHalves;
        packed.src_a = 0;
        packed.count = static_cast<std::uint16_t>(kAdditions / Requantization::kPacked);
        packed.set_function(&epilogue_, kAccessRegisters).variant = ReductionEpilogue::kPack;
    }

    void finish() {
        emit(Opcode::kExit);
        done_ = true;
    }

    WarpInstruction& access(Opcode opcode, Address base, std::uint32_t element_bytes) {
        WarpInstruction& w = emit(opcode);
        w.memory().set_rows(
            base + first_ * element_bytes, 1,
            std::min<std::uint64_t>(kElements, sums_.elements - first_) * element_bytes);
        return w;
    }

    void load(Address base, std::uint32_t element_bytes, std::uint8_t dst) {
        WarpInstruction& w = access(Opcode::kLoadGlobal, base, element_bytes);
        w.dst = dst;
        w.registers().zero_fill = kAccessRegisters;
    }

    void floats(FloatOperation what, std::uint8_t dst, std::uint8_t src) {
        WarpInstruction& w = emit(Opcode::kFloats);
        w.dst = dst;
        w.src_a = src;
        w.count = kAdditions;
        w.floats() = {kRows, 0, kFragmentRowBytes, what, format_of(sums_.operands)};
    }

    const SplitKSums& sums_;
    const ReductionEpilogue& epilogue_;
    std::uint64_t first_;  ///< element
    std::uint32_t part_ = 0;
    bool all_loaded_ = false;
    std::size_t step_ = 0;
    std::deque<LaneAccess> lanes_;
    std::vector<WarpInstruction> made_;
    bool done_ = false;
    WarpInstruction* out_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace

SplitKReduction::~SplitKReduction() = default;

SplitKReduction::SplitKReduction(std::string name, const SplitKSums& sums)
    : sums_(sums), epilogue_(std::make_unique<ReductionEpilogue>(sums_)) {
    info_.name = std::move(name);
    info_.ctas =
        static_cast<std::uint32_t>(ceil_div(sums.elements, std::uint64_t{kElements} * kWarps));
    info_.warps_per_cta = kWarps;
    info_.registers_per_thread = kRegisters;
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) info_.sub_core_of_warp.push_back(warp);
}

std::unique_ptr<WarpProgram> SplitKReduction::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t chunk = std::uint64_t{cta.value()} * kWarps + warp;
    return std::make_unique<ReductionProgram>(sums_, *epilogue_, chunk * kElements);
}

}  // namespace tessera
