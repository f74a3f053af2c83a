// Cycles the accumulation buffer needs for a k-set, by its popcounts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

/// For every pair of popcounts the mean cycles of one 32x32x1 k-set in a long stream of k-sets with
/// these popcounts and random positions, measured with the collector (the same on every machine).
/// A pair is measured when it is first asked for: all together take a third of a second.
class AccumulationMemo {
public:
    AccumulationMemo(const AccumulationBufferConfig& config, std::uint32_t initiation_cycles);

    /// Cycles of a k-set with `a` rows and `b` columns set (0..32 each).
    [[nodiscard]] float cycles(std::uint32_t a, std::uint32_t b) {
        // Threads that measure a pair at the same time find the same.
        std::atomic<float>& known = cycles_[a * kCounts + b];
        float cycles = known.load(std::memory_order_relaxed);
        if (cycles == kUnknown) {
            cycles = measure(a, b);
            known.store(cycles, std::memory_order_relaxed);
        }
        return cycles;
    }

    /// The memo of these settings, made when it is first asked for and kept.
    [[nodiscard]] static AccumulationMemo& shared(const AccumulationBufferConfig& config,
                                                  std::uint32_t initiation_cycles);

private:
    static constexpr std::uint32_t kCounts = kTileSize + 1;
    static constexpr std::uint32_t kPairsOfSeed = 8;
    static constexpr float kUnknown = -1;

    [[nodiscard]] float measure(std::uint32_t a, std::uint32_t b) const;

    AccumulationBufferConfig config_;
    std::uint32_t initiation_cycles_;
    /// One random sequence goes through all pairs in turn; this is where it has got to before each
    /// kPairsOfSeed of them.
    std::vector<std::mt19937> seeds_;
    std::array<std::atomic<float>, std::size_t{kCounts} * kCounts> cycles_{};
};

}  // namespace tessera
