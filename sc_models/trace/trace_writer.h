// Writer of instruction traces in Accel-Sim's format.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/partial_file.h"
#include "sc_models/trace/trace_command_list.h"
#include "sc_models/trace/trace_instruction.h"
#include "sc_models/trace/tracez_packer.h"
#include "sc_models/trace/xz_compressor.h"

namespace tessera {

/// Receives the number of CTAs written and their total; returning false stops the export.
using TraceProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// Writes the trace of one kernel, compressed if the name ends in .xz and packed if in .tracez,
/// which has tracer 6 and the warps of a block in order; the file appears on commit. Calls follow
/// the order of the file: every thread block of the grid, in it every warp, in it the instructions
/// up to EXIT. Throws CheckError for calls that would make a trace that TraceFile refuses,
/// ConfigError if the file cannot be written.
class TraceWriter {
public:
    TraceWriter(const std::filesystem::path& path, const TraceHeader& header);

    void begin_thread_block(const Dim3& index);
    void begin_warp(std::uint32_t warp);
    /// Writes an instruction; with a memory width, `addresses` holds those of the lanes in
    /// `active_mask`.
    void write(const StaticInstruction& what, std::uint32_t active_mask,
               const LaneAddresses& addresses);
    void write(const TraceInstruction& instruction);
    void end_thread_block();
    /// Moves the finished file into place.
    void commit();

private:
    void end_warp();
    void flush();

    TraceHeader header_;
    PartialFile file_;
    std::unique_ptr<XzCompressor> compressor_;  ///< null: plain text, or packed
    std::unique_ptr<TracezPacker> packer_;      ///< null: not packed
    std::string text_;                          ///< not yet in the file
    std::string warp_text_;
    std::string cta_columns_;  ///< old tracers' columns
    Dim3 block_;
    bool in_block_ = false;
    bool ends_with_exit_ = false;
    std::uint32_t warp_ = 0;
    std::uint32_t warp_instructions_ = 0;
    std::vector<bool> warps_written_;
    std::uint64_t blocks_ = 0;
};

/// Writes a kernelslist.g with the commands' paths unchanged (relative to the list's folder).
void write_trace_command_list(const std::filesystem::path& path,
                              const std::vector<TraceCommand>& commands);

}  // namespace tessera
