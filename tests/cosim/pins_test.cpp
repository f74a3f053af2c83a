// Pin-level modules of each block: the model's pins, the RTL's pins and the RTL as the machine
// calls it are equal in every cycle, on the same random stimulus with stalls and resets.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <systemc>

#include "sc_models/cosim/accumulation_buffer_rtl.h"
#include "sc_models/cosim/assign_table_rtl.h"
#include "sc_models/cosim/bitmap_im2col_rtl.h"
#include "sc_models/cosim/bitmap_unit_rtl.h"
#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/cosim/feop_array_rtl.h"
#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/cosim/precompute_table_rtl.h"
#include "sc_models/cosim/rename_table_rtl.h"
#include "sc_models/cosim/spwmma_core_rtl.h"
#include "testbenches/harness/pin_block.h"
#include "tests/cosim/table_pin_stimuli.h"
#include "tests/cosim/tensor_pin_stimuli.h"

namespace tessera::test {
namespace {

constexpr std::uint32_t kSeed = 3;
constexpr std::uint32_t kResetCycles = 2;

template <class Block>
struct CalledRtl;
template <>
struct CalledRtl<pins::IdGeneratorBlock> : IdGeneratorRtl {
    CalledRtl() : IdGeneratorRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::LoadHistoryBufferBlock> : LoadHistoryBufferRtl {
    CalledRtl() : LoadHistoryBufferRtl(2048, 8, false, kSeed + 1) {}
};
template <>
struct CalledRtl<pins::RenameTableBlock> : RenameTableRtl {
    CalledRtl() : RenameTableRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::DuploCoreBlock> : DuploCoreRtl {
    CalledRtl() : DuploCoreRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::PrecomputeTableBlock> : PrecomputeTableRtl {
    CalledRtl() : PrecomputeTableRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::AssignTableBlock> : AssignTableRtl {
    CalledRtl() : AssignTableRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::FeopArrayBlock> : FeopArrayRtl {
    CalledRtl() : FeopArrayRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::AccumulationBufferBlock> : AccumulationBufferRtl {
    CalledRtl() : AccumulationBufferRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::BitmapUnitBlock> : BitmapUnitRtl {
    CalledRtl() : BitmapUnitRtl(kSeed + 1) {}
};
template <>
struct CalledRtl<pins::BitmapIm2colBlock> : BitmapIm2colRtl {
    CalledRtl() : BitmapIm2colRtl(kSeed + 1) {}
};

template <>
struct CalledRtl<pins::SpwmmaCoreBlock> : SpwmmaCoreRtl {
    CalledRtl() : SpwmmaCoreRtl(kSeed + 1) {}
};

/// A block whose model answers a cycle late.
template <class Block>
struct LateBlock : Block {
    class Core {
    public:
        [[nodiscard]] typename Block::Outputs outputs(const typename Block::Inputs& /*in*/) const {
            return last_;
        }
        void edge(const typename Block::Inputs& in) {
            last_ = core_.outputs(in);
            core_.edge(in);
        }
        void reset() {
            core_.reset();
            last_ = core_.outputs(typename Block::Inputs{});
        }

    private:
        typename Block::Core core_;
        typename Block::Outputs last_{};
    };
};

/// A block whose model has its first output pin stuck at 1.
template <class Block>
struct StuckBlock : Block {
    class Core : public Block::Core {
    public:
        [[nodiscard]] typename Block::Outputs outputs(const typename Block::Inputs& in) const {
            typename Block::Outputs out = Block::Core::outputs(in);
            const std::uint32_t stuck = 1;
            std::memcpy(static_cast<void*>(&out), &stuck, sizeof stuck);
            return out;
        }
    };
};

/// Model and RTL in pins, and the RTL called without pins, side by side.
template <class Stimulus, class ModelBlock = typename Stimulus::Block>
class SideBySide : public sc_core::sc_module {
public:
    using Block = typename Stimulus::Block;
    using Outputs = typename Block::Outputs;

    /// Resets begin `reset_count` times, after random numbers of cycles.
    SideBySide(const sc_core::sc_module_name& name, std::uint32_t reset_count)
        : sc_module(name), resets_left_(reset_count) {
        SC_HAS_PROCESS(SideBySide);
        model_.clk_i(clock_);
        model_.rst_ni(reset_);
        rtl_.clk_i(clock_);
        rtl_.rst_ni(reset_);
        ModelBlock::inputs(kBind, unused_in_, model_, wires_);
        ModelBlock::outputs(kBind, unused_out_, model_, wires_);
        pins::bind_inputs(rtl_, wires_);
        pins::bind_outputs(rtl_, rtl_wires_);
        SC_METHOD(cycle);
        sensitive << clock_.posedge_event();
        dont_initialize();
    }

    std::uint64_t cycles = 0, checks = 0, resets = 0;
    std::string difference;  ///< the first one
    pins::PinSignals<Block>& wires() { return wires_; }

private:
    static constexpr auto kBind = [](auto&&, auto& pin, auto& signal) { pin.bind(signal); };

    void cycle() {
        const auto in = wires_.inputs();
        const Outputs model = masked(wires_.outputs());
        // The first edge in reset gives registers their values.
        if (cycles > 0) compare("RTL in pins", model, masked(rtl_wires_.outputs()));
        if (reset_.read()) {
            compare("RTL as it is called", model, masked(called_.step(in)));
        } else {
            called_.reset();
        }
        ++cycles;
        choose(in, wires_.outputs());
    }
    void choose(typename Block::Inputs in, const Outputs& out) {
        if (in_reset_ == 0 && resets_left_ > 0 && random_.one_in(500)) {
            --resets_left_;
            in_reset_ = kResetCycles;
        }
        reset_.write(in_reset_ == 0);
        if (in_reset_ > 0) {
            if (in_reset_ == kResetCycles) ++resets;
            --in_reset_;
            stimulus_.reset(in);
        } else {
            stimulus_.next(in, out);
        }
        wires_.write(in);
    }
    static Outputs masked(Outputs out) {
        Block::clear_undefined(out);
        return out;
    }
    void compare(const char* what, const Outputs& expected, const Outputs& got) {
        ++checks;
        if (!difference.empty() || std::memcmp(&expected, &got, sizeof got) == 0) return;
        std::array<std::uint32_t, sizeof(Outputs) / 4> a, b;
        std::memcpy(a.data(), &expected, sizeof expected);
        std::memcpy(b.data(), &got, sizeof got);
        for (std::size_t i = 0; i < a.size() && difference.empty(); ++i) {
            if (a[i] == b[i]) continue;
            difference = std::string(what) + ", cycle " + std::to_string(cycles) +
                         ", output word " + std::to_string(i) + ": expected " +
                         std::to_string(a[i]) + ", got " + std::to_string(b[i]);
        }
    }

    sc_core::sc_clock clock_{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
    sc_core::sc_signal<bool> reset_{"reset"};
    pins::PinSignals<Block> wires_{"wires"};
    pins::PinSignals<Block> rtl_wires_{"rtl_wires"};
    pins::PinModel<ModelBlock> model_{"model"};
    pins::PinRtl<Block> rtl_{"rtl", kSeed};
    CalledRtl<Block> called_;
    typename Block::Inputs unused_in_;
    typename Block::Outputs unused_out_;
    Stimulus stimulus_{kSeed};
    RandomBits random_{kSeed};
    std::uint32_t in_reset_ = kResetCycles;
    std::uint32_t resets_left_;
};

template <class Stimulus>
class Pins : public testing::Test {};
using Stimuli = testing::Types<IdGeneratorStimulus, LoadHistoryBufferStimulus, FeopArrayStimulus,
                               AccumulationBufferStimulus, BitmapUnitStimulus, RenameTableStimulus,
                               PrecomputeTableStimulus, AssignTableStimulus, BitmapIm2colStimulus,
                               SpwmmaCoreStimulus, DuploCoreStimulus>;
TYPED_TEST_SUITE(Pins, Stimuli);

TYPED_TEST(Pins, ModelAndRtlAreEqualInEveryCycle) {
    constexpr std::uint32_t kResets = 12;
    SideBySide<TypeParam> bench("bench", kResets);
    sc_core::sc_start(20, sc_core::SC_US);
    EXPECT_EQ("", bench.difference);
    EXPECT_GE(bench.cycles, 20'000U);
    EXPECT_GE(bench.checks, 2 * bench.cycles - 2 * kResetCycles * (kResets + 1));
    EXPECT_EQ(kResets + 1, bench.resets);
}

TYPED_TEST(Pins, AModelThatIsACycleLateIsFound) {
    SideBySide<TypeParam, LateBlock<typename TypeParam::Block>> bench("bench", 1);
    sc_core::sc_start(2, sc_core::SC_US);
    EXPECT_NE("", bench.difference);
}

TYPED_TEST(Pins, AStuckPinIsFound) {
    SideBySide<TypeParam, StuckBlock<typename TypeParam::Block>> bench("bench", 1);
    sc_core::sc_start(2, sc_core::SC_US);
    EXPECT_NE("", bench.difference);
}

/// Number of differences that `--impl both` of a testbench finds in 500 cycles.
template <class Stimulus, class ModelOf>
std::uint64_t differences_of_both() {
    testbench::Description description;
    description.implementations = testbench::block_implementations();
    testbench::Options options;
    options.implementation = "both";
    testbench::Session session(description, options);
    testbench::PinBlock<typename Stimulus::Block, ModelOf> both(session);
    Stimulus stimulus(kSeed);
    typename Stimulus::Block::Inputs in;
    stimulus.reset(in);
    for (Cycle now = 0; now < 500; ++now) {
        const auto out = both.step(in, now);
        stimulus.next(in, out);
        sc_core::sc_start(session.clock.span(now + 1) - sc_core::sc_time_stamp());
    }
    EXPECT_GT(session.scoreboard.checks(), 500U);
    return session.scoreboard.errors();
}

TYPED_TEST(Pins, BothImplementationsOfATestbenchAgree) {
    EXPECT_EQ(0U, (differences_of_both<TypeParam, typename TypeParam::Block>()));
}

TYPED_TEST(Pins, ALateModelOfATestbenchIsFound) {
    EXPECT_LT(0U, (differences_of_both<TypeParam, LateBlock<typename TypeParam::Block>>()));
}

TYPED_TEST(Pins, AStuckPinOfATestbenchIsFound) {
    EXPECT_LT(0U, (differences_of_both<TypeParam, StuckBlock<typename TypeParam::Block>>()));
}

}  // namespace
}  // namespace tessera::test
