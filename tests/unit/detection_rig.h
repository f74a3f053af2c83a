// A detection unit with a lowered layer, and loads of its fragments.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "sc_models/duplo/detection_unit.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {

/// A layer of one chunk a pixel, 32 outputs a row: fragments of 16 rows are half an output row.
class DetectionRig : public ::testing::Test {
protected:
    static constexpr std::uint32_t kLatency = 100;

    void start(std::uint32_t a_fragments = 2) {
        geometry_.zero_rule = config_.zero_rule;
        unit_.emplace(config_, 4);
        unit_->launch(ConvolutionPacket::make(geometry_), 8, a_fragments, 0);
        now_ = unit_->awake_at();
    }

    /// Loads a fragment; data of misses and bypasses arrives kLatency later. All outcomes by unit.
    std::vector<UnitOutcome> load(std::uint32_t warp, std::uint32_t fragment, std::uint32_t row,
                                  std::uint32_t chunk) {
        FragmentLoad load;
        load.warp = warp;
        load.sub_core = warp % 4;
        load.fragment = fragment;
        load.row_pitch_bytes = geometry_.row_pitch_chunks * 32;
        load.address = geometry_.base + Address{row} * load.row_pitch_bytes + Address{chunk} * 32;
        unit_->begin(now_, load, active_);
        std::vector<UnitOutcome> outcomes;
        for (std::uint32_t u = 0; u < unit_->shape().count(); ++u) {
            outcomes.push_back(unit_->access(now_, active_, u));
            if (outcomes.back().kind == AccessKind::kMiss ||
                outcomes.back().kind == AccessKind::kBypass) {
                unit_->set_ready(outcomes.back().phys, now_ + kLatency);
            }
        }
        return outcomes;
    }

    std::uint64_t hits(HitClass c) const {
        return unit_->counters().hits[static_cast<std::size_t>(c)];
    }
    std::uint64_t bypasses(BypassReason reason) const {
        return unit_->counters().bypasses[static_cast<std::size_t>(reason)];
    }

    DuploConfig config_;
    LoweredGeometry geometry_ = lower(2, 32, 32, 16, 3, 3, 1, 1, false, Channels::kPad16);
    std::optional<DetectionUnit> unit_;
    ActiveLoad active_;
    Cycle now_ = 0;
};

}  // namespace tessera::test
