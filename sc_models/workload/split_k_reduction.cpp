#include "sc_models/workload/split_k_reduction.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sc_models/tensor_core/half.h"

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

/// The sum is in the first registers, parts on their way behind it, then C or D as halves.
class ReductionProgram : public WarpProgram {
public:
    ReductionProgram(const SplitKSums& sums, std::uint64_t first) : sums_(sums), first_(first) {}

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
            write();
            finish();
        }
        return count_;
    }

private:
    WarpInstruction& emit(Opcode opcode) {
        out_[count_] = WarpInstruction{};
        out_[count_].opcode = opcode;
        return out_[count_++];
    }

    void begin() {
        emit(Opcode::kAlu).count = kOverhead;
        load(sums_.parts, sizeof(float), 0);
        part_ = 1;
    }

    void add_parts() {
        const std::uint32_t count = std::min(kInFlight, sums_.count - part_);
        for (std::uint32_t i = 0; i < count; ++i) {
            load(sums_.parts + Address{part_ + i} * sums_.elements * sizeof(float), sizeof(float),
                 static_cast<std::uint8_t>(kFirstPart + i * kAccessRegisters));
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            floats(FloatOperation::kAdd, 0,
                   static_cast<std::uint8_t>(kFirstPart + i * kAccessRegisters));
        }
        part_ += count;
    }

    void write() {
        const std::uint32_t bytes = sums_.halves ? sizeof(HalfBits) : sizeof(float);
        if (sums_.reads_c) {
            load(sums_.c, bytes, kHalves);
            floats(sums_.halves ? FloatOperation::kAddHalves : FloatOperation::kAdd, 0, kHalves);
        }
        if (sums_.halves) floats(FloatOperation::kRound, kHalves, 0);
        access(Opcode::kStoreGlobal, sums_.d, bytes).src_a = sums_.halves ? kHalves : 0;
    }

    void finish() {
        emit(Opcode::kExit);
        done_ = true;
    }

    WarpInstruction& access(Opcode opcode, Address base, std::uint32_t element_bytes) {
        WarpInstruction& w = emit(opcode);
        w.rows = 1;
        w.row_bytes = static_cast<std::uint16_t>(
            std::min<std::uint64_t>(kElements, sums_.elements - first_) * element_bytes);
        w.address = base + first_ * element_bytes;
        return w;
    }

    void load(Address base, std::uint32_t element_bytes, std::uint8_t dst) {
        WarpInstruction& w = access(Opcode::kLoadGlobal, base, element_bytes);
        w.dst = dst;
        w.zero_fill = kAccessRegisters;
    }

    void floats(FloatOperation what, std::uint8_t dst, std::uint8_t src) {
        WarpInstruction& w = emit(Opcode::kFloats);
        w.set_float_operation(what);
        w.dst = dst;
        w.src_a = src;
        w.rows = kRows;
        w.count = kAdditions;
        w.register_pitch_bytes = kFragmentRowBytes;
    }

    const SplitKSums& sums_;
    std::uint64_t first_;  ///< element
    std::uint32_t part_ = 0;
    bool done_ = false;
    WarpInstruction* out_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace

SplitKReduction::SplitKReduction(std::string name, const SplitKSums& sums) : sums_(sums) {
    info_.name = std::move(name);
    info_.ctas =
        static_cast<std::uint32_t>(ceil_div(sums.elements, std::uint64_t{kElements} * kWarps));
    info_.warps_per_cta = kWarps;
    info_.registers_per_thread = kRegisters;
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) info_.sub_core_of_warp.push_back(warp);
}

std::unique_ptr<WarpProgram> SplitKReduction::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t chunk = std::uint64_t{cta.value()} * kWarps + warp;
    return std::make_unique<ReductionProgram>(sums_, chunk * kElements);
}

}  // namespace tessera
