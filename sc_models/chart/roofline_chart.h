// Roofline charts as SVG text for self-contained pages.
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// A kernel, or all kernels of a layer.
struct RooflinePoint {
    std::string name;   ///< text of the tooltip
    std::string label;  ///< text beside the point, drawn if it does not overlap others
    double flop = 0;
    double seconds = 0;
    std::vector<double> bytes;  ///< traffic, one per memory
    double weight = 0;          ///< the point's area relative to the others
    std::string colour;
};

/// A memory and its bandwidth.
struct RooflineMemory {
    std::string name;
    double bytes_per_second = 0;
};

/// FLOP per second over FLOP per byte, both logarithmic, with one field for each of two memories.
/// The roof is the minimum of peak compute rate and bandwidth times intensity. Points without FLOP,
/// bytes or time are left out. Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.
struct RooflineChart {
    std::string unit_name;  ///< name of the compute unit
    double flop_per_second = 0;
    std::vector<RooflineMemory> memories;
    std::vector<RooflinePoint> points;
    std::size_t labelled = 12;   ///< maximum number of labels, for the points of largest weight
    bool labels_beside = false;  ///< labels do not overlap points; for labels wider than they

    [[nodiscard]] std::string svg() const;
};

/// Example: "898 GB/s". Chooses the prefix that leaves one to three digits before the point.
[[nodiscard]] std::string rate_cell(double per_second, const std::string& unit);

}  // namespace tessera
