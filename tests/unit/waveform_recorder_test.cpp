// Does the waveform show the recorded changes at their cycles, and nothing else?
#include "sc_models/observe/waveform_recorder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>

#include "sc_models/common/error.h"
#include "tests/support/fst_reader.h"
#include "tests/support/vcd_reader.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

/// Stands for the machine: does things at given cycles.
class Script : public sc_core::sc_module {
public:
    Script(sc_core::sc_module_name name, const ClockDomain& clock)
        : sc_module(name), clock_(clock) {
        SC_HAS_PROCESS(Script);
        SC_METHOD(step);
        sensitive << wake_;
        dont_initialize();
    }
    void at(Cycle cycle, std::function<void()> action) {
        actions_.emplace(cycle, std::move(action));
    }
    /// Runs until nothing is left to happen, as a kernel does.
    void run() {
        schedule();
        sc_core::sc_start();
    }

private:
    void step() {
        while (!actions_.empty() && actions_.begin()->first <= clock_.now()) {
            const auto action = std::move(actions_.begin()->second);
            actions_.erase(actions_.begin());
            action();
        }
        schedule();
    }
    void schedule() {
        if (actions_.empty()) return;
        wake_.notify(clock_.span(actions_.begin()->first) - sc_core::sc_time_stamp());
    }

    const ClockDomain clock_;
    std::multimap<Cycle, std::function<void()>> actions_;
    sc_core::sc_event wake_;
};

/// Formats by the end of a file's name.
class WaveformRecorderTest : public ::testing::TestWithParam<const char*> {
protected:
    WaveformRecorderTest() : script_("script", clock_) {}
    void TearDown() override { std::filesystem::remove(path_); }

    void make(const CycleWindow& window = {}, std::string_view scopes = "*") {
        recorder_ = std::make_unique<WaveformRecorder>(path_, window, scopes, clock_);
    }
    /// The content of the file as a value change dump (VCD).
    [[nodiscard]] std::string text() const {
        if (GetParam() == std::string(".fst")) return test::fst_as_vcd(path_);
        std::ifstream in(path_);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    test::VcdFile read() { return read(text()); }
    test::VcdFile read(const std::string& text) {
        const std::string copy = path_ + ".read";
        std::ofstream(copy) << text;
        test::VcdFile file = test::VcdFile::read(copy, clock_);
        std::filesystem::remove(copy);
        return file;
    }
    [[nodiscard]] bool any_file() const {
        return std::filesystem::exists(path_) || any_file_beside();
    }
    /// Left from writing the file.
    [[nodiscard]] bool any_file_beside() const {
        const std::filesystem::path path(path_);
        for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
            const std::string name = entry.path().filename().string();
            if (entry.path() != path && name.rfind(path.filename().string(), 0) == 0) return true;
        }
        return false;
    }

    const ClockDomain clock_{1200};
    const std::string path_ =
        ::testing::TempDir() + "waveform_recorder_" + std::to_string(getpid()) + GetParam();
    Script script_;
    std::unique_ptr<WaveformRecorder> recorder_;
};

TEST_P(WaveformRecorderTest, ChangesAnnouncedInAnyOrderShowInOrderOfTheirCycles) {
    make();
    const auto a = recorder_->add("gpu.sm0", "a", 8);
    const auto b = recorder_->add("sm0.part", "b", 64);
    script_.at(5, [&] {
        recorder_->set(a, 20, 2);
        recorder_->set(a, 10, 1);
        recorder_->set(a, 30, 7);
        recorder_->set(a, 30, 3);
        recorder_->set(b, 5, ~std::uint64_t{0});
    });
    script_.at(40, [&] { recorder_->set(b, 41, 6); });
    script_.run();
    recorder_->finish();

    const auto vcd = read();
    const auto& signal = vcd["sm0.a"];
    EXPECT_EQ(signal.width_bits, 8U);
    EXPECT_EQ(signal.at(9), 0U);
    EXPECT_EQ(signal.at(10), 1U);
    EXPECT_EQ(signal.at(19), 1U);
    EXPECT_EQ(signal.at(20), 2U);
    EXPECT_EQ(signal.at(30), 3U) << "of two values for one cycle the later news counts";
    EXPECT_EQ(vcd["sm0.part.b"].at(4), 0U);
    EXPECT_EQ(vcd.first, 0U);
    EXPECT_EQ(vcd["sm0.part.b"].at(5), ~std::uint64_t{0});
    EXPECT_EQ(vcd["sm0.part.b"].at(41), 6U);
    for (const Cycle cycle : {Cycle{5}, Cycle{10}, Cycle{20}, Cycle{30}, Cycle{41}}) {
        EXPECT_EQ(vcd["cycle"].at(cycle), cycle);
    }
}

