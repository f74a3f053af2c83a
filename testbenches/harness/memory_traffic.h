// Traffic of a memory-mapped module: plans accesses, and checks data, status, level and latency.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/harness/initiator.h"
#include "testbenches/harness/memory_operations.h"
#include "testbenches/harness/naive_memory.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Expected result of an access, besides its data. Values that are unset are not checked.
struct Expectation {
    std::optional<Cycle> latency;   ///< from the planned cycle to the response
    std::optional<ServedBy> level;  ///< of a read
    Cycle least_latency = 0;
    bool data = true;  ///< the bytes of a read are checked
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    const char* kind = nullptr;  ///< class in the latency table; null: the level that served it
};

/// Drives a module through one initiator a port. Each read must return the bytes written last
/// before it in the order of the plan; the session's scoreboard receives all comparisons, its
/// latency table all latencies.
class MemoryTraffic {
public:
    /// The initiators must outlive this object, which sets their on_done.
    MemoryTraffic(Session& session, const std::vector<Initiator*>& initiators);
    MemoryTraffic(const MemoryTraffic&) = delete;
    MemoryTraffic& operator=(const MemoryTraffic&) = delete;

    /// Plans an access. Writes get random bytes.
    void begin(const MemoryOperation& operation, const Expectation& expectation = {});
    /// Runs the simulation until it has no more events; an access left over is a violation.
    void drain();
    /// Plans an access at the present or later, and runs it to its end.
    void step(MemoryOperation operation, const Expectation& expectation);

    /// Returns the number of finished accesses.
    [[nodiscard]] std::uint64_t finished() const { return finished_; }
    [[nodiscard]] Cycle now() const { return session_.clock.now(); }
    /// Returns the present cycle, or that of the latest response if it lies ahead.
    [[nodiscard]] Cycle idle_from() const;
    /// Returns true if an access that is not finished touches a byte of [address, address+bytes).
    [[nodiscard]] bool touches_pending(Address address, std::uint32_t bytes) const;

    /// Measures a load-latency curve: `count` accesses of `draw` for each load, in `unit_bytes` a
    /// cycle over all ports, at random cycles.
    [[nodiscard]] std::vector<LoadPoint> curve(const std::vector<double>& loads,
                                               std::uint32_t unit_bytes, std::uint64_t count,
                                               const std::function<MemoryOperation()>& draw);

private:
    struct Planned {
        Expectation expectation;
        std::vector<unsigned char> data;      ///< written, or the place of the bytes read
        std::vector<unsigned char> expected;  ///< bytes of a read
    };
    void check(std::size_t port, const Request& request);
    void check_bytes(const Request& request, const Planned& planned);

    Session& session_;
    std::vector<Initiator*> initiators_;
    NaiveMemory contents_;
    std::vector<std::deque<Planned>> planned_;  ///< by port
    std::uint64_t begun_ = 0, finished_ = 0;
    Cycle latency_sum_ = 0, least_latency_ = kNever;
};

}  // namespace tessera::testbench
