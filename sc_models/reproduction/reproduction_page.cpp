#include "sc_models/reproduction/reproduction_page.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/report/html_page.h"
#include "sc_models/results/summary_text.h"

namespace tessera {
namespace {

/// Part of the page with one paper.
struct PaperPart {
    std::string letter, anchor, title;
    std::vector<PageFigure> figures;
};

std::vector<PaperPart> paper_parts() {
    std::vector<PaperPart> parts = {
        {"D", "duplo", "Duplo (Kim et al., MICRO 2020)", duplo_page_figures()},
        {"S", "dual_side", "Dual-side sparse tensor core (Wang et al., ISCA 2021)",
         dual_side_page_figures()},
        {"O", "opportunistic", "Opportunistic computing (Cheng et al.)",
         opportunistic_page_figures()},
    };
    // Rows that no figure above contains.
    for (PaperPart& part : parts) {
        part.figures.push_back({part.letter + "-other", "Other numbers", "", {part.letter}, {}});
    }
    return parts;
}

/// A figure of the page with its rows.
struct Section {
    const PageFigure* figure = nullptr;
    std::vector<const ReproducedFigure*> rows;
};

/// Figures of a paper with at least one selected row; a row belongs to the first figure that has
/// it.
std::vector<Section> sections_of(const PaperPart& part, const Reproduction& reproduction) {
    std::vector<Section> all;
    for (const PageFigure& figure : part.figures) all.push_back({&figure, {}});
    for (const ReproducedFigure& row : reproduction.figures()) {
        const auto found = std::find_if(all.begin(), all.end(), [&row](const Section& section) {
            return section.figure->has(row.answer.paper);
        });
        if (found != all.end()) found->rows.push_back(&row);
    }
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const Section& section) { return section.rows.empty(); }),
              all.end());
    return all;
}

std::string note(const std::string& text) {
    return text.empty() ? "" : fmt::format("<p class='note'>{}</p>\n", markup_escaped(text));
}

std::string verdict_class(Verdict verdict) {
    constexpr std::array<const char*, kVerdictText.size()> kClasses = {"near", "half", "far",
                                                                       "none"};
    return kClasses[static_cast<std::size_t>(verdict)];
}

/// The reason, the remark, and a link to the documentation.
std::string why_markup(const ReproducedFigure& row, const std::string& docs_prefix) {
    std::string out = markup_escaped(row.explanation.why);
    const bool has_remark = row.explanation.why.find(row.answer.remark) != std::string::npos;
    if (!has_remark) {
        out += (out.empty() ? "" : "; ") + markup_escaped(row.answer.remark);
    }
    const std::string& see = row.explanation.see;
    if (see.empty()) return out;
    const std::string page = markup_escaped(see);
    if (docs_prefix.empty()) return out + fmt::format(" (<code>{}</code>)", page);
    return out + fmt::format(" (<a href='{0}{1}'>{1}</a>)", markup_escaped(docs_prefix), page);
}

std::string ours_markup(const PaperAnswer& answer) {
    std::string cell = ours_cell(answer);
    if (const std::string interval = interval_cell(answer); !interval.empty()) {
        cell += " ± " + interval;
    }
    if (answer.median) cell += fmt::format(" (median {})", median_cell(answer));
    return markup_escaped(with_unit(cell, answer.paper));
}

/// CSS class of a cell; long statements in words wrap over several lines.
const char* class_of(const std::string& cell) {
    constexpr std::size_t kWidest = 24;
    return cell.size() > kWidest ? "long" : "";
}

std::string rows_table(const Section& section, const std::string& docs_prefix) {
    HtmlTable table({"what", "paper", "ours", "seeds", "layers", "verdict", "why"}, 1, 2,
                    "The paper's numbers beside ours, each with its unit; ± is half of the 95 % "
                    "interval over seeds");
    for (const ReproducedFigure* const row : section.rows) {
        const PaperAnswer& answer = row->answer;
        const std::string paper = with_unit(answer.paper.stated, answer.paper);
        const std::string ours = ours_markup(answer);
        const bool seeds = answer.ours && answer.ours->samples > 1;
        std::string what =
            markup_escaped(answer.is_other_reading ? what_of(answer) : caption_of(answer));
        what += fmt::format("<br><small class='id'>{}</small>", markup_escaped(answer.paper.id));
        table.markup_row(
            {what, markup_escaped(paper), ours, seeds ? std::to_string(answer.ours->samples) : "",
             answer.layers > 0 ? std::to_string(answer.layers) : "",
             markup_escaped(verdict_cell(answer)), why_markup(*row, docs_prefix)},
            answer.is_other_reading ? "other" : "",
            {"long", class_of(paper), class_of(ours), "", "",
             "word " + verdict_class(answer.verdict), "long"});
    }
    return table.str();
}

