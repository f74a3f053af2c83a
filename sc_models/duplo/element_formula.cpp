#include "sc_models/duplo/element_formula.h"

#include <string>

#include "sc_models/common/error.h"

namespace tessera {

namespace {

bool literal(IdFormula formula, FormulaReading reading) {
    return formula != IdFormula::kCorrected && reading == FormulaReading::kLiteral;
}

/// Makes a divider from user data; zero is a ConfigError.
ExactDivider divider(const char* field, std::uint32_t divisor) {
    if (divisor == 0) {
        throw ConfigError(std::string("lowered convolution: ") + field + ": got 0");
    }
    return ExactDivider(divisor);
}

}  // namespace

ElementFormula::ElementFormula(const LoweredGeometry& g, IdFormula formula, FormulaReading reading)
    : corrected_(formula == IdFormula::kCorrected),
      by_row_(divider("filter or channels", g.filter_height * g.filter_width *
                                                (literal(formula, reading) ? 1 : g.channels))),
      by_filter_row_(g.filter_width * (literal(formula, reading) ? 1 : g.channels)),
      by_line_(g.filter_width * g.channels),
      by_image_(divider("output", g.output_height * g.output_width)),
      by_patch_(corrected_ ? g.output_width : g.output_height),
      by_width_(g.output_width) {
    const bool raw = literal(formula, reading) && g.transposed;
    const std::uint32_t width = raw ? g.input_width / g.up_factor : g.input_width;
    stride_ = raw ? g.up_factor : g.stride;
    horizontal_ = (formula == IdFormula::kPaper ? 1 : stride_) * std::uint64_t{g.channels};
    vertical_ = std::uint64_t{corrected_ ? width + 2 * g.pad : width} * g.channels;
}

ElementFormula::Identity ElementFormula::operator()(std::uint32_t array_index) const {
    const std::uint32_t row = by_row_.divide(array_index);
    const std::uint32_t column = array_index - row * by_row_.divisor();
    const std::uint32_t image = by_image_.divide(row);
    // The printed formulas do not take the row modulo the image, which only shifts whole images.
    const std::uint32_t patch_of = corrected_ ? row - image * by_image_.divisor() : row;
    const std::uint64_t patch =
        by_patch_.divide(patch_of) * stride_ + by_filter_row_.divide(column);
    return {image, by_width_.remainder(row) * horizontal_ + by_line_.remainder(column) +
                       patch * vertical_};
}

std::uint64_t ElementFormula::lower_bound(std::uint32_t first_row) const {
    const std::uint32_t image = by_image_.divide(first_row);
    const std::uint32_t patch_of = corrected_ ? first_row - image * by_image_.divisor() : first_row;
    return by_patch_.divide(patch_of) * stride_ * vertical_;
}

}  // namespace tessera
