// Requests to a DRAM channel through the core of either level of timing.
#pragma once

#include <algorithm>
#include <ostream>
#include <vector>

#include "sc_models/memory/core/dram_command_log.h"
#include "sc_models/memory/core/dram_core.h"
#include "sc_models/memory/core/dram_scheduler.h"

namespace tessera::test {

struct DramRequest {
    Cycle arrival;    ///< DRAM cycles
    Address address;  ///< channel-local
    bool write = false;
};

struct DramAnswer {
    Cycle data_end = 0;
    RowOutcome row = RowOutcome::kHit;
};
inline bool operator==(const DramAnswer& a, const DramAnswer& b) {
    return a.data_end == b.data_end && a.row == b.row;
}
inline std::ostream& operator<<(std::ostream& out, const DramAnswer& answer) {
    return out << "data end " << answer.data_end << ", row " << static_cast<int>(answer.row);
}

/// Completes requests of 32 bytes in arrival order with the core of the loosely-timed channel. With
/// `log`, commands are logged.
inline std::vector<DramAnswer> reserved(const DramConfig& config,
                                        const std::vector<DramRequest>& requests,
                                        DramCommandLog* log = nullptr) {
    DramCore core(config, 32);
    if (log != nullptr) core.set_log(*log);
    Cycle last = 0;
    std::vector<DramAnswer> answers;
    answers.reserve(requests.size());
    for (const DramRequest& request : requests) {
        core.advance(request.arrival);
        const auto service = core.access(request.address, request.arrival, request.write);
        answers.push_back({service.data_end, service.row});
        if (log == nullptr) continue;
        log->column(request.address, request.write, service.data_end, answers.size());
        core.log_rows(request.arrival);
        log->advance(request.arrival);
        last = std::max(last, service.data_end);
    }
    if (log != nullptr) {
        core.log_rows(kNever);
        log->advance(last);
    }
    return answers;
}

/// Completes the same requests with the scheduler; requests wait outside while it is full. With
/// `log`, commands are logged.
inline std::vector<DramAnswer> scheduled(const DramConfig& config,
                                         const std::vector<DramRequest>& requests,
                                         DramCommandLog* log = nullptr) {
    DramScheduler scheduler(config, 32);
    if (log != nullptr) scheduler.set_log(*log);
    std::vector<DramAnswer> answers(requests.size());
    Cycle now = 0;
    for (std::size_t i = 0; i < requests.size() || scheduler.size() != 0;) {
        Cycle next = scheduler.next(now);
        if (i < requests.size() && !scheduler.full(requests[i].write)) {
            next = std::min(next, std::max(now, requests[i].arrival));
        }
        now = next;
        for (; i < requests.size() && !scheduler.full(requests[i].write) &&
               requests[i].arrival <= now;
             ++i) {
            scheduler.push(i, requests[i].address, requests[i].write);
        }
        if (log != nullptr) log->advance(now);
        scheduler.step(now, [&](const DramScheduler::Served& served) {
            answers[served.id] = {served.data_end, served.row};
            const auto& [arrival, address, write] = requests[served.id];
            if (log != nullptr) log->column(address, write, served.data_end, served.id);
        });
    }
    return answers;
}

}  // namespace tessera::test
