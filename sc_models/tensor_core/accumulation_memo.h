// Cycles the accumulation buffer needs for a k-set, by its popcounts.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

/// For every pair of popcounts the mean cycles of one 32x32x1 k-set in a long stream of k-sets with
/// these popcounts and random positions, measured with the collector (the same on every machine).
/// Takes about a third of a second to make.
class AccumulationMemo {
public:
    AccumulationMemo(const AccumulationBufferConfig& config, std::uint32_t initiation_cycles);

    /// Cycles of a k-set with `a` rows and `b` columns set (0..32 each).
    [[nodiscard]] float cycles(std::uint32_t a, std::uint32_t b) const {
        return cycles_[a * kCounts + b];
    }

    /// The memo of these settings, made when it is first asked for and kept.
    [[nodiscard]] static const AccumulationMemo& shared(const AccumulationBufferConfig& config,
                                                        std::uint32_t initiation_cycles);

private:
    static constexpr std::uint32_t kCounts = kTileSize + 1;
    std::array<float, std::size_t{kCounts} * kCounts> cycles_{};
};

}  // namespace tessera
