// Pin-level SystemC modules of the RTL blocks: interface, model, RTL, signals and tracing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "sc_models/pins/pin_values.h"

namespace tessera::pins {

// `Block` describes a block (id_generator_pins.h and its neighbours):
//   Ports<In, Out>    the block's pins but clock and reset, inputs as In<T>, outputs as Out<T>
//   Inputs, Outputs   plain structs of the values of one clock cycle
//   inputs(f, in, pins...), outputs(f, out, pins...)
//                     call f(value, pin...) for every pin, with the pin of each of `pins`
//   clear_undefined(out)
//                     clears data without its valid
//   Core              cycle model: outputs(in) const, edge(in), reset()

template <class T>
using Signal = sc_core::sc_signal<T>;

/// Reads the values of all input pins, of ports or signals.
template <class Block, class Pins>
[[nodiscard]] typename Block::Inputs read_inputs(const Pins& pins) {
    typename Block::Inputs in;
    Block::inputs([](auto&& value, const auto& pin) { read_pin(pin.read(), value); }, in, pins);
    return in;
}
/// Reads the values of all output pins, of ports or signals.
template <class Block, class Pins>
[[nodiscard]] typename Block::Outputs read_outputs(const Pins& pins) {
    typename Block::Outputs out;
    Block::outputs([](auto&& value, const auto& pin) { read_pin(pin.read(), value); }, out, pins);
    return out;
}
/// Writes a value of a clock cycle to a port or signal.
struct PinWriter {
    template <class Value, class Pin>
    void operator()(const Value& value, Pin& pin) const {
        auto bits = pin.read();
        write_pin(bits, value);
        pin.write(bits);
    }
};
template <class Block, class Pins>
void write_inputs(Pins& pins, const typename Block::Inputs& in) {
    Block::inputs(PinWriter{}, in, pins);
}
template <class Block, class Pins>
void write_outputs(Pins& pins, const typename Block::Outputs& out) {
    Block::outputs(PinWriter{}, out, pins);
}

/// Interface of a block in pins, under the names of its RTL; rtl/BLOCK/README.md says what they
/// mean. The reset is asynchronous and active low; the clock must rise once during it.
template <class Block>
class PinModule : public sc_core::sc_module,
                  public Block::template Ports<sc_core::sc_in, sc_core::sc_out> {
public:
    using BlockType = Block;
    sc_core::sc_in<bool> clk_i{"clk_i"};
    sc_core::sc_in<bool> rst_ni{"rst_ni"};

protected:
    explicit PinModule(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// Signals for all pins of a block but clock and reset, under the pins' names.
template <class Block>
class PinSignals : public sc_core::sc_module, public Block::template Ports<Signal, Signal> {
public:
    using BlockType = Block;
    explicit PinSignals(const sc_core::sc_module_name& name) : sc_module(name) {}

    void write(const typename Block::Inputs& in) { write_inputs<Block>(*this, in); }
    [[nodiscard]] typename Block::Inputs inputs() const { return read_inputs<Block>(*this); }
    [[nodiscard]] typename Block::Outputs outputs() const { return read_outputs<Block>(*this); }
};

/// Binds the input pins of a module or transactor to signals.
template <class Block, class Pins>
void bind_inputs(Pins& pins, PinSignals<Block>& signals) {
    typename Block::Inputs unused;
    Block::inputs([](auto&&, auto& pin, auto& signal) { pin.bind(signal); }, unused, pins, signals);
}
/// Binds the output pins of a module or transactor to signals.
template <class Block, class Pins>
void bind_outputs(Pins& pins, PinSignals<Block>& signals) {
    typename Block::Outputs unused;
    Block::outputs([](auto&&, auto& pin, auto& signal) { pin.bind(signal); }, unused, pins,
                   signals);
}
/// Binds all pins of a module or transactor but clock and reset to signals.
template <class Block, class Pins>
void bind(Pins& pins, PinSignals<Block>& signals) {
    bind_inputs(pins, signals);
    bind_outputs(pins, signals);
}

/// Adds all pins of a module or its signals to a SystemC trace file, as `scope`.`pin`. A module's
/// ports must be bound.
template <class Pins>
void trace(sc_core::sc_trace_file* file, const Pins& pins, const std::string& scope) {
    using Block = typename Pins::BlockType;
    const auto add = [&](auto&&, const auto& pin) {
        sc_core::sc_trace(file, pin, scope + "." + pin.basename());
    };
    typename Block::Inputs in;
    typename Block::Outputs out;
    Block::inputs(add, in, pins);
    Block::outputs(add, out, pins);
}

/// Core with outputs(in), made from a copyable cycle model with only step(in).
template <class Model>
class SteppedCore {
public:
    template <class Inputs>
    [[nodiscard]] auto outputs(const Inputs& in) const {
        probe_ = model_;  // a step of the copy does not change the model
        return std::decay_t<decltype(probe_.step(in))>(probe_.step(in));
    }
    template <class Inputs>
    void edge(const Inputs& in) {
        static_cast<void>(model_.step(in));
    }
    void reset() { model_.reset(); }

private:
    Model model_;
    mutable Model probe_;
};

/// A block as its cycle model: outputs follow the inputs within the cycle, registers change at the
/// rising edge.
template <class Block>
class PinModel final : public PinModule<Block> {
public:
    explicit PinModel(const sc_core::sc_module_name& name) : PinModule<Block>(name) {
        SC_HAS_PROCESS(PinModel);
        SC_METHOD(evaluate);
        this->sensitive << state_changed_;
        typename Block::Inputs unused;
        Block::inputs([this](auto&&, auto& pin) { this->sensitive << pin; }, unused, *this);
        SC_METHOD(clock);
        this->sensitive << this->clk_i.pos() << this->rst_ni.neg();
        this->dont_initialize();
    }

private:
    void evaluate() { write_outputs<Block>(*this, core_.outputs(read_inputs<Block>(*this))); }
    void clock() {
        if (this->rst_ni.read()) {
            core_.edge(read_inputs<Block>(*this));
        } else {
            core_.reset();
        }
        state_changed_.notify(sc_core::SC_ZERO_TIME);
    }

    typename Block::Core core_;
    sc_core::sc_event state_changed_;
};

/// A block in RTL (`verilator --sc`). Registers start with random values from `seed`. Throws
/// ConfigError in a build without RTL. Instantiated for each block in BLOCK_pin_rtl.cpp, because
/// only these see Verilated headers.
template <class Block>
class PinRtl final : public PinModule<Block> {
public:
    explicit PinRtl(const sc_core::sc_module_name& name, std::uint32_t seed = 1);
    ~PinRtl() override;

private:
    struct Verilated;
    std::unique_ptr<Verilated> verilated_;
};

enum class PinKind : std::uint8_t { kModel, kRtl };

/// Makes the module that a testbench's option names.
template <class Block>
[[nodiscard]] std::unique_ptr<PinModule<Block>> make_pin_module(const char* name, PinKind kind,
                                                                std::uint32_t seed = 1) {
    if (kind == PinKind::kRtl) return std::make_unique<PinRtl<Block>>(name, seed);
    return std::make_unique<PinModel<Block>>(name);
}

}  // namespace tessera::pins
