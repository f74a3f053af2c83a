#include "sc_models/observe/vcd_writer.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "sc_models/common/version_info.h"

namespace tessera {
namespace {

/// Short names made of printable characters, as the format wants them.
std::string code_of(std::size_t variable) {
    constexpr std::size_t kFirst = '!';
    constexpr std::size_t kCharacters = '~' - '!' + 1;
    std::string code;
    do {
        code += static_cast<char>(kFirst + variable % kCharacters);
        variable /= kCharacters;
    } while (variable > 0);
    return code;
}

std::vector<std::string> parts_of(const std::string& scope) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= scope.size();) {
        const std::size_t end = std::min(scope.find('.', begin), scope.size());
        parts.push_back(scope.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace

void VcdWriter::header(const std::vector<VcdVariable>& variables) {
    for (const VcdVariable& variable : variables) {
        codes_.push_back(code_of(codes_.size()));
        widths_.push_back(variable.width_bits);
    }
    file_.write(
        fmt::format("$version tessera {} $end\n$timescale 1 fs $end\n", build_info().version));
    declare(variables);
    file_.write("$enddefinitions $end\n");
}

void VcdWriter::declare(const std::vector<VcdVariable>& variables) {
    std::vector<std::size_t> order(variables.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return parts_of(variables[a].scope) < parts_of(variables[b].scope);
    });
    std::vector<std::string> open;
    const auto close_to = [&](std::size_t depth) {
        for (; open.size() > depth; open.pop_back()) file_.write("$upscope $end\n");
    };
    for (const std::size_t i : order) {
        const std::vector<std::string> parts = parts_of(variables[i].scope);
        const auto differ = std::mismatch(parts.begin(), parts.end(), open.begin(), open.end());
        close_to(static_cast<std::size_t>(differ.first - parts.begin()));
        for (auto part = differ.first; part != parts.end(); ++part) {
            file_.write(fmt::format("$scope module {} $end\n", *part));
            open.push_back(*part);
        }
        const std::uint32_t width = variables[i].width_bits;
        file_.write(fmt::format("$var wire {} {} {}{} $end\n", width, codes_[i], variables[i].name,
                                width == 1 ? "" : fmt::format(" [{}:0]", width - 1)));
    }
    close_to(0);
}

void VcdWriter::time(std::uint64_t femtoseconds, bool first) {
    file_.write(fmt::format("#{}\n{}", femtoseconds, first ? "$dumpvars\n" : ""));
}

void VcdWriter::value(std::size_t variable, std::uint64_t value) {
    const std::uint32_t width = widths_[variable];
    const bool fits = width == 64 || value >> width == 0;
    line_.clear();
    if (width == 1) {
        line_ += fits ? static_cast<char>('0' + value) : 'x';
    } else {
        fits ? fmt::format_to(std::back_inserter(line_), "b{:b} ", value)
             : fmt::format_to(std::back_inserter(line_), "bx ");
    }
    line_ += codes_[variable];
    line_ += '\n';
    file_.write(line_);
}

}  // namespace tessera
