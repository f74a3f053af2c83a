// Read and write positions of a warp's lanes in a vector operation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sc_models/isa/coalescer.h"

namespace tessera {

inline constexpr std::uint32_t kFloatBytes = sizeof(float);

/// Offsets of the lanes' operands and results in bytes, relative to lane 0. Lanes 0..lanes-1 are
/// active; outputs ascend. The memory accesses are computed once per phase of an address within a
/// line.
class LaneLayout {
public:
    static constexpr std::uint32_t kMaxLanes = kWarpLanes;
    enum class Operand : std::uint8_t { kInput, kWeights, kOutput };

    /// `id` identifies the layout within its kernel: equal ids have equal offsets.
    LaneLayout(std::uint32_t id, std::uint32_t lanes, const AccessGranularity& granularity);

    [[nodiscard]] std::uint32_t id() const { return id_; }
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
    [[nodiscard]] std::int32_t offset(Operand operand, std::uint32_t lane) const {
        return offsets_[static_cast<std::size_t>(operand)][lane];
    }
    /// Must be called before the first access().
    void set_offset(Operand operand, std::uint32_t lane, std::int32_t bytes) {
        offsets_[static_cast<std::size_t>(operand)][lane] = bytes;
    }
    /// Accesses of one float per lane, lane 0's at `address`: whole sectors to read, or exactly the
    /// bytes of the output, cut at lines.
    [[nodiscard]] const LaneAccess* access(Operand operand, Address address) const;
    [[nodiscard]] const AccessGranularity& granularity() const { return granularity_; }

private:
    static constexpr std::size_t kOperands = 3;
    [[nodiscard]] LaneAccess make_reads(Operand operand, Address address) const;
    [[nodiscard]] LaneAccess make_writes(Address address) const;

    std::uint32_t id_, lanes_;
    AccessGranularity granularity_;
    std::uint32_t phases_;
    std::array<std::array<std::int32_t, kMaxLanes>, kOperands> offsets_{};
    struct MadeOnce {
        std::once_flag once;  ///< SMs may call access() on several host threads
        std::unique_ptr<const LaneAccess> access;
    };
    mutable std::vector<MadeOnce> accesses_;  ///< by operand and phase
};

}  // namespace tessera
