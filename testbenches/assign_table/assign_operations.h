// Operations of the testbench and what each SM has to do with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "testbenches/assign_table/assign_rig.h"
#include "testbenches/assign_table/plan.h"

namespace tessera::testbench {

struct AssignOperations {
    static constexpr std::size_t kIdle = ~std::size_t{0};
    /// Operations of an SM, as places in `planned`.
    struct SmState {
        std::deque<std::size_t> waiting;  ///< not issued
        std::array<std::size_t, AssignRig::kWarps> warps{kIdle, kIdle, kIdle, kIdle};
        std::uint32_t answered_warp = 0;   ///< warp of the answer that arrived last
        std::deque<std::size_t> assigned;  ///< for the assistant warp
    };

    std::deque<Planned> planned;
    std::vector<SmState> sms;

    [[nodiscard]] Planned& of_warp(std::uint32_t sm, std::uint64_t warp) {
        return planned[sms[sm].warps.at(warp)];
    }
    /// Operation of a warp whose answer has arrived last at `sm`.
    [[nodiscard]] Planned& answered(std::uint32_t sm) { return of_warp(sm, sms[sm].answered_warp); }
};

}  // namespace tessera::testbench
