#include "testbenches/cosim/coverage_plan.h"

#include <fmt/format.h>

namespace tessera {

CoveragePlan::Pin CoveragePlan::add_pin(std::string_view name, std::uint32_t width_bits) {
    Toggles toggles;
    toggles.name = name;
    toggles.width_bits = width_bits;
    pins_.push_back(std::move(toggles));
    return pins_.size() - 1;
}

std::size_t CoveragePlan::size() const {
    std::size_t bins = situations_.size();
    for (const Toggles& pin : pins_) bins += std::size_t{2} * pin.width_bits;
    return bins;
}

std::vector<std::string> CoveragePlan::missed() const {
    std::vector<std::string> names;
    for (const Count& situation : situations_) {
        if (situation.hits == 0) names.push_back(situation.name);
    }
    for (const Toggles& pin : pins_) {
        for (std::uint32_t bit = 0; bit < pin.width_bits; ++bit) {
            if ((pin.rises >> bit & 1U) == 0)
                names.push_back(fmt::format("{}[{}] rises", pin.name, bit));
            if ((pin.falls >> bit & 1U) == 0)
                names.push_back(fmt::format("{}[{}] falls", pin.name, bit));
        }
    }
    return names;
}

}  // namespace tessera