TEST_P(WaveformRecorderTest, WindowOfAKernelBeginsWhereverThatStarts) {
    make(CycleWindow::parse("gemm:5:20", "--wave-window"));
    const auto a = recorder_->add("s", "a", 8);
    const auto bit = recorder_->add("s", "bit", 1);
    script_.at(1, [&] {
        recorder_->start_kernel("im2col", 1);
        recorder_->set(a, 2, 1);
        recorder_->set(a, 47, 3);  // recorded before the window is known, and inside it
        recorder_->pulse(bit, 10, 36);
    });
    script_.at(3, [&] { recorder_->set(a, 3, 2); });
    script_.at(40, [&] { recorder_->start_kernel("gemm", 40); });
    script_.at(50, [&] { recorder_->set(a, 50, 4); });
    script_.at(70, [&] { recorder_->set(a, 70, 5); });
    script_.run();
    recorder_->finish();

    const auto vcd = read();
    EXPECT_EQ(vcd.first, 45U);
    EXPECT_EQ(vcd["s.a"].at(45), 2U);
    EXPECT_EQ(vcd["s.bit"].at(45), 1U);
    EXPECT_EQ(vcd["s.bit"].at(46), 0U);
    EXPECT_EQ(vcd["s.a"].at(47), 3U);
    EXPECT_EQ(vcd["s.a"].at(59), 4U);
    EXPECT_TRUE(recorder_->records("s"));
    EXPECT_TRUE(recorder_->records("s.bit"));
    EXPECT_FALSE(recorder_->records("s.b"));
}

TEST_P(WaveformRecorderTest, PulsesMergeOnOneBitAndAddUpOnMore) {
    make();
    const auto bit = recorder_->add("s", "bit", 1);
    const auto count = recorder_->add("s", "count", 4);
    script_.at(1, [&] {
        for (const auto signal : {bit, count}) {
            recorder_->pulse(signal, 10, 10);  // 10..20
            recorder_->pulse(signal, 15, 2);   // inside
            recorder_->pulse(signal, 20, 5);   // touches
            recorder_->pulse(signal, 40, 0);   // nothing
        }
    });
    script_.at(18, [&] {
        recorder_->pulse(bit, 17, 5);  // late: from 18 on, inside
        recorder_->pulse(bit, 4, 3);   // over already
    });
    script_.run();
    recorder_->finish();

    const auto vcd = read();
    EXPECT_EQ(vcd["s.bit"].changes.size(), 3U) << "0, one pulse, 0";
    EXPECT_EQ(vcd["s.bit"].cycles_at(1, 0, 100), 15U);
    EXPECT_EQ(vcd["s.bit"].at(10), 1U);
    EXPECT_EQ(vcd["s.bit"].at(24), 1U);
    EXPECT_EQ(vcd["s.bit"].at(25), 0U);
    EXPECT_EQ(vcd["s.count"].at(15), 2U);
    EXPECT_EQ(vcd["s.count"].sum(0, 100), 17U);
}

TEST_P(WaveformRecorderTest, LateNewsShowFromNowOnUnlessOutdated) {
    make();
    const auto a = recorder_->add("s", "a", 8);
    const auto b = recorder_->add("s", "b", 8);
    script_.at(10, [&] { recorder_->set(a, 20, 1); });
    script_.at(30, [&] {
        recorder_->set(a, 15, 9);  // older than what is shown
        recorder_->set(b, 25, 4);
    });
    script_.run();
    recorder_->finish();

    const auto vcd = read();
    EXPECT_EQ(vcd["s.a"].at(40), 1U);
    EXPECT_EQ(vcd["s.b"].at(29), 0U);
    EXPECT_EQ(vcd["s.b"].at(30), 4U);
}

TEST_P(WaveformRecorderTest, TheWindowHoldsTheRightValuesFromItsFirstCycleToItsLast) {
    make({100, 200});
    const auto a = recorder_->add("s", "a", 8);
    const auto b = recorder_->add("s", "b", 8);
    const auto bit = recorder_->add("s", "bit", 1);
    script_.at(3, [&] {
        recorder_->set(b, 90, 5);
        recorder_->set(b, 50, 4);  // recorded later, but for an earlier cycle
        recorder_->set(a, 99, 5);
        recorder_->pulse(bit, 80, 50);  // 80..130
        recorder_->pulse(bit, 195, 50);
        recorder_->set(a, 100, 6);
    });
    for (Cycle cycle = 10; cycle < 300; cycle += 10) {
        script_.at(cycle, [&, cycle] {
            if (cycle >= 150) recorder_->set(a, cycle, cycle / 10);
        });
    }
    script_.run();
    recorder_->finish();

    const auto vcd = read();
    EXPECT_EQ(vcd.first, 100U);
    EXPECT_LE(vcd.last, 200U);
    EXPECT_EQ(vcd["s.b"].at(100), 5U) << "set ahead of the window";
    EXPECT_EQ(vcd["s.a"].at(100), 6U);
    EXPECT_EQ(vcd["s.a"].at(149), 6U);
    EXPECT_EQ(vcd["s.a"].changes.back().value, 19U);
    EXPECT_EQ(vcd["s.bit"].cycles_at(1, 100, 200), 35U);
}

