// Table of the accumulation buffer's cycles per k-set, by popcounts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

/// Mean cycles of one 32x32x1 k-set for every pair of popcounts, in a long stream of k-sets with
/// these popcounts and random positions, measured with the collector (the same on every machine). A
/// pair is measured on first use: all together take a third of a second.
class AccumulationMemo {
public:
    AccumulationMemo(const AccumulationBufferConfig& config, std::uint32_t initiation_cycles);

    /// Returns the cycles of a k-set with `a` rows and `b` columns set (0..32 each).
    [[nodiscard]] float cycles(std::uint32_t a, std::uint32_t b) {
        // Threads that measure a pair at the same time obtain the same value.
        std::atomic<float>& known = cycles_[a * kCounts + b];
        float cycles = known.load(std::memory_order_relaxed);
        if (cycles == kUnknown) {
            cycles = measure(a, b);
            known.store(cycles, std::memory_order_relaxed);
        }
        return cycles;
    }

    /// Returns the memo of these settings, created on first use and kept.
    [[nodiscard]] static AccumulationMemo& shared(const AccumulationBufferConfig& config,
                                                  std::uint32_t initiation_cycles);

private:
    static constexpr std::uint32_t kCounts = kTileSize + 1;
    static constexpr std::uint32_t kPairsOfSeed = 8;
    static constexpr float kUnknown = -1;

    [[nodiscard]] float measure(std::uint32_t a, std::uint32_t b) const;

    AccumulationBufferConfig config_;
    std::uint32_t initiation_cycles_;
    /// One random sequence covers all pairs in order; these are its states before each group of
    /// kPairsOfSeed pairs.
    std::vector<std::mt19937> seeds_;
    std::array<std::atomic<float>, std::size_t{kCounts} * kCounts> cycles_{};
};

}  // namespace tessera
