#include "sc_models/trace/instruction_table.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"

namespace tessera {

std::uint64_t InstructionVariant::hash() const {
    const std::uint64_t h = mix_hash(active_mask, reinterpret_cast<std::uintptr_t>(what));
    return mix_hash(h, reinterpret_cast<std::uintptr_t>(lanes));
}

const SassMnemonic& InstructionTable::mnemonic(std::string_view text) {
    const auto known = mnemonics_.find(text);
    if (known != mnemonics_.end()) return known->second;
    SassMnemonic parsed = parse_sass_mnemonic(text);
    return mnemonics_.emplace(std::string(text), std::move(parsed)).first->second;
}

InstructionTable::Entry InstructionTable::enter(const InstructionLine& line, LanePattern& lanes) {
    StaticInstruction what = line.what;
    what.mnemonic = &mnemonic(line.mnemonic);
    check_memory_columns(line, *what.mnemonic);
    check_product(*what.mnemonic, rates_);
    Entry entry;
    entry.instruction = instructions_.find_or_add(what, kMostInstructions);
    if (entry.instruction == InternTable<StaticInstruction>::kFull) {
        throw ConfigError(
            fmt::format("more than {} different instructions in one kernel", kMostInstructions));
    }
    instructions_[entry.instruction].index = entry.instruction;
    InstructionVariant variant{&instructions_[entry.instruction], nullptr, line.active_mask};
    lanes.mask = 0;
    if (line.accesses_memory()) {
        lanes = LanePattern::make(line.active_mask, what.access_bytes(), line.addresses);
        entry.pattern = patterns_.find_or_add(lanes, kMostPatterns);
        if (entry.pattern == LanePattern::kUnshared) return entry;
        patterns_[entry.pattern].index = entry.pattern;
        variant.lanes = &patterns_[entry.pattern];
    }
    entry.variant = variants_.find_or_add(variant, kMostVariants);
    return entry;
}

std::size_t InstructionTable::memory_bytes() const {
    return mnemonics_.size() * (sizeof(SassMnemonic) + 96) + instructions_.memory_bytes() +
           patterns_.memory_bytes() + variants_.memory_bytes();
}

}  // namespace tessera
