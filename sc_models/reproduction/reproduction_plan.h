// Plan of `tessera reproduce`: the experiments it runs and the explanations of figures that are not
// reproduced.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/reproduction/paper_figure.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// A paper's name for users, and the letter that its figures begin with.
struct PaperName {
    std::string_view name, letter;
};
inline constexpr std::array<PaperName, 3> kPaperNames = {{
    {"duplo", "D"},
    {"dual_side", "S"},
    {"opportunistic", "O"},
}};
/// Name of the paper of a letter.
[[nodiscard]] std::string_view paper_name(std::string_view letter);

/// The part of an experiment to run.
struct ReproductionPart {
    ExperimentPart part;
    /// Layers, or networks for all their layers, that vary little with the seed. They run with the
    /// first seed only, whose result counts for every seed. They may be layers outside `part`.
    std::vector<std::string> once;

    /// The part of the experiment as one experiment per layer, each with its seeds. Throws
    /// ConfigError for layers and variants that the experiment does not have.
    [[nodiscard]] std::vector<Experiment> layers_of(const Experiment& experiment) const;
};

/// An experiment that measures figures, and the part of it to run.
struct ReproductionStudy {
    std::string experiment;
    ReproductionPart full;
    std::optional<ReproductionPart> quick;  ///< empty: not in the quick form
};

/// Reason why a figure is not reproduced or not measured.
struct Explanation {
    std::string why;  ///< with places for numbers (reason.h); in results, with the numbers
    std::string see;  ///< page of docs/ with a heading
};

/// Contents of configs/reproduction.yaml.
struct ReproductionPlan {
    std::uint32_t launch_jitter_cycles = 0;  ///< for studies with several seeds
    std::vector<ReproductionStudy> studies;
    std::map<std::string, Explanation> explanations;  ///< by id of a figure or an entry

    /// Explanation of the figure or of its entry; null if there is none.
    [[nodiscard]] const Explanation* explanation(const PaperFigure& figure) const;
};

/// Reads the plan. Throws a located ConfigError for unknown keys, a part without seeds,
/// explanations of figures outside `figures`, and reasons with typed numbers.
[[nodiscard]] ReproductionPlan read_reproduction_plan(const std::string& path,
                                                      const std::vector<PaperFigure>& figures);

/// Figures selected by `names`: papers, entries, figures, or beginnings of ids up to a dot
/// (`D.fig9`). No names select all. Throws ConfigError for a name that matches none.
[[nodiscard]] std::vector<PaperFigure> selected_figures(const std::vector<PaperFigure>& figures,
                                                        const std::vector<std::string>& names);

}  // namespace tessera
