// Figures that the papers state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Kind of a paper's statement.
enum class FigureKind {
    kMeasured,  ///< a result of the paper's simulations
    kExact,     ///< must match exactly: a worked example, a size
    kHardware,  ///< measured on real hardware by the authors
    kLimit      ///< a bound
};

/// Name of a kind in the reference file.
[[nodiscard]] std::string_view kind_name(FigureKind kind);

/// A figure of configs/reference/paper_results.yaml. An entry with several numbers becomes several
/// figures.
struct PaperFigure {
    std::string id;     ///< the entry's id and the number's suffix: `O.fig5.inter.mean.c1`
    std::string entry;  ///< the entry's id
    FigureKind kind = FigureKind::kMeasured;
    std::string unit, note;
    std::optional<double> value;  ///< empty if the statement is words
    std::string stated;           ///< number or words as written in the file

    [[nodiscard]] bool is_percentage() const;
    /// Letter of the paper: the part of the id before the first dot.
    [[nodiscard]] std::string_view paper() const;
};

/// Reads the reference file. Throws a located ConfigError.
[[nodiscard]] std::vector<PaperFigure> read_paper_figures(const std::string& path);

}  // namespace tessera
