// What the instructions of one kernel have in common, each once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/trace/instruction_line.h"
#include "sc_models/trace/intern_table.h"

namespace tessera {

/// A static instruction together with its lanes: all but the base address.
struct InstructionVariant {
    const StaticInstruction* what = nullptr;
    const LanePattern* lanes = nullptr;
    std::uint32_t active_mask = 0;

    [[nodiscard]] std::uint64_t hash() const;
    friend bool operator==(const InstructionVariant& a, const InstructionVariant& b) {
        return a.what == b.what && a.lanes == b.lanes && a.active_mask == b.active_mask;
    }
};

/// Grows while a kernel's trace is read, up to fixed limits; what it hands out stays where it is.
/// Kernels whose addresses never repeat reach the limits: what comes later is then kept with the
/// warp that executes it.
class InstructionTable {
public:
    static constexpr std::size_t kMostInstructions = 1 << 18;
    static constexpr std::size_t kMostPatterns = 1 << 14;
    static constexpr std::size_t kMostVariants = 1 << 17;

    struct Entry {
        std::uint32_t instruction = 0;
        std::uint32_t pattern = LanePattern::kUnshared;   ///< of a line with lanes
        std::uint32_t variant = InternTable<int>::kFull;  ///< kFull: not shared
    };
    /// Enters a line and finds `lanes` of it (mask 0 if it accesses no memory). Throws ConfigError
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

    std::map<std::string, SassMnemonic, std::less<>> mnemonics_;
    InternTable<StaticInstruction> instructions_;
    InternTable<LanePattern> patterns_;
    InternTable<InstructionVariant, std::vector<InstructionVariant>> variants_;
};

}  // namespace tessera
