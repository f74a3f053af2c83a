// A block of the machine that may be its model, RTL, or both in lock-step.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sc_models/common/types.h"

namespace tessera {

/// A block of the machine that may be its model, RTL, or both in lock-step. What it does, the faces
/// of the blocks say (IdDevice, ClockedDevice).
class Device {
public:
    virtual ~Device() = default;
    /// What follows happens at this core cycle.
    virtual void at(Cycle now) { static_cast<void>(now); }
    /// Clock cycles that the RTL has run, those of resets too; 0 of a model.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const { return 0; }
};

/// A block by its pins. One step is one clock cycle: outputs before the edge, then the edge.
template <class In, class Out>
class ClockedDevice : public Device {
public:
    using Inputs = In;
    using Outputs = Out;

    virtual Outputs step(const Inputs& inputs) = 0;
};

/// The model of a block as a device.
template <class Face, class Model>
class ModelDevice final : public Face {
public:
    typename Face::Outputs step(const typename Face::Inputs& inputs) override {
        return model_.step(inputs);
    }

private:
    Model model_;
};

/// `device` by the face of its block; null stays null.
template <class Face>
[[nodiscard]] std::unique_ptr<Face> device_as(std::unique_ptr<Device> device) {
    std::unique_ptr<Face> face(dynamic_cast<Face*>(device.get()));
    if (device && !face) throw std::logic_error("a device of another block");
    static_cast<void>(device.release());
    return face;
}

/// `rtl`, or where that is null the model of the block.
template <class Face, class Model>
[[nodiscard]] std::unique_ptr<Face> device_or_model(std::unique_ptr<Device> rtl) {
    if (!rtl) return std::make_unique<ModelDevice<Face, Model>>();
    return device_as<Face>(std::move(rtl));
}

}  // namespace tessera
