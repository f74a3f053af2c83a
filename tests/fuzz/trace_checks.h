// Invariants of everything that the trace reader accepts.
#pragma once

#include <memory>
#include <string>

#include "sc_models/trace/instruction_line.h"
#include "sc_models/trace/trace_file.h"
#include "tests/fuzz/fuzz_check.h"

namespace tessera::fuzz {

/// Every instruction that was read can be written and read again.
inline void check_instruction(const TraceInstruction& instruction, const TraceHeader& header) {
    LaneAddresses addresses;
    instruction.lane_addresses(addresses);
    for (const Address address : addresses) require(address < kTraceAddressLimit, "address");
    if (instruction.lanes != nullptr) {
        require(instruction.lanes->mask == instruction.active_mask, "mask of lanes");
        require(instruction.what->memory_width > 0, "lanes without memory");
    }
    std::string text;
    append_instruction_line(text, *instruction.what, instruction.active_mask, addresses, header);
    text.pop_back();
    const InstructionLine back = parse_instruction_line(text, header);
    StaticInstruction what = back.what;
    what.mnemonic = instruction.what->mnemonic;
    require(what == *instruction.what && back.mnemonic == what.mnemonic->text, text);
    require(back.active_mask == instruction.active_mask && back.addresses == addresses, text);
}

inline void read_kernel(std::unique_ptr<ByteSource> source) {
    const bool packed = source->thread_blocks().has_value();
    TraceFile file(std::move(source), "f.traceg");
    ThreadBlock block;
    while (file.next_thread_block(block)) {
        require(block.warps() == file.header().warps_per_cta(), "warps");
        for (std::uint32_t w = 0; w < block.warps(); ++w) {
            WarpTrace::Cursor cursor = block.warp(w).cursor();
            std::uint32_t count = 0;
            TraceInstruction instruction;
            if (packed && block.warp(w).instructions() == 0) {
                require(!cursor.next(instruction), "an empty warp");
                continue;
            }
            for (; cursor.next(instruction); ++count) {
                check_instruction(instruction, file.header());
            }
            require(count == block.warp(w).instructions() && count > 0, "instructions");
            require(instruction.what->op_class() == SassClass::kExit, "EXIT");
        }
    }
    require(file.thread_blocks_read() == file.thread_blocks(), "thread blocks");
    require(packed || file.thread_blocks() == file.header().grid.count(), "blocks of the grid");
}

}  // namespace tessera::fuzz
