// DRAM channel with its controller, loosely timed.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/dram_command_log.h"
#include "sc_models/memory/core/dram_core.h"
#include "sc_models/memory/core/dram_statistics.h"
#include "sc_models/memory/core/memory_context.h"
#include "sc_models/memory/core/memory_image.h"
#include "sc_models/tlm/lt/lt_socket.h"

namespace tessera {

/// DRAM channel: the banks and bus of DramCore behind a controller that adds half of
/// controller_latency_cycles before and half after. `target` takes reads and writes of one sector
/// or part of one, at global addresses, from any number of L2 slices. A read returns when its data
/// has crossed the bus; a write is posted, and returns when it arrives. Data is kept in the
/// MemoryImage with `values`; otherwise payload data is untouched. transport_dbg reads and writes
/// the image, at any length.
class DramChannel : public sc_core::sc_module {
public:
    using TargetSocket = LtTargetSocket<DramChannel, 0>;  ///< of any number of L2 slices
    TargetSocket target;

    /// Throws ConfigError as DramCore does.
    DramChannel(const sc_core::sc_module_name& name, const DramContext& context,
                const ClockDomain& clock, Observers observers);
    DramChannel(const DramChannel&) = delete;
    DramChannel& operator=(const DramChannel&) = delete;

    [[nodiscard]] const DramStatistics& statistics() const { return stats_; }
    /// Returns the first cycle after the last data scheduled on the bus, which may be in the
    /// future.
    [[nodiscard]] Cycle busy_until() const { return busy_until_; }
    /// Returns the core cycles for which all data so far takes the bus.
    [[nodiscard]] Cycle bus_cycles() const { return to_core_.convert(stats_.bus_busy_cycles); }
    /// Appends a line for each broken conservation law.
    void check(std::vector<std::string>& violations) const;

private:
    friend TargetSocket;
    void b_transport(int /*port*/, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        if (!acceptable(transaction, sector_bytes_)) return;
        const Cycle arrival = time_.arrive(delay);
        delay =
            time_.delay_to(serve(transaction, transaction.get_extension<AccessInfo>(), arrival));
    }
    Cycle serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival);
    unsigned int transport_dbg(int port, tlm::tlm_generic_payload& transaction);
    void move_data(tlm::tlm_generic_payload& transaction);
    void count(const tlm::tlm_generic_payload& transaction, const DramCore::Service& service);
    void log_commands();
    void finish_log();

    std::uint32_t sector_bytes_;
    Cycle to_banks_, from_banks_;  ///< halves of controller_latency_cycles
    LtTime time_;
    ClockRatio to_dram_, to_core_;
    const AddressMap& map_;
    MemoryImage& image_;
    bool values_;
    DramCore core_;
    Cycle busy_until_ = 0;
    Cycle advanced_to_ = 0;  ///< core cycle to which the bank state was last advanced
    DramStatistics stats_;
    std::unique_ptr<DramCommandLog> log_;  ///< null: commands are not recorded
    Cycle logged_to_ = 0;                  ///< core cycle up to which commands are logged
    WaveRecorder* wave_;
    WaveRecorder::Signal data_bus_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal row_miss_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal id_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera
