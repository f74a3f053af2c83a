// Where the labels of a chart lie.
#pragma once

#include <array>
#include <regex>
#include <string>
#include <vector>

namespace tessera::test {

/// How often `part` is in the text.
inline std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
}

/// Where a label lies: left, top, right, bottom.
struct Label {
    std::array<double, 4> box;
    std::string text;
};

/// The labels of an SVG, by the place, anchor and length of each, at 6.6 pixels a character.
inline std::vector<Label> labels_of(const std::string& svg) {
    static const std::regex kText(
        "<text x='([-0-9.]+)' y='([-0-9.]+)' text-anchor='(\\w+)'([^>]*)>(.*?)</text>");
    static const std::regex kTags("<[^>]*>");
    static const std::regex kEntities("&[a-z0-9#]+;");
    std::vector<Label> labels;
    for (std::sregex_iterator at(svg.begin(), svg.end(), kText), end; at != end; ++at) {
        const double x = std::stod((*at)[1]);
        const double y = std::stod((*at)[2]);
        const std::string anchor = (*at)[3];
        std::string text = std::regex_replace((*at)[5].str(), kTags, "");
        text = std::regex_replace(text, kEntities, "?");
        const double width = 6.6 * static_cast<double>(text.size());
        const double before = anchor == "start" ? 0 : anchor == "end" ? width : width / 2;
        // Turned by -90 degrees, what is left of the point is below it.
        if ((*at)[4].str().find("rotate(-90") != std::string::npos) {
            labels.push_back({{x - 9, y + before - width, x + 2, y + before}, text});
        } else {
            labels.push_back({{x - before, y - 9, x - before + width, y + 2}, text});
        }
    }
    return labels;
}

/// The first two labels that lie on each other, or one that leaves the picture; empty if none does.
inline std::string overprinted(const std::string& svg) {
    const std::vector<Label> labels = labels_of(svg);
    const double height = std::stod(svg.substr(svg.find("0 0 1120 ") + 9));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto& a = labels[i].box;
        if (a[0] < 0 || a[1] < 0 || a[2] > 1120 || a[3] > height) return labels[i].text + " leaves";
        for (std::size_t j = 0; j < i; ++j) {
            const auto& b = labels[j].box;
            if (a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]) {
                return labels[j].text + " on " + labels[i].text;
            }
        }
    }
    return "";
}

}  // namespace tessera::test
