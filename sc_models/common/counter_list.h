// Counters of several modules that share one group of statistics.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/statistics.h"

namespace tessera {

/// Counters of several modules that share one group of statistics. Each module adds its own; the
/// group then lists them in the order of the result files, whichever module counts them.
class CounterList {
public:
    /// Adds a counter; `value` must outlive the group.
    void add(std::string name, const std::uint64_t& value, std::string_view unit,
             std::string_view description) {
        counters_.push_back({std::move(name), &value, unit, std::string(description)});
    }
    /// Registers the counters in `group`, in the order of `names`. Throws std::logic_error unless
    /// `names` are those of the counters, each once.
    void register_in(StatGroup& group, const std::vector<std::string>& names) const {
        if (names.size() != counters_.size()) {
            throw std::logic_error("CounterList: an order of other counters");
        }
        for (const std::string& name : names) {
            const auto found = std::find_if(counters_.begin(), counters_.end(),
                                            [&name](const Counter& c) { return c.name == name; });
            if (found == counters_.end()) {
                throw std::logic_error("CounterList: no counter '" + name + "'");
            }
            group.counter(name, *found->value, found->unit, found->description);
        }
    }

private:
    struct Counter {
        std::string name;
        const std::uint64_t* value;
        std::string_view unit;  ///< a literal
        std::string description;
    };
    std::vector<Counter> counters_;
};

}  // namespace tessera
