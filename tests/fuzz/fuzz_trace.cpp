// libFuzzer harness: lists of kernels and kernels' traces, plain and .xz.
#include <cstdint>

#include "sc_models/trace/instruction_line.h"
#include "sc_models/trace/trace_command_list.h"
#include "sc_models/trace/trace_file.h"
#include "tests/fuzz/fuzz_check.h"

namespace tessera {
namespace {

using fuzz::require;

bool starts_with(const std::string& text, std::string_view start) {
    return text.compare(0, start.size(), start) == 0;
}

/// Every instruction that was read can be written and read again.
void check_instruction(const TraceInstruction& instruction, const TraceHeader& header) {
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

void read_kernel(std::unique_ptr<ByteSource> source) {
    TraceFile file(std::move(source), "f.traceg");
    ThreadBlock block;
    while (file.next_thread_block(block)) {
        require(block.warps() == file.header().warps_per_cta(), "warps");
        for (std::uint32_t w = 0; w < block.warps(); ++w) {
            WarpTrace::Cursor cursor = block.warp(w).cursor();
            std::uint32_t count = 0;
            TraceInstruction instruction;
            for (; cursor.next(instruction); ++count) {
                check_instruction(instruction, file.header());
            }
            require(count == block.warp(w).instructions() && count > 0, "instructions");
            require(instruction.what->op_class() == SassClass::kExit, "EXIT");
        }
    }
    require(file.thread_blocks_read() == file.header().grid.count(), "thread blocks");
}

}  // namespace
}  // namespace tessera

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        std::unique_ptr<ByteSource> source = memory_byte_source(text);
        if (starts_with(text, "Memcpy") || starts_with(text, "kernel")) {
            const TraceCommandList list(std::move(source), "f.g");
            require(!list.commands().empty(), "an empty list");
        } else if (starts_with(text,
                               "\xfd"
                               "7zXZ")) {
            read_kernel(xz_byte_source(std::move(source)));
        } else {
            read_kernel(std::move(source));
        }
    } catch (const ConfigError& error) {
        fuzz::require_located(error.what(), {"f.traceg:", "f.g:"});
    }
    return 0;
}