std::string chart_markup(const FigureChart& chart) {
    std::string out = fmt::format("<figure><h4>{}</h4>\n{}{}</figure>\n",
                                  markup_escaped(chart.heading), scrolling_chart(chart.svg),
                                  chart.note.empty() ? ""
                                                     : fmt::format("<figcaption>{}</figcaption>",
                                                                   markup_escaped(chart.note)));
    if (!chart.table.empty()) out += details_of_markup("The numbers behind the chart", chart.table);
    return out;
}

/// One chart per unit, of the numbers without a mark so far, if the model has a result for any of
/// them.
std::string comparisons(const Section& section, const std::set<std::string>& marked) {
    std::vector<std::pair<std::string, std::vector<const PaperAnswer*>>> by_unit;
    for (const ReproducedFigure* const row : section.rows) {
        const PaperAnswer& answer = row->answer;
        if (answer.is_other_reading || !answer.paper.value || marked.count(answer.paper.id) > 0) {
            continue;
        }
        const std::string& unit = answer.paper.unit;
        auto found = std::find_if(by_unit.begin(), by_unit.end(),
                                  [&unit](const auto& group) { return group.first == unit; });
        if (found == by_unit.end()) found = by_unit.insert(found, {unit, {}});
        found->second.push_back(&answer);
    }
    std::string out;
    for (const auto& [unit, answers] : by_unit) {
        const bool any = std::any_of(answers.begin(), answers.end(),
                                     [](const PaperAnswer* a) { return a->ours.has_value(); });
        if (any) out += chart_markup(comparison_chart(answers));
    }
    return out;
}

/// Experiments without results that rows of the section need.
std::string not_run(const Section& section, const ChartData& data) {
    std::vector<std::string> missing;
    for (const ReproducedFigure* const row : section.rows) {
        if (row->answer.verdict != Verdict::kNotMeasured) continue;
        const auto experiments = experiments_for(row->answer.paper);
        if (experiments.empty() || data.sweep(experiments.front()) != nullptr) continue;
        if (std::find(missing.begin(), missing.end(), experiments.front()) == missing.end()) {
            missing.push_back(experiments.front());
        }
    }
    std::string out;
    for (const std::string& experiment : missing) {
        out += fmt::format("<p><strong>Not run:</strong> experiment <code>{}</code>.</p>\n",
                           markup_escaped(experiment));
    }
    return out;
}

std::string section_html(const Section& section, const ChartData& data,
                         const std::string& docs_prefix) {
    std::string out =
        fmt::format("<section id='{}'>\n<h3>{}</h3>\n", markup_escaped(section.figure->anchor),
                    markup_escaped(section.figure->title));
    out += note(section.figure->caption) + not_run(section, data);
    std::set<std::string> marked;
    for (const ChartMaker& make : section.figure->charts) {
        const auto chart = make(data);
        if (!chart) continue;
        marked.insert(chart->marked.begin(), chart->marked.end());
        out += chart_markup(*chart);
    }
    return out + comparisons(section, marked) + rows_table(section, docs_prefix) + "</section>\n";
}

/// Number of results in each verdict, for the table of contents.
std::string verdicts_of(const Section& section) {
    std::array<std::size_t, kVerdictText.size()> counts{};
    for (const ReproducedFigure* const row : section.rows) {
        const PaperAnswer& answer = row->answer;
        if (answer.is_other_reading || is_marked(answer)) continue;
        ++counts[static_cast<std::size_t>(answer.verdict)];
    }
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], kVerdictText[i].name);
    }
    return text;
}

