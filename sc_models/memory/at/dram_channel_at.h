// DRAM channel with its controller, approximately timed.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/dram_command_log.h"
#include "sc_models/memory/core/dram_scheduler.h"
#include "sc_models/memory/core/dram_statistics.h"
#include "sc_models/memory/core/memory_context.h"
#include "sc_models/memory/core/memory_image.h"
#include "sc_models/tlm/at/at_context.h"
#include "sc_models/tlm/at/target_port.h"

namespace tessera {

/// DRAM channel: DramScheduler's banks and bus behind a controller that adds half of
/// controller_latency_cycles before and half after. `targets`, one for each L2 slice, take reads
/// and writes of one sector or part of one at global addresses, four-phase base protocol.
///
/// Accepted requests are in transit to the scheduler's queue or in it; the transit holds as many as
/// the data bus can serve in its latency. When both are full, END_REQ is withheld until a request
/// leaves. A write is posted: it is complete when it is accepted. A read's BEGIN_RESP is sent when
/// its data has crossed the bus and the return path.
///
/// With `values`, data moves between payload and MemoryImage when BEGIN_REQ arrives, so that the
/// order is that of arrival, independent of the scheduler. transport_dbg reads and writes the
/// image.
class DramChannelAt : public sc_core::sc_module, private Clocked {
public:
    using TargetSocket = tlm_utils::simple_target_socket_tagged<DramChannelAt>;
    sc_core::sc_vector<TargetSocket> targets;

    /// `map`, `image` and the objects in `at` must outlive the channel. Throws ConfigError as
    /// DramCore does.
    DramChannelAt(const sc_core::sc_module_name& name, const DramContext& context,
                  std::uint32_t sockets, const AtContext& at);
    DramChannelAt(const DramChannelAt&) = delete;
    DramChannelAt& operator=(const DramChannelAt&) = delete;

    [[nodiscard]] const DramStatistics& statistics() const { return stats_; }
    /// Returns the requests accepted and not yet served by a bank.
    [[nodiscard]] std::uint64_t unserved_reads() const { return accepted_reads_ - stats_.reads; }
    [[nodiscard]] std::uint64_t unserved_writes() const { return accepted_writes_ - stats_.writes; }
    /// Returns the number of pending requests, accepted or not.
    [[nodiscard]] std::size_t outstanding() const;
    [[nodiscard]] bool idle() const { return outstanding() == 0; }
    /// Appends a line for each reason why a request waits.
    void describe_waiting(std::vector<std::string>& lines) const;
    /// Appends a line for each broken conservation law.
    void check(std::vector<std::string>& violations) const;

private:
    using Payload = tlm::tlm_generic_payload;
    struct Request {
        Payload* payload = nullptr;  ///< null: a posted write
        Address address = 0;         ///< channel-local
        std::uint32_t bytes = 0;
        std::uint32_t socket = 0;
        Cycle at_queue = 0;    ///< DRAM cycle
        std::uint64_t id = 0;  ///< AccessInfo::id
    };
    struct Response {
        Payload* payload = nullptr;
        std::uint32_t socket = 0;
        Cycle at = 0;
    };

    tlm::tlm_sync_enum nb_transport_fw(int socket, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned int transport_dbg(int socket, Payload& payload);
    void evaluate() override;
    [[nodiscard]] bool full() const;
    void accept(std::uint32_t socket, Payload& payload, Cycle arrival);
    void accept_blocked(Cycle now);
    void schedule_commands(Cycle now);
    void serve(const DramScheduler::Served& served);
    void respond(Cycle now);
    [[nodiscard]] bool next_finds_room() const;
    [[nodiscard]] Cycle next_commands() const;
    void move_data(Payload& payload);

    std::uint32_t sector_bytes_;
    Cycle to_banks_, from_banks_;  ///< halves of controller_latency_cycles
    ClockRatio to_dram_, to_core_;
    const AddressMap& map_;
    MemoryImage& image_;
    bool values_;
    DramScheduler scheduler_;
    CycleAlarm alarm_;
    std::size_t capacity_;         ///< of the transit to the banks and the queue
    std::size_t read_capacity_;    ///< including the return path
    RingQueue<Request> arriving_;  ///< in transit to the queue
    std::vector<Request> queued_;  ///< by id in the scheduler
    std::vector<std::uint64_t> free_ids_;
    RingQueue<Response> returning_;  ///< data on the return path
    std::vector<TargetPort> ports_;
    std::uint32_t next_port_ = 0;  ///< port whose blocked request is accepted first
    Cycle commands_from_ = 0;      ///< DRAM cycle up to which all commands are issued
    std::size_t unanswered_reads_ = 0;
    std::uint64_t accepted_reads_ = 0, accepted_writes_ = 0, blocked_cycles_ = 0;
    DramStatistics stats_;
    std::unique_ptr<DramCommandLog> log_;  ///< null: commands are not recorded
    WaveRecorder* wave_;
    WaveRecorder::Signal data_bus_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal row_miss_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal id_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera
