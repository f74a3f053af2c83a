// SMs' approximately-timed L1 caches on a memory system, driven by planned accesses.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/gpu/memory_system_at.h"
#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/tlm/protocol_checker.h"
#include "tests/support/memory_rig.h"

namespace tessera::test {

/// Stands where the LDST unit stands: sends what is planned, in order, each not before its cycle
/// and the END_REQ of the one before.
class AtDriver : public sc_core::sc_module, private Clocked {
public:
    tlm_utils::simple_initiator_socket<AtDriver> socket{"socket"};
    struct Request {
        tlm::tlm_command command;
        Address address;
        unsigned char* data;
        std::uint32_t bytes;
        Cycle at;  ///< not before
        Access result;
        bool bypass_l1 = false;
        bool accepted = false, finished = false;
    };
    std::deque<Request> plan;
    std::size_t next = 0;      ///< of the plan, to send
    std::size_t finished = 0;  ///< of the plan
    Cycle last_done = 0;
    /// How long END_RESP is withheld after a response at a cycle; null: not at all.
    std::function<Cycle(Cycle)> response_stall;
    /// Called as a response arrives.
    std::function<void(const Request&)> on_done;

    AtDriver(const sc_core::sc_module_name& name, CycleTicker& ticker, PayloadPool& pool)
        : sc_module(name), pool_(pool), alarm_(ticker, *this) {
        socket.register_nb_transport_bw(this, &AtDriver::nb_transport_bw);
    }

    std::size_t issue(tlm::tlm_command command, Address address, void* data, std::uint32_t bytes,
                      Cycle at) {
        plan.push_back({command, address, static_cast<unsigned char*>(data), bytes, at, {}});
        alarm_.at(std::max(at, alarm_.now()));
        return plan.size() - 1;
    }
    unsigned debug(tlm::tlm_command command, Address address, void* data, std::uint32_t bytes) {
        PooledPayload& payload =
            pool_.acquire(command, address, static_cast<unsigned char*>(data), bytes);
        const unsigned moved = socket->transport_dbg(payload);
        payload.release();
        return moved;
    }

private:
    void evaluate() override {
        const Cycle now = alarm_.now();
        if (stalled_ != nullptr && stalled_until_ <= now) {
            tlm::tlm_generic_payload& payload = *stalled_;
            stalled_ = nullptr;
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time delay;
            socket->nb_transport_fw(payload, phase, delay);
            payload.release();
        }
        while (next < plan.size() && plan[next].at <= now && link_.open(now)) {
            const std::size_t index = next++;
            Request& request = plan[index];
            PooledPayload& payload =
                pool_.acquire(request.command, request.address, request.data, request.bytes);
            payload.tag = index;
            payload.info().bypass_l1 = request.bypass_l1;
            const Cycle done = link_.send(socket, payload, alarm_);
            if (link_.free_at() != kNever) accept(index, link_.free_at());
            if (done != kNever) {
                finish(payload, done);
                payload.release();
            }
        }
        Cycle wake = stalled_ != nullptr ? stalled_until_ : kNever;
        if (next < plan.size() && link_.free_at() != kNever) {
            wake = std::min(wake, std::max(plan[next].at, link_.free_at()));
        }
        alarm_.at(wake);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        const Cycle at = alarm_.cycle_after(delay);
        if (link_.waiting() == &payload) {
            link_.ended(payload, at);
            accept(PooledPayload::of(payload).tag, at);
            if (next < plan.size()) alarm_.at(std::max({at, plan[next].at, alarm_.now()}));
        }
        if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
        finish(PooledPayload::of(payload), at);
        const Cycle stall = response_stall ? response_stall(at) : 0;
        if (stall == 0) {
            payload.release();
            return tlm::TLM_COMPLETED;
        }
        stalled_ = &payload;
        stalled_until_ = at + stall;
        alarm_.at(stalled_until_);
        return tlm::TLM_ACCEPTED;
    }
    void accept(std::size_t index, Cycle at) {
        plan[index].accepted = true;
        plan[index].result.accepted = at;
    }
    void finish(PooledPayload& payload, Cycle at) {
        Request& request = plan[payload.tag];
        request.finished = true;
        request.result.done = at;
        request.result.served_by = payload.info().served_by;
        request.result.status = payload.get_response_status();
        ++finished;
        last_done = std::max(last_done, at);
        if (on_done) on_done(request);
    }

    PayloadPool& pool_;
    CycleAlarm alarm_;
    RequestLink link_;
    tlm::tlm_generic_payload* stalled_ = nullptr;
    Cycle stalled_until_ = 0;
};

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
            l1.push_back(std::make_unique<L1CacheAt>(("at_l1_" + index).c_str(), config.l1,
                                                     config.l1_bytes, config.l2.line_bytes,
                                                     AtContext{ticker, pool, config.observers},
                                                     config.values, stats.instance("l1", sm)));
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
    [[nodiscard]] const AtDriver::Request& result(std::uint32_t sm, std::size_t index) const {
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
