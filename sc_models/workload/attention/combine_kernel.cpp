#include "sc_models/workload/attention/combine_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sc_models/isa/coalescer.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/attention/cta_count.h"
#include "sc_models/workload/attention/flash_registers.h"
#include "sc_models/workload/batched_program.h"
#include "sc_models/workload/operators/tensor_math.h"
#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

constexpr std::uint32_t kElementsOfWarp = 128;  // four floats a lane
constexpr std::uint32_t kMostParts = 128;
constexpr std::uint32_t kLogRegisters = 8;      // of two rows of 128 parts
constexpr std::uint32_t kPartsInFlight = 4;     // chosen: the unrolling of the loop
constexpr std::uint32_t kBeginCombine = 24;     // chosen
constexpr std::uint32_t kCombineOverhead = 24;  // chosen: registers
constexpr std::uint8_t kLogs = 0, kTotal = kLogRegisters, kHalves = kTotal + kAccessRegisters,
                       kParts = kHalves + 2;
constexpr std::uint32_t kCombineRegisters = kParts + kPartsInFlight * kAccessRegisters;
constexpr std::uint32_t kLogRow = kMostParts / kWarpLanes;  // registers

enum CombineFunction : std::uint32_t { kClearTotal, kFactors, kAddPart, kRoundTotal };

std::uint32_t rows_of_warp(const FlashProblem& problem) {
    return kElementsOfWarp / problem.head_size;
}

/// The call's variant selects the operation; its position is a part.
class CombineRegisters : public RegisterFunction {
public:
    explicit CombineRegisters(const FlashProblem& problem) : problem_(problem) {}

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        const FunctionCall& call = w.call();
        if (call.variant == kFactors) {
            for (std::uint32_t row = 0; row < rows_of_warp(problem_); ++row)
                factors(row, registers);
            return;
        }
        for (std::uint32_t i = 0; i < kElementsOfWarp; ++i) {
            const float total = single(registers, kTotal, i);
            if (call.variant == kClearTotal) set_single(registers, kTotal, i, 0);
            if (call.variant == kRoundTotal) {
                set_half(registers, kHalves, i, total, problem_.format());
            }
            if (call.variant != kAddPart) continue;
            const auto part = static_cast<std::uint32_t>(call.position);
            const float factor = single(registers, kLogs + i / problem_.head_size * kLogRow, part);
            const double sum = double{factor} * double{single(registers, w.src_a, i)} + total;
            set_single(registers, kTotal, i, static_cast<float>(sum));
        }
    }

private:
    void factors(std::uint32_t row, std::byte* registers) const {
        std::array<float, kMostParts> logs{};
        const std::uint32_t reg = kLogs + row * kLogRow;
        for (std::uint32_t i = 0; i < problem_.splits; ++i) logs[i] = single(registers, reg, i);
        flash::factors_of_parts(logs.data(), problem_.splits);
        for (std::uint32_t i = 0; i < problem_.splits; ++i) set_single(registers, reg, i, logs[i]);
    }

    const FlashProblem& problem_;
};

class CombineProgram : public BatchedProgram {
public:
    CombineProgram(const FlashProblem& problem, const RegisterFunction& function, CtaId cta,
                   std::uint32_t warp)
        : problem_(problem),
          function_(function),
          first_row_((std::uint64_t{cta.value()} * kFlashWarps + warp) * rows_of_warp(problem)),
          rows_(static_cast<std::uint32_t>(std::min<std::uint64_t>(
              rows_of_warp(problem),
              problem.all_rows() - std::min(first_row_, problem.all_rows())))) {}

private:
    void make_batch() override {
        if (rows_ == 0) return exit();
        if (!begun_) return begin();
        for (std::uint32_t i = 0; i < kPartsInFlight && part_ + i < problem_.splits; ++i) {
            WarpInstruction& load = emit(Opcode::kLoadGlobal);
            load.dst = part_register(i);
            load.memory().set_rows(
                problem_.sums + ((part_ + i) * problem_.all_rows() + first_row_) *
                                    problem_.head_size * sizeof(float),
                1, row_bytes());
        }
        for (std::uint32_t i = 0; i < kPartsInFlight && part_ + i < problem_.splits; ++i) {
            apply(kAddPart, Operation::kFp32, 4, kTotal, part_register(i), kAccessRegisters)
                .position = part_ + i;
        }
        part_ += kPartsInFlight;
        if (part_ < problem_.splits) return;
        apply(kRoundTotal, Operation::kFp32, 2, kHalves, kTotal, kAccessRegisters);
        store();
        exit();
    }

    [[nodiscard]] static std::uint8_t part_register(std::uint32_t i) {
        return static_cast<std::uint8_t>(kParts + i * kAccessRegisters);
    }
    [[nodiscard]] std::uint32_t row_bytes() const {
        return rows_ * problem_.head_size * std::uint32_t{sizeof(float)};
    }