TEST_P(WaveformRecorderTest, TheMachineAloneDecidesWhenARunEnds) {
    make();
    const auto a = recorder_->add("s", "a", 8);
    script_.at(10, [&] { recorder_->set(a, 50, 1); });
    script_.run();
    EXPECT_EQ(clock_.now(), 10U);

    // A second kernel starts while a change of the first is still to come.
    script_.at(20, [&] { recorder_->set(a, 21, 2); });
    script_.at(60, [&] { recorder_->set(a, 70, 3); });
    script_.run();
    EXPECT_EQ(clock_.now(), 60U);
    recorder_->finish();

    const auto vcd = read();
    EXPECT_EQ(vcd["s.a"].at(21), 2U);
    EXPECT_EQ(vcd["s.a"].at(49), 2U);
    EXPECT_EQ(vcd["s.a"].at(50), 1U);
    EXPECT_EQ(vcd["s.a"].at(70), 3U);
}

TEST_P(WaveformRecorderTest, ScopesOutsideThePatternAreLeftOut) {
    make({}, "sm0,sm?.ldst");
    EXPECT_NE(recorder_->add("gpu.sm0.l1", "hits", 1), WaveRecorder::kNoSignal);
    EXPECT_NE(recorder_->add("sm3.ldst", "busy", 1), WaveRecorder::kNoSignal);
    const auto none = recorder_->add("sm1.l1", "hits", 1);
    EXPECT_EQ(none, WaveRecorder::kNoSignal);
    EXPECT_NO_THROW(recorder_->finish_elaboration());
    script_.at(1, [&] {
        recorder_->set(none, 2, 1);
        recorder_->pulse(none, 2, 1);
    });
    script_.run();
    recorder_->finish();
    EXPECT_EQ(read().signals.size(), 3U);
}

TEST_P(WaveformRecorderTest, APatternThatMatchesNothingIsNamedWithTheScopesThereAre) {
    make({}, "sm0,sm9");
    recorder_->add("gpu.sm0.l1", "hits", 1);
    recorder_->add("gpu.sm1.l1", "hits", 1);
    recorder_->add("gpu.memory", "busy", 1);
    try {
        recorder_->finish_elaboration();
        FAIL() << "no error";
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(),
                     "--wave-scope: 'sm9' matches nothing; there are memory, sm{0..1}.l1");
    }
}

TEST_P(WaveformRecorderTest, ARunThatEndsBeforeTheWindowIsAnError) {
    make({100, 200});
    const auto a = recorder_->add("s", "a", 8);
    script_.at(50, [&] { recorder_->set(a, 150, 1); });
    script_.run();
    EXPECT_EQ(clock_.now(), 50U);
    try {
        recorder_->finish();
        FAIL() << "no error";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("got '100:200', but the run ended at cycle 50"));
    }
    recorder_.reset();
    EXPECT_FALSE(any_file());
}

TEST_P(WaveformRecorderTest, AnAbandonedRunKeepsItsWaveform) {
    make();
    const auto a = recorder_->add("s", "a", 8);
    script_.at(10, [&] { recorder_->set(a, 10, 7); });
    script_.at(20, [] {});
    script_.run();
    recorder_.reset();  // as when an exception ends the run
    EXPECT_EQ(read()["s.a"].at(10), 7U);
}

TEST_P(WaveformRecorderTest, ValuesThatDoNotFitAreUnknownAndNoCodeIsGivenTwice) {
    make();
    std::vector<WaveRecorder::Signal> many;
    many.reserve(200);
    for (int i = 0; i < 200; ++i) many.push_back(recorder_->add("s", "n" + std::to_string(i), 16));
    const auto narrow = recorder_->add("s", "narrow", 4);
    script_.at(1, [&] {
        for (const auto signal : many) recorder_->set(signal, 2, signal + 1000);
    });
    script_.at(5, [&] { recorder_->set(narrow, 6, 16); });
    script_.run();
    recorder_->finish();
    EXPECT_THROW(read(), std::runtime_error) << "the reader takes no unknown values";
    const std::string said = text();
    const std::size_t unknown = said.find("\nbx");
    ASSERT_NE(unknown, std::string::npos);
    const auto vcd = read(said.substr(0, unknown + 1));
    for (const auto signal : many) {
        EXPECT_EQ(vcd["s.n" + std::to_string(signal)].at(2), signal + 1000);
    }
}

