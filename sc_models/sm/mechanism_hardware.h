// Interface of the hardware that a mechanism adds to a machine.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/config/config.h"
#include "sc_models/sm/load_filter.h"
#include "sc_models/sm/sm_parts.h"

namespace tessera {

class Workload;

/// Context in which the hardware of a mechanism is made; the references outlive it.
struct HardwareContext {
    const Config& config;
    StatGroup& statistics;  ///< of the machine; shared parts register children
    /// Makes the RTL of a block at a place, as SmParts::make_rtl.
    std::function<std::unique_ptr<Device>(RtlBlock block, const DevicePlace& place)> make_rtl;
};

/// Hardware of a mechanism in one machine: makes its parts of each SM and owns what SMs share.
class MechanismHardware {
public:
    MechanismHardware() = default;
    virtual ~MechanismHardware() = default;
    MechanismHardware(const MechanismHardware&) = delete;
    MechanismHardware& operator=(const MechanismHardware&) = delete;

    /// Makes the load filter of an SM, see SmParts::make_load_filter; null: none.
    [[nodiscard]] virtual std::unique_ptr<LoadFilter> make_load_filter(
        const DevicePlace& /*place*/) {
        return nullptr;
    }
    /// Makes the vector unit of an SM, see SmParts::make_vector_unit; null: none. Does not move
    /// from `place` then.
    [[nodiscard]] virtual std::unique_ptr<VectorUnit> make_vector_unit(VectorUnitPlace& /*place*/) {
        return nullptr;
    }
    /// Returns whether SMs share none of its state, see SmParts::independent.
    [[nodiscard]] virtual bool independent() const { return true; }
    /// Starts `kernel` on all SMs.
    virtual void start_kernel(const KernelInfo& /*kernel*/) {}
    /// Appends inconsistencies between kernels.
    virtual void check(std::vector<std::string>& /*violations*/) const {}
    /// Adds the key figures of a kernel of `cycles` cycles, computed from statistics of the whole
    /// machine. Figures of a load filter are LoadFilter::add_metrics.
    virtual void add_metrics(const Workload& /*workload*/, const StatGroup& /*machine*/,
                             Cycle /*cycles*/, nlohmann::ordered_json& /*metrics*/) const {}
};

/// Makes the hardware of a mechanism; null: the configuration has none.
using HardwareMaker = std::unique_ptr<MechanismHardware> (*)(const HardwareContext& context);

}  // namespace tessera
