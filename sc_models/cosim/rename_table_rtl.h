// Wrapper of the rename table in RTL, clocked by its bench or called like the model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/cosim/contradiction.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/rtl_build.h"

namespace tessera {

/// Verilated rtl/rename_table (Duplo IV-B): in each clock cycle one unit ends its mapping and one
/// gets a new one. A register that lost its last unit goes to the end of the free list; nothing
/// takes it from there but a new mapping.
class RenameTableRtl {
public:
    static constexpr const char* kName = "rename_table";
    static constexpr std::uint32_t kLatency = 2;  ///< cycles from a unit to its old register
    static constexpr std::uint32_t kUnitBits = 14;
    static constexpr std::uint32_t kPhysBits = 14;
    static constexpr std::uint32_t kMaxUnits = 1U << kUnitBits;
    static constexpr std::uint32_t kMaxRegisters = 1U << kPhysBits;
    static constexpr std::uint32_t kRowUnits = 64;  ///< units that a cycle of a set-up unmaps

    /// Parameters of the RTL, by default those of the machine.
    struct Parameters {
        std::uint32_t unit_bits = kUnitBits, phys_bits = kPhysBits;

        [[nodiscard]] std::uint32_t max_units() const { return 1U << unit_bits; }
        [[nodiscard]] std::uint32_t max_registers() const { return 1U << phys_bits; }
        /// Units that a cycle of a set-up unmaps.
        [[nodiscard]] std::uint32_t row_units() const {
            return std::min(kRowUnits, max_units() / 2);
        }
    };

    enum class Op : std::uint8_t { kUnmapped, kNew, kShare };

    /// Pins, see rtl/rename_table/README.md.
    struct Inputs {
        bool setup_valid = false;
        std::uint32_t setup_units = 0, setup_registers = 0;
        bool in_valid = false;
        std::uint32_t unit = 0;
        bool out_ready = true;
        bool map_valid = false;
        Op map_op = Op::kUnmapped;
        std::uint32_t map_unit = 0, map_phys = 0;
    };
    struct Outputs {
        std::uint32_t setup_ready = 0, setup_error = 0;
        std::uint32_t in_ready = 0;
        std::uint32_t out_valid = 0, old_valid = 0, old = 0;
        std::uint32_t died = 0, died_phys = 0;
        std::uint32_t map_ready = 0, map_phys = 0;
        std::uint32_t free = 0, mapped = 0;
    };

    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<RenameTableRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit RenameTableRtl(std::uint32_t seed = 1, const Build& build = default_build());
    ~RenameTableRtl();
    RenameTableRtl(const RenameTableRtl&) = delete;
    RenameTableRtl& operator=(const RenameTableRtl&) = delete;

    void reset();
    /// Injects a fault into the outputs from now on.
    void break_by(const FaultPlan& fault);
    /// Runs one clock cycle: the outputs for these inputs, then the rising edge.
    Outputs step(const Inputs& inputs);
    /// Dumps all signals under `scope`.
    void trace(WaveRecorder& wave, const std::string& scope);
    /// Places the next clock cycle at core cycle `at` or later in the dump.
    void not_before(Cycle at);
    /// Number of clock cycles, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;

    // RenameTable's operations; each call takes as many clock cycles as it needs. Callers check
    // violation() before they use a result: its register may not exist.

    /// Unmaps all units and frees all registers. Throws ConfigError for more than the RTL has.
    void program(std::uint32_t units, std::uint32_t registers);
    /// Result of the end of a mapping.
    struct Ended {
        PhysRegId old;      ///< invalid: there was none
        bool died = false;  ///< it was the register's last
    };
    Ended end(std::uint32_t unit);
    PhysRegId map_new(std::uint32_t unit);
    void share(std::uint32_t unit, PhysRegId phys);
    [[nodiscard]] PhysRegId mapping(std::uint32_t unit) const { return map_[unit]; }
    [[nodiscard]] std::uint32_t registers() const { return registers_; }
    [[nodiscard]] std::uint32_t free_registers() const { return free_; }
    [[nodiscard]] std::uint32_t mapped_units() const { return mapped_; }
    /// Text of the first result that contradicts earlier results; empty: none.
    [[nodiscard]] const std::string& violation() const { return contradiction_.text(); }

private:
    void note(const Outputs& outputs);
    Outputs map(Op op, std::uint32_t unit, std::uint32_t phys);

    std::unique_ptr<Block> block_;
    FaultInjector fault_{FaultPlan{}};
    std::vector<PhysRegId> map_;         ///< by unit, as the results say
    std::vector<std::uint32_t> counts_;  ///< units of each register, likewise
    std::uint32_t registers_ = 0, free_ = 0, mapped_ = 0;
    Contradiction contradiction_;
};

}  // namespace tessera
