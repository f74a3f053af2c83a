#include "testbenches/feop_array/feop_driver.h"

namespace tessera::testbench {

FeopDriver::FeopDriver(Session& session, std::unique_ptr<Block> block)
    : session_(session),
      block_(std::move(block)),
      receiver_(session.options().seed),
      stall_(session.coverage.add("result_waits", "a result waits for its receiver")),
      input_waits_(session.coverage.add("input_waits", "an operation waits for the array")),
      bubble_closes_(
          session.coverage.add("bubble_closes", "an operation enters while a result waits")),
      wave_(session.observers().wave),
      operations_("pins", session.clock, [this](const FeopArrayInputs* offered, Cycle now) {
          return step(offered, now);
      }) {
    if (wave_ == nullptr) return;
    const auto add = [this](const char* name, std::uint32_t bits) {
        return wave_->add("feop_array", name, bits);
    };
    valid_ = add("valid", 1);
    ready_ = add("ready", 1);
    op_ = add("bohmma", 1);
    predicate_ = add("predicate", 1);
    a_ = add("a0", 16);
    b_ = add("b0", 16);
    result_ = add("result_valid", 1);
    result_ready_ = add("result_ready", 1);
    result_op_ = add("result_bohmma", 1);
    product_ = add("product0", 32);
}

FeopDriver::Operations::Events FeopDriver::step(const FeopArrayInputs* offered, Cycle now) {
    FeopArrayInputs in;
    if (offered != nullptr) in = *offered;
    in.valid = offered != nullptr ? 1 : 0;
    in.ready = receiver_.receives(now) ? 1 : 0;
    const FeopArrayOutputs out = block_->step(in, now);
    if (wave_ != nullptr) record(in, out, now);
    Operations::Events events;
    events.taken = in.valid != 0 && out.ready != 0;
    const bool waits = out.valid != 0 && in.ready == 0;
    session_.coverage.hit_if(input_waits_, in.valid != 0 && !events.taken);
    session_.coverage.hit_if(stall_, waits);
    session_.coverage.hit_if(bubble_closes_, waits && events.taken);
    if (waits) {
        ++stalls_;
    } else if (out.valid != 0) {
        take_result(out, now);
    }
    if (events.taken) under_way_.push_back({in.predicate != 0, now, stalls_, {}, false});
    if (!under_way_.empty() && (under_way_.front().complete || !under_way_.front().predicate)) {
        events.result = under_way_.front().result;
        under_way_.pop_front();
    }
    return events;
}

/// The result is that of the oldest operation that is not predicated off.
void FeopDriver::take_result(const FeopArrayOutputs& out, Cycle now) {
    for (UnderWay& operation : under_way_) {
        if (!operation.predicate || operation.complete) continue;
        operation.complete = true;
        operation.result = {true, out, now - operation.begin, stalls_ - operation.stalls_before};
        return;
    }
    session_.violations({"a result without an operation"});
}

void FeopDriver::record(const FeopArrayInputs& in, const FeopArrayOutputs& out, Cycle now) {
    wave_->set(valid_, now, in.valid);
    wave_->set(ready_, now, out.ready);
    wave_->set(result_, now, out.valid);
    wave_->set(result_ready_, now, in.ready);
    if (in.valid != 0) {
        wave_->set(op_, now, in.op == FeopArrayOp::kBohmma ? 1 : 0);
        wave_->set(predicate_, now, in.predicate);
        wave_->set(a_, now, in.a[0]);
        wave_->set(b_, now, in.b[0]);
    }
    if (out.valid == 0) return;
    wave_->set(result_op_, now, out.op == FeopArrayOp::kBohmma ? 1 : 0);
    if (out.op == FeopArrayOp::kOhmma) wave_->set(product_, now, out.product[0]);
}

}  // namespace tessera::testbench
