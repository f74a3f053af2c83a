#include "sc_models/observe/timeline_page.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "sc_models/page/markup.h"
#include "sc_models/page/page_frame.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::uint8_t>;

/// Appends a LEB128 number: seven bits per byte, low ones first; every byte but the last has the
/// top bit set.
void append(Bytes& bytes, std::uint64_t value) {
    while (value >= 0x80U) {
        bytes.push_back(static_cast<std::uint8_t>(value | 0x80U));
        value >>= 7U;
    }
    bytes.push_back(static_cast<std::uint8_t>(value));
}

/// Appends a signed difference, zigzag-coded: 0, -1, 1, -2 ... as 0, 1, 2, 3 ...
void append_change(Bytes& bytes, std::uint64_t from, std::uint64_t to) {
    const bool down = to < from;
    const std::uint64_t size = down ? from - to - 1 : to - from;
    append(bytes, size << 1U | (down ? 1U : 0U));
}

std::string block(const std::string& id, const Bytes& bytes) {
    return fmt::format("<script type='text/plain' id='{}'>{}</script>\n", id, base64(bytes));
}

/// The values of one key, and the spans that have it.
struct Column {
    TimelineSpans::DetailKind kind = TimelineSpans::DetailKind::kNumber;
    std::size_t count = 0;
    std::uint64_t last_span = 0, last_value = 0;
    Bytes spans, values;
};

/// Rounds to the precision of a chart.
double shown(double value) {
    return std::stod(fmt::format("{:.5g}", value));
}

/// The unpacked part of the page's data: rows, texts, kernels, figures.
Json head_of(const TimelineSpans& timeline, const std::vector<Column>& columns) {
    const Cycle first = timeline.first();
    Json head;
    head["first"] = first;
    head["last"] = timeline.last();
    if (timeline.core_clock_mhz) head["core_clock_mhz"] = *timeline.core_clock_mhz;
    head["names"] = timeline.names();
    head["texts"] = timeline.texts();
    head["rows"] = Json::array();
    for (const auto& row : timeline.rows()) {
        head["rows"].push_back(
            {{"process", row.process}, {"thread", row.thread}, {"spans", row.spans.size()}});
    }
    head["keys"] = Json::array();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        constexpr std::array<const char*, 3> kKinds = {"number", "address", "text"};
        head["keys"].push_back({{"name", timeline.keys()[i]},
                                {"kind", kKinds[static_cast<std::size_t>(columns[i].kind)]},
                                {"spans", columns[i].count}});
    }
    head["kernels"] = Json::array();
    for (const auto& kernel : timeline.kernels()) {
        head["kernels"].push_back(
            {{"name", kernel.name}, {"begin", kernel.begin - first}, {"end", kernel.end - first}});
    }
    head["figures"] = Json::array();
    for (const auto& series : timeline.series()) {
        Json at = Json::array();
        Json values = Json::array();
        for (const Cycle cycle : series.at) at.push_back(cycle - first);
        for (const double value : series.values) values.push_back(shown(value));
        head["figures"].push_back({{"name", series.name},
                                   {"unit", series.unit},
                                   {"at", std::move(at)},
                                   {"values", std::move(values)},
                                   {"end", series.end - first}});
    }
    return head;
}

/// Packed data of all spans, row by row.
struct PackedSpans {
    Bytes begins, lengths, names;
    std::vector<Column> columns;  ///< by key
};

PackedSpans pack(const TimelineSpans& timeline) {
    PackedSpans packed;
    packed.columns.resize(timeline.keys().size());
    std::uint64_t number = 0;
    const Cycle first = timeline.first();
    for (const auto& row : timeline.rows()) {
        Cycle before = first;
        for (const auto& span : row.spans) {
            append(packed.begins, span.begin - before);
            before = span.begin;
            append(packed.lengths, span.end - span.begin);
            append(packed.names, span.name);
            for (std::uint32_t i = 0; i < span.details; ++i) {
                const auto& detail = timeline.details()[span.first_detail + i];
                Column& column = packed.columns[detail.key];
                column.kind = detail.kind;
                ++column.count;
                append(column.spans, number - column.last_span);
                // A cycle is coded relative to its span, any other value to the previous one of its
                // key.
                append_change(column.values, column.last_value, detail.value);
                column.last_span = number;
                column.last_value = detail.value;
            }
            ++number;
        }
    }
    return packed;
}

std::string cycles_cell(Cycle cycles) {
    return fmt::format("<td>{}</td>", cycles);
}

