#include "sc_models/memory/lt/l1_miss_port.h"

namespace tessera {

L1MissPort::L1MissPort(const L1Config& config, const CacheGeometry& geometry, Socket& initiator,
                       LtTime& time)
    : geometry_(geometry),
      initiator_(initiator),
      time_(time),
      to_below_(config.miss_latency_cycles / 2),
      from_below_(config.miss_latency_cycles - to_below_),
      returns_limited_(config.returns_per_cycle != L1Config::kUnlimited),
      registers_(config.mshr_entries),
      returns_(std::max(config.returns_per_cycle, 1U), 1),
      miss_queue_(config.miss_queue_entries),
      scratch_(config.line_bytes) {}

/// Sends a read to the crossbar; returns when its data has arrived in the cache.
Cycle L1MissPort::send_read(const MissedSectors& missed, Cycle looked_up, AccessResult& result) {
    auto& request = request_.request(tlm::TLM_READ_COMMAND, geometry_.sector_address(missed.first),
                                     scratch_.data(), missed.sectors * geometry_.sector_bytes());
    request_.info().moved = true;  // the cache moves the bytes of the whole access
    request_.info().multicast = missed.multicast;
    const Cycle ready = pass(request, looked_up + to_below_) + from_below_;
    record(request, result);
    for (std::uint32_t i = 0; i < missed.sectors && !missed.prefetch; ++i) {
        result.done = std::max(result.done, returned(ready));
    }
    return ready;
}

void L1MissPort::write(const Write& write, Cycle looked_up, AccessResult& result) {
    if (deferred_.active()) {
        deferred_.write(write.address, write.bytes, looked_up);
        if (write.data == nullptr) return;
        return move(tlm::TLM_WRITE_COMMAND, write.address, write.data, write.bytes);
    }
    auto& request =
        request_.request(tlm::TLM_WRITE_COMMAND, write.address,
                         write.data != nullptr ? write.data : scratch_.data(), write.bytes);
    request_.info().atomic = write.atomic;
    result.done = std::max(result.done, pass(request, looked_up + to_below_));
    record(request, result);
}

/// Sends a request that has passed the cache at `ready` to the crossbar; returns its completion.
Cycle L1MissPort::pass(tlm::tlm_generic_payload& request, Cycle ready) {
    if (tlb_) ready = tlb_->translate(request.get_address(), ready);
    const Cycle leaves = std::max(ready, port_free_);
    miss_queue_.leave(leaves);
    request_.info().id = id_;
    const Cycle back = initiator_.transport(request, leaves, time_);
    port_free_ = std::max(leaves, request_.info().accepted);  // 0 from a foreign target
    return back;
}

}  // namespace tessera
