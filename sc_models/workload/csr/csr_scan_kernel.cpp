#include <algorithm>
#include <cstring>

#include "sc_models/workload/csr/csr_kernels.h"

#include "sc_models/workload/batched_program.h"

namespace tessera {
namespace {

constexpr std::uint32_t kWord = 4;
constexpr std::uint32_t kMostWarps = 32;
constexpr std::uint32_t kOfWarp = 4 * kWarpLanes;  // counts of a warp at a time
constexpr std::uint32_t kScanInstructions = 16;    // shuffles and additions: chosen
constexpr std::uint32_t kAddInstructions = 12;     // of the sums of other warps: chosen
constexpr std::uint8_t kCounts = 4, kSums = 8, kTotal = 12, kTotals = 13, kCarry = 14;
constexpr std::uint32_t kNamed = 15;
constexpr std::uint32_t kRegistersPerThread = 32;  // chosen

std::uint32_t word_at(const std::byte* registers, std::uint32_t reg, std::uint32_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, registers + reg * kWarpRegisterBytes + i * kWord, sizeof value);
    return value;
}
void set_word(std::byte* registers, std::uint32_t reg, std::uint32_t i, std::uint32_t value) {
    std::memcpy(registers + reg * kWarpRegisterBytes + i * kWord, &value, sizeof value);
}

}  // namespace

/// A warp of the CTA. The program is the function of its operations: the call's
/// variant selects it, its elements are the number of counts.
class CsrScanKernel::Program : public BatchedProgram, public RegisterFunction {
public:
    Program(const CsrScanKernel& kernel, std::uint32_t warp)
        : task_(kernel.task_), warp_(warp), warps_(kernel.info_.warps_per_cta) {}

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        const FunctionCall& call = w.call();
        if (call.variant == kLocal) {
            std::uint32_t sum = 0;
            for (std::uint32_t i = 0; i < call.elements; ++i) {
                sum += word_at(registers, kCounts, i);
                set_word(registers, kSums, i, sum);
            }
            set_word(registers, kTotal, 0, sum);
            return;
        }
        const std::uint32_t carry = word_at(registers, kCarry, 0);
        std::uint32_t before = carry;
        std::uint32_t all = carry;
        for (std::uint32_t warp = 0; warp < warps_; ++warp) {
            const std::uint32_t total = word_at(registers, kTotals, warp);
            if (warp < warp_) before += total;
            all += total;
        }
        set_word(registers, kCarry, 0, all);
        for (std::uint32_t i = 0; i < call.elements; ++i) {
            set_word(registers, kSums, i, word_at(registers, kSums, i) + before);
        }
    }

private:
    static constexpr std::uint32_t kLocal = 0, kFinish = 1;

    WarpInstruction& access(Opcode opcode, std::uint8_t reg, Address address, std::uint32_t words) {
        WarpInstruction& w = emit(opcode);
        const bool store = opcode == Opcode::kStoreGlobal || opcode == Opcode::kStoreShared;
        (store ? w.src_a : w.dst) = reg;
        w.memory().set_rows(address, 1, words * kWord);
        return w;
    }
    void compute(std::uint32_t count, std::uint8_t src, std::uint8_t dst, std::uint32_t function,
                 std::uint32_t counts) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kInteger);
        w.count = static_cast<std::uint16_t>(count);
        w.src_a = src;
        w.dst = dst;
        FunctionCall& call = w.set_function(this);
        call.variant = function;
        call.elements = static_cast<std::uint16_t>(counts);
    }

    void make_batch() override {
        const std::uint64_t rows = task_.a->rows();
        if (first_ >= rows) {
            exit();
            return;
        }
        if (first_ == 0) {
            WarpInstruction& clear = emit(Opcode::kAlu);
            clear.dst = kCarry;
            clear.moves().zero_fill = 1;
        }
        const std::uint64_t begin = first_ + std::uint64_t{warp_} * kOfWarp;
        const auto counts = static_cast<std::uint32_t>(
            begin < rows ? std::min<std::uint64_t>(kOfWarp, rows - begin) : 0);
        if (counts > 0) {
            access(Opcode::kLoadGlobal, kCounts, task_.counts + begin * kWord, counts);
        }
        compute(kScanInstructions, kCounts, kTotal, kLocal, counts);
        // Buffers alternate, so that a barrier is enough.
        const Address buffer = first_ / kOfWarp / warps_ % 2 * kMostWarps * kWord;
        access(Opcode::kStoreShared, kTotal, buffer + Address{warp_} * kWord, 1);
        emit(Opcode::kBarrier);
        access(Opcode::kLoadShared, kTotals, buffer, warps_);
        compute(kAddInstructions, kTotals, kSums, kFinish, counts);
        if (counts > 0) {
            access(Opcode::kStoreGlobal, kSums, task_.c_begin + (begin + 1) * kWord, counts);
        }
        first_ += std::uint64_t{warps_} * kOfWarp;
    }

    const CsrProductTask& task_;
    const std::uint32_t warp_, warps_;
    std::uint64_t first_ = 0;  ///< row of warp 0
};

CsrScanKernel::CsrScanKernel(const CsrProductTask& task) : task_(task) {
    info_.name = task.name + ".scan";
    info_.ctas = 1;
    info_.warps_per_cta = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        kMostWarps, ceil_div<std::uint64_t>(task.a->rows(), std::uint64_t{kOfWarp})));
    info_.registers_per_thread = kRegistersPerThread;
    info_.scoreboard_registers = kNamed;
    info_.shared_memory_bytes = 2 * kMostWarps * kWord;
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> CsrScanKernel::program(CtaId /*cta*/, std::uint32_t warp) const {
    return std::make_unique<Program>(*this, warp);
}

}  // namespace tessera
