// Time base of the benches' waveforms: model and RTL are drawn in the same cycle, through resets.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <ostream>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/observe/waveform_recorder.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/bench_module.h"
#include "tests/support/vcd_reader.h"

namespace tessera::test {
namespace {

constexpr std::uint32_t kClockMhz = 1000;
constexpr Cycle kHalves = 2;  ///< the file is read in half cycles, since the clock falls there

/// Length of a block's run and mean cycles between its resets (fp has none).
struct Stimulus {
    const char* block;
    Cycle cycles;
    std::uint32_t reset_every;
};
void PrintTo(const Stimulus& stimulus, std::ostream* out) {  // NOLINT: the name is GoogleTest's
    *out << stimulus.block;
}
constexpr std::array<Stimulus, 14> kStimuli = {{{"accumulation_buffer", 1500, 80},
                                                {"assign_table", 4000, 200},
                                                {"bitmap_im2col", 2000, 100},
                                                {"bitmap_unit", 2000, 100},
                                                {"duplo_core", 16000, 1000},
                                                {"fedp", 2000, 100},
                                                {"feop", 2000, 100},
                                                {"feop_array", 2000, 100},
                                                {"fp", 100, 0},
                                                {"id_generator", 9000, 500},
                                                {"load_history_buffer", 4000, 200},
                                                {"precompute_table", 4000, 200},
                                                {"rename_table", 4000, 200},
                                                {"spwmma_core", 2000, 100}}};

/// A model's signal and the pin of the same name. "X_0" is element 0 of pin X.
struct Pair {
    std::string name;
    const VcdSignal& model;
    const VcdSignal& rtl;
};

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

const std::string kModel = "model.";
const std::string kRtl = "rtl.top.";

std::vector<Pair> pairs_of(const VcdFile& file) {
    std::vector<Pair> pairs;
    for (const auto& [name, signal] : file.signals) {
        if (name.compare(0, kModel.size(), kModel) != 0) continue;
        std::string pin = name.substr(kModel.size());
        if (ends_with(pin, "_0")) pin.resize(pin.size() - 2);
        const auto rtl = file.signals.find(kRtl + pin);
        if (rtl != file.signals.end()) pairs.push_back({pin, signal, rtl->second});
    }
    return pairs;
}

/// Half cycles of [begin, end) in which the model differs from the RTL `late` half cycles later.
Cycle differences(const Pair& pair, Cycle begin, Cycle end, Cycle late) {
    const std::uint64_t mask = (std::uint64_t{1} << pair.model.width_bits) - 1;
    Cycle different = 0;
    for (Cycle half = begin; half + late < end; ++half) {
        if (pair.model.at(half) != (pair.rtl.at(half + late) & mask)) ++different;
    }
    return different;
}

class TimeBase : public testing::TestWithParam<Stimulus> {
protected:
    /// Runs the block's bench and reads its waveform back.
    static VcdFile record(const Stimulus& stimulus) {
        const std::string name = stimulus.block;
        const std::filesystem::path path =
            std::filesystem::temp_directory_path() /
            ("time_base_" + name + "_" + std::to_string(::getpid()) + ".vcd");
        const ClockDomain clock(kClockMhz);
        WaveformRecorder wave(path.string(), CycleWindow{}, "*", clock, "bench");
        BenchOptions options;
        options.reset_every = stimulus.reset_every;
        options.wave = &wave;
        std::unique_ptr<CosimBench> bench;
        for (const CosimBlock& block : cosim_blocks()) {
            if (block.name == name) bench = block.make(options);
        }
        Scoreboard scoreboard("");
        BenchModule module("bench", *bench, scoreboard, clock, 1);
        sc_core::sc_start(clock.span(stimulus.cycles));
        module.rethrow();
        EXPECT_EQ("", scoreboard.first_divergence());
        bench.reset();
        wave.finish();
        VcdFile file = VcdFile::read(path.string(), ClockDomain(kHalves * kClockMhz));
        std::filesystem::remove(path);
        return file;
    }
};

/// Whether a pin is the valid or ready of a channel; two masks of lanes are named like one.
bool is_handshake_output(const std::string& name) {
    if (name.rfind(kRtl, 0) != 0) return false;
    const std::string pin = name.substr(kRtl.size());
    if (pin.find('.') != std::string::npos) return false;
    if (ends_with(pin, "_row_valid_o") || ends_with(pin, "_column_valid_o")) return false;
    return ends_with(pin, "valid_o") || ends_with(pin, "ready_o");
}

TEST_P(TimeBase, ModelAndRtlAreDrawnInTheSameCycle) {
    const VcdFile file = record(GetParam());
    const bool has_resets = GetParam().reset_every != 0;
    // Operands reach the outputs of fp two cycles after its only reset.
    const Cycle begin = has_resets ? 0 : 4 * kHalves;
    const Cycle end = (GetParam().cycles - 1) * kHalves;
    const VcdSignal& reset = file["rtl.top.rst_ni"];
    EXPECT_EQ(0U, reset.at(0));
    EXPECT_GE(reset.cycles_at(0, 0, end), (has_resets ? 11 : 1) * kRtlResetCycles * kHalves);

    // The clock is high in the first half of each cycle.
    EXPECT_EQ(end / kHalves, file["rtl.top.clk_i"].cycles_at(1, 0, end));

    const std::vector<Pair> pairs = pairs_of(file);
    EXPECT_GE(pairs.size(), 2U);
    std::uint32_t moving = 0;
    for (const Pair& pair : pairs) {
        EXPECT_EQ(0U, differences(pair, begin, end, 0)) << pair.name;
        if (pair.rtl.changes.size() <= 2) continue;
        ++moving;
        EXPECT_GT(differences(pair, begin, end, kHalves), 0U) << pair.name << ", a cycle late";
    }
    EXPECT_GE(moving, 2U);
    for (const auto& [name, signal] : file.signals) {
        if (!is_handshake_output(name)) continue;
        EXPECT_EQ(1U, file.signals.count(kModel + name.substr(kRtl.size()))) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, TimeBase, testing::ValuesIn(kStimuli),
                         [](const auto& stimulus) { return std::string(stimulus.param.block); });

}  // namespace
}  // namespace tessera::test
