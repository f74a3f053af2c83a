// Detection unit with the timing of its RTL as one pipe.
#pragma once

#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/duplo/active_load.h"
#include "sc_models/duplo/detection_counters.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/duplo/history_pipe.h"
#include "sc_models/duplo/rename_stage.h"

namespace tessera {

/// Pipe with the timing of rtl/duplo_core (`duplo.pipe: built`), beside which the RTL may run: the
/// register that a unit gives up is released behind the unit's lookup, and the units of a warp that
/// exits pass the pipe as others do.
class BuiltPipe {
public:
    /// `core` is null if no RTL runs beside the pipe.
    BuiltPipe(HistoryPipe& history, RenameStage& renaming, CoreDevice* core,
              DetectionCounters& counters)
        : history_(history), renaming_(renaming), core_(core), counters_(counters) {}

    /// Passes a unit of a load, whose destination is in `unit`. Without `detecting` it has no id;
    /// `key` is that of its id.
    UnitOutcome access(RenamedUnit& unit, const LhbKey& key, bool detecting);
    /// Passes a unit that has no register from now on.
    void end(std::uint32_t arch, Cycle now);

    /// Programs the RTL for a kernel.
    void program(Cycle now, const ConvolutionPacket& packet, std::uint32_t shift,
                 std::uint32_t units, std::uint32_t registers) {
        if (core_ != nullptr) core_->program(now, packet, shift, units, registers);
    }
    void clear() {
        if (core_ != nullptr) core_->clear();
    }
    /// Completes pending work of the RTL at the end of a kernel.
    void finish() {
        if (core_ != nullptr) core_->finish();
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const {
        return core_ != nullptr ? core_->rtl_cycles() : 0;
    }

private:
    [[nodiscard]] Cycle enter(Cycle now);
    void release_behind(PhysRegId phys);

    HistoryPipe& history_;
    RenameStage& renaming_;
    CoreDevice* core_;
    DetectionCounters& counters_;
};

}  // namespace tessera
