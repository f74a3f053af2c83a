#include "tests/support/vcd_reader.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tessera::test {
namespace {

std::uint64_t parse_bits(const std::string& bits) {
    std::uint64_t value = 0;
    for (const char bit : bits) {
        if (bit != '0' && bit != '1') throw std::runtime_error("VCD: value " + bits);
        value = value << 1 | static_cast<std::uint64_t>(bit - '0');
    }
    return value;
}

Cycle parse_time(const std::string& text, const ClockDomain& clock) {
    const auto time = sc_core::sc_time::from_value(std::stoull(text));
    const Cycle cycle = clock.cycle_at(time);
    if (clock.span(cycle) != time) throw std::runtime_error("VCD: time " + text + " is no cycle");
    return cycle;
}

}  // namespace

std::uint64_t VcdSignal::at(Cycle cycle) const {
    const auto after =
        std::upper_bound(changes.begin(), changes.end(), cycle,
                         [](Cycle wanted, const Change& change) { return wanted < change.at; });
    if (after == changes.begin()) throw std::runtime_error("VCD: no value yet");
    return std::prev(after)->value;
}

Cycle VcdSignal::cycles_at(std::uint64_t value, Cycle begin, Cycle end) const {
    Cycle cycles = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const Cycle from = std::max(begin, changes[i].at);
        const Cycle until = i + 1 < changes.size() ? std::min(end, changes[i + 1].at) : end;
        if (changes[i].value == value && until > from) cycles += until - from;
    }
    return cycles;
}

std::uint64_t VcdSignal::sum(Cycle begin, Cycle end) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const Cycle from = std::max(begin, changes[i].at);
        const Cycle until = i + 1 < changes.size() ? std::min(end, changes[i + 1].at) : end;
        if (until > from) sum += changes[i].value * (until - from);
    }
    return sum;
}

VcdFile VcdFile::read(const std::string& path, const ClockDomain& clock) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("VCD: cannot read " + path);
    VcdFile file;
    std::multimap<std::string, std::string> name_of;  // a signal may have several
    std::vector<std::string> scopes;
    Cycle now = 0;
    bool timed = false;
    std::string word;
    while (in >> word) {
        if (word == "$scope") {
            std::string kind;
            std::string scope;
            in >> kind >> scope >> word;
            scopes.push_back(scope);
        } else if (word == "$upscope") {
            scopes.pop_back();
            in >> word;
        } else if (word == "$var") {
            std::string kind;
            std::string code;
            std::string name;
            VcdSignal signal;
            in >> kind >> signal.width_bits >> code >> name;
            while (word != "$end") in >> word;
            std::string full;
            for (std::size_t i = 1; i < scopes.size(); ++i) full += scopes[i] + ".";
            name_of.emplace(code, full + name);
            file.signals[full + name] = signal;
        } else if (word == "$dumpvars" || word == "$end" || word == "$enddefinitions") {
            continue;
        } else if (word[0] == '$') {
            while (word != "$end" && in >> word) continue;
        } else if (word[0] == '#') {
            now = parse_time(word.substr(1), clock);
            if (!timed) file.first = now;
            timed = true;
            file.last = now;
        } else {
            std::string code = word.substr(1);
            const std::string bits = word[0] == 'b' ? word.substr(1) : word.substr(0, 1);
            if (word[0] == 'b') in >> code;
            const auto [begin, end] = name_of.equal_range(code);
            if (begin == end) throw std::runtime_error("VCD: no signal has the code " + code);
            for (auto name = begin; name != end; ++name) {
                file.signals.at(name->second).changes.push_back({now, parse_bits(bits)});
            }
        }
    }
    return file;
}

const VcdSignal& VcdFile::operator[](const std::string& name) const {
    const auto found = signals.find(name);
    if (found == signals.end()) throw std::out_of_range("VCD: no signal " + name);
    return found->second;
}

}  // namespace tessera::test
