// SMs' L1 caches on a memory system, driven call by call.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/gpu/memory_system_lt.h"
#include "sc_models/memory/lt/l1_cache.h"
#include "sc_models/tlm/protocol_checker.h"
#include "testbenches/harness/initiator.h"

namespace tessera::test {

/// Latencies of a lone access, derived by hand from the default latencies and RigConfig's clocks.
namespace counted {
constexpr Cycle kL1Hit = 28;
constexpr Cycle kToL2 = 6 + 14;                // L1 miss, crossbar
constexpr Cycle kL2Hit = kToL2 + 80 + 14 + 6;  // and back
constexpr Cycle kToBanks = kToL2 + 40 + 98;    // half an L2 hit's time, DRAM controller
constexpr Cycle kFromBanks = 98 + 40 + 14 + 6;
constexpr Cycle kRowHit = kToBanks + 12 + 1 + kFromBanks;  // tCL, burst
constexpr Cycle kRowEmpty = kRowHit + 12;                  // tRCD
constexpr Cycle kRowConflict = kRowEmpty + 12;             // tRP
}  // namespace counted

/// Settings that tests vary. Both clocks run at 1 GHz, so that DRAM cycles count as core cycles.
struct RigConfig {
    std::uint32_t sms = 2;
    std::uint32_t core_clock_mhz = 1000;
    std::uint32_t l1_bytes = 32 * 1024;
    bool values = false;
    L1Config l1;
    NocConfig noc;
    L2Config l2;
    DramConfig dram;
    Observers observers;

    /// DRAM cycles count as core cycles, and a sector takes one.
    RigConfig() {
        dram.clock_mhz = core_clock_mhz;
        dram.bytes_per_clock = 32;
        dram.row_bytes = 2048;
    }
};

using testbench::Access;

/// Stands where the LDST unit stands: sends one transaction at a time on any socket.
class Driver : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<Driver> socket;

    Driver(const sc_core::sc_module_name& name, const ClockDomain& clock)
        : sc_module(name), socket("socket"), clock_(clock) {}

    /// Sends a transaction that arrives at core cycle `arrival`, not before the present one.
    Access send(tlm::tlm_command command, Address address, void* data, std::uint32_t bytes,
                Cycle arrival) {
        auto* const info = new AccessInfo;  // the payload's own, also if the call throws
        tlm::tlm_generic_payload payload;
        fill(payload, command, address, data, bytes);
        payload.set_extension(info);
        sc_core::sc_time delay = clock_.span(arrival) - sc_core::sc_time_stamp();
        socket->b_transport(payload, delay);
        return {info->accepted, clock_.cycle_at(sc_core::sc_time_stamp() + delay), info->served_by,
                payload.get_response_status()};
    }
    unsigned debug(tlm::tlm_command command, Address address, void* data, std::uint32_t bytes) {
        tlm::tlm_generic_payload payload;
        fill(payload, command, address, data, bytes);
        return socket->transport_dbg(payload);
    }

private:
    static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, Address address,
                     void* data, std::uint32_t bytes) {
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    ClockDomain clock_;
};

/// The whole hierarchy, with a protocol checker on every link if wanted. Elaborated by the
/// constructor; one a process.
class MemoryRig : private LinkBinder {
public:
    explicit MemoryRig(const RigConfig& config = {}, bool checked = true)
        : clock(config.core_clock_mhz),
          checked_(checked),
          memory("memory",
                 {config.sms, config.noc, config.l2, config.dram, config.values,
                  stats.child("memory"), config.observers, this},
                 clock) {
        for (std::uint32_t sm = 0; sm < config.sms; ++sm) {
            const std::string index = std::to_string(sm);
            l1.push_back(std::make_unique<L1Cache>(
                ("l1_" + index).c_str(),
                L1Context{config.l1, config.l1_bytes, config.l2.line_bytes, config.values,
                          stats.instance("l1", sm)},
                clock, config.observers));
            drivers.push_back(std::make_unique<Driver>(("driver_" + index).c_str(), clock));
            bind(drivers.back()->socket, l1.back()->target);
            bind(l1.back()->initiator, memory.socket(SmId(sm)));
        }
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }

    Access read(std::uint32_t sm, Address address, std::uint32_t bytes, Cycle arrival) {
        return drivers[sm]->send(tlm::TLM_READ_COMMAND, address, buffer.data(), bytes, arrival);
    }
    Access write(std::uint32_t sm, Address address, std::uint32_t bytes, Cycle arrival) {
        return drivers[sm]->send(tlm::TLM_WRITE_COMMAND, address, buffer.data(), bytes, arrival);
    }
    /// Lets the simulation time come to core cycle `cycle`.
    void run_to(Cycle cycle) const {
        const sc_core::sc_time left = clock.span(cycle) - sc_core::sc_time_stamp();
        if (left != sc_core::SC_ZERO_TIME) sc_core::sc_start(left);
    }
    /// Broken conservation laws of all blocks, and protocol violations.
    [[nodiscard]] std::vector<std::string> violations() const {
        std::vector<std::string> found;
        for (const auto& cache : l1) cache->check(found);
        memory.check(found);
        for (const auto& checker : checkers) checker->check(found);
        return found;
    }
    [[nodiscard]] std::uint64_t sum(const std::string& path) const { return stats.sum(path); }

    ClockDomain clock;
    StatGroup stats{"rig"};
    std::vector<std::unique_ptr<ProtocolChecker>> checkers;

private:
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override {
        if (!checked_) {
            initiator.bind(target);
            return;
        }
        checkers.push_back(std::make_unique<ProtocolChecker>(
            ("lt_checker_" + std::to_string(checkers.size())).c_str()));
        initiator.bind(checkers.back()->target);
        checkers.back()->initiator.bind(target);
    }

    bool checked_;

public:
    MemorySystemLt memory;
    std::vector<std::unique_ptr<L1Cache>> l1;
    std::vector<std::unique_ptr<Driver>> drivers;
    std::vector<unsigned char> buffer = std::vector<unsigned char>(1024);
};

}  // namespace tessera::test
