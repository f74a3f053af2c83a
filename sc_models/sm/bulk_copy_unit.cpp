#include "sc_models/sm/bulk_copy_unit.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace tessera {

BulkCopyUnit::BulkCopyUnit(sc_core::sc_module_name name, const LdstConnection& ldst, Cycle latency,
                           WarpListener& listener, StatGroup& statistics)
    : sc_module(name),
      to_ldst("to_ldst", ldst.clock, ldst.approximately_timed),
      id_(ldst.client),
      latency_(latency),
      listener_(listener),
      data_(kAccessBytes),
      payload_(&fresh_payload()) {
    grants.bind(*this);
    to_ldst.on_response([this](tlm::tlm_generic_payload& payload) { receive(payload); });
    statistics.counter("copies", copies_, "count", "boxes copied to shared memory");
    statistics.counter("bytes", bytes_, "bytes", "bytes of these boxes");
    statistics.counter("accesses", accesses_, "count", "accesses of up to 512 bytes for them");
}

BulkCopyUnit::Pool::Payload& BulkCopyUnit::fresh_payload() {
    Pool::Payload& payload = pool_.acquire(tlm::TLM_READ_COMMAND, data_.data(), kAccessBytes);
    payload.extension.sub_core = id_;
    return payload;
}

void BulkCopyUnit::start_kernel(std::uint32_t ctas, std::uint32_t barriers) {
    barriers_ = barriers;
    open_.assign(std::size_t{ctas} * barriers, Open{});
    boxes_.clear();
}

void BulkCopyUnit::copy(const WarpInstruction& instruction, std::uint32_t cta, Cycle at) {
    if (instruction.shared().barrier >= barriers_ ||
        instruction.memory().row_bytes > kAccessBytes) {
        SC_REPORT_FATAL(name(), "a bulk copy without its barrier, or with rows above 512 bytes");
    }
    boxes_.push_back({instruction, cta, 0, at + latency_});
    ++copies_;
    bytes_ += bytes_of(instruction);
    if (boxes_.size() == 1) request_next();
}

void BulkCopyUnit::request_next() {
    to_arbiter->request(id_, boxes_.empty() ? kNever : boxes_.front().ready);
}

std::optional<LdstRequest> BulkCopyUnit::ldst_request(Cycle now) const {
    if (boxes_.empty() || boxes_.front().ready > now) return std::nullopt;
    return LdstRequest{true, 0};
}

void BulkCopyUnit::on_ldst_grant(Cycle now) {
    Box& box = boxes_.front();
    const MemoryAccess& whole = box.instruction.memory();
    const SharedPlace& place = box.instruction.shared();
    const std::uint32_t middle = place.fetched == BoxRows::kAll ? whole.rows : whole.rows / 2U;
    const bool in_first = box.row < middle;
    const std::uint32_t rows = std::min<std::uint32_t>(kAccessBytes / whole.row_bytes,
                                                       (in_first ? middle : whole.rows) - box.row);
    access_ = box.instruction;
    access_.memory().rows = static_cast<std::uint16_t>(rows);
    access_.memory().address += Address{box.row} * whole.row_pitch_bytes;
    access_.shared().address += box.row * std::uint32_t{place.pitch_bytes};
    const bool with_partner =
        place.fetched != BoxRows::kAll && in_first != (place.fetched == BoxRows::kFirstHalf);
    access_.shared().fetched = with_partner ? BoxRows::kOfPartner : BoxRows::kAll;
    access_.dst = place.barrier;
    const std::uint32_t bytes = bytes_of(access_);
    payload_->set_address(access_.address());
    payload_->set_data_length(bytes);
    payload_->set_streaming_width(bytes);
    WarpAccess& access = payload_->extension;
    access.instruction = &access_;
    access.warp = WarpId(box.cta);
    access.cta_slot = box.cta;
    access.destination = access_.dst;
    access.deferred = false;
    ++accesses_;
    const Cycle completed = to_ldst.send(*payload_, now, "the LDST unit refused a bulk copy");
    if (completed == kNever) payload_ = &fresh_payload();
    const std::uint32_t cta = box.cta, barrier = place.barrier;
    const Cycle done = access.deferred ? kNever : completed;
    box.row += rows;
    box.ready = now;
    if (box.row == whole.rows) boxes_.pop_front();
    request_next();
    if (done != kNever) {
        listener_.on_bytes(cta, barrier, bytes, done, false);
        return;
    }
    Open& unknown = open(cta, barrier);
    ++unknown.accesses;
    unknown.bytes += bytes;
}

std::uint32_t BulkCopyUnit::end_access(std::uint32_t cta, std::uint32_t barrier) {
    Open& unknown = open(cta, barrier);
    return --unknown.accesses == 0 ? std::exchange(unknown.bytes, 0) : 0;
}

void BulkCopyUnit::on_ldst_completed(const LdstCompletion& completion) {
    const std::uint32_t cta = completion.warp.value();
    const std::uint32_t bytes = end_access(cta, completion.reg);
    listener_.on_bytes(cta, completion.reg, bytes, completion.done, true);
}

void BulkCopyUnit::receive(tlm::tlm_generic_payload& payload) {
    const WarpAccess& access = static_cast<Pool::Payload&>(payload).extension;
    const std::uint32_t cta = access.cta_slot, barrier = access.destination;
    const std::uint32_t bytes = end_access(cta, barrier);
    payload.release();
    if (bytes > 0) listener_.on_bulk_response(cta, barrier, bytes);
}

void BulkCopyUnit::describe_waiting(std::vector<std::string>& lines) const {
    for (const Box& box : boxes_) {
        lines.push_back(fmt::format("{}: {} of {} rows of a box at {:#x} for CTA slot {} are sent",
                                    name(), box.row, box.instruction.memory().rows,
                                    box.instruction.address(), box.cta));
    }
}

}  // namespace tessera
