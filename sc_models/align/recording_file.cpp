// Files of recordings: one text line a row, compressed with xz on request.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>

#include "sc_models/align/recording.h"
#include "sc_models/common/error.h"
#include "sc_models/common/partial_file.h"
#include "sc_models/trace/line_reader.h"
#include "sc_models/trace/xz_compressor.h"

namespace tessera {
namespace {

constexpr std::string_view kFirstWord = "tessera-transactions";
constexpr std::string_view kInstructionColumns =
    "kernel,cta,warp,index,sm,opcode,address,bytes,asked,done,order,answered,value_in,value_out";
constexpr std::string_view kTransactionColumns =
    "link,instruction,command,outcome,address,bytes,asked,done,order,answered,value_in,value_out";

std::string number(std::uint32_t value) {
    return value == kNoNumber ? "-" : std::to_string(value);
}

/// Writes lines, compressed or not.
class LineWriter {
public:
    explicit LineWriter(const std::string& file) : file_(file) {
        if (file.size() > 3 && file.compare(file.size() - 3, 3, ".xz") == 0) xz_.emplace();
    }
    void write(std::string_view text) {
        if (!xz_) return file_.write(text);
        xz_->compress(text, packed_);
        drain();
    }
    void commit() {
        if (xz_) {
            xz_->finish(packed_);
            drain();
        }
        file_.commit();
    }

private:
    void drain() {
        file_.write(packed_);
        packed_.clear();
    }
    PartialFile file_;
    std::optional<XzCompressor> xz_;
    std::string packed_;
};

/// The columns that both kinds of rows end with. Orders and responses are written as differences.
void append_exchange(const Exchange& e, std::uint64_t order_before, std::string& text) {
    auto out = std::back_inserter(text);
    fmt::format_to(out, " {:x} {} {} ", e.address, e.bytes, e.asked);
    if (e.done == kNever) {
        text += "- ";
    } else {
        fmt::format_to(out, "{} ", static_cast<std::int64_t>(e.done - e.asked));
    }
    fmt::format_to(out, "{} ", e.order - order_before);
    if (e.done_order == 0) {
        text += "-";
    } else {
        fmt::format_to(out, "{}", e.done_order - e.order);
    }
    fmt::format_to(out, " {:x} {:x}\n", e.value_in, e.value_out);
}

class RowReader {
public:
    RowReader(LineReader& lines, Recording& recording) : lines_(lines), recording_(recording) {}

    void read();

private:
    using Columns = std::vector<std::string_view>;

    static Columns split(std::string_view line, char by) {
        Columns fields;
        while (true) {
            const std::size_t end = line.find(by);
            fields.push_back(line.substr(0, end));
            if (end == std::string_view::npos) return fields;
            line.remove_prefix(end + 1);
        }
    }
    template <class Number>
    Number parse(std::string_view text, int base = 10) const {
        Number value{};
        const auto [rest, error] =
            std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (error != std::errc() || rest != text.data() + text.size()) {
            throw lines_.error(fmt::format("got '{}', expected a number", text));
        }
        return value;
    }
    std::uint32_t optional(std::string_view text) const {
        return text == "-" ? kNoNumber : parse<std::uint32_t>(text);
    }
    std::uint32_t below(std::string_view text, std::size_t limit, const char* what) const {
        const auto value = parse<std::uint32_t>(text);
        if (value >= limit) {
            throw lines_.error(fmt::format("got {} {}, expected one below {}", what, text, limit));
        }
        return value;
    }
    void set_columns(const Columns& line);
    void read_exchange(const Columns& fields, std::size_t at, Exchange& e);
    void read_instruction(const Columns& fields);
    void read_transaction(const Columns& fields);
    /// Throws if a row has too few fields.
    void require(const Columns& fields, std::size_t count) const {
        if (fields.size() >= count) return;
        throw lines_.error(fmt::format("got {} fields, expected {} or more", fields.size(), count));
    }

