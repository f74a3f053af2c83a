// Pin-level module around a block that Verilator has translated to SystemC. Include from
// <block>_pin_rtl.cpp only, behind the Verilated header.
#pragma once

#include <verilated.h>

#include "sc_models/pins/pin_module.h"

namespace tessera::pins {

/// Verilated `--sc` top module with registers that start with random values from a seed.
template <class Top>
class VerilatedTop {
public:
    explicit VerilatedTop(std::uint32_t seed) {
        VerilatedContext* const before = Verilated::threadContextp();
        context_.threads(1);
        context_.randReset(2);
        constexpr std::uint32_t kSeedBits = 0x3fffffffU;
        context_.randSeed(static_cast<int>(seed & kSeedBits) + 1);  // 0: from the time of day
        Verilated::threadContextp(&context_);  // its constructor takes the thread's
        top_ = std::make_unique<Top>("top");
        Verilated::threadContextp(before);
    }
    ~VerilatedTop() {
        // The thread's context may already be destroyed.
        Verilated::threadContextp(&context_);
        top_->final();
        top_.reset();
    }
    VerilatedTop(const VerilatedTop&) = delete;
    VerilatedTop& operator=(const VerilatedTop&) = delete;

    Top& operator*() { return *top_; }

private:
    VerilatedContext context_;
    std::unique_ptr<Top> top_;
};

/// Binds every pin of the Verilated module to the pin of the same name; the types must be equal.
template <class Block, class Top>
void bind_top(Top& top, PinModule<Block>& pins) {
    top.clk_i.bind(pins.clk_i);
    top.rst_ni.bind(pins.rst_ni);
    const auto bind_pin = [](auto&&, auto& inner, auto& outer) { inner.bind(outer); };
    typename Block::Inputs in;
    typename Block::Outputs out;
    Block::inputs(bind_pin, in, top, pins);
    Block::outputs(bind_pin, out, top, pins);
}

/// Names a block's Verilated class as `Type`; specialised in BLOCK_pin_rtl.cpp.
template <class Block>
struct TopOf;

template <class Block>
struct PinRtl<Block>::Verilated : VerilatedTop<typename TopOf<Block>::Type> {
    using VerilatedTop<typename TopOf<Block>::Type>::VerilatedTop;
};

template <class Block>
PinRtl<Block>::PinRtl(const sc_core::sc_module_name& name, std::uint32_t seed)
    : PinModule<Block>(name), verilated_(std::make_unique<Verilated>(seed)) {
    bind_top<Block>(**verilated_, *this);
}

template <class Block>
PinRtl<Block>::~PinRtl() = default;

}  // namespace tessera::pins
