// Results that the documentation shows: the files of configs/reference/results.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/reproduction/paper_comparison.h"

namespace tessera {

/// Reads reproduction.json, atlas.json and EXPERIMENT.csv of a folder. A missing file has no
/// results.
class DocumentedResults {
public:
    explicit DocumentedResults(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Column of a variant, averaged over seeds. `layer`: a layer, `mean`, or
    /// `mean:PATTERN+PATTERN`, where a pattern may end in `*`. `column`: a column, or `times:` and
    /// a column, for the baseline's value over the variant's.
    [[nodiscard]] std::optional<double> cell(const std::string& experiment,
                                             const std::string& layer, const std::string& variant,
                                             const std::string& column) const;
    /// Result of an atlas's point.
    [[nodiscard]] std::optional<double> atlas(const std::string& figure,
                                              const std::string& point) const;
    /// Result of a figure's row; empty if no rule of today measures it like that.
    [[nodiscard]] std::optional<PaperAnswer> answer(const PaperFigure& figure,
                                                    const std::string& experiment,
                                                    const std::string& what) const;

private:
    using Row = std::map<std::string, std::string>;
    [[nodiscard]] const std::vector<Row>& table(const std::string& experiment) const;
    [[nodiscard]] const nlohmann::ordered_json& json(const std::string& name) const;

    std::filesystem::path folder_;
    mutable std::map<std::string, std::vector<Row>> tables_;
    mutable std::map<std::string, nlohmann::ordered_json> files_;
};

}  // namespace tessera
