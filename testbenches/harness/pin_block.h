// Blocks behind SystemC pins: the model, or model and RTL side by side.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "sc_models/pins/pin_module.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/pin_wave.h"

namespace tessera::testbench {

/// Implementations of a block with RTL, for Description.
inline std::vector<std::string> block_implementations() {
    return {"model", "pins", "rtl", "both"};
}

/// Block in SystemC pins (sc_models/pins), clocked by step(). `--impl pins` is the model, `--impl
/// both` the model and the RTL at the same inputs; then all outputs must be equal in every cycle.
/// The pins are in the waveform: those of the model in scope `pins`, outputs of the RTL in
/// `rtl_pins`. `ModelOf`: description of the model, another one to plant an error in it.
template <class Block, class ModelOf = Block>
class PinBlock final : public sc_core::sc_module,
                       public ClockedBlock<typename Block::Inputs, typename Block::Outputs> {
public:
    using Inputs = typename Block::Inputs;
    using Outputs = typename Block::Outputs;

    explicit PinBlock(Session& session)
        : sc_module(sc_core::sc_module_name("block")), session_(session) {
        Inputs in;
        Outputs out;
        ModelOf::inputs(kBind, in, model_, wires_);
        ModelOf::outputs(kBind, out, model_, wires_);
        connect_clock(model_);
        if (WaveRecorder* wave = session.observers().wave) {
            model_wave_.emplace(*wave, "pins");
            Block::inputs(add_to(*model_wave_), in, wires_);
            Block::outputs(add_to(*model_wave_), out, wires_);
        }
        if (session.implementation() != "both") return;
        rtl_ = std::make_unique<pins::PinRtl<Block>>(
            "rtl", static_cast<std::uint32_t>(session.options().seed));
        pins::bind_inputs(*rtl_, wires_);
        pins::bind_outputs(*rtl_, rtl_wires_);
        connect_clock(*rtl_);
        if (WaveRecorder* wave = session.observers().wave) {
            rtl_wave_.emplace(*wave, "rtl_pins");
            Block::outputs(add_to(*rtl_wave_), out, rtl_wires_);
        }
    }

    /// The inputs change at the beginning of the cycle, the clock rises in its middle.
    Outputs step(const Inputs& in, Cycle now) override {
        if (!reset_.read()) end_reset();
        wires_.write(in);
        clock_.write(false);
        pass(session_.clock.span(1) / 4);
        const Outputs out = wires_.outputs();
        if (model_wave_) record(now);
        if (rtl_) compare(out, now);
        clock_.write(true);
        pass(session_.clock.span(1) / 4);
        return out;
    }

private:
    static constexpr auto kBind = [](auto&&, auto& pin, auto& signal) { pin.bind(signal); };

    static auto add_to(PinWave& wave) {
        return [&wave](auto&&, const auto& pin) { wave.add(pin); };
    }
    void record(Cycle now) {
        Inputs in;
        Outputs out;
        const auto set_in = [](PinWave& wave) {
            return [&wave](auto&&, const auto& pin) { wave.set(pin); };
        };
        model_wave_->begin(now);
        Block::inputs(set_in(*model_wave_), in, wires_);
        Block::outputs(set_in(*model_wave_), out, wires_);
        if (!rtl_wave_) return;
        rtl_wave_->begin(now);
        Block::outputs(set_in(*rtl_wave_), out, rtl_wires_);
    }
    template <class Module>
    void connect_clock(Module& module) {
        module.clk_i(clock_);
        module.rst_ni(reset_);
    }
    /// Passes time, inside a process and between two runs of the kernel.
    static void pass(const sc_core::sc_time& time) {
        sc_core::sc_get_current_process_handle().valid() ? sc_core::wait(time)
                                                         : sc_core::sc_start(time);
    }
    /// The clock rises once while the block is in reset.
    void end_reset() {
        for (const bool high : {false, true, false}) {
            clock_.write(high);
            pass(sc_core::SC_ZERO_TIME);
        }
        reset_.write(true);
        pass(sc_core::SC_ZERO_TIME);
    }
    void compare(Outputs expected, Cycle now) {
        Outputs got = rtl_wires_.outputs();
        std::uint64_t count = 0, equal = 0;
        Block::outputs(
            [&](auto&&, const auto& model, const auto& rtl) {
                ++count;
                equal += model.read() == rtl.read() ? 1 : 0;
            },
            got, wires_, rtl_wires_);
        if (equal == count) {
            session_.scoreboard.passed(count);
            return;
        }
        Block::clear_undefined(expected);
        Block::clear_undefined(got);
        session_.scoreboard.begin_cycle(now);
        const std::vector<Pin> model = pins_of(expected), rtl = pins_of(got);
        for (std::size_t i = 0; i < model.size(); ++i) {
            session_.scoreboard.expect_text(model[i].name, model[i].bits, rtl[i].bits);
        }
    }
    struct Pin {
        const char* name;
        std::string bits;
    };
    /// Returns each output pin with its value in hexadecimal digits.
    std::vector<Pin> pins_of(Outputs& out) {
        std::vector<Pin> all;
        Block::outputs(
            [&all](const auto& value, const auto& pin) {
                auto bits = pin.read();
                pins::write_pin(bits, value);
                all.push_back({pin.basename(), pins::text_of(bits)});
            },
            out, wires_);
        return all;
    }

    Session& session_;
    sc_core::sc_signal<bool> clock_{"clk"}, reset_{"rst_n"};
    pins::PinSignals<Block> wires_{"wires"}, rtl_wires_{"rtl_wires"};
    pins::PinModel<ModelOf> model_{"model"};
    std::unique_ptr<pins::PinRtl<Block>> rtl_;
    std::optional<PinWave> model_wave_, rtl_wave_;  ///< with a waveform
};

/// Makes the block that --impl names; `Rtl` is the Verilated block that step() calls directly.
template <class Block, class Rtl>
std::unique_ptr<ClockedBlock<typename Block::Inputs, typename Block::Outputs>> make_pin_level_block(
    Session& session) {
    if (session.implementation() == "rtl") {
        return std::make_unique<
            VerilatedBlock<typename Block::Inputs, typename Block::Outputs, Rtl>>(session);
    }
    return std::make_unique<PinBlock<Block>>(session);
}

/// Makes the block that --impl names, in `Planted` if an error is planted at its pins; `Model` is
/// made of `arguments`.
template <class Block, class Rtl, class Model, class Planted, class... Arguments>
std::unique_ptr<ClockedBlock<typename Block::Inputs, typename Block::Outputs>> make_block(
    Session& session, Arguments&&... arguments) {
    using Inputs = typename Block::Inputs;
    using Outputs = typename Block::Outputs;
    std::unique_ptr<ClockedBlock<Inputs, Outputs>> block;
    if (session.implementation() == "model") {
        block = std::make_unique<ModelBlock<Inputs, Outputs, Model>>(
            std::forward<Arguments>(arguments)...);
    } else {
        block = make_pin_level_block<Block, Rtl>(session);
    }
    if (session.options().plant.empty()) return block;
    return std::make_unique<Planted>(session, std::move(block));
}

}  // namespace tessera::testbench
