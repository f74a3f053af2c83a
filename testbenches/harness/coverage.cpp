#include "testbenches/harness/coverage.h"

#include <algorithm>

#include "sc_models/common/text_table.h"

namespace tessera::testbench {

Coverage::Bin Coverage::add(std::string name, std::string meaning) {
    bins_.push_back({std::move(name), std::move(meaning)});
    return bins_.size() - 1;
}

std::size_t Coverage::reached() const {
    return static_cast<std::size_t>(std::count_if(
        bins_.begin(), bins_.end(), [](const State& state) { return state.hits > 0; }));
}

std::vector<std::string> Coverage::missed() const {
    std::vector<std::string> names;
    for (const State& state : bins_) {
        if (state.hits == 0) names.push_back(state.name);
    }
    return names;
}

std::string Coverage::table() const {
    TextTable table({"coverage", "hits", "meaning"});
    table.set_last_are_text(1);
    for (const State& state : bins_) {
        table.add({state.name, std::to_string(state.hits), state.meaning});
    }
    return table.str();
}

}  // namespace tessera::testbench
