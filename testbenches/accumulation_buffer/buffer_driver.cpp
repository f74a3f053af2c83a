#include "testbenches/accumulation_buffer/buffer_driver.h"

namespace tessera::testbench {
namespace {
using Kind = BufferOperation::Kind;
}  // namespace

BufferDriver::BufferDriver(Session& session, std::unique_ptr<Block> block)
    : session_(session),
      block_(std::move(block)),
      receiver_(session.options().seed),
      op_waits_(session.coverage.add("op_waits", "an OHMMA waits for the buffer")),
      preload_waits_(session.coverage.add("preload_waits", "a preload waits for additions")),
      row_waits_(session.coverage.add("row_waits", "a drained row waits for its receiver")),
      result_waits_(session.coverage.add("result_waits", "a dense result waits for its receiver")),
      drain_waits_(session.coverage.add("drain_waits", "a drain waits for additions")),
      wave_(session.observers().wave),
      operations_("pins", session.clock, [this](const BufferOperation* offered, Cycle now) {
          return step(offered, now);
      }) {
    if (wave_ == nullptr) return;
    const auto add = [this](const char* name, std::uint32_t bits) {
        return wave_->add("accumulation_buffer", name, bits);
    };
    op_valid_ = add("op_valid", 1);
    op_ready_ = add("op_ready", 1);
    dense_ = add("op_dense", 1);
    rows_ = add("op_row_valid", 8);
    columns_ = add("op_column_valid", 16);
    preload_ = add("preload_valid", 1);
    drain_ = add("drain_valid", 1);
    row_valid_ = add("row_valid", 1);
    row_word_ = add("row_word", 3);
    result_ = add("result_valid", 1);
    idle_ = add("idle", 1);
}

AccumulationBuffer::Inputs BufferDriver::pins(const BufferOperation& o) {
    AccumulationBuffer::Inputs in;
    if (o.kind == Kind::kPreload) {
        in.preload_valid = 1;
        in.preload_word = o.word;
        in.preload_data = o.data;
        return in;
    }
    if (o.kind != Kind::kSparse && o.kind != Kind::kDense) {
        in.drain_valid = 1;
        in.drain_clear = o.kind == Kind::kDrainAndClear ? 1 : 0;
        return in;
    }
    in.op_valid = 1;
    in.op_product = o.data;
    in.op_row_valid = o.row_valid;
    in.op_column_valid = o.column_valid;
    in.op_row = o.row;
    in.op_column = o.column;
    if (o.kind == Kind::kSparse) return in;
    in.op_dense = 1;
    in.op_first = o.first ? 1 : 0;
    in.op_last = o.last ? 1 : 0;
    in.op_word = o.word;
    in.op_c = o.c;
    return in;
}

bool BufferDriver::taken(const AccumulationBuffer::Inputs& in,
                         const AccumulationBuffer::Outputs& out) {
    return (in.op_valid != 0 && out.op_ready != 0) ||
           (in.preload_valid != 0 && out.preload_ready != 0) ||
           (in.drain_valid != 0 && out.drain_ready != 0);
}

BufferDriver::Operations::Events BufferDriver::step(const BufferOperation* offered, Cycle now) {
    AccumulationBuffer::Inputs in;
    if (offered != nullptr) in = pins(*offered);
    in.row_ready = receiver_.receives(now) ? 1 : 0;
    in.result_ready = receiver_.receives(now) ? 1 : 0;
    const AccumulationBuffer::Outputs out = block_->step(in, now);
    if (wave_ != nullptr) record(in, out, now);
    Coverage& c = session_.coverage;
    c.hit_if(op_waits_, in.op_valid != 0 && out.op_ready == 0);
    c.hit_if(preload_waits_, in.preload_valid != 0 && out.preload_ready == 0);
    c.hit_if(row_waits_, out.row_valid != 0 && in.row_ready == 0);
    c.hit_if(result_waits_, out.result_valid != 0 && in.result_ready == 0);
    c.hit_if(drain_waits_, in.drain_valid != 0 && out.drain_ready != 0 && out.idle == 0);
    Operations::Events events;
    events.taken = offered != nullptr && taken(in, out);
    watch_idle(out.idle != 0, now);
    if (out.row_valid != 0 && in.row_ready != 0) take_sums(true, out.row_word, out.row_data);
    if (out.result_valid != 0 && in.result_ready != 0) {
        take_sums(false, out.result_word, out.result_data);
    }
    if (events.taken) {
        UnderWay operation;
        operation.kind = offered->kind;
        const bool drains = in.drain_valid != 0;
        operation.expected = drains ? kWords : in.op_dense != 0 && offered->last ? 1 : 0;
        operation.begin = now;
        operation.result.alone = out.idle != 0 && under_way_.empty();
        operation.waits_for_idle = operation.result.alone && offered->kind == Kind::kSparse;
        under_way_.push_back(std::move(operation));
        return events;
    }
    if (under_way_.empty()) return events;
    UnderWay& oldest = under_way_.front();
    // An OHMMA with nothing behind it is watched until its additions are done.
    const bool waits = oldest.waits_for_idle && under_way_.size() == 1 && offered == nullptr;
    if (oldest.result.sums.size() < oldest.expected || waits) return events;
    if (oldest.waits_for_idle) oldest.result.alone = false;
    events.result = std::move(oldest.result);
    under_way_.pop_front();
    return events;
}

void BufferDriver::watch_idle(bool idle, Cycle now) {
    if (!idle || under_way_.size() != 1 || !under_way_.front().waits_for_idle) return;
    under_way_.front().waits_for_idle = false;
    under_way_.front().result.busy = now - under_way_.front().begin;
}

/// The sums are those of the oldest operation that still expects some.
void BufferDriver::take_sums(bool drained, std::uint32_t word, const NaiveBuffer::Row& sums) {
    for (UnderWay& operation : under_way_) {
        if (operation.result.sums.size() == operation.expected) continue;
        if (drained == (operation.kind == Kind::kDense)) break;
        operation.result.words.push_back(word);
        operation.result.sums.push_back(sums);
        return;
    }
    session_.violations({"sums without an operation that returns them"});
}

void BufferDriver::record(const AccumulationBuffer::Inputs& in,
                          const AccumulationBuffer::Outputs& out, Cycle now) {
    wave_->set(op_valid_, now, in.op_valid);
    wave_->set(op_ready_, now, out.op_ready);
    wave_->set(preload_, now, in.preload_valid);
    wave_->set(drain_, now, in.drain_valid);
    wave_->set(row_valid_, now, out.row_valid);
    wave_->set(result_, now, out.result_valid);
    wave_->set(idle_, now, out.idle);
    if (out.row_valid != 0) wave_->set(row_word_, now, out.row_word);
    if (in.op_valid == 0) return;
    wave_->set(dense_, now, in.op_dense);
    wave_->set(rows_, now, in.op_row_valid);
    wave_->set(columns_, now, in.op_column_valid);
}

}  // namespace tessera::testbench
