// Element-id formulas as printed in the paper, in the notes on it, and corrected.
#pragma once

#include <cstdint>

#include "sc_models/duplo/exact_divider.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// Interpretation of a printed formula.
enum class FormulaReading {
    kLiteral,    ///< to the letter: workspace row and column without channels, the raw input of a
                 ///< transposed layer
    kCharitable  ///< channels put in where they are missing, zero-inserted input: what IdGenerator
                 ///< uses
};

/// Image and element id of single halves of a dense workspace (row pitch Fh * Fw * C), to compare
/// the formulas (Duplo III-B and III-C; the notes multiply the horizontal term by the stride).
class ElementFormula {
public:
    struct Identity {
        std::uint64_t batch = 0;
        std::uint64_t element = 0;
    };

    /// Pitch, base and chunk counts of the geometry are not used. kCorrected ignores `reading`.
    /// Throws ConfigError if the filter is empty or there is no output.
    ElementFormula(const LoweredGeometry& geometry, IdFormula formula, FormulaReading reading);

    /// Identity of the half at `array_index` of the row-major workspace.
    [[nodiscard]] Identity operator()(std::uint32_t array_index) const;

    /// Returns a lower bound of the element ids of array indices from row `first_row` on (array
    /// index / row length as in the formula).
    [[nodiscard]] std::uint64_t lower_bound(std::uint32_t first_row) const;
    /// Returns the halves of a row as in the formula.
    [[nodiscard]] std::uint32_t row_length() const { return by_row_.divisor(); }

private:
    bool corrected_;
    ExactDivider by_row_;         ///< halves of a row
    ExactDivider by_filter_row_;  ///< column to filter row
    ExactDivider by_line_;        ///< halves of a filter row
    ExactDivider by_image_;       ///< rows of an image
    ExactDivider by_patch_;       ///< row to patch row
    ExactDivider by_width_;       ///< output width
    std::uint64_t horizontal_;    ///< id step from one output column to the next
    std::uint64_t vertical_;      ///< id step of one input row
    std::uint64_t stride_;
};

}  // namespace tessera
