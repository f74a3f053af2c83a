// Rooflines as SVG text, for pages that load nothing from elsewhere.
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// A kernel, or all of a layer's.
struct RooflinePoint {
    std::string name;   ///< for its tip
    std::string label;  ///< beside it, where it keeps clear of others
    double flop = 0;
    double seconds = 0;
    std::vector<double> bytes;  ///< by memory
    double weight = 0;          ///< its area among the points'
    std::string colour;
};

/// A memory, and how much of it comes in a second.
struct RooflineMemory {
    std::string name;
    double bytes_per_second = 0;
};

/// FLOP a second over FLOP a byte, both logarithmic, a field for each of two memories. The roof is
/// what the units compute and what the memory brings. Points without FLOP, bytes or time are left
/// out. Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.
struct RooflineChart {
    std::string unit_name;  ///< what computes
    double flop_per_second = 0;
    std::vector<RooflineMemory> memories;
    std::vector<RooflinePoint> points;
    std::size_t labelled = 12;   ///< of the points of most weight, so many may have their labels
    bool labels_beside = false;  ///< clear of the points, for labels that are wider than they are

    [[nodiscard]] std::string svg() const;
};

/// "898 GB/s", with the prefix that leaves one to three digits before the point.
[[nodiscard]] std::string rate_cell(double per_second, const std::string& unit);

}  // namespace tessera
