// Outer-product tensor cores whose multiplier array, accumulation buffer or both are RTL.
#include <optional>

#include "sc_models/cosim/accumulation_buffer_rtl.h"
#include "sc_models/cosim/feop_array_rtl.h"
#include "sc_models/cosim/lockstep.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/tensor_core/outer_product_pipeline.h"

namespace tessera {
namespace {

using BufferInputs = AccumulationBuffer::Inputs;
using BufferOutputs = AccumulationBuffer::Outputs;

class ArrayModel : public FeopArrayDevice {
public:
    FeopArrayOutputs step(const FeopArrayInputs& inputs) override { return model_.step(inputs); }

private:
    FeopArray model_;
};

/// The model with its default sizes, which are the RTL's.
struct Buffer : AccumulationBuffer {
    Buffer() : AccumulationBuffer(AccumulationBufferConfig{}) {}
};

class BufferModel : public AccumulationDevice {
public:
    BufferOutputs step(const BufferInputs& inputs) override { return model_.step(inputs); }

private:
    Buffer model_;
};

/// A block in RTL, alone or with its model in lock-step.
template <class Device, class Rtl, class Model, class Inputs, class Outputs>
class BlockRtl : public Device {
public:
    BlockRtl(const Config& config, const DevicePlace& place, const char* name,
             Implementation implementation)
        : rtl_(rtl_seed(config, place)),
          fault_(config.impl.fault_of(name)),
          lockstep_(config, place, name) {
        if (implementation == Implementation::kBoth) model_.emplace();
        if (place.wave != nullptr) rtl_.trace(*place.wave, place.scope + ".rtl." + name);
        rtl_.reset();
    }
    void at(Cycle now) override {
        now_ = now;
        rtl_.not_before(now);
    }
    Outputs step(const Inputs& inputs) override {
        Outputs got = rtl_.step(inputs);
        fault_.apply(got, rtl_.clock_cycles());
        if (model_) {
            compare(inputs, model_->step(inputs), got, lockstep_.at(now_));
            lockstep_.require_agreement();
        }
        ++now_;
        return got;
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    virtual void compare(const Inputs& inputs, const Outputs& expected, const Outputs& got,
                         Scoreboard& scoreboard) = 0;

    std::optional<Model> model_;
    Rtl rtl_;
    FaultInjector fault_;
    Lockstep lockstep_;
    Cycle now_ = 0;
};

class ArrayRtl final
    : public BlockRtl<FeopArrayDevice, FeopArrayRtl, FeopArray, FeopArrayInputs, FeopArrayOutputs> {
public:
    ArrayRtl(const Config& config, const DevicePlace& place)
        : BlockRtl(config, place, "feop_array", config.impl.feop_array) {}

private:
    void compare(const FeopArrayInputs& inputs, const FeopArrayOutputs& expected,
                 const FeopArrayOutputs& got, Scoreboard& scoreboard) override {
        if (inputs.valid != 0) scoreboard.note("OHMMA {} offered", inputs.meta[0]);
        scoreboard.expect("ready", expected.ready, got.ready);
        scoreboard.expect("valid", expected.valid, got.valid);
        if (expected.valid == 0) return;
        scoreboard.expect("meta", expected.meta[0], got.meta[0]);
        for (std::size_t i = 0; i < expected.product.size(); ++i) {
            scoreboard.expect("product", i, expected.product[i], got.product[i]);
        }
    }
};

class BufferRtl final : public BlockRtl<AccumulationDevice, AccumulationBufferRtl, Buffer,
                                        BufferInputs, BufferOutputs> {
public:
    BufferRtl(const Config& config, const DevicePlace& place)
        : BlockRtl(config, place, "accumulation_buffer", config.impl.accumulation_buffer) {}

private:
    void compare(const BufferInputs& inputs, const BufferOutputs& expected,
                 const BufferOutputs& got, Scoreboard& scoreboard) override {
        if (inputs.op_valid != 0) {
            scoreboard.note("dense OHMMA for word {}, first {}, last {}", inputs.op_word,
                            inputs.op_first, inputs.op_last);
        }
        scoreboard.expect("op_ready", expected.op_ready, got.op_ready);
        scoreboard.expect("idle", expected.idle, got.idle);
        scoreboard.expect("result_valid", expected.result_valid, got.result_valid);
        if (expected.result_valid == 0) return;
        scoreboard.expect("result_word", expected.result_word, got.result_word);
        for (std::size_t i = 0; i < expected.result_data.size(); ++i) {
            scoreboard.expect("result_data", i, expected.result_data[i], got.result_data[i]);
        }
    }
};

}  // namespace

std::unique_ptr<MatrixUnit> make_rtl_outer_product(const Config& config, const DevicePlace& place) {
    std::unique_ptr<FeopArrayDevice> array;
    std::unique_ptr<AccumulationDevice> buffer;
    if (config.impl.feop_array == Implementation::kTlm) {
        array = std::make_unique<ArrayModel>();
    } else {
        array = std::make_unique<ArrayRtl>(config, place);
    }
    if (config.impl.accumulation_buffer == Implementation::kTlm) {
        buffer = std::make_unique<BufferModel>();
    } else {
        buffer = std::make_unique<BufferRtl>(config, place);
    }
    return std::make_unique<OuterProductPipeline>(std::move(array), std::move(buffer));
}

}  // namespace tessera
