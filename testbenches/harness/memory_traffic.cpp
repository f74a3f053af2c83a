#include "testbenches/harness/memory_traffic.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "testbenches/harness/run_until_idle.h"

namespace tessera::testbench {
namespace {

const char* level_name(ServedBy level) {
    switch (level) {
        case ServedBy::kL1:
            return "L1";
        case ServedBy::kL1Pending:
            return "L1, pending";
        case ServedBy::kL2:
            return "L2";
        case ServedBy::kL2Pending:
            return "L2, pending";
        case ServedBy::kDram:
            return "memory";
        case ServedBy::kNone:
            break;
    }
    return "-";
}

}  // namespace

MemoryTraffic::MemoryTraffic(Session& session, const std::vector<Initiator*>& initiators)
    : session_(session), initiators_(initiators), planned_(initiators.size()) {
    for (std::size_t port = 0; port < initiators_.size(); ++port) {
        initiators_[port]->on_done = [this, port](const Request& request) { check(port, request); };
    }
}

void MemoryTraffic::begin(const MemoryOperation& operation, const Expectation& expectation) {
    Planned& planned = planned_[operation.port].emplace_back();
    planned.expectation = expectation;
    planned.data.resize(operation.bytes);
    const bool valid = expectation.status == tlm::TLM_OK_RESPONSE;
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        for (unsigned char& byte : planned.data) {
            byte = static_cast<unsigned char>(session_.random());
        }
        if (valid) contents_.write(operation.address, planned.data);
    } else if (valid) {
        planned.expected = contents_.read(operation.address, operation.bytes);
    }
    ++begun_;
    session_.scoreboard.note_expected(operation.command == tlm::TLM_WRITE_COMMAND
                                          ? "write {1} bytes at {0:#x} from cycle {2}"
                                          : "read {1} bytes at {0:#x} from cycle {2}",
                                      operation.address, operation.bytes, operation.at);
    initiators_[operation.port]->issue({operation.command,
                                        operation.address,
                                        planned.data.data(),
                                        operation.bytes,
                                        operation.at,
                                        {},
                                        operation.bypass_l1});
}

void MemoryTraffic::drain() {
    run_until_idle();
    if (finished_ == begun_) return;
    session_.violations({fmt::format("{} of {} accesses never ended", begun_ - finished_, begun_)});
    finished_ = begun_;
}

void MemoryTraffic::step(MemoryOperation operation, const Expectation& expectation) {
    operation.at = std::max(operation.at, idle_from() + 1);
    begin(operation, expectation);
    drain();
}

Cycle MemoryTraffic::idle_from() const {
    Cycle idle = now();
    for (const Initiator* initiator : initiators_) idle = std::max(idle, initiator->last_done);
    return idle;
}

void MemoryTraffic::check(std::size_t port, const Request& request) {
    ++finished_;
    const Planned& planned = planned_[port][request.index];
    const Expectation& expected = planned.expectation;
    const bool read = request.command == tlm::TLM_READ_COMMAND;
    const Cycle latency = request.result.done - request.sent;
    latency_sum_ += request.result.done - request.at;
    least_latency_ = std::min(least_latency_, latency);
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(request.result.done);
    board.note_got(read ? "read of {1} bytes at {0:#x} ended after {2} cycles"
                        : "write of {1} bytes at {0:#x} ended after {2} cycles",
                   request.address, request.bytes, latency);
    board.describe_inputs_by([&request] {
        return fmt::format("#{}: {} {} bytes at {:#x}, sent in cycle {}", request.index,
                           request.command == tlm::TLM_READ_COMMAND ? "read" : "write",
                           request.bytes, request.address, request.sent);
    });
    board.expect("response status", static_cast<std::uint64_t>(expected.status + 8),
                 static_cast<std::uint64_t>(request.result.status + 8));
    if (request.result.status == tlm::TLM_OK_RESPONSE) {
        if (expected.latency) board.expect_count("latency in cycles", *expected.latency, latency);
        if (expected.level) {
            board.expect("level that served the read", static_cast<std::uint64_t>(*expected.level),
                         static_cast<std::uint64_t>(request.result.served_by));
        }
        if (latency < expected.least_latency) {
            board.expect_count("least latency in cycles", expected.least_latency, latency);
        }
        if (read && expected.data) check_bytes(request, planned);
        session_.latency.add(
            fmt::format(
                "{}, {}", read ? "read" : "write",
                expected.kind != nullptr ? expected.kind : level_name(request.result.served_by)),
            latency, request.bytes);
    }
    board.describe_inputs_by(nullptr);
}

void MemoryTraffic::check_bytes(const Request& request, const Planned& planned) {
    Scoreboard& board = session_.scoreboard;
    if (planned.data == planned.expected) {
        board.passed(request.bytes);
        return;
    }
    for (std::size_t i = 0; i < planned.expected.size(); ++i) {
        board.expect(fmt::format("byte at {:#x}", request.address + i), planned.expected[i],
                     planned.data[i]);
    }
}

bool MemoryTraffic::touches_pending(Address address, std::uint32_t bytes) const {
    for (const Initiator* initiator : initiators_) {
        for (std::size_t i = initiator->plan.size(); i-- > 0 && i + 512 > initiator->plan.size();) {
            const Request& request = initiator->plan[i];
            if (!request.finished && request.address < address + bytes &&
                address < request.address + request.bytes) {
                return true;
            }
        }
    }
    return false;
}

std::vector<LoadPoint> MemoryTraffic::curve(const std::vector<double>& loads,
                                            std::uint32_t unit_bytes, std::uint64_t count,
                                            const std::function<MemoryOperation()>& draw) {
    std::vector<LoadPoint> points;
    for (const double load : loads) {
        const Cycle begin = idle_from() + 1000;
        const std::uint64_t before = finished_;
        latency_sum_ = 0;
        least_latency_ = kNever;
        double units = 0, at = 0;
        std::vector<MemoryOperation> operations;
        for (std::uint64_t i = 0; i < count; ++i) {
            MemoryOperation operation = draw();
            const double size = static_cast<double>(operation.bytes) / unit_bytes;
            const double chance = static_cast<double>(session_.below(1U << 20U) + 1) / (1U << 20U);
            at -= std::log(chance) * size / load;  // a Poisson stream
            operation.at = begin + static_cast<Cycle>(at);
            units += size;
            operations.push_back(operation);
        }
        for (const MemoryOperation& operation : operations) this->begin(operation);
        drain();
        Cycle end = begin;
        for (const Initiator* initiator : initiators_) {
            end = std::max(end, initiator->last_done);
        }
        const double mean =
            static_cast<double>(latency_sum_) / static_cast<double>(finished_ - before);
        // The last response comes the least latency after the last request was accepted.
        const auto span = static_cast<double>(end - begin - least_latency_);
        points.push_back({units / at, units / std::max(span, at), mean});
    }
    return points;
}

}  // namespace tessera::testbench
