// Default factory of the parts of SMs, controlled by the configuration.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/sm/mechanism_hardware.h"
#include "sc_models/sm/sm_parts.h"

namespace tessera {

/// Returns whether some block of the machine runs as RTL; does not mark keys as used.
[[nodiscard]] bool has_rtl(const Config& config);

/// Makes the configured parts: models or RTL, FEDP or outer-product tensor cores, and the hardware
/// of the mechanisms. Several load filters become a LoadFilterChain. Each make_...() throws
/// ConfigError if the RTL does not support the configuration or this build has no RTL.
class MachineParts : public SmParts {
public:
    /// Keeps references. Statistics of shared parts become children of `statistics`.
    MachineParts(const Config& config, StatGroup& statistics);

    [[nodiscard]] std::unique_ptr<Device> make_rtl(RtlBlock block,
                                                   const DevicePlace& place) override;
    [[nodiscard]] std::unique_ptr<LoadFilter> make_load_filter(const DevicePlace& place) override;
    [[nodiscard]] std::unique_ptr<Prefetcher> make_prefetcher() override;
    [[nodiscard]] TensorCoreUnits make_tensor_cores(const DevicePlace& place) override;
    [[nodiscard]] ProductReads product_reads() const override;
    [[nodiscard]] std::unique_ptr<VectorUnit> make_vector_unit(VectorUnitPlace place) override;

    [[nodiscard]] bool independent() const override;
    void start_kernel(const KernelInfo& kernel) override;
    void check(std::vector<std::string>& violations) const override;
    void add_metrics(const Workload& workload, const StatGroup& machine, Cycle cycles,
                     nlohmann::ordered_json& metrics) const override;

private:
    const Config& config_;
    std::vector<std::unique_ptr<MechanismHardware>> hardware_;  ///< of enabled mechanisms
};

/// Factory of the parts of a machine: MachineParts or a replacement. The result lives as long as
/// the machine.
using PartsFactory =
    std::function<std::unique_ptr<SmParts>(const Config& config, StatGroup& statistics)>;

}  // namespace tessera
