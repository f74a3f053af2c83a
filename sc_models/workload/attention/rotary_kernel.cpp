#include "sc_models/workload/attention/rotary_kernel.h"

#include <algorithm>
#include <utility>

#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/batched_program.h"
#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostThreads = 512;
constexpr std::uint32_t kHalfBytes = sizeof(HalfBits);
/// Head and place in it are a quotient and a remainder of integers unknown to the compiler, each up
/// to 20 instructions (CUDA C++ Programming Guide, arithmetic instructions). Four 64-bit addresses
/// take three each, the head's begin and the loop three each.
constexpr std::uint16_t kIndexInstructions = 2 * 20 + 4 * 3 + 3 + 3;
/// Instructions on a pair: four halves become floats, four products, each rounded and converted
/// back, two sums, each rounded.
constexpr std::uint16_t kPairInstructions = 20;
constexpr std::uint16_t kRotaryBegin = 8;  // chosen
enum RotaryRegister : std::uint8_t {
    kPosition = 0,  // of 64 bits
    kAddress = 2,
    kX,
    kY,
    kCosine,
    kSine,
    kRotatedX,
    kRotatedY,
    kRotaryRegisters
};
constexpr std::uint32_t kRotaryOverhead = 16;  // chosen: registers of addresses and indices

/// Rotates the pairs of a warp; the call's elements are their number.
class RotatePairs : public RegisterFunction {
public:
    explicit RotatePairs(Float16 format) : format_(format) {}

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        for (std::uint32_t i = 0; i < w.call().elements; ++i) {
            const auto number = [&](RotaryRegister reg) {
                return half_at(registers, reg, i, format_);
            };
            const RotaryPair pair{number(kX), number(kY), number(kCosine), number(kSine)};
            set_half(registers, kRotatedX, i, pair.first(format_), format_);
            set_half(registers, kRotatedY, i, pair.second(format_), format_);
        }
    }

private:
    const Float16 format_;
};
const RotatePairs kRotateFp16(Float16::kFp16), kRotateBf16(Float16::kBf16);

class RotaryProgram : public BatchedProgram {
public:
    RotaryProgram(const RotaryProblem& problem, const AccessGranularity& granularity, bool values,
                  std::uint32_t threads, CtaId cta, std::uint32_t warp)
        : problem_(problem),
          granularity_(granularity),
          values_(values),
          threads_(threads),
          first_(warp * kWarpLanes),
          token_(cta.value()),
          pair_(first_) {}

private:
    void make_batch() override {
        if (!begun_) return begin();
        const std::uint32_t pairs =
            (of_keys_ ? problem_.kv_heads : problem_.heads) * problem_.head_size / 2;
        if (pair_ < pairs) {
            rotate(std::min({kWarpLanes, pairs - pair_, threads_ - first_}));
            pair_ += threads_;
            return;
        }
        if (of_keys_) return exit();
        of_keys_ = true;
        pair_ = first_;
    }

    /// The position has to be there before the addresses of its cosines.
    void begin() {
        begun_ = true;
        WarpInstruction& load = emit(Opcode::kLoadGlobal);
        load.dst = kPosition;
        load.memory().set_rows(problem_.positions + token_ * sizeof(std::uint64_t), 1,
                               sizeof(std::uint64_t));
        WarpInstruction& address = emit(Opcode::kOperation);
        address.count = kRotaryBegin;
        address.src_a = kPosition;
        address.dst = kAddress;
    }

