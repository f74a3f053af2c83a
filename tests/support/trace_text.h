// Small instruction traces as text, to be damaged by tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/trace/trace_file.h"

namespace tessera::test {

/// The header lines of a kernel of one CTA; each line ends in '\n'.
inline std::string trace_header_text(std::string_view block = "(32,1,1)",
                                     std::string_view grid = "(1,1,1)") {
    return "-kernel name = k\n-kernel id = 1\n-grid dim = " + std::string(grid) +
           "\n-block dim = " + std::string(block) +
           "\n-shmem = 0\n-nregs = 64\n-binary version = 70\n-cuda stream id = 0\n"
           "-shmem base_addr = 0x00007f0000000000\n"
           "-local mem base_addr = 0x00007f0010000000\n-nvbit version = 1.5.5\n"
           "-accelsim tracer version = 5\n-enable lineinfo = 0\n";
}
inline constexpr int kTraceHeaderLines = 13;
inline constexpr std::string_view kTraceFormatLine = "#traces format = x\n";
inline constexpr std::string_view kExitLine = "0010 ffffffff 0 EXIT 0 0 0\n";

/// A warp of the given lines.
inline std::string trace_warp_text(int warp, const std::vector<std::string>& lines) {
    std::string text =
        "warp = " + std::to_string(warp) + "\ninsts = " + std::to_string(lines.size()) + "\n";
    for (const std::string& line : lines) text += line + "\n";
    return text;
}
inline std::string trace_block_text(std::string_view index, const std::string& warps) {
    return "#BEGIN_TB\nthread block = " + std::string(index) + "\n" + warps + "#END_TB\n";
}
/// A kernel of one warp that executes the given lines and EXIT.
inline std::string one_warp_trace(std::vector<std::string> lines) {
    lines.emplace_back(kExitLine.substr(0, kExitLine.size() - 1));
    return trace_header_text() + std::string(kTraceFormatLine) +
           trace_block_text("0,0,0", trace_warp_text(0, lines));
}

inline TraceFile trace_of_text(std::string text, std::string name = "k.traceg") {
    return {memory_byte_source(std::move(text)), std::move(name)};
}

/// Everything one executed instruction says, taken out of the packed form.
struct Executed {
    StaticInstruction what;
    std::string mnemonic;
    std::uint32_t active_mask = 0;
    std::uint32_t pattern_mask = 0;
    std::uint32_t pattern_index = LanePattern::kUnshared;
    LaneAddresses addresses{};

    friend bool operator==(const Executed& a, const Executed& b) {
        StaticInstruction what_a = a.what;
        what_a.mnemonic = b.what.mnemonic;  // of another kernel's table; compared as text
        return what_a == b.what && a.mnemonic == b.mnemonic && a.active_mask == b.active_mask &&
               a.pattern_mask == b.pattern_mask && a.addresses == b.addresses;
    }
};

inline std::vector<Executed> executed(const WarpTrace& warp) {
    std::vector<Executed> all;
    WarpTrace::Cursor cursor = warp.cursor();
    for (TraceInstruction i; cursor.next(i);) {
        Executed& e = all.emplace_back();
        e.what = *i.what;
        e.mnemonic = i.what->mnemonic->text;
        e.active_mask = i.active_mask;
        i.lane_addresses(e.addresses);
        if (i.lanes == nullptr) continue;
        e.pattern_mask = i.lanes->mask;
        e.pattern_index = i.lanes->index;
    }
    return all;
}

/// All instructions of a kernel: CTAs in the order of the file, warps by number.
inline std::vector<Executed> executed(TraceFile& file) {
    std::vector<Executed> all;
    ThreadBlock block;
    while (file.next_thread_block(block)) {
        for (std::uint32_t w = 0; w < block.warps(); ++w) {
            for (Executed& e : executed(block.warp(w))) all.push_back(std::move(e));
        }
    }
    return all;
}

}  // namespace tessera::test
