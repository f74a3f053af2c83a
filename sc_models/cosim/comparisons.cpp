#include "sc_models/cosim/comparisons.h"

#include <functional>
#include <map>
#include <string>

namespace tessera {

std::uint64_t& operations_compared(std::string_view block) {
    static std::map<std::string, std::uint64_t, std::less<>> counts;
    const auto found = counts.find(block);
    return found != counts.end() ? found->second : counts[std::string(block)];
}

}  // namespace tessera
