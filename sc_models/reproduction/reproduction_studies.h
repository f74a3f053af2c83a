// Studies that measure figures of the papers, on the shipped machine or under a reading.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/reproduction/atlas_plan.h"
#include "sc_models/reproduction/reading.h"
#include "sc_models/reproduction/reproduction_plan.h"
#include "sc_models/results/study_set.h"

namespace tessera {

/// How much of the plan to run.
struct ReproductionExtent {
    bool quick = false;
    std::uint64_t seeds = 0;  ///< launches drawn for what moves by chance; 0: as the plan says
};

/// Plans the studies that measure any of the figures. Parts of one experiment are one study.
/// Throws ConfigError as plan_runs() does.
[[nodiscard]] std::vector<Study> plan_studies(const ReproductionPlan& plan,
                                              const std::vector<PaperFigure>& figures,
                                              const ConfigCatalog& catalog,
                                              const ReproductionExtent& extent);

/// Number of runs of plan_studies(), without checking their configurations.
[[nodiscard]] std::size_t count_runs(const ReproductionPlan& plan,
                                     const std::vector<PaperFigure>& figures,
                                     const ConfigCatalog& catalog,
                                     const ReproductionExtent& extent);

/// Studies of the reading's paper with its settings: of each figure the experiment of the shipped
/// machine. Their folders are below readings/NAME.
[[nodiscard]] std::vector<Study> plan_studies(const ReproductionPlan& plan,
                                              const std::vector<PaperFigure>& figures,
                                              const ConfigCatalog& catalog,
                                              const ReproductionExtent& extent,
                                              const Reading& reading);

/// Keys of a mechanism are also set for baselines that do not read them.
inline constexpr bool kAtlasAllowsUnused = true;

/// Number of runs of plan_point() for each point of the study.
[[nodiscard]] std::size_t count_runs(const AtlasStudy& study, const ConfigCatalog& catalog);

/// The study's part of its experiment on the machine with `sets`, in folder `name` of a set of
/// studies. Throws ConfigError as plan_runs() does, with the name.
[[nodiscard]] Study plan_point(const AtlasStudy& study, const std::string& name,
                               std::vector<std::string> sets, const ConfigCatalog& catalog);

}  // namespace tessera
