// Figures that the papers state.
#pragma once

#include <array>
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

/// Quantity of a paper's statement. Results are counted by quantity.
enum class Measure {
    kTime,    ///< a speedup or a time
    kEffect,  ///< another change by a mechanism: traffic, stalls, energy
    kShare,   ///< a share of a whole: hit rates, accuracies
    kCost,    ///< an area, a size, a power, or a count of operations
    kExample  ///< a worked example
};

/// A quantity's name in the reference file, and its name in counts of results.
struct MeasureText {
    std::string_view key, name;
};
/// Texts by Measure.
inline constexpr std::array<MeasureText, 5> kMeasureText = {{{"time", "speedups and times"},
                                                             {"effect", "other effects"},
                                                             {"share", "shares"},
                                                             {"cost", "areas, sizes and costs"},
                                                             {"example", "examples"}}};

/// A figure of configs/reference/paper_results.yaml. An entry with several numbers becomes several
/// figures.
struct PaperFigure {
    std::string id;     ///< the entry's id and the number's suffix: `O.fig5.inter.mean.c1`
    std::string entry;  ///< the entry's id
    FigureKind kind = FigureKind::kMeasured;
    Measure measure = Measure::kTime;
    std::string unit, note;
    double nothing = 0;   ///< value that means no effect: 1 for ratios of times
    std::string repeats;  ///< entry with the same measurement; empty: this one counts itself
    std::optional<double> value;  ///< empty if the statement is words
    std::string stated;           ///< number or words as written in the file

    [[nodiscard]] bool is_percentage() const;
    /// Letter of the paper: the part of the id before the first dot.
    [[nodiscard]] std::string_view paper() const;
};

/// Reads the reference file. Throws a located ConfigError.
[[nodiscard]] std::vector<PaperFigure> read_paper_figures(const std::string& path);

}  // namespace tessera
