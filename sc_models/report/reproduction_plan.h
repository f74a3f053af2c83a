// What `tessera reproduce` runs, and what it says of the figures that do not come out.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/report/paper_figure.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// A paper by the name that users give and by the letter its figures begin with.
struct PaperName {
    std::string_view name, letter;
};
inline constexpr std::array<PaperName, 3> kPaperNames = {{
    {"duplo", "D"},
    {"dual_side", "S"},
    {"opportunistic", "O"},
}};

/// What is run of an experiment.
struct ReproductionPart {
    ExperimentPart part;
    /// Layers, or networks for all their layers, that hardly move by chance: they are run with the
    /// first seed alone, which counts with each of the others. Some need not be among those of the
    /// part.
    std::vector<std::string> once;

    /// The part of the experiment, a layer after the other, each with the seeds it is run with.
    /// Throws ConfigError for layers and variants that the experiment does not have.
    [[nodiscard]] std::vector<Experiment> layers_of(const Experiment& experiment) const;
};

/// An experiment that answers figures, and the part of it that is run.
struct ReproductionStudy {
    std::string experiment;
    ReproductionPart full;
    std::optional<ReproductionPart> quick;  ///< nothing: left out of the quick form
};

/// Why a figure does not come out, or is not measured.
struct Explanation {
    std::string why;
    std::string see;  ///< a page of docs/ with its heading
};

/// configs/reproduction.yaml.
struct ReproductionPlan {
    std::uint32_t launch_jitter_cycles = 0;  ///< of studies with several seeds
    std::vector<ReproductionStudy> studies;
    std::map<std::string, Explanation> explanations;  ///< by a figure's id, or its entry's

    /// The explanation of the figure, or of the entry that it is a number of; null if there is
    /// none.
    [[nodiscard]] const Explanation* explanation(const PaperFigure& figure) const;
};

/// Reads the plan. Throws a located ConfigError for unknown keys, a part without seeds, and
/// explanations of figures that are not among `figures`.
[[nodiscard]] ReproductionPlan read_reproduction_plan(const std::string& path,
                                                      const std::vector<PaperFigure>& figures);

/// The figures meant by `names`: papers, entries, figures, or the beginning of ids up to a dot
/// (`D.fig9`); all if there are no names. Throws ConfigError for a name that means none.
[[nodiscard]] std::vector<PaperFigure> selected_figures(const std::vector<PaperFigure>& figures,
                                                        const std::vector<std::string>& names);

}  // namespace tessera
