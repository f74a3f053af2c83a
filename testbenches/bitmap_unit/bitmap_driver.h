// Driver of a bitmap unit: tiles go in, their summaries and OHMMAs come out.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sc_models/tensor_core/bitmap_unit.h"
#include "testbenches/bitmap_unit/naive_tile.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/clocked_driver.h"

namespace tessera::testbench {

/// Output of the unit for a tile.
struct TileResult {
    BitmapUnit::Summary summary;
    std::vector<BitmapUnit::Ohmma> ohmmas;
    bool alone = false;  ///< no other tile was in the unit meanwhile
    Cycle cycles = 0;    ///< from the tile to its last OHMMA, or to tile_done if it has none
    Cycle first = 0;     ///< from the tile to its first OHMMA
    Cycle stalls = 0;    ///< cycles of these in which an OHMMA waited
};

/// Drives the pins cycle by cycle. Receives OHMMAs with random stalls.
class BitmapDriver {
public:
    using Block = ClockedBlock<BitmapUnit::Inputs, BitmapUnit::Outputs>;
    using Operations = ClockedDriver<TileBitmaps, TileResult>;

    BitmapDriver(Session& session, std::unique_ptr<Block> block);
    [[nodiscard]] Operations& operations() { return operations_; }
    /// Receives every OHMMA at once from now on.
    void receive_always() { quiet_ = true; }

private:
    struct UnderWay {
        TileResult result;
        Cycle begin = 0, stalls_before = 0;
        bool summarised = false, complete = false;
    };
    [[nodiscard]] Operations::Events step(const TileBitmaps* offered, Cycle now);
    void take_tile(Cycle now);
    void take_summary(const BitmapUnit::Outputs& out, Cycle now);
    void take_ohmma(const BitmapUnit::Ohmma& ohmma, Cycle now);
    void finish(UnderWay& tile, Cycle now) const;
    void record(const BitmapUnit::Outputs& out, bool taken, Cycle now);

    Session& session_;
    std::unique_ptr<Block> block_;
    StallingReceiver receiver_;
    bool quiet_ = false;
    std::deque<UnderWay> tiles_;
    Cycle stalls_ = 0;
    const Coverage::Bin stall_, input_waits_, overlap_;
    WaveRecorder* const wave_;
    WaveRecorder::Signal tile_ = 0, valid_ = 0, ready_ = 0, k_ = 0, i_ = 0, j_ = 0, rows_ = 0,
                         columns_ = 0, a_count_ = 0, b_count_ = 0, predicates_ = 0;
    Operations operations_;
};

}  // namespace tessera::testbench
