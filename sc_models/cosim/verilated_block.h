// Implementation of a PinBlock by a Verilated class. Include from sources that see Verilated
// headers only, before <systemc>.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/cosim/rtl_build.h"
#include "sc_models/cosim/rtl_model.h"

namespace tessera {

/// A block of the wrapper `Rtl`. `Ports<Top>` maps the wrapper's pins to the ports of the Verilated
/// class `Top`: idle(top) for a reset, drive(in, top) and read(top, out). Its first member is
/// `parameters`.
template <class Rtl, template <class> class Ports, class Top>
class VerilatedBlock final : public Rtl::Block {
public:
    VerilatedBlock(std::uint32_t seed, const typename Rtl::Parameters& parameters)
        : model_(Rtl::kName, seed), ports_{parameters} {}

    void reset() override {
        ports_.idle(*model_);
        model_.reset();
    }
    typename Rtl::Outputs& step(const typename Rtl::Inputs& in) override {
        ports_.drive(in, *model_);
        model_.settle();
        ports_.read(*model_, out_);
        model_.edge();
        return out_;
    }
    void trace(WaveRecorder& wave, const std::string& scope) override { model_.trace(wave, scope); }
    void not_before(Cycle at) override { model_.not_before(at); }
    [[nodiscard]] std::uint64_t clock_cycles() const override { return model_.cycles(); }

private:
    RtlModel<Top> model_;
    Ports<Top> ports_;
    typename Rtl::Outputs out_;
};

template <class Rtl, template <class> class Ports, class Top>
[[nodiscard]] RtlBuild<Rtl> verilated_build(const typename Rtl::Parameters& built_with) {
    return {built_with,
            [](std::uint32_t seed,
               const typename Rtl::Parameters& parameters) -> std::unique_ptr<typename Rtl::Block> {
                return std::make_unique<VerilatedBlock<Rtl, Ports, Top>>(seed, parameters);
            }};
}

}  // namespace tessera
