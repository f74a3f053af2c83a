#include "sc_models/align/trace_aligner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "sc_models/align/sequence_match.h"
#include "sc_models/trace/trace_command_list.h"
#include "sc_models/trace/trace_file.h"

namespace tessera {
namespace {

constexpr std::size_t kTracedBefore = 4;

/// An instruction of a warp as it is compared.
struct TracedInstruction {
    std::uint32_t pc = 0, mask = 0;
    std::string operation;  ///< mnemonic and registers
    std::vector<Address> addresses;

    friend bool operator==(const TracedInstruction& a, const TracedInstruction& b) {
        return a.pc == b.pc && a.mask == b.mask && a.operation == b.operation &&
               a.addresses == b.addresses;
    }
};

TracedInstruction traced(const TraceInstruction& from) {
    const StaticInstruction& what = *from.what;
    TracedInstruction i;
    i.pc = what.pc;
    i.mask = from.active_mask;
    i.operation = what.mnemonic->text;
    if (what.destinations > 0) i.operation += fmt::format(" R{}", what.destination);
    for (std::uint8_t s = 0; s < what.sources; ++s) {
        i.operation += fmt::format("{}R{}", s == 0 ? " <- " : ", ", what.source[s]);
    }
    if (from.lanes == nullptr) return i;
    LaneAddresses addresses{};
    from.lane_addresses(addresses);
    for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
        if ((from.lanes->mask >> lane & 1U) != 0) i.addresses.push_back(addresses[lane]);
    }
    return i;
}

std::string text_of(const TracedInstruction& i) {
    std::string text = fmt::format("{:04x} {} mask {:08x}", i.pc, i.operation, i.mask);
    if (!i.addresses.empty()) {
        text += fmt::format(" {:#x} to {:#x}",
                            *std::min_element(i.addresses.begin(), i.addresses.end()),
                            *std::max_element(i.addresses.begin(), i.addresses.end()));
    }
    return text;
}

std::string difference_of(const TracedInstruction& a, const TracedInstruction& b) {
    if (a.pc != b.pc) return "program counter";
    if (a.operation != b.operation) return "opcode or registers";
    if (a.mask != b.mask) return "active lanes";
    const auto [in_a, in_b] = std::mismatch(a.addresses.begin(), a.addresses.end(),
                                            b.addresses.begin(), b.addresses.end());
    if (in_a == a.addresses.end() || in_b == b.addresses.end()) return "lanes with addresses";
    return fmt::format("address {} of the active lanes: A {:#x}, B {:#x}",
                       in_a - a.addresses.begin(), *in_a, *in_b);
}

std::string text_of(const Dim3& index) {
    return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

using Warp = std::vector<TracedInstruction>;

Warp read_warp(const ThreadBlock& block, std::uint32_t warp) {
    Warp instructions;
    if (warp >= block.warps()) return instructions;
    WarpTrace::Cursor cursor = block.warp(warp).cursor();
    for (TraceInstruction i; cursor.next(i);) instructions.push_back(traced(i));
    return instructions;
}

std::vector<std::string> kernel_files(const std::string& list) {
    std::vector<std::string> files;
    const TraceCommandList commands(list);
    for (const TraceCommand& command : commands.commands()) {
        if (command.kind == TraceCommand::Kind::kKernel) files.push_back(command.path);
    }
    return files;
}

class TraceAligner {
public:
    TraceAlignment run(const std::string& list_a, const std::string& list_b) {
        const std::vector<std::string> a = kernel_files(list_a);
        const std::vector<std::string> b = kernel_files(list_b);
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) align_kernel(i, a[i], b[i]);
        if (a.size() != b.size()) {
            note(fmt::format("number of kernels\n    A {}\n    B {}\n", a.size(), b.size()));
        }
        return std::move(result_);
    }

private:
    void note(const std::string& text) {
        if (result_.differences++ == 0) result_.first = "first difference: " + text;
    }
    void align_kernel(std::size_t number, const std::string& a, const std::string& b);
    void align_warp(const std::string& place, const Warp& a, const Warp& b);
    void note_instruction(const std::string& place, const Warp& a, const Warp& b, std::size_t i,
                          std::size_t j, const std::string& what);

    TraceAlignment result_;
};

void TraceAligner::align_kernel(std::size_t number, const std::string& a, const std::string& b) {
    TraceFile file_a(a);
    TraceFile file_b(b);
    const TraceHeader& head_a = file_a.header();
    const TraceHeader& head_b = file_b.header();
    const std::string kernel = fmt::format("kernel {} ({})", number, head_a.name);
    const auto header = [&](const char* what, const std::string& in_a, const std::string& in_b) {
        if (in_a != in_b) {
            note(fmt::format("{}\n  {}\n    A {}\n    B {}\n", what, kernel, in_a, in_b));
        }
    };
    header("kernel name", head_a.name, head_b.name);
    header("grid", text_of(head_a.grid), text_of(head_b.grid));
    header("threads of a CTA", text_of(head_a.block), text_of(head_b.block));
    ThreadBlock block_a;
    ThreadBlock block_b;
    while (true) {
        const bool more_a = file_a.next_thread_block(block_a);
        const bool more_b = file_b.next_thread_block(block_b);
        if (!more_a || !more_b) {
            if (more_a != more_b) {
                note(fmt::format("CTAs\n  {}\n    {} ends first\n", kernel, more_a ? "B" : "A"));
            }
            return;
        }
        if (!(block_a.index() == block_b.index())) {
            note(fmt::format("order of CTAs\n  {}\n    A {}\n    B {}\n", kernel,
                             text_of(block_a.index()), text_of(block_b.index())));
            return;
        }
        for (std::uint32_t w = 0; w < std::max(block_a.warps(), block_b.warps()); ++w) {
            align_warp(fmt::format("{}, CTA {}, warp {}", kernel, text_of(block_a.index()), w),
                       read_warp(block_a, w), read_warp(block_b, w));
        }
    }
}

void TraceAligner::note_instruction(const std::string& place, const Warp& a, const Warp& b,
                                    std::size_t i, std::size_t j, const std::string& what) {
    std::string text = fmt::format("{}\n  {}, instruction {}\n", what, place, std::min(i, j));
    const auto add = [&text](const char* side, const Warp& warp, std::size_t at) {
        text += fmt::format("  {}\n", side);
        for (std::size_t k = at - std::min(at, kTracedBefore); k < at; ++k) {
            text += fmt::format("      {}\n", text_of(warp[k]));
        }
        text += fmt::format("    > {}\n", at < warp.size() ? text_of(warp[at]) : "end of the warp");
    };
    add("A", a, i);
    add("B", b, j);
    note(text);
}

void TraceAligner::align_warp(const std::string& place, const Warp& a, const Warp& b) {
    const SequenceMatch pairs = match_sequences(
        a.size(), b.size(), [&](std::size_t i, std::size_t j) { return a[i] == b[j]; });
    result_.instructions += pairs.size();
    std::size_t i = 0;
    std::size_t j = 0;
    const auto unpaired = [&](std::size_t end_a, std::size_t end_b) {
        for (; i < end_a && j < end_b; ++i, ++j) {
            ++result_.instructions;
            note_instruction(place, a, b, i, j, difference_of(a[i], b[j]));
        }
        for (; i < end_a; ++i) note_instruction(place, a, b, i, j, "missing in B");
        for (; j < end_b; ++j) note_instruction(place, a, b, i, j, "missing in A");
    };
    for (const auto& [in_a, in_b] : pairs) {
        unpaired(in_a, in_b);
        i = in_a + 1;
        j = in_b + 1;
    }
    unpaired(a.size(), b.size());
}

}  // namespace

TraceAlignment align_traces(const std::string& list_a, const std::string& list_b) {
    return TraceAligner().run(list_a, list_b);
}

}  // namespace tessera
