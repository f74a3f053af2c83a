// Testbench of the accumulation buffer of the outer-product tensor cores.
#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/cosim/accumulation_buffer_rtl.h"
#include "sc_models/pins/accumulation_buffer_pins.h"
#include "sc_models/tensor_core/half.h"
#include "testbenches/accumulation_buffer/buffer_checker.h"
#include "testbenches/accumulation_buffer/figure18.h"
#include "testbenches/accumulation_buffer/planted_buffer.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

using Kind = BufferOperation::Kind;

constexpr std::uint64_t kWordEnd = std::uint64_t{1} << 32U;
constexpr std::uint32_t kRows = 8, kColumns = 16, kSize = 32;
constexpr std::array<std::uint32_t, 12> kCorners = {0x00000000, 0x80000000, 0x00000001, 0x80000001,
                                                    0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
                                                    0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000};

enum : std::size_t { kCycle, kOperation, kRowBits, kColumnBits, kWord, kPart, kValue };

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
    d.columns = {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation", Column::Kind::kChoice, "", {}},
        {"rows", Column::Kind::kAddress, "bitmap of at most 8 rows; sparse", {}, true},
        {"columns", Column::Kind::kAddress, "bitmap of at most 16 columns; sparse", {}, true},
        {"word", Column::Kind::kNumber, "0 to 7; dense and preload", {}, true},
        {"part", Column::Kind::kChoice, "of the sums, dense;", {}, true},
        {"value", Column::Kind::kNumber, "of all products or sums, a whole number", {}, true}};
    d.columns[kOperation].help = "what the buffer does;";
    d.columns[kOperation].choices = {"sparse", "dense", "preload", "drain", "drain_and_clear"};
    d.columns[kPart].choices = {"middle", "first", "last", "whole"};
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

std::unique_ptr<BufferDriver::Block> make_block(Session& session) {
    using Inputs = AccumulationBuffer::Inputs;
    using Outputs = AccumulationBuffer::Outputs;
    std::unique_ptr<BufferDriver::Block> block;
    if (session.implementation() == "model") {
        block = std::make_unique<ModelBlock<Inputs, Outputs, AccumulationBuffer>>(
            session.config().tensor_core.spwmma.buffer);
    } else {
        if (!session.options().sets.empty() || !session.options().machine.empty()) {
            throw ConfigError("--impl " + session.implementation() +
                              ": has fixed sizes, expected no --set and no --machine");
        }
        block = make_pin_level_block<pins::AccumulationBufferBlock, AccumulationBufferRtl>(session);
    }
    if (session.options().plant.empty()) return block;
    return std::make_unique<PlantedBuffer>(session, std::move(block));
}

/// Buffer beside additions of floats in a loop.
class BufferTestbench final : public Testbench {
public:
    explicit BufferTestbench(Session& session)
        : session_(session), driver_(session, make_block(session)), checker_(session, driver_) {}

    void run_example(const std::string& /*name*/) override { Figure18(session_).run(); }

private:
    void prepare() override;
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void finish() override;
    [[nodiscard]] BufferOperation operation_of(const Stimulus& stimulus, const StimulusRow& row);
    [[nodiscard]] BufferOperation draw();
    void draw_places(BufferOperation& operation);
    [[nodiscard]] std::uint32_t draw_value();
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
    for (std::uint32_t fullest = 0; fullest <= kRows; ++fullest) {
        BufferOperation o;
        for (std::uint32_t i = 0; i < kRows; ++i) o.row[i] = 4 * i;
        for (std::uint32_t j = 0; j < kColumns; ++j) o.column[j] = j < kRows ? 4 * j : 4 * j - 31;
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
            o.data[bank] = kCorners[(bank + word) % kCorners.size()];
        }
        play(o);
    }
    for (const bool first : {false, true}) {
        BufferOperation o;
        o.kind = Kind::kDense;
        o.first = first;
        o.last = true;
        for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
            o.data[bank] = kCorners[bank / kCorners.size() % kCorners.size()];
            o.c[bank] = kCorners[bank % kCorners.size()];
        }
        play(o);
    }
    BufferOperation drain;
    drain.kind = Kind::kDrainAndClear;
    play(drain);
    play(drain);
    session_.directed = kRows + 1 + kWords + 4;
}

