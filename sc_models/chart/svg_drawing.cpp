#include "sc_models/chart/svg_drawing.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sc_models/common/text_table.h"

namespace tessera {
namespace {

/// Any two colours differ by a CIEDE2000 of at least 12 (tests/system/colours_test.py).
constexpr std::array<const char*, 24> kChosen = {{
    "#3f8cc4", "#e0812a", "#4d9a55", "#9a6fb0", "#b8a02e", "#c9629a", "#8a6d5a", "#7f8a94",
    "#00d2d2", "#1e6969", "#d2c3b4", "#696900", "#ffa5ff", "#00e196", "#a5d24b", "#695a69",
    "#b44b00", "#c3a5b4", "#969678", "#3c693c", "#4b9696", "#4b5ad2", "#b4c3ff", "#00c3ff",
}};
/// Number of blues at the beginning and the end of kChosen, reserved for steps of a setting.
constexpr std::size_t kFirstBlues = 1, kLastBlues = 3;

/// Colour from a hue in degrees, and saturation and lightness in [0, 1].
std::string of_hue(double hue, double saturation, double lightness) {
    const auto channel = [&](double offset) {
        const double k = std::fmod(offset + hue / 30, 12);
        const double spread = saturation * std::min(lightness, 1 - lightness);
        const double value = lightness - spread * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
        return static_cast<int>(std::lround(255 * value));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

/// Colours spread evenly over `degrees` of hue from `first` on; neighbours differ in lightness.
std::vector<std::string> spread_colours(std::size_t count, double first, double degrees) {
    constexpr std::array<double, 3> kLightness = {0.42, 0.58, 0.50};
    std::vector<std::string> colours;
    for (std::size_t i = 0; i < count; ++i) {
        const double hue = first + degrees * static_cast<double>(i) / static_cast<double>(count);
        colours.push_back(of_hue(std::fmod(hue, 360), 0.55, kLightness[i % kLightness.size()]));
    }
    return colours;
}

}  // namespace

std::string standalone(const std::string& svg) {
    constexpr std::string_view kOpen = "<svg ";
    // Viewers have pages of any colour behind it, and no font to inherit.
    const std::size_t inside = svg.find('>') + 1;
    std::string head = svg.substr(kOpen.size(), inside - kOpen.size());
    constexpr std::string_view kInherited = "font-family='inherit'";
    if (const std::size_t at = head.find(kInherited); at != std::string::npos) {
        head.replace(at, kInherited.size(),
                     "font-family='DejaVu Sans, Verdana, Helvetica, Arial, sans-serif'");
    }
    return fmt::format(
        "{}xmlns='http://www.w3.org/2000/svg' {}\n<rect width='100%' height='100%' fill='#fff'/>{}",
        kOpen, head, svg.substr(inside));
}

std::vector<std::string> series_colours(std::size_t count) {
    if (count > kChosen.size()) return spread_colours(count, 205, 360);
    return {kChosen.begin(), kChosen.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::vector<std::string> variant_colours(const std::vector<std::string>& names) {
    const auto is_numbered = [](const std::string& name) {
        return name.find_first_of("0123456789") != std::string::npos;
    };
    const auto steps =
        static_cast<std::size_t>(std::count_if(names.begin(), names.end(), is_numbered));
    const std::size_t others = names.size() - steps;
    constexpr std::size_t kOthers = kChosen.size() - kFirstBlues - kLastBlues;
    // Omit the blues, hues of 190 to 240 degrees.
    std::vector<std::string> other_colours = {kChosen.begin() + kFirstBlues,
                                              kChosen.end() - kLastBlues};
    if (others > kOthers) other_colours = spread_colours(others, 245, 300);

    std::size_t step = 0;
    std::size_t other = 0;
    std::vector<std::string> colours;
    for (const std::string& name : names) {
        if (!is_numbered(name)) {
            colours.push_back(other_colours[other++]);
            continue;
        }
        const double share =
            steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 0.5;
        ++step;
        colours.push_back(of_hue(208, 0.55 + 0.2 * share, 0.82 - 0.6 * share));
    }
    return colours;
}

namespace svg {

double text_width(std::string_view content) {
    const auto characters = std::count_if(content.begin(), content.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    return kCharacter * static_cast<double>(characters);
}

Axis::Axis(double smallest, double largest, bool logarithmic) : logarithmic_(logarithmic) {
    if (logarithmic) {
        const auto below = std::floor(std::log10(smallest));
        for (double decade = std::pow(10.0, below);; decade *= 10) {
            for (const double factor : {1.0, 2.0, 5.0}) {
                const double tick = factor * decade;
                if (ticks_.size() == 1 && tick <= smallest) ticks_.clear();
                ticks_.push_back(tick);
                if (ticks_.size() > 1 && tick >= largest) return;
            }
        }
    }
    double low = std::min(0.0, smallest);
    double high = std::max(0.0, largest);
    if (low == high) high = 1;
    // A sum that exceeds a tick by a rounding error must not add another tick.
    constexpr double kSlack = 1e-9;
    const double raw = (high - low) / 5 * (1 - kSlack);
    const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        step_ = factor * magnitude;
        if (step_ >= raw) break;
    }
    // Whole multiples of the step make zero exact.
    const long first = std::lround(std::floor(low / step_ + kSlack));
    const long last = std::lround(std::ceil(high / step_ - kSlack));
    for (long i = first; i <= last; ++i) ticks_.push_back(static_cast<double>(i) * step_);
}

double Axis::share(double value) const {
    const auto place = [this](double v) { return logarithmic_ ? std::log10(v) : v; };
    const double low = place(ticks_.front());
    return (place(value) - low) / (place(ticks_.back()) - low);
}

std::string Axis::label(double tick) const {
    const double finest = logarithmic_ ? tick : step_;
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(finest) + 1e-9)));
    return number_cell(tick, decimals);
}

std::string open(double height) {
    return fmt::format(
        "<svg viewBox='0 0 {:.0f} {:.0f}' width='100%' role='img' font-family='inherit' "
        "font-size='12' fill='#333'>\n",
        kWidth, height);
}

std::string text(double x, double y, std::string_view anchor, std::string_view content,
                 std::string_view more) {
    return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}' {}>{}</text>\n", x, y, anchor,
                       more, markup_escaped(content));
}

std::string rectangle(double x, double y, double width, double height, std::string_view colour,
                      std::string_view tip) {
    return fmt::format(
        "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'>"
        "<title>{}</title></rect>\n",
        x, y, width, height, colour, markup_escaped(tip));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                 std::string_view more) {
    return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='{}' {}/>\n",
                       x1, y1, x2, y2, colour, more);
}

