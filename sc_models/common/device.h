// Interface of blocks that run as model, RTL, or both in lock-step.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sc_models/common/types.h"

namespace tessera {

/// A block that runs as model, RTL, or both in lock-step. The derived interfaces define its
/// function (IdDevice, ClockedDevice).
class Device {
public:
    virtual ~Device() = default;
    /// Sets the core cycle of the following operations.
    virtual void at(Cycle now) { static_cast<void>(now); }
    /// Clock cycles that the RTL has run, including resets; 0 for a model.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const { return 0; }
};

/// A block with a pin-level interface. One step is one clock cycle: outputs before the edge, then
/// the edge.
template <class In, class Out>
class ClockedDevice : public Device {
public:
    using Inputs = In;
    using Outputs = Out;

    virtual Outputs step(const Inputs& inputs) = 0;
};

/// Adapter of a block's model to the device interface.
template <class Face, class Model>
class ModelDevice final : public Face {
public:
    typename Face::Outputs step(const typename Face::Inputs& inputs) override {
        return model_.step(inputs);
    }

private:
    Model model_;
};

/// Casts `device` to the interface of its block; null stays null.
template <class Face>
[[nodiscard]] std::unique_ptr<Face> device_as(std::unique_ptr<Device> device) {
    std::unique_ptr<Face> face(dynamic_cast<Face*>(device.get()));
    if (device && !face) throw std::logic_error("a device of another block");
    static_cast<void>(device.release());
    return face;
}

/// Returns `rtl`, or the model of the block if `rtl` is null.
template <class Face, class Model>
[[nodiscard]] std::unique_ptr<Face> device_or_model(std::unique_ptr<Device> rtl) {
    if (!rtl) return std::make_unique<ModelDevice<Face, Model>>();
    return device_as<Face>(std::move(rtl));
}

}  // namespace tessera
