// Cycle model of a pipeline that stalls as a whole while its output waits.
#pragma once

#include <array>
#include <cstddef>

namespace tessera {

/// An input accepted in one cycle appears `kLatency` unstalled cycles later; cycles in which a
/// result waits at the output do not count.
template <class Payload, std::size_t kLatency>
class StallingPipeline {
public:
    [[nodiscard]] bool out_valid() const { return stages_[last_].valid; }
    [[nodiscard]] const Payload& out() const { return stages_[last_].payload; }
    /// Whether the pipeline moves at the end of this cycle.
    [[nodiscard]] bool advances(bool out_ready) const { return out_ready || !out_valid(); }
    [[nodiscard]] bool empty() const { return held_ == 0; }

    /// Rising edge; `take` requires advances().
    void edge(bool out_ready, bool take, const Payload& payload) {
        if (!advances(out_ready)) return;
        Stage& stage = stages_[last_];  // the last stage becomes the first
        if (take) ++held_;
        if (stage.valid) --held_;
        stage.valid = take;
        if (take) stage.payload = payload;
        last_ = last_ + 1 == kLatency ? 0 : last_ + 1;
    }
    void reset() {
        for (Stage& stage : stages_) stage.valid = false;
        held_ = 0;
    }

private:
    struct Stage {
        bool valid = false;
        Payload payload{};
    };
    std::array<Stage, kLatency> stages_{};
    std::size_t last_ = 0;
    std::size_t held_ = 0;
};

}  // namespace tessera
