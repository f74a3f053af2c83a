// Figure 11 of the dual-side sparse tensor core paper, played on the bitmap im2col.
#pragma once

#include <functional>

#include "testbenches/bitmap_im2col/im2col_driver.h"

namespace tessera::testbench {

/// Lowers the map of the figure row by row.
class Figure11 {
public:
    /// Sends one row to the block and returns its answer.
    using Play = std::function<const RowResult&(const MapRow&)>;

    Figure11(Session& session, Play play) : session_(session), play_(std::move(play)) {}
    void run();

private:
    /// Prints a row with its columns; returns the columns, values by their address or -1.
    std::vector<std::vector<std::int32_t>> play_row(const MapRow& row);

    Session& session_;
    const Play play_;
};

}  // namespace tessera::testbench
