#include "sc_models/trace/trace_file.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/trace/line_fields.h"

namespace tessera {
namespace {

constexpr std::string_view kBegin = "#BEGIN_TB";
constexpr std::string_view kEnd = "#END_TB";
constexpr std::string_view kThreadBlock = "thread block";
/// Start of the lines of a block's cluster, which no machine here has.
constexpr std::string_view kCluster = "cluster ";

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

/// Whether the line frames instructions; such a line is never an instruction.
bool is_frame(std::string_view line) {
    return starts_with(line, "#") || starts_with(line, "warp") || starts_with(line, "insts") ||
           starts_with(line, kThreadBlock);
}

/// Limits the bases of a LDL or STL line to those that check_local_addresses accepts.
void keep_in_local_memory(LanePattern& lanes, const InstructionLine& line,
                          const TraceHeader& header) {
    if (lanes.mask == 0) return;
    const bool window = header.in_local_window(line.addresses[first_lane(lanes.mask)]);
    const Address first = window ? header.local_base : 0;
    lanes.lowest_base += first;
    lanes.highest_base = first + kTraceWindowBytes - (kTraceAddressLimit - lanes.highest_base);
}

}  // namespace

TraceFile::TraceFile(const std::string& path) : TraceFile(open_byte_source(path), path) {}

TraceFile::TraceFile(std::unique_ptr<ByteSource> source, std::string name)
    : lines_(std::move(source), std::move(name)),
      header_(read_trace_header(lines_)),
      encoder_(*table_),
      packed_(lines_.source().thread_blocks().has_value()),
      thread_blocks_(lines_.source().thread_blocks().value_or(header_.grid.count())) {
    if (packed_ && !header_.is_tracer6()) {
        throw lines_.error(
            fmt::format("got tracer version {}, expected 6 in a .tracez", header_.tracer_version));
    }
    if (thread_blocks_ > header_.grid.count()) {
        throw lines_.error(fmt::format("got {} thread blocks, expected at most the {} of the grid",
                                       thread_blocks_, header_.grid.count()));
    }
}

bool TraceFile::next_thread_block(ThreadBlock& out) {
    const std::uint64_t expected = thread_blocks_;
    if (blocks_read_ == expected) return false;
    const std::string_view line = lines_.next_not_blank();
    if (line.empty()) {
        throw trace_error(lines_.name(), lines_.line(),
                          fmt::format("the file ends after {} thread blocks, expected the {} of "
                                      "the grid",
                                      blocks_read_, expected));
    }
    if (trimmed(line) != kBegin) throw lines_.error(unexpected(line, kBegin).what());
    read_thread_block(out);
    ++blocks_read_;
    if (blocks_read_ < expected) return true;

    const std::string_view rest = lines_.next_not_blank();
    if (trimmed(rest) == kBegin) {
        throw lines_.error(
            fmt::format("another thread block, expected only the {} of the grid", expected));
    }
    if (!rest.empty()) throw lines_.error(unexpected(rest, "the end of the file").what());
    if (!packed_ && index_fingerprint_ != 0) {
        throw lines_.error("a thread block occurs twice, expected each of the grid once");
    }
    return true;
}

void TraceFile::read_thread_block(ThreadBlock& out) {
    encoder_.clear();
    const Dim3 index = read_block_index();
    Spans warps(header_.warps_per_cta());
    for (;;) {
        const std::string_view line = lines_.next_not_blank();
        if (header_.is_tracer6() && starts_with(line, kCluster)) continue;
        if (line.empty()) {
            throw lines_.error(fmt::format("the file ends in a thread block, expected {}", kEnd));
        }
        if (trimmed(line) == kEnd) break;
        read_warp(index, line, warps);
    }
    check_warps_complete(index, warps);
    out.assign(index, table_, encoder_, warps);
}

Dim3 TraceFile::read_block_index() {
    const std::string_view line = lines_.next_not_blank();
    const std::string what = fmt::format("'thread block = x,y,z' within the grid of ({},{},{})",
                                         header_.grid.x, header_.grid.y, header_.grid.z);
    if (line.empty()) {
        throw lines_.error(fmt::format("the file ends in a thread block, expected {}", what));
    }
    const std::size_t equals = line.find('=');
    if (!starts_with(line, kThreadBlock) || equals == std::string_view::npos ||
        trimmed(line.substr(0, equals)) != kThreadBlock) {
        throw lines_.error(unexpected(line, what).what());
    }
    const Dim3& grid = header_.grid;
    Dim3 index;
    try {
        index = parse_dim3(trimmed(line.substr(equals + 1)), {grid.x - 1, grid.y - 1, grid.z - 1},
                           what);
    } catch (const ConfigError& error) {
        throw lines_.error(error.what());
    }
    const std::uint64_t number =
        index.x + std::uint64_t{grid.x} * (index.y + std::uint64_t{grid.y} * index.z);
    note_block(number);
    return index;
}

/// Notes that the block of this number of the grid has been read.
void TraceFile::note_block(std::uint64_t number) {
    if (!packed_) {
        index_fingerprint_ += mix_hash(0, number) - mix_hash(0, blocks_read_);
    } else if (!packed_blocks_.insert(number).second) {
        throw lines_.error("the thread block occurs twice, expected each of the grid at most once");
    }
}

void TraceFile::check_warps_complete(const Dim3& index, const Spans& warps) const {
    for (std::size_t w = 0; w < warps.size(); ++w) {
        if (warps[w].present) continue;
        throw lines_.error(
            fmt::format("thread block {},{},{} ends without warp {}, expected warps 0 to {}",
                        index.x, index.y, index.z, w, warps.size() - 1));
    }
}

std::uint64_t TraceFile::assignment(std::string_view line, std::string_view key, std::uint64_t max,
                                    std::string_view what) const {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || trimmed(line.substr(0, equals)) != key) {
        throw lines_.error(unexpected(line, what).what());
    }
    try {
        return parse_decimal(trimmed(line.substr(equals + 1)), max, what);
    } catch (const ConfigError& error) {
        throw lines_.error(error.what());
    }
}