/// Bursts of one kind, so that FIFOs fill and words are met again; an interruption now and then.
void BufferTestbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (; session_.drawn < count && session_.scoreboard.errors() == 0; ++session_.drawn) {
        if (session_.below(32) == 0) {
            checker_.drain();
            next_at_ = session_.clock.now() + 1 + session_.below(20);
        }
        const BufferOperation operation = draw();
        session_.below(16) == 0 ? play(operation) : issue(operation);
    }
    checker_.drain();
}

BufferOperation BufferTestbench::draw() {
    BufferOperation o;
    const std::uint64_t dice = session_.below(64);
    o.kind = dice == 0   ? Kind::kDrain
             : dice == 1 ? Kind::kDrainAndClear
             : dice < 4  ? Kind::kPreload
             : dice < 24 ? Kind::kDense
                         : Kind::kSparse;
    o.word = static_cast<std::uint32_t>(session_.below(kWords));
    o.first = session_.below(4) == 0;
    o.last = session_.below(4) == 0;
    for (std::uint32_t& value : o.data) value = draw_value();
    if (o.first) {
        for (std::uint32_t& value : o.c) value = draw_value();
    }
    if (o.kind == Kind::kSparse) draw_places(o);
    return o;
}

/// Distinct columns; rows mostly distinct, sometimes of one class, whose banks fill up.
void BufferTestbench::draw_places(BufferOperation& o) {
    std::array<std::uint32_t, kSize> places{};
    for (std::uint32_t n = 0; n < kSize; ++n) places[n] = n;
    std::shuffle(places.begin(), places.end(), session_.random);
    std::copy_n(places.begin(), kColumns, o.column.begin());
    std::shuffle(places.begin(), places.end(), session_.random);
    std::copy_n(places.begin(), kRows, o.row.begin());
    const auto dice = static_cast<std::uint32_t>(session_.below(4));
    for (std::uint32_t i = 0; i < kRows && dice == 0; ++i) o.row[i] = 4 * i + o.row[0] % 4;
    if (dice == 1) o.row[1] = o.row[0];
    o.row_valid = static_cast<std::uint32_t>(session_.below(1U << kRows));
    o.column_valid = static_cast<std::uint32_t>(session_.below(1U << kColumns));
    if (session_.below(4) == 0) o.row_valid = (1U << kRows) - 1;
}

/// Numbers of similar size, so that sums round; small integers, which cancel; some corner cases.
std::uint32_t BufferTestbench::draw_value() {
    const std::uint64_t dice = session_.below(64);
    if (dice == 0) return kCorners[session_.below(kCorners.size() - 3)];
    const auto integer = static_cast<float>(session_.below(17)) - 8;
    if (dice < 16) return float_bits(integer);
    const auto any = static_cast<std::uint32_t>(session_.below(kWordEnd));
    return (any & 0x807fffffU) | (112U + any / 128 % 16) << 23U;
}

BufferOperation BufferTestbench::operation_of(const Stimulus& stimulus, const StimulusRow& row) {
    BufferOperation o;
    o.kind = static_cast<Kind>(row[kOperation]);
    if (row[kWord] >= kWords) stimulus.fail(row, kWord, "expected 0 to 7");
    if (row[kValue] > 1U << 24U) stimulus.fail(row, kValue, "expected at most 2^24");
    o.word = static_cast<std::uint32_t>(row[kWord]);
    o.first = row[kPart] == 1 || row[kPart] == 3;
    o.last = row[kPart] >= 2;
    o.data.fill(float_bits(static_cast<float>(row[kValue])));
    for (const std::size_t column : {kRowBits, kColumnBits}) {
        const std::uint32_t most = column == kRowBits ? kRows : kColumns;
        std::uint32_t* const places = column == kRowBits ? o.row.data() : o.column.data();
        std::uint32_t found = 0;
        for (std::uint32_t place = 0; place < kSize; ++place) {
            if ((row[column] >> place & 1U) == 0) continue;
            if (found == most) stimulus.fail(row, column, fmt::format("over {} ones", most));
            places[found++] = place;
        }
        if (row[column] >= kWordEnd) stimulus.fail(row, column, "expected below 2^32");
        (column == kRowBits ? o.row_valid : o.column_valid) = (1U << found) - 1;
    }
    return o;
}

void BufferTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) {
        next_at_ = std::max(next_at_, row[kCycle]);
        issue(operation_of(stimulus, row));
        ++session_.drawn;
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<BufferTestbench>(argc, argv, kDescription);
}
