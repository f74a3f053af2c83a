#include "sc_models/observe/vcd_writer.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/version_info.h"

namespace tessera {
namespace {

/// Short code of printable characters, as VCD requires.
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

}  // namespace

void VcdWriter::declare(const WaveScope& top) {
    file_.write(
        fmt::format("$version tessera {} $end\n$timescale 1 fs $end\n", build_info().version));
    declare_inside(top);
    file_.write("$enddefinitions $end\n");
}

void VcdWriter::declare_inside(const WaveScope& scope) {
    for (const WaveScope::Signal& signal : scope.signals) {
        while (codes_.size() <= signal.variable) codes_.push_back(code_of(codes_.size()));
        widths_.resize(codes_.size());
        widths_[signal.variable] = signal.width_bits;
        file_.write(fmt::format("$var wire {} {} {} $end\n", signal.width_bits,
                                codes_[signal.variable], signal.name));
    }
    for (const auto& [name, inner] : scope.scopes) {
        file_.write(fmt::format("$scope {} {} $end\n", inner.kind, name));
        declare_inside(inner);
        file_.write("$upscope $end\n");
    }
}

void VcdWriter::time(std::uint64_t femtoseconds) {
    end_first_values();
    file_.write(fmt::format("#{}\n", femtoseconds));
    if (section_ == Section::kHeader) {
        file_.write("$dumpvars\n");
        section_ = Section::kFirstValues;
    }
}

void VcdWriter::end_first_values() {
    if (section_ != Section::kFirstValues) return;
    file_.write("$end\n");
    section_ = Section::kChanges;
}

void VcdWriter::value(WaveVariable variable, std::uint64_t value) {
    const std::uint32_t width = widths_[variable];
    const bool fits = width >= 64 || value >> width == 0;
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

void VcdWriter::bits(WaveVariable variable, std::string_view bits) {
    line_.clear();
    if (widths_[variable] != 1) line_ += 'b';
    line_ += bits;
    if (widths_[variable] != 1) line_ += ' ';
    line_ += codes_[variable];
    line_ += '\n';
    file_.write(line_);
}

void VcdWriter::commit() {
    end_first_values();
    file_.commit();
}

}  // namespace tessera