void TraceFile::read_warp(const Dim3& index, std::string_view warp_line, Spans& warps) {
    if (!is_frame(warp_line)) {
        throw lines_.error(
            fmt::format("got {}, expected 'warp = W' or {} (more instructions than "
                        "declared?)",
                        in_quotes(warp_line), kEnd));
    }
    const std::string expected =
        fmt::format("'warp = W' with W from 0 to {}, or {}", warps.size() - 1, kEnd);
    const auto warp =
        static_cast<std::uint32_t>(assignment(warp_line, "warp", warps.size() - 1, expected));
    ThreadBlock::Span& span = warps[warp];
    if (span.present) {
        throw lines_.error(fmt::format("warp {} occurs twice in the thread block", warp));
    }
    const std::string_view line = lines_.next_not_blank();
    if (line.empty()) throw lines_.error("the file ends in a warp, expected 'insts = COUNT'");
    const auto count = static_cast<std::uint32_t>(
        assignment(line, "insts", std::numeric_limits<std::uint32_t>::max(),
                   "'insts = COUNT' with a decimal number of instructions"));
    span.present = true;
    if (count == 0 && packed_) return;
    if (count == 0) {
        throw lines_.error(fmt::format("warp {} has no instructions, expected at least one", warp));
    }
    current_block_ = index;
    current_warp_ = warp;
    if (header_.cta_columns()) {
        cta_columns_ = fmt::format("{} {} {} {} ", index.x, index.y, index.z, warp);
    }
    span.begin = encoder_.size();
    encoder_.begin_warp();
    for (std::uint32_t i = 0; i < count; ++i) read_instruction(warp, i, count);
    span.size = encoder_.size() - span.begin;
    span.instructions = count;
    if (!ends_with_exit()) {
        throw lines_.error(fmt::format("warp {} ends with this instruction, expected EXIT", warp));
    }
}

bool TraceFile::ends_with_exit() const {
    const StaticInstruction& last = last_variant_ == InternTable<int>::kFull
                                        ? table_->instruction(last_instruction_)
                                        : *table_->variant(last_variant_).what;
    return last.op_class() == SassClass::kExit;
}

void TraceFile::read_instruction(std::uint32_t warp, std::uint32_t number, std::uint32_t declared) {
    for (std::size_t blank = 0;;) {
        std::string_view text = lines_.ahead();
        const std::size_t columns = cta_columns_.size();
        LineMemo::Match match;
        if (starts_with(text, cta_columns_) && memo_.match(text.substr(columns), match)) {
            lines_.take_line(columns + match.bytes);
            if (match.has_base) {
                encoder_.append(match.variant, match.base);
            } else {
                encoder_.append(match.variant);
            }
            last_variant_ = match.variant;
            return;
        }
        if (lines_.at_end()) {
            throw lines_.error(
                fmt::format("the file ends after {} instructions of warp {}, "
                            "expected {}",
                            number, warp, declared));
        }
        text = lines_.next();
        if (trimmed(text).empty()) {
            lines_.check_blank_lines(++blank);
            continue;
        }
        if (is_frame(text)) {
            throw lines_.error(
                fmt::format("got {} after {} instructions of warp {}, expected the "
                            "declared {}",
                            in_quotes(text), number, warp, declared));
        }
        try {
            parse_instruction(text);
        } catch (const ConfigError& error) {
            throw lines_.error(error.what());
        }
        return;
    }
}

void TraceFile::parse_instruction(std::string_view text) {
    if (header_.cta_columns()) text = without_cta_columns(text);
    const InstructionLine line = parse_instruction_line(text, header_);
    const InstructionTable::Entry entry = encoder_.append(line, lanes_);
    last_variant_ = entry.variant;
    last_instruction_ = entry.instruction;
    const StaticInstruction& what = table_->instruction(entry.instruction);
    check_local_addresses(line, *what.mnemonic, header_);
    const bool several_addresses = lanes_.mask != 0 && line.base_offset == 0;
    if (entry.variant == InternTable<int>::kFull || several_addresses) return;
    // The reader keeps the line's end directly behind the line.
    LanePattern lanes = lanes_;
    if (what.space() == MemorySpace::kLocal) keep_in_local_memory(lanes, line, header_);
    memo_.remember({text.data(), text.size() + lines_.end_bytes()}, line.base_offset, lanes,
                   entry.variant);
}

std::string_view TraceFile::without_cta_columns(std::string_view line) const {
    LineFields fields(line);
    const std::uint32_t expected[] = {current_block_.x, current_block_.y, current_block_.z,
                                      current_warp_};
    for (const std::uint32_t value : expected) {
        const std::string what = fmt::format("{} in the columns of CTA and warp", value);
        const std::string_view field = fields.next(what);
        if (parse_decimal(field, std::numeric_limits<std::uint64_t>::max(), what) != value) {
            throw unexpected(field, what);
        }
    }
    return line.substr(fields.offset());
}

}  // namespace tessera
