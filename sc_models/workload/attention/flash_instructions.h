// Instructions of a block of keys that are the same in every CTA of a fused attention kernel.
#pragma once

#include <vector>

#include "sc_models/workload/attention/flash_kernel.h"

namespace tessera {

/// Appends instructions of a FlashKernel to a list.
class FlashEmitter {
public:
    FlashEmitter(const FlashKernel& kernel, std::vector<WarpInstruction>& out)
        : kernel_(kernel), registers_(kernel.registers()), out_(out) {}

    /// Scores of a block: queries of the warp times keys.
    void scores(std::uint32_t warp);
    /// Softmax of a block and its part of the output.
    void update(bool first);
    /// `count` instructions of kind `operation` that apply a function to the tile: `registers`
    /// registers from src on are read, dst is written.
    struct Step {
        Operation operation = Operation::kFp32;
        std::uint32_t count = 1;
        std::uint8_t dst = kNoRegister, src = kNoRegister;
        std::uint32_t registers = 1;
    };
    FunctionCall& apply(const Step& step, FlashFunction::What what, std::uint32_t strip,
                        std::uint32_t tile = 0);
    /// The same without a function.
    WarpInstruction& work(const Step& step);
    void scale_output(std::uint32_t strip);

    /// Elements of a thread in a 16x16 tile.
    static constexpr std::uint32_t kOfThread = 8;

private:
    WarpInstruction& emit(Opcode opcode) { return out_.emplace_back(opcode); }
    void load(std::uint32_t address, std::uint8_t dst, bool transposed);
    void multiply(std::uint8_t sums, std::uint8_t a, std::uint8_t b);
    void maxima(std::uint32_t strip, bool first);
    void weights();
    void output();

    const FlashKernel& kernel_;
    const FlashRegisters& registers_;
    std::vector<WarpInstruction>& out_;
};

}  // namespace tessera