std::string grid_line(double x1, double y1, double x2, double y2, bool zero) {
    return line(x1, y1, x2, y2, zero ? "#666" : "#e3e3e3", zero ? "class='zero'" : "class='grid'");
}

std::string paper_mark(double x, double y, std::string_view tip, std::string_view fill) {
    return fmt::format(
        "<path class='mark' d='M{:.1f} {:.1f}l6 6l-6 6l-6-6z' fill='{}' stroke='{}' "
        "stroke-width='1.8'><title>{}</title></path>\n",
        x, y - 6, fill, kPaperColour, markup_escaped(tip));
}

std::string interval(double x, double top, double bottom, double cap, bool is_stated) {
    return fmt::format(
        "<path class='{5}' d='M{0:.1f} {2:.1f}h{1:.1f}m{3:.1f} 0V{4:.1f}m{3:.1f} 0h{1:.1f}' "
        "fill='none' stroke='{6}'/>\n",
        x - cap, 2 * cap, top, -cap, bottom, is_stated ? "mark" : "interval",
        is_stated ? kPaperColour : "#444");
}

std::string square_sign(std::string_view colour) {
    return rectangle(-6, -6, 12, 12, colour, "");
}

std::string mark_sign() {
    return paper_mark(0, 0, "stated by the paper");
}

std::string legend(const std::vector<LegendEntry>& entries, double left, double& top) {
    std::string out;
    double x = left;
    for (const LegendEntry& entry : entries) {
        const double width = 40 + text_width(entry.name);
        if (x + width > kWidth && x > left) {
            x = left;
            top += 20;
        }
        out += fmt::format("<g transform='translate({:.1f} {:.1f})'>{}</g>\n", x + 6, top + 6,
                           entry.sign);
        out += text(x + 18, top + 10, "start", entry.name);
        x += width;
    }
    top += 20;
    return out;
}

std::vector<std::size_t> lines_of(const std::vector<std::pair<double, double>>& spans) {
    constexpr double kApart = 6;
    std::vector<double> ends;  // right end of each line
    std::vector<std::size_t> lines;
    for (const auto& [begin, end] : spans) {
        std::size_t found = 0;
        while (found < ends.size() && ends[found] + kApart > begin) ++found;
        if (found == ends.size()) ends.push_back(0);
        ends[found] = end;
        lines.push_back(found);
    }
    return lines;
}

void Labels::keep_clear(double left, double top, double right, double bottom) {
    taken_.push_back({left, top, right, bottom});
}

bool Labels::is_free(const Box& box) const {
    return box[1] >= top_ && box[3] <= bottom_ &&
           std::none_of(taken_.begin(), taken_.end(), [&box](const Box& other) {
               return box[0] < other[2] && other[0] < box[2] && box[1] < other[3] &&
                      other[1] < box[3];
           });
}

std::string Labels::place(double x, double wished, std::string_view content, std::string_view more,
                          double reach) {
    constexpr double kAbove = 10;  // height of letters above the baseline
    constexpr double kBelow = 3;
    const double half = text_width(content) / 2 + 1;
    for (int step = 0; 2.0 * step <= std::min(bottom_ - top_, reach); ++step) {
        for (const int direction : {-2, 2}) {
            const double base = wished + direction * step;
            const Box box = {x - half, base - kAbove, x + half, base + kBelow};
            if (!is_free(box)) continue;
            taken_.push_back(box);
            return text(x, base, "middle", content,
                        fmt::format("class='halo' paint-order='stroke' stroke='#fff' "
                                    "stroke-width='3' {}",
                                    more));
        }
    }
    return "";
}

}  // namespace svg
}  // namespace tessera
