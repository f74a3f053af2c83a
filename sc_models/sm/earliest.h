// The first of a few cycles.
#pragma once

#include <cstddef>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// The least of `cycles`, of which there is at least one. There are as few as an SM has sub-cores,
/// and some were written just now: vector instructions of the host, which the empty statement keeps
/// the compiler from, would wait until those are out of its store buffer.
[[nodiscard]] inline Cycle earliest_of(const std::vector<Cycle>& cycles) {
    Cycle earliest = cycles.front();
    for (std::size_t i = 1; i < cycles.size(); ++i) {
        earliest = cycles[i] < earliest ? cycles[i] : earliest;
        asm("" : "+r"(earliest));
    }
    return earliest;
}

}  // namespace tessera
