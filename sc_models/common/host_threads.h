// Host threads for the simulation of one run.
#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {

/// Starts `count` threads; thread i, from 0, executes `work(i)`. Throws ConfigError if the host
/// cannot start that many; `threads` holds those already started.
template <class Work>
void start_threads(std::vector<std::thread>& threads, std::uint32_t count, const Work& work) {
    try {
        for (std::uint32_t i = 0; i < count; ++i) threads.emplace_back(work, i);
    } catch (const std::system_error& error) {
        throw ConfigError(
            fmt::format("host.threads: got {}, expected at most {}, as the computer starts no more "
                        "threads ({})",
                        count + 1, threads.size() + 1, error.code().message()));
    }
}

}  // namespace tessera