    void rotate(std::uint32_t lanes) {
        const std::uint32_t half = problem_.head_size / 2;
        const Address row = problem_.rows + token_ * problem_.row_elements() * kHalfBytes;
        const Address heads =
            row + (of_keys_ ? std::uint64_t{problem_.heads} * problem_.head_size : 0) * kHalfBytes;
        const Address cache = problem_.cache + problem_.position(token_) *
                                                   std::uint64_t{problem_.head_size} * kHalfBytes;
        WarpInstruction& index = emit(Opcode::kOperation);
        index.count = kIndexInstructions;
        index.src_a = kAddress;
        const std::uint64_t head_pitch = problem_.head_size * std::uint64_t{kHalfBytes};
        const std::uint64_t second = std::uint64_t{half} * kHalfBytes;
        access(Opcode::kLoadGlobal, kX, heads, head_pitch, lanes);
        access(Opcode::kLoadGlobal, kY, heads + second, head_pitch, lanes);
        access(Opcode::kLoadGlobal, kCosine, cache, 0, lanes);
        access(Opcode::kLoadGlobal, kSine, cache + second, 0, lanes);
        WarpInstruction& rotate = emit(Opcode::kOperation);
        rotate.set_operation(Operation::kFp32);
        rotate.count = kPairInstructions;
        rotate.src_a = kX;
        rotate.dst = kRotatedX;
        const bool bf16 = problem_.format == Float16::kBf16;
        rotate.set_function(bf16 ? &kRotateBf16 : &kRotateFp16, kSine + 1 - kX).elements =
            static_cast<std::uint16_t>(lanes);
        access(Opcode::kStoreGlobal, kRotatedX, heads, head_pitch, lanes);
        access(Opcode::kStoreGlobal, kRotatedY, heads + second, head_pitch, lanes);
    }

    /// Emits the access of `lanes` lanes to elements of pair_ and following; heads are `pitch`
    /// bytes apart.
    void access(Opcode opcode, std::uint8_t reg, Address base, std::uint64_t pitch,
                std::uint32_t lanes) {
        const std::uint32_t half = problem_.head_size / 2;
        const auto address_of = [&](std::uint32_t pair) {
            return base + pair / half * pitch + std::uint64_t{pair % half} * kHalfBytes;
        };
        WarpInstruction& w = emit(opcode);
        (opcode == Opcode::kStoreGlobal ? w.src_a : w.dst) = reg;
        const Address first = address_of(pair_);
        const std::uint32_t bytes = lanes * kHalfBytes;
        const bool together = pair_ / half == (pair_ + lanes - 1) / half;
        if (together && first % granularity_.line_bytes + bytes <= granularity_.line_bytes) {
            w.memory().set_rows(first, 1, bytes);
            return;
        }
        LaneOffsets offsets;
        offsets.mask = lanes == kWarpLanes ? ~0U : (1U << lanes) - 1U;
        offsets.access_bytes = kHalfBytes;
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            offsets.offset[lane] = static_cast<std::int64_t>(address_of(pair_ + lane) - first);
        }
        LaneAccess access = coalesce_global(offsets, first, granularity_);
        if (values_) {
            if (opcode == Opcode::kStoreGlobal) {
                access.pieces.clear();
                access.has_places = true;
            }
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                (access.has_places ? access.pieces : access.wanted)
                    .push_back({offsets.offset[lane], kHalfBytes, lane * kHalfBytes});
            }
        }
        w.memory().address = first;
        w.memory().lanes = &keep(std::move(access));
    }

    const RotaryProblem& problem_;
    const AccessGranularity& granularity_;
    const bool values_;
    const std::uint32_t threads_, first_;
    const std::uint64_t token_;
    std::uint32_t pair_;
    bool begun_ = false, of_keys_ = false;
};

std::uint32_t threads_of(const RotaryProblem& problem) {
    return std::min(kMostThreads, problem.heads * problem.head_size / 2);
}

}  // namespace

float RotaryPair::first(Float16 format) const {
    return rounded(rounded(x * cosine, format) - rounded(y * sine, format), format);
}

float RotaryPair::second(Float16 format) const {
    return rounded(rounded(y * cosine, format) + rounded(x * sine, format), format);
}

RotaryKernel::RotaryKernel(std::string name, const RotaryProblem& problem,
                           const AccessGranularity& granularity, bool values)
    : problem_(problem), granularity_(granularity), values_(values) {
    info_.name = std::move(name);
    info_.ctas = problem.tokens;
    info_.warps_per_cta = ceil_div(threads_of(problem), kWarpLanes);
    info_.registers_per_thread = kRotaryRegisters + kRotaryOverhead;
    info_.scoreboard_registers = kRotaryRegisters;
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> RotaryKernel::program(CtaId cta, std::uint32_t warp) const {
    return std::make_unique<RotaryProgram>(problem_, granularity_, values_, threads_of(problem_),
                                           cta, warp);
}

}  // namespace tessera
