#include "tests/support/saved_view.h"

#include <fmt/format.h>
#include <fstream>
#include <stdexcept>

namespace tessera::test {
namespace {

constexpr const char* kRoot = "gpu.";

std::ifstream open(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    return in;
}

}  // namespace

SavedView SavedView::read(const std::string& path) {
    constexpr const char* kGroupBegin = "@800200";
    std::ifstream in = open(path);
    SavedView view;
    std::string line;
    bool group_begins = false;
    while (std::getline(in, line)) {
        const std::size_t root = line.find(kRoot);
        if (line[0] == '^') {
            view.filters.push_back(line.substr(line.find(' ') + 1));
        } else if (line[0] == '-' && group_begins) {
            view.groups.push_back(line.substr(1));
        } else if (line[0] != '[' && root != std::string::npos) {
            view.signals.push_back(line.substr(root + std::string(kRoot).size()));
        }
        group_begins = line == kGroupBegin;
    }
    return view;
}

std::vector<std::string> SavedView::missing_in(const VcdFile& vcd) const {
    std::vector<std::string> missing;
    for (const std::string& signal : signals) {
        const std::string name = signal.substr(0, signal.find('['));
        const auto found = vcd.signals.find(name);
        const bool there =
            found != vcd.signals.end() &&
            (found->second.width_bits == 1
                 ? name == signal
                 : signal == fmt::format("{}[{}:0]", name, found->second.width_bits - 1));
        if (!there) missing.push_back(signal);
    }
    return missing;
}

std::map<std::uint64_t, std::string> read_filter(const std::string& path) {
    std::ifstream in = open(path);
    std::map<std::uint64_t, std::string> labels;
    std::uint64_t value = 0;
    std::string label;
    while (in >> value && std::getline(in >> std::ws, label)) labels[value] = label;
    return labels;
}

}  // namespace tessera::test
