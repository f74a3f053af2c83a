// The figures that the papers state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// What kind of statement a figure is.
enum class FigureKind {
    kMeasured,  ///< a result of the paper's simulations
    kExact,     ///< has to hold exactly: a worked example, a size
    kHardware,  ///< measured on real silicon by the authors
    kLimit      ///< a bound
};

/// As the reference file writes it.
[[nodiscard]] std::string_view kind_name(FigureKind kind);

/// A figure of configs/reference/paper_results.yaml. An entry of several numbers is as many
/// figures.
struct PaperFigure {
    std::string id;     ///< the entry's, and what tells its numbers apart: `O.fig5.inter.mean.c1`
    std::string entry;  ///< the entry's alone
    FigureKind kind = FigureKind::kMeasured;
    std::string unit, note;
    std::optional<double> value;  ///< nothing where the paper's statement is words
    std::string stated;           ///< the number or the words as they are written

    [[nodiscard]] bool is_percentage() const;
    /// The paper a figure is of: the part of its id before the first dot.
    [[nodiscard]] std::string_view paper() const;
};

/// Reads the reference file. Throws a located ConfigError.
[[nodiscard]] std::vector<PaperFigure> read_paper_figures(const std::string& path);

}  // namespace tessera
