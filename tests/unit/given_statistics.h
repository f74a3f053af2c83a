// Statistics with the values that a test gives.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sc_models/common/statistics.h"

namespace tessera::test {

/// Statistics of a machine that did not run.
class GivenStatistics {
public:
    /// Sets the counter at `path`; makes it and its groups if there are none.
    void set(const std::string& path, std::uint64_t value) {
        const auto [place, is_new] = values_.try_emplace(path, value);
        place->second = value;
        if (!is_new) return;
        StatGroup* group = &root_;
        std::size_t begin = 0;
        std::size_t dot = path.find('.');
        while (dot != std::string::npos) {
            group = &group->child(path.substr(begin, dot - begin));
            begin = dot + 1;
            dot = path.find('.', begin);
        }
        group->counter(path.substr(begin), place->second, "count", "made up");
    }
    [[nodiscard]] const StatGroup& root() const { return root_; }

private:
    StatGroup root_{"gpu"};
    std::map<std::string, std::uint64_t> values_;  ///< map: a counter is read at its address
};

}  // namespace tessera::test
