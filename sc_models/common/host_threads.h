// Threads of the host that simulate one run.
#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {

/// Starts `count` threads, each of which does `work(i)` with its number, from 0 on. Throws
/// ConfigError if the computer has not so many; those that have begun are in `threads`.
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
