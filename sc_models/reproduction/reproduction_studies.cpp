#include "sc_models/reproduction/reproduction_studies.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "sc_models/reproduction/paper_comparison.h"
#include "sc_models/study/run_count.h"

namespace tessera {
namespace {

class StudyPlanner {
public:
    StudyPlanner(const ReproductionPlan& plan, const ConfigCatalog& catalog,
                 const ReproductionExtent& extent, const Reading* reading)
        : plan_(plan), catalog_(catalog), extent_(extent), reading_(reading) {}

    [[nodiscard]] std::vector<Study> plan(const std::set<std::string>& experiments) const {
        std::vector<Study> studies;
        for (const ReproductionStudy& planned : plan_.studies) {
            if (!selects(planned, experiments)) continue;
            Study study = part(planned);
            const auto same = std::find_if(studies.begin(), studies.end(),
                                           [&](const Study& s) { return s.name == study.name; });
            if (same == studies.end()) {
                studies.push_back(std::move(study));
            } else {
                same->runs.insert(same->runs.end(), study.runs.begin(), study.runs.end());
            }
        }
        return studies;
    }

    /// Number of runs of plan().
    [[nodiscard]] std::size_t count(const std::set<std::string>& experiments) const {
        std::size_t runs = 0;
        for (const ReproductionStudy& planned : plan_.studies) {
            if (!selects(planned, experiments)) continue;
            const Experiment experiment =
                read_experiment(catalog_.experiment_file(planned.experiment), catalog_);
            for (const Experiment& layer : selected_part(planned).layers_of(experiment)) {
                runs += run_count(layer);
            }
        }
        return runs;
    }

private:
    [[nodiscard]] bool selects(const ReproductionStudy& planned,
                               const std::set<std::string>& experiments) const {
        return experiments.count(planned.experiment) != 0 && (!extent_.quick || planned.quick);
    }

    /// The part of the study's experiment, with the seeds of the extent.
    [[nodiscard]] ReproductionPart selected_part(const ReproductionStudy& planned) const {
        ReproductionPart part = extent_.quick ? *planned.quick : planned.full;
        auto& seeds = part.part.seeds;
        if (extent_.seeds != 0 && seeds.size() > 1) {
            seeds.clear();
            for (std::uint64_t seed = 1; seed <= extent_.seeds; ++seed) seeds.push_back(seed);
        }
        return part;
    }

    /// The selected part of a study.
    [[nodiscard]] Study part(const ReproductionStudy& planned) const {
        const ReproductionPart part = selected_part(planned);
        const auto& seeds = part.part.seeds;
        Experiment experiment =
            read_experiment(catalog_.experiment_file(planned.experiment), catalog_);
        Study study;
        study.name = planned.experiment;
        if (reading_ != nullptr) {
            experiment = under_reading(std::move(experiment), *reading_);
            study.name = fmt::format("readings/{}/{}", reading_->name, planned.experiment);
        }
        study.experiment = narrowed(experiment, part.part);
        if (seeds.size() > 1) {
            study.sets = {
                fmt::format("gpu.cta_launch_jitter_cycles={}", plan_.launch_jitter_cycles)};
        }
        for (Experiment& layer : part.layers_of(experiment)) {
            // A reading sets keys that baselines without the mechanism do not read.
            const bool allow_unused = reading_ != nullptr;
            const Study one =
                plan_study(study.name, std::move(layer), study.sets, catalog_, allow_unused);
            study.runs.insert(study.runs.end(), one.runs.begin(), one.runs.end());
        }
        return study;
    }

    const ReproductionPlan& plan_;
    const ConfigCatalog& catalog_;
    const ReproductionExtent& extent_;
    const Reading* reading_;
};

}  // namespace

static std::set<std::string> experiments_of(const std::vector<PaperFigure>& figures) {
    std::set<std::string> experiments;
    for (const PaperFigure& figure : figures) {
        for (std::string& name : experiments_for(figure)) experiments.insert(std::move(name));
    }
    return experiments;
}

std::vector<Study> plan_studies(const ReproductionPlan& plan,
                                const std::vector<PaperFigure>& figures,
                                const ConfigCatalog& catalog, const ReproductionExtent& extent) {
    return StudyPlanner(plan, catalog, extent, nullptr).plan(experiments_of(figures));
}

std::size_t count_runs(const ReproductionPlan& plan, const std::vector<PaperFigure>& figures,
                       const ConfigCatalog& catalog, const ReproductionExtent& extent) {
    return StudyPlanner(plan, catalog, extent, nullptr).count(experiments_of(figures));
}

std::size_t count_runs(const AtlasStudy& study, const ConfigCatalog& catalog) {
    return run_count(
        narrowed(read_experiment(catalog.experiment_file(study.experiment), catalog), study.part));
}

std::vector<Study> plan_studies(const ReproductionPlan& plan,
                                const std::vector<PaperFigure>& figures,
                                const ConfigCatalog& catalog, const ReproductionExtent& extent,
                                const Reading& reading) {
    std::set<std::string> experiments;
    for (const PaperFigure& figure : figures) {
        // Readings are of what a paper simulates, and not of the card that it measures.
        if (figure.kind == FigureKind::kHardware) continue;
        const std::vector<std::string> names = experiments_for(figure);
        if (figure.paper() == reading.letter && !names.empty()) experiments.insert(names.front());
    }
    return StudyPlanner(plan, catalog, extent, &reading).plan(experiments);
}

Study plan_point(const AtlasStudy& study, const std::string& name, std::vector<std::string> sets,
                 const ConfigCatalog& catalog) {
    constexpr const char* kJitter = "gpu.cta_launch_jitter_cycles=16";  // docs/fidelity.md
    if (study.part.seeds.size() > 1) sets.emplace_back(kJitter);
    try {
        return plan_study(
            name,
            narrowed(read_experiment(catalog.experiment_file(study.experiment), catalog),
                     study.part),
            std::move(sets), catalog, kAtlasAllowsUnused);
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("{}: {}", name, error.what()));
    }
}

}  // namespace tessera