std::string head_html(const Reproduction& reproduction, const std::vector<Summary>& summaries) {
    std::string out =
        fmt::format("<h1>The figures of the papers</h1>\n<p><strong>{}.</strong></p>\n<p>{}.</p>\n",
                    markup_escaped(reproduction.counts().headline()),
                    markup_escaped(reproduction.counts().text()));
    std::string rule;
    for (const VerdictText& verdict : kVerdictText) {
        rule += fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup_escaped(verdict.name),
                            markup_escaped(verdict.rule));
    }
    out += fmt::format(
        "<details><summary>The rule</summary><dl>\n{}</dl><p>{}. A figure of several numbers comes "
        "to its worst. A median stands beside a mean of which one layer is more than half."
        "</p></details>\n",
        rule, markup_escaped(kRepeated));
    out +=
        "<p class='note'>Bars are ours; a red diamond is what the paper states. Lines on bars, and "
        "±, are 95 % intervals over seeds (launch jitter), cut where they leave a chart. Rows in "
        "italics are a second reading "
        "and "
        "do not count. Made by <code>tessera reproduce</code>.</p>\n";
    std::size_t missing = 0;
    std::size_t planned = 0;
    for (const Summary& summary : summaries) {
        missing += summary.missing();
        planned += summary.planned();
    }
    if (missing > 0) {
        out += fmt::format(
            "<p><strong>{} of {} runs are missing</strong>; what is below is of those that are "
            "there.</p>\n",
            missing, planned);
    }
    return out;
}

/// Table of the sweeps, with the settings of each variant.
std::string runs_html(const std::vector<Summary>& summaries) {
    if (summaries.empty()) return "";
    HtmlTable table({"experiment", "layers", "runs", "missing", "title", "program"}, 1, 2);
    std::string more;
    for (const Summary& summary : summaries) {
        table.row({summary.name(), std::to_string(summary.layers().size()),
                   std::to_string(summary.rows().size()), std::to_string(summary.missing()),
                   summary.title(), summary.tool()},
                  "", {"", "", "", "", "word", "word"});
        if (summary.variants().empty()) continue;
        more +=
            details_of_markup(fmt::format("Variants and configuration of {}", summary.name()),
                              changes_table(summary) +
                                  fmt::format("<p class='note'>The first run's:</p><pre>{}</pre>",
                                              markup_escaped(summary.config())));
    }
    return "<section id='runs'>\n<h2>What was run</h2>\n" + table.str() + more + "</section>\n";
}

}  // namespace

std::string reproduction_html(const Reproduction& reproduction,
                              const std::vector<ReadingsComparison>& readings,
                              const std::vector<Summary>& summaries,
                              const ReproductionPageParts& parts) {
    const ChartData data(reproduction, summaries, parts.figure21);
    std::string contents;
    std::string body;
    const std::vector<PaperPart> papers = paper_parts();
    for (const PaperPart& paper : papers) {
        const std::vector<Section> sections = sections_of(paper, reproduction);
        if (sections.empty()) continue;
        contents += fmt::format("<li><a href='#{}'>{}</a>\n<ul>\n", paper.anchor,
                                markup_escaped(paper.title));
        body += fmt::format("<h2 id='{}'>{}</h2>\n", paper.anchor, markup_escaped(paper.title));
        for (const Section& section : sections) {
            contents += fmt::format("<li><a href='#{}'>{}</a> <small class='id'>{}</small></li>\n",
                                    section.figure->anchor, markup_escaped(section.figure->title),
                                    verdicts_of(section));
            body += section_html(section, data, parts.docs_prefix);
        }
        contents += "</ul></li>\n";
    }
    if (!readings.empty()) {
        contents += "<li><a href='#readings'>Readings</a></li>\n";
        body += markup("<h2 id='readings'>Readings</h2>\n<p>{}.</p>\n", best_readings(readings));
        for (const ReadingsComparison& paper : readings) body += paper.html();
    }
    const std::string runs = runs_html(summaries);
    if (!runs.empty()) contents += "<li><a href='#runs'>What was run</a></li>\n";
    return html_page("The figures of the papers", head_html(reproduction, summaries) +
                                                      "<nav aria-label='Contents'>\n<ul>\n" +
                                                      contents + "</ul>\n</nav>\n" + body + runs);
}

}  // namespace tessera
