#include "testbenches/bitmap_unit/bitmap_driver.h"

namespace tessera::testbench {

BitmapDriver::BitmapDriver(Session& session, std::unique_ptr<Block> block)
    : session_(session),
      block_(std::move(block)),
      receiver_(session.options().seed),
      stall_(session.coverage.add("ohmma_waits", "an OHMMA waits for its receiver")),
      input_waits_(session.coverage.add("tile_waits", "a tile waits for the unit")),
      overlap_(session.coverage.add("overlap", "a tile enters before the last OHMMA of another")),
      wave_(session.observers().wave),
      operations_("pins", session.clock,
                  [this](const TileBitmaps* offered, Cycle now) { return step(offered, now); }) {
    if (wave_ == nullptr) return;
    const auto add = [this](const char* name, std::uint32_t bits) {
        return wave_->add("bitmap_unit", name, bits);
    };
    tile_ = add("tile", 1);
    valid_ = add("ohmma_valid", 1);
    ready_ = add("tile_ready", 1);
    k_ = add("k", 4);
    i_ = add("i", 2);
    j_ = add("j", 1);
    rows_ = add("row_valid", 8);
    columns_ = add("column_valid", 16);
    a_count_ = add("a_count", 6);
    b_count_ = add("b_count", 6);
    predicates_ = add("predicates", 8);
}

BitmapDriver::Operations::Events BitmapDriver::step(const TileBitmaps* offered, Cycle now) {
    BitmapUnit::Inputs in;
    in.ohmma_ready = receiver_.receives(now, quiet_) ? 1 : 0;
    if (offered != nullptr) {
        in.tile_valid = 1;
        in.a_bitmap = offered->a;
        in.b_bitmap = offered->b;
    }
    const BitmapUnit::Outputs out = block_->step(in, now);
    Operations::Events events;
    events.taken = in.tile_valid != 0 && out.tile_ready != 0;
    session_.coverage.hit_if(input_waits_, in.tile_valid != 0 && !events.taken);
    const bool waits = out.ohmma_valid != 0 && in.ohmma_ready == 0;
    session_.coverage.hit_if(stall_, waits);
    if (wave_ != nullptr) record(out, events.taken, now);
    if (out.ohmma_valid != 0 && !waits) take_ohmma(out.ohmma, now);
    if (out.tile_done != 0) take_summary(out, now);
    if (waits) ++stalls_;
    if (events.taken) take_tile(now);
    if (!tiles_.empty() && tiles_.front().complete) {
        events.result = std::move(tiles_.front().result);
        tiles_.pop_front();
    }
    return events;
}

void BitmapDriver::take_tile(Cycle now) {
    session_.coverage.hit_if(overlap_, !tiles_.empty());
    UnderWay tile;
    tile.result.alone = tiles_.empty();
    tile.begin = now;
    tile.stalls_before = stalls_;
    for (UnderWay& other : tiles_) other.result.alone = false;
    tiles_.push_back(std::move(tile));
}

/// The summary is that of the oldest tile without one.
void BitmapDriver::take_summary(const BitmapUnit::Outputs& out, Cycle now) {
    for (UnderWay& tile : tiles_) {
        if (tile.summarised) continue;
        tile.summarised = true;
        tile.result.summary = out.summary;
        bool empty = true;
        for (const std::uint32_t predicates : out.summary.predicates) {
            empty = empty && predicates == 0;
        }
        if (empty) finish(tile, now);
        return;
    }
    session_.violations({"tile_done without a tile"});
}

void BitmapDriver::take_ohmma(const BitmapUnit::Ohmma& ohmma, Cycle now) {
    for (UnderWay& tile : tiles_) {
        if (tile.complete) continue;
        if (tile.result.ohmmas.empty()) tile.result.first = now - tile.begin;
        tile.result.ohmmas.push_back(ohmma);
        if (ohmma.last != 0) finish(tile, now);
        return;
    }
    session_.violations({"an OHMMA without a tile"});
}

void BitmapDriver::finish(UnderWay& tile, Cycle now) const {
    tile.complete = true;
    tile.result.cycles = now - tile.begin;
    tile.result.stalls = stalls_ - tile.stalls_before;
}

void BitmapDriver::record(const BitmapUnit::Outputs& out, bool taken, Cycle now) {
    if (taken) wave_->pulse(tile_, now, 1);
    wave_->set(valid_, now, out.ohmma_valid);
    wave_->set(ready_, now, out.tile_ready);
    if (out.ohmma_valid != 0) {
        wave_->set(k_, now, out.ohmma.k);
        wave_->set(i_, now, out.ohmma.i);
        wave_->set(j_, now, out.ohmma.j);
        wave_->set(rows_, now, out.ohmma.row_valid);
        wave_->set(columns_, now, out.ohmma.column_valid);
    }
    if (out.summary_valid == 0) return;
    // Numbers of the first k-set that has OHMMAs.
    std::size_t k = 0;
    while (k + 1 < kTileDepth && out.summary.predicates[k] == 0) ++k;
    wave_->set(a_count_, now, out.summary.a_count[k]);
    wave_->set(b_count_, now, out.summary.b_count[k]);
    wave_->set(predicates_, now, out.summary.predicates[k]);
}

}  // namespace tessera::testbench
