#include "testbenches/cosim/second_set.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {
namespace {

std::vector<SecondSet>& registered() {
    static std::vector<SecondSet> sets;
    return sets;
}

}  // namespace

const std::vector<SecondSet>& second_sets() {
    return registered();
}

void register_second_set(SecondSet set) {
    registered().push_back(std::move(set));
}

const SecondSet& second_set_of(std::string_view block) {
    const std::vector<SecondSet>& sets = registered();
    const auto set = std::find_if(sets.begin(), sets.end(), [block](const SecondSet& candidate) {
        return candidate.block == block;
    });
    if (set != sets.end()) return *set;
    std::string known;
    for (const SecondSet& other : sets) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", other.block);
    }
    throw ConfigError(
        known.empty()
            ? std::string("--second-set: this build has no second sets (configure "
                          "with -DTESSERA_RTL_SECOND_SETS=ON)")
            : fmt::format("--second-set: got block '{}', expected one of {{{}}}", block, known));
}

}  // namespace tessera
