#include "testbenches/bitmap_im2col/im2col_driver.h"

namespace tessera::testbench {

Im2colDriver::Im2colDriver(Session& session, std::unique_ptr<Block> block)
    : session_(session),
      block_(std::move(block)),
      receiver_(session.options().seed),
      stall_(session.coverage.add("column_waits", "a column waits for its receiver")),
      input_waits_(session.coverage.add("row_waits", "a row waits for the block")),
      overlap_(session.coverage.add("overlap", "a row enters before the last column of another")),
      wave_(session.observers().wave),
      operations_("pins", session.clock,
                  [this](const MapRow* offered, Cycle now) { return step(offered, now); }) {
    if (wave_ == nullptr) return;
    const auto add = [this](const char* name, std::uint32_t bits) {
        return wave_->add("bitmap_im2col", name, bits);
    };
    row_ = add("row", 1);
    row_ready_ = add("row_ready", 1);
    row_bitmap_ = add("row_bitmap", kMapRowBits);
    valid_ = add("column_valid", 1);
    ready_ = add("column_ready", 1);
    bitmap_ = add("bitmap", kMapRowBits);
    window_ = add("window", kMapRowBits);
    address_ = add("address", 32);
    length_ = add("length", 7);
    count_ = add("count", 7);
    last_ = add("last", 1);
}

Im2colDriver::Operations::Events Im2colDriver::step(const MapRow* offered, Cycle now) {
    BitmapIm2col::Inputs in;
    in.column_ready = receiver_.receives(now, quiet_) ? 1 : 0;
    if (offered != nullptr) {
        in.row_valid = 1;
        in.row = {offered->bitmap, offered->length, offered->filter, offered->stride - 1,
                  offered->base};
    }
    const BitmapIm2col::Outputs out = block_->step(in, now);
    Operations::Events events;
    events.taken = in.row_valid != 0 && out.row_ready != 0;
    session_.coverage.hit_if(input_waits_, in.row_valid != 0 && !events.taken);
    const bool waits = out.column_valid != 0 && in.column_ready == 0;
    session_.coverage.hit_if(stall_, waits);
    if (wave_ != nullptr) record(in, out, now);
    if (out.column_valid != 0 && !waits) events.result = take_column(out.column, now);
    if (waits) ++stalls_;
    if (events.taken) take_row(now);
    return events;
}

void Im2colDriver::take_row(Cycle now) {
    session_.coverage.hit_if(overlap_, !rows_.empty());
    UnderWay row;
    row.result.alone = rows_.empty();
    row.begin = now;
    row.stalls_before = stalls_;
    for (UnderWay& other : rows_) other.result.alone = false;
    rows_.push_back(std::move(row));
}

std::optional<RowResult> Im2colDriver::take_column(const BitmapIm2col::Column& column, Cycle now) {
    if (rows_.empty()) {
        session_.violations({"a column without a row"});
        return std::nullopt;
    }
    UnderWay& row = rows_.front();
    if (row.result.columns.empty()) row.result.first = now - row.begin;
    row.result.columns.push_back(column);
    if (column.last == 0) return std::nullopt;
    RowResult result = std::move(row.result);
    result.cycles = now - row.begin;
    result.stalls = stalls_ - row.stalls_before;
    rows_.pop_front();
    return result;
}

void Im2colDriver::record(const BitmapIm2col::Inputs& in, const BitmapIm2col::Outputs& out,
                          Cycle now) {
    wave_->set(row_, now, in.row_valid);
    wave_->set(row_ready_, now, out.row_ready);
    if (in.row_valid != 0) wave_->set(row_bitmap_, now, in.row.bitmap);
    wave_->set(valid_, now, out.column_valid);
    wave_->set(ready_, now, in.column_ready);
    if (out.column_valid == 0) return;
    wave_->set(bitmap_, now, out.column.bitmap);
    wave_->set(window_, now, out.column.window);
    wave_->set(address_, now, out.column.address);
    wave_->set(length_, now, out.column.length);
    wave_->set(count_, now, out.column.count);
    wave_->set(last_, now, out.column.last);
}

}  // namespace tessera::testbench
