#include "sc_models/opportunistic/opportunistic_hardware.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "sc_models/opportunistic/opportunistic_metrics.h"
#include "sc_models/opportunistic/opportunistic_system.h"

namespace tessera {
namespace {

class OpportunisticHardware : public MechanismHardware {
public:
    explicit OpportunisticHardware(const HardwareContext& context)
        : context_(context),
          config_(context.config),
          system_(
              {context.config.opportunistic, context.config.sm, context.config.l1,
               context.config.noc, context.config.gpu.sms, context.config.values},
              context.statistics, [&context](SmId home) {
                  const DevicePlace place = {fmt::format("sm{}", home.value()), home.value()};
                  return device_as<AssignDevice>(context.make_rtl(RtlBlock::kAssignTable, place));
              }) {}

    [[nodiscard]] std::unique_ptr<VectorUnit> make_vector_unit(VectorUnitPlace& place) override {
        const DevicePlace device = {fmt::format("sm{}", place.sm.value()), place.sm.value(),
                                    place.observers.wave, place.observers.transactions};
        return system_.make_unit(
            place.sm, place.host, place.cache, std::move(place.read), place.mesh_port,
            place.statistics.child("opportunistic"), place.observers,
            device_as<PrecomputeDevice>(context_.make_rtl(RtlBlock::kPrecomputeTable, device)));
    }
    /// SMs share assign tables and the ledger of outputs.
    [[nodiscard]] bool independent() const override { return false; }
    void start_kernel(const KernelInfo& kernel) override { system_.start_kernel(kernel); }
    void check(std::vector<std::string>& violations) const override { system_.check(violations); }
    void add_metrics(const Workload& workload, const StatGroup& machine, Cycle cycles,
                     nlohmann::ordered_json& metrics) const override {
        add_opportunistic_metrics(config_, workload, machine, cycles, metrics);
    }

private:
    const HardwareContext context_;
    const Config& config_;
    OpportunisticSystem system_;
};

}  // namespace

std::unique_ptr<MechanismHardware> make_opportunistic_hardware(const HardwareContext& context) {
    if (!has_vector_operations(context.config.workload.kind)) return nullptr;
    return std::make_unique<OpportunisticHardware>(context);
}

}  // namespace tessera
