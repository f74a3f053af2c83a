#include "testbenches/ldst_unit/ldst_checker.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

namespace tessera::testbench {

using Kind = WarpOperationKind;

LdstChecker::LdstChecker(Session& session, NaiveLdst& naive, const LdstSurroundings& around)
    : session_(session),
      config_(session.config()),
      naive_(naive),
      around_(around),
      bins_(make_bins(session.coverage)) {}

LdstChecker::Bins LdstChecker::make_bins(Coverage& c) {
    Bins bins{};
    for (std::size_t kind = 0; kind < kWarpOperationKinds; ++kind) {
        const std::string& word = word_of(static_cast<Kind>(kind));
        bins.kinds.push_back(c.add(word, "an instruction of that name"));
    }
    bins.unaligned = c.add("unaligned", "an instruction that begins within a sector");
    bins.line_split = c.add("line_split", "a row that two lines hold");
    bins.conflict = c.add("bank_conflict", "an L1 bank delays a request");
    bins.slots_full = c.add("slots_full", "a request waits as the cycle has no slot left");
    bins.shared_conflict = c.add("shared_conflict", "a shared-memory access of several wavefronts");
    bins.broadcast = c.add("broadcast", "lanes that read the same word of shared memory");
    bins.contention = c.add("contention", "several sub-cores request the unit at once");
    bins.same_warp = c.add("same_warp", "the warp served last requests it against another one");
    bins.back_to_back = c.add("back_to_back", "an instruction begins as the unit becomes free");
    bins.idle = c.add("idle", "an instruction finds the unit idle");
    bins.waits_for_data = c.add("waits_for_data", "an instruction waits for a register's load");
    bins.load_stall = c.add("load_stall", "the memory withholds the acceptance of a load");
    bins.store_stall = c.add("store_stall", "the memory withholds the acceptance of a store");
    bins.flights = c.add("flights", "8 or more instructions are in flight at once");
    return bins;
}

void LdstChecker::count_grant(const WarpOperation& operation,
                              const std::vector<ArbiterRequest>& requests) {
    const Cycle now = session_.clock.now();
    Coverage& c = session_.coverage;
    c.hit_if(bins_.contention, requests.size() > 1);
    for (const ArbiterRequest& request : requests) {
        c.hit_if(bins_.same_warp,
                 requests.size() > 1 && request.sub_core == last_sub_core_ && request.same_warp);
    }
    c.hit_if(bins_.back_to_back, sent_ > 0 && now == free_at_);
    c.hit_if(bins_.idle, now > free_at_);
    c.hit_if(bins_.waits_for_data, now > operation.at && now > free_at_);
    ends_.erase(ends_.begin(), ends_.upper_bound(now));
    c.hit_if(bins_.flights, ends_.size() >= 8);
}

void LdstChecker::on_issue(std::size_t index, Cycle ready,
                           const std::vector<ArbiterRequest>& requests) {
    const WarpOperation& operation = drivers_->operation(index);
    const Cycle now = session_.clock.now();
    if (flights_.size() <= index) flights_.resize(index + 1);
    flights_[index].issued = now;
    flights_[index].first_request = around_.memory.events.size();
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(now);
    board.describe_inputs_by([&] { return operation.describe(); });
    board.note_got("sub-core {0} is granted, for instruction {1}", operation.sub_core, index);
    board.expect_count("cycle of the grant", std::max(free_at_, ready), now);
    board.expect_count(
        "granted sub-core",
        naive_grant(config_.ldst.arbitration, requests, last_sub_core_, config_.sm.sub_cores),
        operation.sub_core);
    count_grant(operation, requests);
    last_sub_core_ = operation.sub_core;
}

void LdstChecker::count(const WarpOperation& operation, const NaiveService& service) {
    Coverage& c = session_.coverage;
    c.hit(bins_.kinds[static_cast<std::size_t>(operation.kind)]);
    const bool global = !operation.is_shared();
    c.hit_if(bins_.unaligned, global && operation.address % config_.l1.sector_bytes != 0);
    c.hit_if(bins_.line_split, global && !operation.has_lanes() && !operation.is_fragment() &&
                                   service.requests.size() > operation.rows);
    c.hit_if(bins_.conflict, service.conflicts);
    c.hit_if(bins_.slots_full, service.fills_cycle);
    c.hit_if(bins_.shared_conflict, service.wavefronts > 1);
    c.hit_if(bins_.broadcast, operation.kind == Kind::kSharedLanes && operation.rows > 1 &&
                                  operation.pitch_bytes == 0);
    c.hit_if(bins_.load_stall, service.load_stall > 0);
    c.hit_if(bins_.store_stall, service.store_stall > 0);
}

void LdstChecker::check_requests(const Flight& flight, const NaiveService& service) {
    Scoreboard& board = session_.scoreboard;
    const std::size_t got = around_.memory.events.size() - flight.first_request;
    board.expect_count("requests of the instruction", service.requests.size(), got);
    for (std::size_t i = 0; i < std::min(got, service.requests.size()); ++i) {
        const SentRequest& expected = service.requests[i];
        const MemoryEvent& event = around_.memory.events[flight.first_request + i];
        board.note_expected("request of {1} bytes at {0:#x} in cycle {2}", expected.address,
                            expected.bytes, expected.at);
        board.note_got("request of {1} bytes at {0:#x} in cycle {2}", event.address, event.bytes,
                       event.at);
        board.expect("address of a request", expected.address, event.address);
        board.expect_count("bytes of a request", expected.bytes, event.bytes);
        board.expect_count("cycle of a request", expected.at, event.at);
        board.expect("write", expected.write ? 1 : 0,
                     event.command == tlm::TLM_WRITE_COMMAND ? 1 : 0);
    }
}

void LdstChecker::on_sent(std::size_t index) {
    const WarpOperation& operation = drivers_->operation(index);
    Flight& flight = flights_[index];
    const std::vector<Cycle> held(held_.begin() + static_cast<std::ptrdiff_t>(flight.first_request),
                                  held_.end());
    const NaiveService service = naive_.serve(operation, flight.issued, held);
    naive_.move(operation);
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(session_.clock.now());
    board.describe_inputs_by([&] { return operation.describe(); });
    check_requests(flight, service);
    board.expect_count("cycle at which the unit is free", service.end, drivers_->free_at());
    flight.done = service.done;
    ends_.insert(service.done);
    free_at_ = service.end;
    ++sent_;
    count(operation, service);
    if (!operation.writes_registers()) return;
    const std::vector<unsigned char>& file = naive_.registers(operation.sub_core, operation.warp);
    const auto first =
        file.begin() + static_cast<std::ptrdiff_t>(operation.target() * kWarpRegisterBytes);
    flight.expected.assign(first, first + operation.registers() * kWarpRegisterBytes);
}

void LdstChecker::on_done(std::size_t index, Cycle at) {
    const WarpOperation& operation = drivers_->operation(index);
    Flight& flight = flights_[index];
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(session_.clock.now());
    board.describe_inputs_by([&] { return operation.describe(); });
    board.note_got("instruction {0} is done in cycle {1}", index, at);
    board.expect_count("cycle of the end", flight.done, at);
    if (operation.writes_registers()) {
        expect_bytes("register byte", flight.expected,
                     around_.registers.at(drivers_->warp_of(operation),
                                          static_cast<std::uint8_t>(operation.target())));
    }
    flight.expected = {};
    session_.latency.add(word_of(operation.kind), at - flight.issued,
                         std::uint64_t{operation.rows} * operation.row_bytes);
}

void LdstChecker::expect_bytes(const std::string& what, const std::vector<unsigned char>& expected,
                               const std::byte* got) {
    if (std::memcmp(expected.data(), got, expected.size()) == 0) {
        session_.scoreboard.passed(expected.size());
        return;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        session_.scoreboard.expect(what, i, expected[i], std::to_integer<unsigned>(got[i]));
    }
}

void LdstChecker::check_counts(const StatGroup& statistics) {
    const NaiveCounts& n = naive_.counts();
    const std::pair<const char*, std::uint64_t> expected[] = {
        {"instructions", n.instructions},
        {"busy_cycles", n.busy_cycles},
        {"mshr_stall_cycles", n.mshr_stall_cycles},
        {"store_stall_cycles", n.store_stall_cycles},
        {"requests", n.requests},
        {"request_bytes", n.request_bytes},
        {"a_rows", n.a_rows},
        {"a_row_accesses", n.a_row_accesses},
        {"a_rows_requested", n.a_rows_requested},
        {"b_rows_requested", n.b_rows_requested},
        {"shared_wavefronts", n.shared_wavefronts},
        {"shared_store_wavefronts", n.shared_store_wavefronts}};
    for (const auto& [name, count] : expected) {
        session_.scoreboard.expect_count(std::string("statistic ") + name, count,
                                         statistics.sum(name));
    }
}

void LdstChecker::check_end(const StatGroup& statistics) {
    session_.scoreboard.describe_inputs_by(nullptr);
    for (std::uint32_t sub_core = 0; sub_core < config_.sm.sub_cores; ++sub_core) {
        for (std::uint32_t warp = 0; warp < kWarpsPerSubCore; ++warp) {
            expect_bytes(fmt::format("registers of warp {} of sub-core {}", warp, sub_core),
                         naive_.registers(sub_core, warp),
                         around_.registers.at(drivers_->warp_of(sub_core, warp), 0));
        }
    }
    for (std::uint32_t slot = 0; slot < kCtaSlots; ++slot) {
        expect_bytes(fmt::format("shared memory of CTA slot {}", slot), naive_.shared(slot),
                     around_.shared_memory.at(slot, 0));
    }
    for (const auto& [address, bytes] : {std::pair{kData, kDataBytes}, {kSums, kSumBytes}}) {
        std::vector<std::byte> held(bytes);
        around_.memory.image.read(address, held.data(), held.size());
        expect_bytes(fmt::format("memory from {:#x} on", address),
                     naive_.memory().read(address, bytes), held.data());
    }
    check_counts(statistics);
}

}  // namespace tessera::testbench
