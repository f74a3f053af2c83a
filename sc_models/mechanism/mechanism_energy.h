// Energy events of a mechanism.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"
#include "sc_models/mechanism/energy_event.h"

namespace tessera {

/// A kernel whose events are counted.
struct CountedKernel {
    const Config& config;
    const StatGroup& machine;  ///< statistics of the whole machine
    std::uint64_t cycles = 0;

    [[nodiscard]] std::uint64_t sum(std::string_view path) const { return machine.sum(path); }
};

/// Adds `count` events; `size` is the value of EnergyEvent::size_key, else 0.
using EventCounter =
    std::function<void(const EnergyEvent& event, std::uint64_t count, std::uint64_t size)>;

/// Work of a mechanism that events of the SM count.
struct MechanismWork {
    std::uint64_t steps = 0;     ///< instructions issued beyond those that sub-cores count
    std::uint64_t not_alu = 0;   ///< counted by sub-cores, but not executed by the CUDA cores
    std::uint64_t reads = 0;     ///< of warp registers
    std::uint64_t writes = 0;    ///< of warp registers
    std::uint64_t products = 0;  ///< of outer product units
    /// Rows of A fragments, each in both octet copies, that were found in registers.
    std::uint64_t rows_not_loaded = 0;
    std::uint64_t vector_instructions = 0;  ///< multiply-adds of vector operations
    std::uint64_t vector_lanes = 0;         ///< of them, active lanes

    MechanismWork& operator+=(const MechanismWork& more) {
        steps += more.steps;
        not_alu += more.not_alu;
        reads += more.reads;
        writes += more.writes;
        products += more.products;
        rows_not_loaded += more.rows_not_loaded;
        vector_instructions += more.vector_instructions;
        vector_lanes += more.vector_lanes;
        return *this;
    }
};

/// Instances of a structure in the machine, and the size that determines the area of one.
struct EnergyStructure {
    std::uint64_t instances = 0, size = 0;
};

/// Account of a kernel, from which key figures follow.
class EnergyFigures {
public:
    virtual ~EnergyFigures() = default;
    /// Returns the power of these events in watts; 0 for a kernel without cycles.
    [[nodiscard]] virtual double watts(std::initializer_list<const EnergyEvent*> events) const = 0;
    /// Returns the area of all instances in mm^2; empty if the price table has none.
    [[nodiscard]] virtual std::optional<double> area_mm2(std::string_view area,
                                                         const EnergyStructure& of) const = 0;
    /// Returns the area of the register files of all SMs in mm^2; empty likewise.
    [[nodiscard]] virtual std::optional<double> register_files_mm2() const = 0;
};

/// Energy events of a mechanism, all counted from statistics of finished kernels.
class MechanismEnergy {
public:
    virtual ~MechanismEnergy() = default;

    /// Returns its events in the order of the account.
    [[nodiscard]] virtual std::vector<const EnergyEvent*> events() const = 0;
    /// Counts its events; none if the machine lacks the mechanism.
    virtual void count(const CountedKernel& kernel, const EventCounter& add) const = 0;
    /// Returns its work that events of the SM count.
    [[nodiscard]] virtual MechanismWork work(const CountedKernel& /*kernel*/) const { return {}; }
    /// Returns names of its structures that have an area in price tables (`areas_mm2`).
    [[nodiscard]] virtual std::vector<std::string_view> areas() const { return {}; }
    /// Adds key figures to the metrics of a kernel.
    virtual void add_metrics(const Config& /*config*/, const EnergyFigures& /*figures*/,
                             nlohmann::ordered_json& /*metrics*/) const {}
};

}  // namespace tessera
