// The blocks of outer-product tensor cores clocked cycle by cycle: model, RTL, or both in
// lock-step.
#pragma once

#include "sc_models/common/device.h"
#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/bitmap_unit.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {

using FeopArrayDevice = ClockedDevice<FeopArrayInputs, FeopArrayOutputs>;
using AccumulationDevice = ClockedDevice<AccumulationBuffer::Inputs, AccumulationBuffer::Outputs>;
using BitmapDevice = ClockedDevice<BitmapUnit::Inputs, BitmapUnit::Outputs>;

/// An accumulation buffer of the RTL's sizes, which are the defaults.
struct DefaultAccumulationBuffer : AccumulationBuffer {
    DefaultAccumulationBuffer() : AccumulationBuffer(AccumulationBufferConfig{}) {}
};

using FeopArrayModel = ModelDevice<FeopArrayDevice, FeopArray>;
using AccumulationModel = ModelDevice<AccumulationDevice, DefaultAccumulationBuffer>;
using BitmapModel = ModelDevice<BitmapDevice, BitmapUnit>;

}  // namespace tessera
