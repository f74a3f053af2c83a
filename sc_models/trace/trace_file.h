// Reader of the instruction trace of one kernel, one CTA at a time.
#pragma once

#include <tsl/robin_set.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/trace/line_memo.h"
#include "sc_models/trace/line_reader.h"
#include "sc_models/trace/thread_block.h"
#include "sc_models/trace/trace_header.h"

namespace tessera {

/// A kernel-N.traceg, kernel-N.traceg.xz or kernel-N.tracez in Accel-Sim's format. Memory does not
/// grow with the trace: the file is read through a buffer, tables are bounded, and CTAs belong to
/// the caller.
///
/// All errors are ConfigErrors of one line, "file:line: got, expected".
class TraceFile {
public:
    /// Reads the header.
    explicit TraceFile(const std::string& path);
    /// Reads from any source; `name` stands for it in errors.
    TraceFile(std::unique_ptr<ByteSource> source, std::string name);

    /// Sets the tensor-core instructions that the machine has a rate for; all at first.
    void set_rates(const MmaShapeSet& rates) { table_->set_rates(rates); }

    [[nodiscard]] const TraceHeader& header() const { return header_; }
    /// CTAs of the trace: those of the grid, or as many of them as a .tracez has.
    [[nodiscard]] std::uint64_t thread_blocks() const { return thread_blocks_; }
    /// Reads the next CTA in the order of the file, which is the order of issue. Returns false
    /// after all of them have been read and the end of the file checked.
    [[nodiscard]] bool next_thread_block(ThreadBlock& out);
    [[nodiscard]] std::uint64_t thread_blocks_read() const { return blocks_read_; }
    [[nodiscard]] const InstructionTable& table() const { return *table_; }

private:
    /// The warps of the CTA that is being read.
    using Spans = std::vector<ThreadBlock::Span>;

    void read_thread_block(ThreadBlock& out);
    [[nodiscard]] Dim3 read_block_index();
    void note_block(std::uint64_t number);
    void check_warps_complete(const Dim3& index, const Spans& warps) const;
    void read_warp(const Dim3& index, std::string_view warp_line, Spans& warps);
    void read_instruction(std::uint32_t warp, std::uint32_t number, std::uint32_t declared);
    void parse_instruction(std::string_view text);
    [[nodiscard]] bool ends_with_exit() const;
    /// Removes the CTA columns of old tracers from `line`.
    [[nodiscard]] std::string_view without_cta_columns(std::string_view line) const;
    /// Returns the value of "key = value", or throws.
    [[nodiscard]] std::uint64_t assignment(std::string_view line, std::string_view key,
                                           std::uint64_t max, std::string_view what) const;

    LineReader lines_;
    TraceHeader header_;
    std::shared_ptr<InstructionTable> table_ = std::make_shared<InstructionTable>();
    WarpEncoder encoder_;
    LineMemo memo_;
    LanePattern lanes_;               ///< of the last line parsed
    std::uint32_t last_variant_ = 0;  ///< of the last instruction; if kFull, the next member counts
    std::uint32_t last_instruction_ = 0;
    std::string cta_columns_;  ///< start of every line of the current warp (old tracers)
    Dim3 current_block_;
    std::uint32_t current_warp_ = 0;
    bool packed_;  ///< a .tracez, whose warps may be empty
    std::uint64_t thread_blocks_;
    tsl::robin_set<std::uint64_t> packed_blocks_;  ///< read, of a .tracez
    std::uint64_t blocks_read_ = 0;
    std::uint64_t index_fingerprint_ = 0;  ///< 0 again after every CTA of the grid has occurred
};

}  // namespace tessera
