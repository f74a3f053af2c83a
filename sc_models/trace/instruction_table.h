// Table of the distinct instructions, lane patterns and variants of one kernel.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/trace/instruction_line.h"
#include "sc_models/trace/intern_table.h"

namespace tessera {

/// A static instruction with its lanes, without the base address.
struct InstructionVariant {
    const StaticInstruction* what = nullptr;
    const LanePattern* lanes = nullptr;
    std::uint32_t active_mask = 0;

    [[nodiscard]] std::uint64_t hash() const;
    friend bool operator==(const InstructionVariant& a, const InstructionVariant& b) {
        return a.what == b.what && a.lanes == b.lanes && a.active_mask == b.active_mask;
    }
};

/// Grows while a kernel's trace is read, up to fixed limits; references to its entries stay valid.
/// Kernels whose addresses never repeat reach the limits: later instructions are then stored with
/// the warp that executes them.
class InstructionTable {
public:
    static constexpr std::size_t kMostInstructions = 1 << 18;
    static constexpr std::size_t kMostPatterns = 1 << 14;
    static constexpr std::size_t kMostVariants = 1 << 17;

    struct Entry {
        std::uint32_t instruction = 0;
        std::uint32_t pattern = LanePattern::kUnshared;   ///< of a line that accesses memory
        std::uint32_t variant = InternTable<int>::kFull;  ///< kFull: not shared
    };
    /// Sets the tensor-core instructions that enter() accepts; all of MmaShape at first.
    void set_rates(const MmaShapeSet& rates) { rates_ = rates; }
    /// Enters a line and computes its `lanes` (mask 0 if it accesses no memory). Throws ConfigError
    /// without a location for opcodes that do not exist or do not fit their columns, and for more
    /// than kMostInstructions different instructions.
    [[nodiscard]] Entry enter(const InstructionLine& line, LanePattern& lanes);

    [[nodiscard]] const InstructionVariant& variant(std::uint32_t i) const { return variants_[i]; }
    [[nodiscard]] const StaticInstruction& instruction(std::uint32_t i) const {
        return instructions_[i];
    }
    [[nodiscard]] const LanePattern& pattern(std::uint32_t i) const { return patterns_[i]; }
    [[nodiscard]] std::size_t instructions() const { return instructions_.size(); }
    [[nodiscard]] std::size_t patterns() const { return patterns_.size(); }
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    const SassMnemonic& mnemonic(std::string_view text);

    MmaShapeSet rates_ = MmaShapeSet().set();
    std::map<std::string, SassMnemonic, std::less<>> mnemonics_;
    InternTable<StaticInstruction> instructions_;
    InternTable<LanePattern> patterns_;
    InternTable<InstructionVariant, std::vector<InstructionVariant>> variants_;
};

}  // namespace tessera