    FunctionCall& apply(CombineFunction what, Operation operation, std::uint32_t count,
                        std::uint8_t dst, std::uint8_t src, std::uint32_t registers) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(operation);
        w.count = static_cast<std::uint16_t>(count);
        w.dst = dst;
        w.src_a = src;
        FunctionCall& call = w.set_function(&function_, registers);
        call.variant = what;
        return call;
    }

    /// Loads the logarithms, and joins them by butterflies over the lanes.
    void begin() {
        begun_ = true;
        constexpr std::uint32_t kButterflies = 5;
        emit(Opcode::kOperation).count = kBeginCombine;
        for (std::uint32_t row = 0; row < rows_; ++row) {
            for (std::uint32_t part = 0; part < problem_.splits; part += kWarpLanes) {
                WarpInstruction& load = emit(Opcode::kLoadGlobal);
                load.dst = static_cast<std::uint8_t>(kLogs + row * kLogRow + part / kWarpLanes);
                load.memory().set_rows(
                    problem_.logs + (part * problem_.all_rows() + first_row_ + row) * sizeof(float),
                    std::min(kWarpLanes, problem_.splits - part), sizeof(float),
                    problem_.all_rows() * sizeof(float));
                load.registers().pitch_bytes = sizeof(float);
            }
        }
        apply(kClearTotal, Operation::kMove, 4, kTotal, kNoRegister, 0);
        constexpr std::uint32_t kJoins = 2;  // the maximum, then the sum
        for (std::uint32_t i = 0; i < kJoins; ++i) {
            for (const Operation operation : {Operation::kMove, Operation::kFp32}) {
                WarpInstruction& w = emit(Opcode::kOperation);
                w.set_operation(operation);
                w.count = static_cast<std::uint16_t>(kButterflies * rows_);
                w.src_a = w.dst = kLogs;
            }
        }
        const std::uint32_t exponentials = 2 * rows_ * ceil_div(problem_.splits, kWarpLanes);
        apply(kFactors, Operation::kSpecialFunction, exponentials, kLogs, kLogs, kLogRegisters);
    }

    void store() {
        WarpInstruction& w = emit(Opcode::kStoreGlobal);
        const std::uint32_t bytes = problem_.head_size * std::uint32_t{sizeof(HalfBits)};
        w.src_a = kHalves;
        const auto address = [&](std::uint64_t row) {
            const std::uint64_t head = row / problem_.rows;
            return problem_.result.at(head / problem_.heads, row % problem_.rows,
                                      head % problem_.heads);
        };
        const Address first = address(first_row_);
        w.memory().set_rows(first, rows_, bytes, rows_ > 1 ? address(first_row_ + 1) - first : 0);
        w.registers().pitch_bytes = static_cast<std::uint16_t>(bytes);
    }

    const FlashProblem& problem_;
    const RegisterFunction& function_;
    const std::uint64_t first_row_;
    const std::uint32_t rows_;
    std::uint32_t part_ = 0;
    bool begun_ = false;
};

}  // namespace

void flash::factors_of_parts(float* logs, std::uint32_t parts) {
    constexpr float kLowest = -std::numeric_limits<float>::infinity();
    const float most = *std::max_element(logs, logs + parts);
    const float shift = most == kLowest ? 0 : most;
    float sum = 0;
    for (std::uint32_t i = 0; i < parts; ++i) {
        if (logs[i] != kLowest) sum += static_cast<float>(exp_of(double{logs[i]} - shift));
    }
    const float all = sum > 0 ? static_cast<float>(log_of(sum)) + shift : 0;
    for (std::uint32_t i = 0; i < parts; ++i) {
        logs[i] = logs[i] == kLowest ? 0 : static_cast<float>(exp_of(double{logs[i]} - all));
    }
}

CombineKernel::CombineKernel(std::string name, const FlashProblem& problem)
    : problem_(problem), function_(std::make_unique<CombineRegisters>(problem_)) {
    const std::uint64_t of_cta = std::uint64_t{kFlashWarps} * rows_of_warp(problem);
    info_.name = std::move(name);
    info_.ctas = checked_ctas(ceil_div(problem.all_rows(), of_cta), "workload.attention.batch");
    info_.warps_per_cta = kFlashWarps;
    info_.registers_per_thread = round_up(kCombineRegisters + kCombineOverhead, 8U);
    info_.scoreboard_registers = kCombineRegisters;
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> CombineKernel::program(CtaId cta, std::uint32_t warp) const {
    return std::make_unique<CombineProgram>(problem_, *function_, cta, warp);
}

}  // namespace tessera