TEST_P(WaveformRecorderTest, PlacesThatCannotBeWrittenAreRefusedAtOnce) {
    const auto make_at = [&](const std::string& path) {
        WaveformRecorder recorder(path, {}, "*", clock_);
    };
    EXPECT_THROW(make_at(std::string("/nowhere/at/all") + GetParam()), ConfigError);
    const std::string folder = path_ + ".folder" + GetParam();
    std::filesystem::create_directory(folder);
    EXPECT_THROW(make_at(folder), ConfigError);
    std::filesystem::remove(folder);
    const std::string device = path_ + ".device" + GetParam();
    std::filesystem::create_symlink("/dev/null", device);
    EXPECT_THROW(make_at(device), ConfigError);
    std::filesystem::remove(device);
    EXPECT_THROW(make_at(::testing::TempDir() + "wave"), ConfigError);
}

TEST_P(WaveformRecorderTest, AFullDiskIsAnError) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small{32768, RLIM_INFINITY};
    make();
    const auto a = recorder_->add("s", "a", 64);
    for (Cycle cycle = 1; cycle < 5000; ++cycle) {
        script_.at(cycle, [&, cycle] { recorder_->set(a, cycle, cycle * 0x123456789); });
    }
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    script_.run();
    try {
        recorder_->finish();
        FAIL() << "no error";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot write " + path_ + ": "));
    }
    recorder_.reset();
    EXPECT_FALSE(any_file());
}

TEST_P(WaveformRecorderTest, DumpsOfBlocksAreUnderTheirScopes) {
    make();
    const auto a = recorder_->add("sm0", "a", 8);
    const auto plan = recorder_->add_dump("sm0.rtl", [] {});
    script_.at(5, [&] { recorder_->set(a, 20, 2); });
    script_.at(30, [] {});
    script_.run();
    std::ofstream(plan.file)
        << "$timescale 1fs $end\n$scope module TOP $end\n$var wire 1 ! clk_i $end\n"
           "$var wire 8 # data_o [7:0] $end\n$scope module deep $end\n$var wire 8 # data [7:0] "
           "$end\n"
           "$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\nb0 #\n#"
        << 10 * plan.period_fs << "\n1!\nb101 #\n#" << 20 * plan.period_fs << "\n0!\n";
    recorder_->finish();
    recorder_.reset();

    const std::string said = text();
    EXPECT_THAT(said, HasSubstr(" data_o [7:0] $end"));
    const auto vcd = read(said);
    EXPECT_EQ(vcd["sm0.rtl.TOP.clk_i"].at(9), 0U);
    EXPECT_EQ(vcd["sm0.rtl.TOP.clk_i"].at(10), 1U);
    EXPECT_EQ(vcd["sm0.rtl.TOP.clk_i"].at(20), 0U);
    EXPECT_EQ(vcd["sm0.rtl.TOP.data_o"].at(20), 5U);
    EXPECT_EQ(vcd["sm0.rtl.TOP.deep.data"].at(20), 5U) << "another name of the same signal";
    EXPECT_EQ(vcd["sm0.a"].at(20), 2U);
    EXPECT_FALSE(any_file_beside());
}

TEST_P(WaveformRecorderTest, TheSameRunGivesTheSameBytes) {
    std::string first;
    for (int run = 0; run < 2; ++run) {
        make();
        const auto a = recorder_->add("s", "a", 64);
        for (std::uint64_t i = 0; i < 50; ++i) recorder_->set(a, i, i * i);
        recorder_->finish();
        std::ifstream in(path_);
        const std::string bytes{std::istreambuf_iterator<char>(in),
                                std::istreambuf_iterator<char>()};
        EXPECT_GT(bytes.size(), 100U);
        if (run == 0) first = bytes;
        EXPECT_EQ(bytes, first);
    }
}

#ifdef TESSERA_FST
const auto formats = ::testing::Values(".vcd", ".fst");
#else
const auto formats = ::testing::Values(".vcd");
#endif
INSTANTIATE_TEST_SUITE_P(Formats, WaveformRecorderTest, formats,
                         [](const auto& format) { return std::string(format.param + 1); });

}  // namespace
}  // namespace tessera
