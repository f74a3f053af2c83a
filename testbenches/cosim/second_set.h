// Second sets of parameters of the RTL blocks, which their benches can run in place of the
// machine's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/cosim/rtl_build.h"
#include "testbenches/cosim/bench.h"

namespace tessera {

/// The second set of a block.
struct SecondSet {
    std::string_view block;
    std::string parameters;  ///< "MaxEntries 64, MaxWays 4"
};

/// All second sets of this build; none if it was configured without them.
[[nodiscard]] const std::vector<SecondSet>& second_sets();
/// Adds a set. Must be called before main().
void register_second_set(SecondSet set);
/// Returns the set of a block; throws ConfigError if this build has none.
[[nodiscard]] const SecondSet& second_set_of(std::string_view block);

/// The build of the wrapper `Rtl` with the second set; null: there is none.
template <class Rtl>
[[nodiscard]] const RtlBuild<Rtl>*& second_build() {
    static const RtlBuild<Rtl>* build = nullptr;
    return build;
}
/// Returns the build of the wrapper `Rtl` that the options choose; throws ConfigError if there is
/// none.
template <class Rtl>
[[nodiscard]] const RtlBuild<Rtl>& build_for(const BenchOptions& options) {
    if (!options.second_set) return Rtl::default_build();
    if (second_build<Rtl>() == nullptr) static_cast<void>(second_set_of(Rtl::kName));
    return *second_build<Rtl>();
}

}  // namespace tessera
