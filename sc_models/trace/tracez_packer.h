// Packing of instruction lines into a .tracez; tracez_source.cpp unpacks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sc_models/trace/trace_header.h"

namespace tessera {

/// Makes the bytes of one .tracez, in order: each call appends to `out` those that are ready.
/// Frames have kFrameInstructions lines and no dictionary. The index stays in memory until
/// finish(): 16 bytes a warp and 4 a frame.
class TracezPacker {
public:
    static constexpr std::uint32_t kFrameInstructions = 2048;

    /// Appends the header.
    TracezPacker(const TraceHeader& header, std::string& out);
    ~TracezPacker();
    TracezPacker(const TracezPacker&) = delete;
    TracezPacker& operator=(const TracezPacker&) = delete;

    void begin_thread_block(const Dim3& index, std::uint32_t warps);
    /// Appends the next warp of the block; each of its `instructions` lines ends in LF.
    void add_warp(std::string_view lines, std::uint32_t instructions, std::string& out);
    /// Appends the index. Nothing can be added afterwards.
    void finish(std::string& out);

private:
    struct Zstd;

    std::unique_ptr<Zstd> zstd_;
    std::string index_;
    std::uint32_t blocks_ = 0;
    std::uint64_t offset_ = 0;  ///< bytes made
};

}  // namespace tessera
