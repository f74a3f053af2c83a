// Generator of a tensor-core matrix product as a SASS-level instruction trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sc_models/trace/trace_writer.h"

namespace tessera {

/// C = A * B on Volta's HMMA.884, without shared memory, as one kernel: CTAs of 128x64 outputs and
/// eight warps of 32x32; for every 16 of K a warp loads two 16x16 fragments of A and two of B
/// (eight LDG.E.128) and executes 64 HMMAs. A is M x K, row-major, and B is K x N, column-major, in
/// FP16; C is M x N, row-major, in FP32.
class SassGemm {
public:
    static constexpr std::uint32_t kTileM = 128;
    static constexpr std::uint32_t kTileN = 64;
    static constexpr std::uint32_t kTileK = 16;
    static constexpr Address kA = 0x7f2010000000;
    static constexpr Address kB = 0x7f2020000000;
    static constexpr Address kC = 0x7f2030000000;

    /// Throws ConfigError unless M, N and K are multiples of the tile and every matrix fits its 256
    /// MiB.
    SassGemm(std::uint32_t m, std::uint32_t n, std::uint32_t k);

    /// Sets the version of the tracer whose lines are written; 5 at first.
    void set_tracer(std::uint32_t version) { tracer_ = version; }
    [[nodiscard]] TraceHeader header() const;
    /// Instructions of each warp.
    [[nodiscard]] std::uint64_t instructions_per_warp() const;
    /// Writes the trace, CTAs along M first; compressed if the name ends in .xz. Returns false, and
    /// leaves no file, if `progress` stopped it.
    bool write(const std::filesystem::path& path, const TraceProgress& progress = {}) const;

private:
    void append(const char* mnemonic, const std::vector<std::uint8_t>& destination,
                const std::vector<std::uint8_t>& sources, std::uint16_t memory_width = 0);
    void append_prologue();
    void append_k_step();
    void append_epilogue();
    void write_warp(TraceWriter& out, std::uint32_t cta_m, std::uint32_t cta_n,
                    std::uint32_t warp) const;

    std::uint32_t m_, n_, k_;
    std::uint32_t tracer_ = 5;
    std::vector<SassMnemonic> mnemonics_;
    std::vector<StaticInstruction> program_;  ///< in the order of the PCs
    std::size_t loop_begin_ = 0;
    std::size_t loop_end_ = 0;
};

}  // namespace tessera
