#include "sc_models/duplo/shell/duplo_hardware.h"

#include "sc_models/duplo/shell/detection_module.h"

namespace tessera {
namespace {

class DuploHardware : public MechanismHardware {
public:
    explicit DuploHardware(const HardwareContext& context) : context_(context) {}

    [[nodiscard]] std::unique_ptr<LoadFilter> make_load_filter(const DevicePlace& place) override {
        return std::make_unique<DetectionModule>(
            "detection", context_.config.duplo, context_.config.sm.sub_cores,
            [this, &place](RtlBlock block) { return context_.make_rtl(block, place); });
    }
    /// The result depends on the order in which mappings that end in one cycle were announced.
    [[nodiscard]] bool independent() const override {
        return context_.config.duplo.release != ReleasePoint::kCommit;
    }

private:
    const HardwareContext context_;
};

}  // namespace

std::unique_ptr<MechanismHardware> make_duplo_hardware(const HardwareContext& context) {
    if (!context.config.duplo.enabled) return nullptr;
    return std::make_unique<DuploHardware>(context);
}

}  // namespace tessera
