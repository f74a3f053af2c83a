// Testbench of the accumulation buffer of the outer-product tensor cores.
#include <algorithm>

#include "sc_models/common/error.h"
#include "sc_models/cosim/accumulation_buffer_rtl.h"
#include "sc_models/pins/accumulation_buffer_pins.h"
#include "sc_models/tensor_core/half.h"
#include "testbenches/accumulation_buffer/buffer_checker.h"
#include "testbenches/accumulation_buffer/buffer_stimulus.h"
#include "testbenches/accumulation_buffer/figure18.h"
#include "testbenches/accumulation_buffer/planted_buffer.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

using Kind = BufferOperation::Kind;

Description description() {
    Description d;
    d.name = "accumulation_buffer";
    d.module = "accumulation buffer of the tensor cores: banks, adders and operand collector";
    d.operation = "operations";
    d.sections = {"tensor_core.accumulation_buffer.depth_entries",
                  "tensor_core.accumulation_buffer.adder_latency_cycles"};
    d.count = 8'000;
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = buffer_columns();
    d.errors = {{"lost_clear", "a drain never clears the sums"},
                {"lost_first", "a dense OHMMA adds to old sums"},
                {"lost_ohmma", "every 64th sparse OHMMA is lost"},
                {"stuck_bank", "the last bank drains with its lowest bit stuck at 0"},
                {"late_idle", "the buffer is idle one cycle late"}};
    d.examples = {{"figure18", "scattered outputs and their bank conflicts (V-B2, Figures 18, 19)",
                   "accumulation_buffer_figure18.gtkw"}};
    d.view = "accumulation_buffer_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Throws ConfigError for settings of a block behind pins.
Session& checked(Session& session) {
    if (session.implementation() == "model" || !session.has_settings()) return session;
    throw ConfigError("--impl " + session.implementation() +
                      ": has fixed sizes, expected no --set and no --machine");
}

/// Buffer beside additions of floats in a loop.
class BufferTestbench final : public Testbench {
public:
    explicit BufferTestbench(Session& session)
        : session_(checked(session)),
          driver_(session, make_block<pins::AccumulationBufferBlock, AccumulationBufferRtl,
                                      AccumulationBuffer, PlantedBuffer>(
                               session, session.config().tensor_core.spwmma.buffer)),
          checker_(session, driver_),
          stimulus_(session) {}

    void run_example(const std::string& /*name*/) override { Figure18(session_).run(); }

private:
    void prepare() override;
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void finish() override;
    void issue(const BufferOperation& operation) { checker_.issue(operation, next_at_++); }
    /// Sends an operation into an empty buffer.
    void play(const BufferOperation& operation) {
        issue(operation);
        checker_.drain();
        next_at_ = session_.clock.now() + 1;
    }

    Session& session_;
    BufferDriver driver_;
    BufferChecker checker_;
    BufferStimulus stimulus_;
    Cycle next_at_ = 0;
};

/// Sets all sums: RTL begins with any.
void BufferTestbench::prepare() {
    for (std::uint32_t word = 0; word < kWords; ++word) {
        BufferOperation preload;
        preload.kind = Kind::kPreload;
        preload.word = word;
        issue(preload);
    }
}

void BufferTestbench::finish() {
    BufferOperation drain;
    drain.kind = Kind::kDrain;
    issue(drain);
    checker_.drain();
}

/// One sparse OHMMA after the other with one to eight products for a bank; preloads of corner
/// cases, and their sums with each other.
void BufferTestbench::play_directed() {
    checker_.drain();
    for (std::uint32_t fullest = 0; fullest <= kOperationRows; ++fullest) {
        BufferOperation o;
        for (std::uint32_t i = 0; i < kOperationRows; ++i) o.row[i] = 4 * i;
        for (std::uint32_t j = 0; j < kOperationColumns; ++j)
            o.column[j] = j < kOperationRows ? 4 * j : 4 * j - 31;
        o.row_valid = (1U << fullest) - 1;
        o.column_valid = 0xffff;
        o.data.fill(float_bits(static_cast<float>(fullest)));
        play(o);
    }
    for (std::uint32_t word = 0; word < kWords; ++word) {
        BufferOperation o;
        o.kind = Kind::kPreload;
        o.word = word;
        for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
            o.data[bank] = kSumCorners[(bank + word) % kSumCorners.size()];
        }
        play(o);
    }
    for (const bool first : {false, true}) {
        BufferOperation o;
        o.kind = Kind::kDense;
        o.first = first;
        o.last = true;
        for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
            o.data[bank] = kSumCorners[bank / kSumCorners.size() % kSumCorners.size()];
            o.c[bank] = kSumCorners[bank % kSumCorners.size()];
        }
        play(o);
    }
    BufferOperation drain;
    drain.kind = Kind::kDrainAndClear;
    play(drain);
    play(drain);
    session_.directed = kOperationRows + 1 + kWords + 4;
}

/// Bursts of one kind, so that FIFOs fill and words are met again; an interruption now and then.
void BufferTestbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (; session_.drawn < count && session_.scoreboard.errors() == 0; ++session_.drawn) {
        if (session_.below(32) == 0) {
            checker_.drain();
            next_at_ = session_.clock.now() + 1 + session_.below(20);
        }
        const BufferOperation operation = stimulus_.draw();
        session_.below(16) == 0 ? play(operation) : issue(operation);
    }
    checker_.drain();
}

void BufferTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) {
        next_at_ = std::max(next_at_, row[BufferStimulus::kCycle]);
        issue(BufferStimulus::operation_of(stimulus, row));
        ++session_.drawn;
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<BufferTestbench>(argc, argv, kDescription);
}
