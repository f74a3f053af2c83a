// Parser and formatter of one instruction line of a trace.
#pragma once

#include <string>
#include <string_view>

#include "sc_models/trace/trace_instruction.h"

namespace tessera {

/// Address formats of a line.
enum class AddressMode : std::uint8_t {
    kListAll = 0,     ///< 0xHEX for every active lane
    kBaseStride = 1,  ///< 0xBASE STRIDE; active lanes are contiguous
    kBaseDelta = 2,   ///< 0xBASE, then the difference to the active lane before
};

/// One instruction line with all addresses decoded. The caller sets `what.mnemonic`.
struct InstructionLine {
    StaticInstruction what;
    std::string_view mnemonic;  ///< view into the parsed text
    std::uint32_t active_mask = 0;
    LaneAddresses addresses{};  ///< of active lanes; 0 in the others
    /// Offset of the only absolute address, behind its 0x; 0 if there is none or several.
    std::size_t base_offset = 0;

    /// Whether the line has addresses of at least one lane.
    [[nodiscard]] bool accesses_memory() const { return what.memory_width > 0 && active_mask != 0; }
};

/// Parses a line without its end and without the CTA columns of old tracers. Throws ConfigError
/// without a location. Opcodes are not checked: the caller checks that the opcode exists and fits
/// the memory columns.
[[nodiscard]] InstructionLine parse_instruction_line(std::string_view text,
                                                     const TraceHeader& header);

/// Throws ConfigError, without a location, if the mnemonic does not fit the memory columns or its
/// accesses end beyond kTraceAddressLimit.
void check_memory_columns(const InstructionLine& line, const SassMnemonic& mnemonic);

/// Throws ConfigError, without a location, for a tensor-core instruction that is not in `rates`.
void check_product(const SassMnemonic& mnemonic, const MmaShapeSet& rates);

/// Throws ConfigError, without a location, if LDL or STL has an address outside local memory.
void check_local_addresses(const InstructionLine& line, const SassMnemonic& mnemonic,
                           const TraceHeader& header);

/// Appends the line with its newline, in the shortest address mode that can express the addresses.
void append_instruction_line(std::string& out, const StaticInstruction& what,
                             std::uint32_t active_mask, const LaneAddresses& addresses,
                             const TraceHeader& header);

}  // namespace tessera
