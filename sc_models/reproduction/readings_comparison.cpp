#include "sc_models/reproduction/readings_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/html_page.h"

namespace tessera {
namespace {

constexpr const char* kShipped = "shipped";

std::string value_cell(const PaperAnswer* answer) {
    if (answer == nullptr) return "";
    const std::string interval = interval_cell(*answer);
    return ours_cell(*answer) + (interval.empty() ? "" : " +- " + interval);
}

std::string verdict_text(const PaperAnswer* answer) {
    return answer == nullptr ? "" : std::string(verdict_name(answer->verdict));
}

std::string list_of(const std::vector<std::string>& figures) {
    return figures.empty() ? "none" : fmt::format("{}", fmt::join(figures, ", "));
}

}  // namespace

const PaperAnswer* ReadingResult::answer(const std::string& figure) const {
    const auto found = std::find_if(answers.begin(), answers.end(),
                                    [&](const PaperAnswer& a) { return a.paper.id == figure; });
    return found == answers.end() ? nullptr : &*found;
}

VerdictCounts ReadingResult::counts() const {
    return counts_of(answers);
}

std::string ReadingResult::headline() const {
    const bool is_shipped = reading.name == kShipped;
    return counts().headline(is_shipped ? "on the shipped machine" : "under this reading");
}

ReadingResult result_of(const Reading& reading, const std::vector<PaperFigure>& figures,
                        const std::vector<Summary>& summaries) {
    std::vector<PaperFigure> of_paper;
    for (const PaperFigure& figure : figures) {
        if (figure.paper() == reading.letter) of_paper.push_back(figure);
    }
    ReadingResult result{reading, {}};
    for (PaperAnswer& answer : compare_with_papers(of_paper, summaries).answers) {
        if (!answer.is_other_reading) result.answers.push_back(std::move(answer));
    }
    return result;
}

ReadingsComparison::ReadingsComparison(const Reproduction& shipped,
                                       std::vector<ReadingResult> readings) {
    ReadingResult ours;
    ours.reading.name = kShipped;
    ours.reading.letter = readings.front().reading.letter;
    for (const ReproducedFigure& figure : shipped.figures()) {
        const PaperAnswer& answer = figure.answer;
        if (answer.is_other_reading || answer.verdict == Verdict::kNotMeasured) continue;
        if (answer.paper.paper() == ours.reading.letter) ours.answers.push_back(answer);
    }
    results_.push_back(std::move(ours));
    for (ReadingResult& reading : readings) results_.push_back(std::move(reading));
}

std::vector<const PaperAnswer*> ReadingsComparison::rows() const {
    std::vector<const PaperAnswer*> rows;
    for (const ReadingResult& result : results_) {
        const bool is_shipped = &result == &results_.front();
        for (const PaperAnswer& answer : result.answers) {
            const bool is_read = std::any_of(
                results_.begin() + 1, results_.end(),
                [&](const ReadingResult& r) { return r.answer(answer.paper.id) != nullptr; });
            const bool is_there = std::any_of(
                rows.begin(), rows.end(),
                [&](const PaperAnswer* row) { return row->paper.id == answer.paper.id; });
            if (is_shipped ? is_read : !is_there) rows.push_back(&answer);
        }
    }
    return rows;
}

std::vector<std::string> ReadingsComparison::moved(const ReadingResult& result, bool better) const {
    std::vector<std::string> figures;
    for (const PaperAnswer& answer : result.answers) {
        const PaperAnswer* const shipped = results_.front().answer(answer.paper.id);
        if (shipped == nullptr) continue;
        const bool moves =
            better ? answer.verdict < shipped->verdict : answer.verdict > shipped->verdict;
        if (moves) figures.push_back(answer.paper.id);
    }
    return figures;
}

const ReadingResult& ReadingsComparison::best() const {
    return *std::max_element(
        results_.begin(), results_.end(), [](const ReadingResult& a, const ReadingResult& b) {
            return a.counts().times(Verdict::kReproduced) < b.counts().times(Verdict::kReproduced);
        });
}

std::string ReadingsComparison::text() const {
    std::vector<std::string> head = {"figure", "paper"};
    for (const ReadingResult& result : results_) {
        head.push_back(result.reading.name);
        head.emplace_back("");
    }
    TextTable table(head);
    table.set_text_columns(1);
    for (const PaperAnswer* const row : rows()) {
        std::vector<std::string> cells = {row->paper.id, with_unit(row->paper.stated, row->paper)};
        for (const ReadingResult& result : results_) {
            const PaperAnswer* const answer = result.answer(row->paper.id);
            cells.push_back(value_cell(answer));
            cells.push_back(verdict_text(answer));
        }
        table.add(cells);
    }
    std::string text = table.str();
    for (const ReadingResult& result : results_) {
        text += fmt::format("\n{}: {}\n", result.reading.name, result.headline());
        if (&result == &results_.front()) continue;
        text += fmt::format(
            "  {}\n  why: {}\n  source: {}\n  nearer to the paper: {}\n"
            "  further from it: {}\n",
            result.reading.title, result.reading.why, result.reading.source,
            list_of(moved(result, true)), list_of(moved(result, false)));
    }
    return text;
}

std::string ReadingsComparison::html() const {
    std::vector<std::string> head = {"figure", "paper"};
    for (const ReadingResult& result : results_) head.push_back(result.reading.name);
    HtmlTable table(head, 1, 2, "Results under each reading, with verdicts");
    for (const PaperAnswer* const row : rows()) {
        std::vector<std::string> cells = {row->paper.id, with_unit(row->paper.stated, row->paper)};
        for (const ReadingResult& result : results_) {
            const PaperAnswer* const answer = result.answer(row->paper.id);
            const std::string value = value_cell(answer);
            cells.push_back(value.empty() ? "" : value + ", " + verdict_text(answer));
        }
        table.row(cells);
    }
    std::string list;
    for (const ReadingResult& result : results_) {
        list += markup("<dt>{}</dt><dd>{}", result.reading.name, result.headline());
        if (&result != &results_.front()) {
            list += markup(
                "<br>{}. {}. Source: {}.<br>Nearer to the paper: {}.<br>Further from it: {}.",
                result.reading.title, result.reading.why, result.reading.source,
                list_of(moved(result, true)), list_of(moved(result, false)));
        }
        list += "</dd>\n";
    }
    return table.str() + "<dl>\n" + list + "</dl>\n";
}

nlohmann::ordered_json ReadingsComparison::json() const {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const ReadingResult& result : results_) {
        const VerdictCounts counts = result.counts();
        nlohmann::ordered_json one = {{"paper", paper_name(result.reading.letter)},
                                      {"name", result.reading.name},
                                      {"headline", result.headline()},
                                      {"reproduced_times", counts.times(Verdict::kReproduced)},
                                      {"simulated_times", counts.simulated_times()}};
        if (&result != &results_.front()) {
            one["title"] = result.reading.title;
            one["why"] = result.reading.why;
            one["source"] = result.reading.source;
            one["nearer"] = moved(result, true);
            one["further"] = moved(result, false);
        }
        one["figures"] = nlohmann::ordered_json::array();
        for (const PaperAnswer& answer : result.answers) {
            if (!answer.ours) continue;
            nlohmann::ordered_json row = {
                {"id", answer.paper.id},         {"kind", kind_name(answer.paper.kind)},
                {"unit", answer.paper.unit},     {"stated", answer.paper.stated},
                {"ours", answer.ours->mean},     {"verdict", verdict_name(answer.verdict)},
                {"seeds", answer.ours->samples}, {"layers", answer.layers}};
            if (answer.ours->half_width) row["half_width_95_percent"] = *answer.ours->half_width;
            one["figures"].push_back(std::move(row));
        }
        j.push_back(std::move(one));
    }
    return j;
}

std::string best_readings(const std::vector<ReadingsComparison>& papers) {
    if (papers.empty()) return "";
    std::size_t reproduced = 0;
    std::size_t simulated = 0;
    std::vector<std::string> names;
    for (const ReadingsComparison& paper : papers) {
        const ReadingResult& best = paper.best();
        const VerdictCounts counts = best.counts();
        reproduced += counts.times(Verdict::kReproduced);
        simulated += counts.simulated_times();
        names.push_back(fmt::format("{} {}", paper_name(best.reading.letter), best.reading.name));
    }
    return fmt::format(
        "{} of {} simulated speedups and times come out under the best reading of "
        "each paper ({})",
        reproduced, simulated, fmt::join(names, ", "));
}

}  // namespace tessera
