// Cycle model of the RTL's rename table.
#pragma once

#include <cstdint>

#include "sc_models/cosim/rename_table_rtl.h"
#include "sc_models/duplo/rename_table.h"
#include "sc_models/pins/stalling_pipeline.h"

namespace tessera {

/// Rename table (Duplo IV-B) with the handshakes of rtl/rename_table: a unit's old register appears
/// kLatency cycles after the unit, and a cycle after it was taken whether that was its last unit; a
/// set-up waits until no unit is under way and then takes a cycle for each row of units.
class ClockedRenameTable {
public:
    using Inputs = RenameTableRtl::Inputs;
    using Outputs = RenameTableRtl::Outputs;
    using Parameters = RenameTableRtl::Parameters;

    explicit ClockedRenameTable(const Parameters& parameters = {}) : parameters_(parameters) {}

    /// Outputs in a cycle with these inputs. An output without its valid is 0.
    [[nodiscard]] Outputs outputs(const Inputs& in) const;
    /// Applies the rising edge.
    void edge(const Inputs& in);
    void reset();

    [[nodiscard]] const RenameTable& core() const { return core_; }
    /// The register whose unit was taken in the cycle before; invalid: none.
    [[nodiscard]] PhysRegId dropped() const { return dropped_; }
    /// Whether units can be mapped, now or after the clearing.
    [[nodiscard]] bool ready() const { return ready_; }
    [[nodiscard]] bool idle() const { return units_.empty() && !dropped_.valid() && !counting_; }
    [[nodiscard]] bool units_under_way() const { return !units_.empty(); }
    /// Whether a set-up is unmapping all units.
    [[nodiscard]] bool unmaps() const { return rows_left_ != 0; }

private:
    [[nodiscard]] bool maps(const Inputs& in) const {
        using Op = RenameTableRtl::Op;  // any other value is as kUnmapped
        return in.map_valid && map_ready(in) && (in.map_op == Op::kNew || in.map_op == Op::kShare);
    }
    [[nodiscard]] bool map_ready(const Inputs& in) const;
    void set_up(const Inputs& in);

    Parameters parameters_;
    RenameTable core_;
    StallingPipeline<std::uint32_t, RenameTableRtl::kLatency> units_;
    PhysRegId dropped_;      ///< register whose unit was taken in the cycle before
    bool counting_ = false;  ///< a unit was mapped in the cycle before
    bool ready_ = false, error_ = false;
    std::uint32_t rows_left_ = 0;  ///< to be cleared
};

}  // namespace tessera