/// Tables of rows and names, for readers without JavaScript, and for sorting and saving.
std::string tables(const TimelineSpans& timeline) {
    const double all = std::max<double>(1, static_cast<double>(timeline.last() - timeline.first()));
    std::string out =
        "<h2>What each row shows</h2>\n<div class='scroll'><table><thead><tr><th class='word'>part"
        "</th><th class='word'>row</th><th>spans</th><th>cycles</th><th>% of the time</th></tr>"
        "</thead><tbody>\n";
    struct Total {
        std::uint64_t spans = 0;
        Cycle cycles = 0;
    };
    std::map<std::pair<std::string, std::uint32_t>, Total> by_name;
    for (const auto& row : timeline.rows()) {
        Cycle busy = 0;
        Cycle until = 0;
        for (const auto& span : row.spans) {
            // Nested spans count once.
            busy += std::max(span.end, until) - std::max(span.begin, until);
            until = std::max(until, span.end);
            Total& total = by_name[{row.process, span.name}];
            ++total.spans;
            total.cycles += span.end - span.begin;
        }
        out += fmt::format(
            "<tr><td class='word'>{}</td><td "
            "class='word'>{}</td><td>{}</td>{}<td>{:.2f}</td></tr>\n",
            markup_escaped(row.process), markup_escaped(row.thread), row.spans.size(),
            cycles_cell(busy), 100 * static_cast<double>(busy) / all);
    }
    constexpr std::size_t kNames = 100;
    std::vector<std::pair<std::pair<std::string, std::uint32_t>, Total>> largest(by_name.begin(),
                                                                                 by_name.end());
    std::stable_sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) {
        return a.second.cycles > b.second.cycles;
    });
    out +=
        fmt::format("</tbody></table></div>\n<h2>What takes the time</h2>\n{}",
                    largest.size() > kNames
                        ? fmt::format("<p class='note'>The {} of {} names with most cycles.</p>\n",
                                      kNames, largest.size())
                        : "");
    out +=
        "<div class='scroll'><table><thead><tr><th class='word'>part</th><th class='word'>span"
        "</th><th>spans</th><th>cycles</th><th>cycles a span</th></tr></thead><tbody>\n";
    largest.resize(std::min(largest.size(), kNames));
    for (const auto& [place, total] : largest) {
        out += fmt::format(
            "<tr><td class='word'>{}</td><td "
            "class='word'>{}</td><td>{}</td>{}<td>{:.1f}</td></tr>\n",
            markup_escaped(place.first), markup_escaped(timeline.names()[place.second]),
            total.spans, cycles_cell(total.cycles),
            static_cast<double>(total.cycles) / static_cast<double>(total.spans));
    }
    return out + "</tbody></table></div>\n";
}

std::string title_of(const TimelineSpans& timeline) {
    std::string title = "Timeline";
    std::string last;
    for (const auto& kernel : timeline.kernels()) {
        if (kernel.name == last) continue;
        title += (last.empty() ? " of " : ", ") + kernel.name;
        last = kernel.name;
        constexpr std::size_t kLongest = 70;
        if (title.size() > kLongest) return title + " …";
    }
    return title;
}

}  // namespace

void write_timeline_page(const TimelineSpans& timeline,
                         const std::function<void(std::string_view)>& write) {
    const PageAssets assets{{"timeline.css"},
                            {"timeline_data.js", "timeline_colours.js", "timeline_lane.js",
                             "timeline_view.js", "timeline.js"}};
    const std::string title = title_of(timeline);
    write(page_head(title, assets));
    write(fmt::format(
        "<h1>{}</h1>\n<p class='note'>{} spans in {} rows, core cycles {} to {}{}. Made by "
        "<code>tessera</code>.</p>\n<div id='timeline'><noscript><p>The timeline is drawn by "
        "JavaScript; the tables below say what is in it.</p></noscript></div>\n",
        markup_escaped(title), timeline.spans(), timeline.rows().size(), timeline.first(),
        timeline.last(),
        timeline.core_clock_mhz ? fmt::format(" at {:g} MHz", *timeline.core_clock_mhz) : ""));
    const PackedSpans packed = pack(timeline);
    write(tables(timeline));
    write("<script type='application/json' id='timeline-head'>" +
          script_safe(head_of(timeline, packed.columns).dump()) + "</script>\n");
    write(block("timeline-begins", packed.begins));
    write(block("timeline-lengths", packed.lengths));
    write(block("timeline-names", packed.names));
    for (std::size_t i = 0; i < packed.columns.size(); ++i) {
        write(block(fmt::format("timeline-key{}-spans", i), packed.columns[i].spans));
        write(block(fmt::format("timeline-key{}-values", i), packed.columns[i].values));
    }
    write(page_end(assets));
}

}  // namespace tessera