    LineReader& lines_;
    Recording& recording_;
    std::uint64_t order_ = 0;
};

/// Checks that the file has the columns of this version first; further ones may follow.
void RowReader::set_columns(const Columns& line) {
    require(line, 3);
    const std::string_view known = line[1] == "i" ? kInstructionColumns : kTransactionColumns;
    if (line[2].substr(0, known.size()) != known) {
        throw lines_.error(
            fmt::format("got columns '{}', expected them to begin with '{}'", line[2], known));
    }
}

void RowReader::read_exchange(const Columns& fields, std::size_t at, Exchange& e) {
    e.address = parse<std::uint64_t>(fields[at], 16);
    e.bytes = parse<std::uint32_t>(fields[at + 1]);
    e.asked = parse<std::uint64_t>(fields[at + 2]);
    if (fields[at + 3] != "-") {
        e.done = e.asked + static_cast<Cycle>(parse<std::int64_t>(fields[at + 3]));
    }
    e.order = order_ += parse<std::uint64_t>(fields[at + 4]);
    if (fields[at + 5] != "-") e.done_order = e.order + parse<std::uint64_t>(fields[at + 5]);
    e.value_in = parse<std::uint32_t>(fields[at + 6], 16);
    e.value_out = parse<std::uint32_t>(fields[at + 7], 16);
}

void RowReader::read_instruction(const Columns& fields) {
    constexpr std::size_t kFields = 15;
    require(fields, kFields);
    RecordedInstruction row;
    row.kernel = below(fields[1], recording_.kernels.size(), "kernel");
    row.cta = optional(fields[2]);
    row.warp = optional(fields[3]);
    row.index = parse<std::uint32_t>(fields[4]);
    row.sm = parse<std::uint32_t>(fields[5]);
    row.opcode = recording_.words.number(fields[6]);
    read_exchange(fields, 7, row);
    recording_.instructions.push_back(row);
}

void RowReader::read_transaction(const Columns& fields) {
    constexpr std::size_t kFields = 13;
    require(fields, kFields);
    RecordedTransaction row;
    row.link = below(fields[1], recording_.links.names().size(), "link");
    row.instruction = optional(fields[2]);
    row.command = recording_.words.number(fields[3]);
    row.outcome = recording_.words.number(fields[4]);
    read_exchange(fields, 5, row);
    recording_.transactions.push_back(row);
}

void RowReader::read() {
    std::string_view line = lines_.at_end() ? std::string_view() : lines_.next();
    Columns fields = split(line, ' ');
    if (fields[0] != kFirstWord || fields.size() != 2) {
        throw lines_.error(fmt::format("got '{}', expected the first line of a recording, '{} {}'",
                                       line.substr(0, 40), kFirstWord, kRecordingVersion));
    }
    if (parse<int>(fields[1]) != kRecordingVersion) {
        throw lines_.error(fmt::format("got version {}, expected {}, which this program reads",
                                       fields[1], kRecordingVersion));
    }
    while (!lines_.at_end()) {
        line = lines_.next();
        fields = split(line, ' ');
        const std::string_view rest = line.substr(std::min(line.size(), fields[0].size() + 1));
        if (fields[0] == "i") {
            read_instruction(fields);
        } else if (fields[0] == "t") {
            read_transaction(fields);
        } else if (fields[0] == "columns") {
            set_columns(fields);
        } else if (fields[0] == "kernel") {
            recording_.kernels.emplace_back(rest);
        } else if (fields[0] == "link") {
            (void)recording_.links.number(rest);
        } else if (fields[0] == "end") {
            recording_.complete = rest == "complete";
            if (!recording_.complete) recording_.end = rest;
            break;
        } else {
            recording_.header.emplace_back(fields[0], rest);
        }
    }
    if (fields[0] != "end" || !lines_.at_end()) {
        throw lines_.error("got the end of the file, expected it behind a line 'end'");
    }
    for (const RecordedTransaction& row : recording_.transactions) {
        if (row.instruction != kNoNumber && row.instruction >= recording_.instructions.size()) {
            throw lines_.error(fmt::format("a transaction names instruction {} of {}",
                                           row.instruction, recording_.instructions.size()));
        }
    }
}

}  // namespace

void write_recording(const Recording& recording, const std::string& file) {
    LineWriter out(file);
    std::string text = fmt::format("{} {}\n", kFirstWord, kRecordingVersion);
    for (const auto& [key, value] : recording.header) text += fmt::format("{} {}\n", key, value);
    text += fmt::format("columns i {}\ncolumns t {}\n", kInstructionColumns, kTransactionColumns);
    for (const std::string& name : recording.kernels) text += fmt::format("kernel {}\n", name);
    for (const std::string& name : recording.links.names()) text += fmt::format("link {}\n", name);
    const auto& instructions = recording.instructions;
    const auto& transactions = recording.transactions;
    std::uint64_t order = 0;
    constexpr std::size_t kChunk = 1 << 16;
    for (std::size_t i = 0, t = 0; i < instructions.size() || t < transactions.size();) {
        const bool takes_instruction =
            t == transactions.size() ||
            (i < instructions.size() && instructions[i].order < transactions[t].order);
        if (takes_instruction) {
            const RecordedInstruction& row = instructions[i++];
            text +=
                fmt::format("i {} {} {} {} {} {}", row.kernel, number(row.cta), number(row.warp),
                            row.index, row.sm, recording.words.name(row.opcode));
            append_exchange(row, order, text);
            order = row.order;
        } else {
            const RecordedTransaction& row = transactions[t++];
            text +=
                fmt::format("t {} {} {} {}", row.link, number(row.instruction),
                            recording.words.name(row.command), recording.words.name(row.outcome));
            append_exchange(row, order, text);
            order = row.order;
        }
        if (text.size() < kChunk) continue;
        out.write(text);
        text.clear();
    }
    out.write(text + fmt::format("end {}\n", recording.complete ? "complete" : recording.end));
    out.commit();
}

bool is_recording(const std::string& file) {
    try {
        std::array<char, kFirstWord.size()> begin{};
        return open_byte_source(file)->read(begin.data(), begin.size()) == begin.size() &&
               std::string_view(begin.data(), begin.size()) == kFirstWord;
    } catch (const ConfigError&) {
        return false;
    }
}

Recording read_recording(const std::string& file) {
    Recording recording;
    LineReader lines(open_byte_source(file), file);
    RowReader(lines, recording).read();
    return recording;
}

}  // namespace tessera
