// The blocks of outer-product tensor cores clocked cycle by cycle: model, RTL, or both in
// lock-step.
#pragma once

#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/bitmap_unit.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {

/// A block by its pins. One step is one clock cycle: outputs before the edge, then the edge.
template <class In, class Out>
class ClockedDevice {
public:
    using Inputs = In;
    using Outputs = Out;

    virtual ~ClockedDevice() = default;
    virtual void at(Cycle now) { static_cast<void>(now); }  ///< the next step's core cycle
    virtual Outputs step(const Inputs& inputs) = 0;
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const { return 0; }
};

using FeopArrayDevice = ClockedDevice<FeopArrayInputs, FeopArrayOutputs>;
using AccumulationDevice = ClockedDevice<AccumulationBuffer::Inputs, AccumulationBuffer::Outputs>;
using BitmapDevice = ClockedDevice<BitmapUnit::Inputs, BitmapUnit::Outputs>;

/// An accumulation buffer of the RTL's sizes, which are the defaults.
struct DefaultAccumulationBuffer : AccumulationBuffer {
    DefaultAccumulationBuffer() : AccumulationBuffer(AccumulationBufferConfig{}) {}
};

/// The model of a block as a device.
template <class Device, class Model>
class ModelDevice final : public Device {
public:
    typename Device::Outputs step(const typename Device::Inputs& inputs) override {
        return model_.step(inputs);
    }

private:
    Model model_;
};

using FeopArrayModel = ModelDevice<FeopArrayDevice, FeopArray>;
using AccumulationModel = ModelDevice<AccumulationDevice, DefaultAccumulationBuffer>;
using BitmapModel = ModelDevice<BitmapDevice, BitmapUnit>;

}  // namespace tessera
