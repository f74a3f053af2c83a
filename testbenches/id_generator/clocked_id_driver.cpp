#include "testbenches/id_generator/clocked_id_driver.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"

namespace tessera::testbench {

ClockedIdDriver::ClockedIdDriver(Session& session, std::unique_ptr<Block> block)
    : session_(session),
      block_(std::move(block)),
      stalls_(session, Rtl::kLatency),
      operations_("driver", session.clock,
                  [this](const IdOperation* offered, Cycle now) { return step(offered, now); }) {}

void ClockedIdDriver::program(const ConvolutionPacket& packet) {
    Rtl::Inputs in;
    in.program_valid = true;
    in.packet = planted(session_, packet).encode();
    // One cycle takes the packet; the generator is busy in the cycles behind it.
    for (Cycle cycle = 0; cycle <= Rtl::kProgramCycles + 1; ++cycle) {
        const Rtl::Outputs out = block_->step(in, session_.clock.now());
        operations_.pass_cycle();
        if (in.program_valid) {
            in.program_valid = out.program_ready == 0;
        } else if (out.busy == 0) {
            session_.scoreboard.expect_count("cycles of a packet", Rtl::kProgramCycles + 1, cycle);
            session_.scoreboard.expect("packet_error_o", 0, out.packet_error);
            return;
        }
    }
    session_.violations({fmt::format("a packet takes over {} cycles", Rtl::kProgramCycles)});
}

ClockedIdDriver::Driver::Events ClockedIdDriver::step(const IdOperation* offered, Cycle now) {
    Rtl::Inputs in;
    in.out_ready = stalls_.receives();
    in.in_valid = offered != nullptr;
    if (offered != nullptr) in.address = offered->address + Address{offered->row_pitch} * sent_;
    in.tag = tag_;
    const Rtl::Outputs out = block_->step(in, now);
    Driver::Events events;
    const bool taken = in.in_valid && out.in_ready != 0;
    stalls_.note_input(in.in_valid, taken);
    if (taken) {
        stalls_.enter(now);
        ++tag_;
        if (sent_ == 0) wanted_.push_back(offered->ids);
        events.taken = ++sent_ == offered->ids;
        if (events.taken) sent_ = 0;
    }
    if (out.out_valid == 0) return events;
    stalls_.note_result(in.out_ready, now);
    if (in.out_ready) take_id(out, events);
    return events;
}

/// Adds an id to those of the oldest operation.
void ClockedIdDriver::take_id(const Rtl::Outputs& out, Driver::Events& events) {
    session_.scoreboard.expect("tag_o", next_tag_++, out.tag);
    DataId id;
    id.bypass = static_cast<BypassReason>(out.bypass);
    id.batch = out.batch;
    id.zero = out.zero != 0;
    id.element = std::uint64_t{out.element_high} << 32U | out.element_low;
    ids_.push_back(id);
    if (wanted_.empty() || ids_.size() < wanted_.front()) return;
    wanted_.pop_front();
    events.result = std::move(ids_);
    ids_.clear();
}

}  // namespace tessera::testbench
