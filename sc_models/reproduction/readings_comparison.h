// The figures of a paper on the shipped machine and under readings, side by side.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/reproduction/reading.h"
#include "sc_models/reproduction/reproduction.h"

namespace tessera {

/// A reading's results: measured figures of its paper, by the rules of the shipped machine.
struct ReadingResult {
    Reading reading;
    std::vector<PaperAnswer> answers;

    [[nodiscard]] const PaperAnswer* answer(const std::string& figure) const;
    [[nodiscard]] VerdictCounts counts() const;
    /// The speedups and times that come out, as a sentence.
    [[nodiscard]] std::string headline() const;
};

/// Results of a reading from the summaries of its experiments; figures of other papers are left
/// out.
[[nodiscard]] ReadingResult result_of(const Reading& reading,
                                      const std::vector<PaperFigure>& figures,
                                      const std::vector<Summary>& summaries);

/// Readings of one paper beside the shipped machine.
class ReadingsComparison {
public:
    /// Precondition: `readings` are of one paper, and there is at least one. Of `shipped` only
    /// that paper's figures count.
    ReadingsComparison(const Reproduction& shipped, std::vector<ReadingResult> readings);

    /// Table of the figures that a reading measures, then each reading's reason, the figures that
    /// it brings nearer to the paper's, and those that it takes away.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string html() const;
    /// List of the readings with their results, the shipped machine first.
    [[nodiscard]] nlohmann::ordered_json json() const;

    /// The reading under which the most speedups and times come out; the shipped machine wins a
    /// tie.
    [[nodiscard]] const ReadingResult& best() const;

private:
    /// Figures with a result under the reading and on the shipped machine whose verdicts are
    /// better, or worse, under the reading.
    [[nodiscard]] std::vector<std::string> moved(const ReadingResult& result, bool better) const;
    /// Figures that a reading measures, in the order of the shipped machine's.
    [[nodiscard]] std::vector<const PaperAnswer*> rows() const;

    std::vector<ReadingResult> results_;  ///< first the shipped machine's
};

/// Sentence on the speedups and times that come out under the best reading of each paper; empty
/// without papers.
[[nodiscard]] std::string best_readings(const std::vector<ReadingsComparison>& papers);

}  // namespace tessera
