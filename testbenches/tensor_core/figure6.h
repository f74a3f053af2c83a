// Figure 6 of the dual-side sparse tensor core paper: uneven rows gain more than their sparsity.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "testbenches/tensor_core/tensor_driver.h"

namespace tessera::testbench {

/// A row of B over four warp tiles (III-B3), its non-zeros first spread evenly, then unevenly.
class Figure6 {
public:
    /// Sends one operation to the pair and returns its answer.
    using Play = std::function<const TensorResult&(const TensorOperation&)>;

    Figure6(Session& session, Play play) : session_(session), play_(std::move(play)) {}
    void run();

private:
    static constexpr std::uint32_t kWarps = 4;
    /// Plays a SpWMMA for each warp; returns dense OHMMAs over those issued.
    double play_row(const char* what, const std::array<std::uint32_t, kWarps>& nonzeros);

    Session& session_;
    const Play play_;
    std::uint32_t next_warp_ = 0;
};

}  // namespace tessera::testbench
