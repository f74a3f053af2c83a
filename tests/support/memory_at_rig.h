// SMs' approximately-timed L1 caches on a memory system, driven by planned accesses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/gpu/memory_system_at.h"
#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/tlm/protocol_checker.h"
#include "testbenches/harness/initiator.h"
#include "tests/support/memory_rig.h"

namespace tessera::test {

using AtDriver = testbench::AtInitiator;

/// The whole hierarchy, with a protocol checker on every link if wanted; one a process. Not
/// elaborated before the first run.
class MemoryAtRig : private LinkBinder {
public:
    explicit MemoryAtRig(const RigConfig& config = {}, bool checked = true)
        : clock(config.core_clock_mhz),
          checked_(checked),
          memory("at_memory",
                 {config.sms, config.noc, config.l2, config.dram, config.values,
                  stats.child("memory"), config.observers, this},
                 ticker) {
        for (std::uint32_t sm = 0; sm < config.sms; ++sm) {
            const std::string index = std::to_string(sm);
            l1.push_back(std::make_unique<L1CacheAt>(
                ("at_l1_" + index).c_str(),
                L1Context{config.l1, config.l1_bytes, config.l2.line_bytes, config.values,
                          stats.instance("l1", sm)},
                AtContext{ticker, pool, config.observers}));
            drivers.push_back(
                std::make_unique<AtDriver>(("at_driver_" + index).c_str(), ticker, pool));
            bind(drivers.back()->socket, l1.back()->target);
            bind(l1.back()->initiator, memory.socket(SmId(sm)));
        }
    }

    /// Issues one access and runs until nothing is left to do.
    Access read(std::uint32_t sm, Address address, std::uint32_t bytes, Cycle at) {
        return access(sm, tlm::TLM_READ_COMMAND, address, bytes, at);
    }
    Access write(std::uint32_t sm, Address address, std::uint32_t bytes, Cycle at) {
        return access(sm, tlm::TLM_WRITE_COMMAND, address, bytes, at);
    }
    /// Plans an access; its result is `result(sm, index)` once it is finished.
    std::size_t plan_read(std::uint32_t sm, Address address, std::uint32_t bytes, Cycle at) {
        return drivers[sm]->issue(tlm::TLM_READ_COMMAND, address, buffer.data(), bytes, at);
    }
    std::size_t plan_write(std::uint32_t sm, Address address, std::uint32_t bytes, Cycle at) {
        return drivers[sm]->issue(tlm::TLM_WRITE_COMMAND, address, zeros.data(), bytes, at);
    }
    [[nodiscard]] const testbench::Request& result(std::uint32_t sm, std::size_t index) const {
        return drivers[sm]->plan[index];
    }
    /// Until no event is left.
    static void run() { sc_core::sc_start(); }
    /// Through core cycle `cycle`, so that what happens in it has happened.
    void run_through(Cycle cycle) const {
        const sc_core::sc_time end = clock.span(cycle) + sc_core::sc_time::from_value(1);
        if (end > sc_core::sc_time_stamp()) sc_core::sc_start(end - sc_core::sc_time_stamp());
    }
    /// Broken conservation laws, protocol violations, and payloads that leaked.
    [[nodiscard]] std::vector<std::string> violations() const {
        std::vector<std::string> found;
        for (const auto& cache : l1) cache->check(found);
        memory.check(found);
        for (const auto& checker : checkers) checker->check(found);
        return found;
    }
    /// The result of violations(), and a message for every block that is not idle.
    [[nodiscard]] std::vector<std::string> violations_at_end() const {
        std::vector<std::string> found = violations();
        for (const auto& cache : l1) {
            if (cache->idle()) continue;
            found.push_back(cache->name() + std::string(" is not idle"));
            cache->describe_waiting(found);
        }
        if (!memory.idle()) {
            found.emplace_back("the memory is not idle");
            memory.describe_waiting(found);
        }
        pool.check("payload pool", found);
        for (const auto& checker : checkers) {
            if (checker->in_flight() > 0)
                found.push_back(checker->name() + std::string(" is busy"));
        }
        return found;
    }
    [[nodiscard]] std::uint64_t sum(const std::string& path) const { return stats.sum(path); }
    [[nodiscard]] std::uint64_t checked_calls() const {
        std::uint64_t calls = 0;
        for (const auto& checker : checkers) calls += checker->calls();
        return calls;
    }

    ClockDomain clock;
    CycleTicker ticker{"at_ticker", clock};
    StatGroup stats{"rig"};
    PayloadPool pool;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers;
    std::vector<unsigned char> buffer = std::vector<unsigned char>(1024);
    std::vector<unsigned char> zeros = std::vector<unsigned char>(1024);

private:
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override {
        if (!checked_) {
            initiator.bind(target);
            return;
        }
        checkers.push_back(std::make_unique<ProtocolChecker>(
            ("checker_" + std::to_string(checkers.size())).c_str()));
        initiator.bind(checkers.back()->target);
        checkers.back()->initiator.bind(target);
    }
    Access access(std::uint32_t sm, tlm::tlm_command command, Address address, std::uint32_t bytes,
                  Cycle at) {
        auto& data = command == tlm::TLM_READ_COMMAND ? buffer : zeros;
        const std::size_t index = drivers[sm]->issue(command, address, data.data(), bytes, at);
        run();
        return drivers[sm]->plan[index].result;
    }

    bool checked_;

public:
    MemorySystemAt memory;
    std::vector<std::unique_ptr<L1CacheAt>> l1;
    std::vector<std::unique_ptr<AtDriver>> drivers;
};

}  // namespace tessera::test
