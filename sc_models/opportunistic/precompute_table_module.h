// Module of an SM's precompute table.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/opportunistic/keys/opportunistic_config.h"
#include "sc_models/opportunistic/precompute_port.h"

namespace tessera {

/// Precompute table of an SM (opportunistic computing, III-A) with its periodic elimination, its
/// statistics and its size in a waveform. The opportunistic unit calls port() directly.
class PrecomputeTableModule : public sc_core::sc_module {
public:
    /// `device` (null: the model) has the entries and lanes of the configuration.
    PrecomputeTableModule(sc_core::sc_module_name name, const OpportunisticConfig& config,
                          std::unique_ptr<PrecomputeDevice> device = nullptr);

    [[nodiscard]] PrecomputePort& port() { return port_; }
    /// Returns the model; only without a device.
    [[nodiscard]] PrecomputeTable& table() { return port_.model(); }
    /// Starts a kernel at `now`.
    void start_kernel(Cycle now) { elimination_.start(now); }
    /// Drops all entries.
    void end_kernel();
    /// Drops the oldest entries if the periodic elimination is due at `now`.
    void eliminate(Cycle now);

    /// Adds child `precompute_table` to the statistics of the unit.
    void add_statistics(StatGroup& unit) const;
    /// Adds its signal to a waveform, in `scope`.
    void watch(WaveRecorder& wave, std::string_view scope);
    /// Traces the number of entries at `now`; only when watched.
    void trace(Cycle now);
    /// Appends a violation, which begins with `sm`, if entries were lost.
    void check(std::string_view sm, std::vector<std::string>& violations) const;
    void dump(std::ostream& out) const override;

private:
    const OpportunisticConfig& config_;
    PrecomputePort port_;
    EliminationTimer elimination_;
    std::uint64_t rtl_cycles_ = 0;
    WaveRecorder* wave_ = nullptr;
    WaveRecorder::Signal entries_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera
