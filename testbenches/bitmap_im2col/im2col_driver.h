// Driver of a bitmap im2col: rows go in, their columns come out.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sc_models/tensor_core/bitmap_im2col.h"
#include "testbenches/bitmap_im2col/naive_lowering.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/clocked_driver.h"

namespace tessera::testbench {

/// Output of the block for a row.
struct RowResult {
    std::vector<BitmapIm2col::Column> columns;
    bool alone = false;  ///< no other row was in the block meanwhile
    Cycle cycles = 0;    ///< from the row to its last column
    Cycle first = 0;     ///< from the row to its first column
    Cycle stalls = 0;    ///< cycles of these in which a column waited
};

/// Drives the pins cycle by cycle. Receives columns with random stalls.
class Im2colDriver {
public:
    using Block = ClockedBlock<BitmapIm2col::Inputs, BitmapIm2col::Outputs>;
    using Operations = ClockedDriver<MapRow, RowResult>;

    Im2colDriver(Session& session, std::unique_ptr<Block> block);
    [[nodiscard]] Operations& operations() { return operations_; }
    /// Receives every column at once from now on.
    void receive_always() { quiet_ = true; }

private:
    struct UnderWay {
        RowResult result;
        Cycle begin = 0, stalls_before = 0;
    };
    [[nodiscard]] Operations::Events step(const MapRow* offered, Cycle now);
    void take_row(Cycle now);
    /// Adds a column to the oldest row; returns the row's result with its last one.
    [[nodiscard]] std::optional<RowResult> take_column(const BitmapIm2col::Column& column,
                                                       Cycle now);
    void record(const BitmapIm2col::Inputs& in, const BitmapIm2col::Outputs& out, Cycle now);

    Session& session_;
    std::unique_ptr<Block> block_;
    StallingReceiver receiver_;
    bool quiet_ = false;
    std::deque<UnderWay> rows_;
    Cycle stalls_ = 0;
    const Coverage::Bin stall_, input_waits_, overlap_;
    WaveRecorder* const wave_;
    WaveRecorder::Signal row_ = 0, row_ready_ = 0, row_bitmap_ = 0, valid_ = 0, ready_ = 0,
                         bitmap_ = 0, window_ = 0, address_ = 0, length_ = 0, count_ = 0, last_ = 0;
    Operations operations_;
};

}  // namespace tessera::testbench
