#include "testbenches/accumulation_buffer/figure18.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>

namespace tessera::testbench {
namespace {

constexpr std::uint32_t kPorts = 16, kTile = 8, kOutputs = 16, kOhmmas = 8;

/// Places of the non-zeros of an OHMMA: half of the eight rows and columns. The paper draws one
/// OHMMA; the others are the same pattern elsewhere.
struct Places {
    std::array<std::uint32_t, 4> rows, columns;
};
constexpr std::array<Places, kOhmmas> kPlaces = {{{{0, 1, 4, 5}, {0, 2, 4, 6}},
                                                  {{2, 3, 6, 7}, {1, 3, 5, 7}},
                                                  {{0, 2, 3, 6}, {0, 1, 4, 6}},
                                                  {{1, 3, 5, 7}, {2, 3, 5, 7}},
                                                  {{0, 1, 2, 4}, {1, 2, 5, 6}},
                                                  {{3, 5, 6, 7}, {0, 3, 4, 7}},
                                                  {{1, 2, 5, 6}, {0, 1, 4, 5}},
                                                  {{0, 3, 4, 7}, {2, 3, 6, 7}}}};

/// Port of an element: 4x4 ports, which cover the tile four times.
std::uint32_t port_of(std::uint32_t row, std::uint32_t column) {
    return row % 4 * 4 + column % 4;
}

AccumulationBufferConfig config() {
    AccumulationBufferConfig config;
    config.banks = kPorts;
    config.map = AccumulationMap::kTwoD;
    return config;
}

AccumulationBuffer::Inputs pins_of(std::uint32_t number) {
    AccumulationBuffer::Inputs in;
    in.op_valid = 1;
    in.op_row_valid = in.op_column_valid = 0xf;
    for (std::uint32_t n = 0; n < 4; ++n) {
        in.op_row[n] = kPlaces[number].rows[n];
        in.op_column[n] = kPlaces[number].columns[n];
    }
    in.op_product.fill(float_bits(static_cast<float>(number + 1)));
    return in;
}

}  // namespace

Figure18::Figure18(Session& session) : session_(session), wave_(session.observers().wave) {
    if (wave_ == nullptr) return;
    ohmma_ = wave_->add("figure18", "ohmma", 4);
    accepted_ = wave_->add("figure18", "accepted", 1);
    outputs_ = wave_->add("figure18", "outputs_offered", 8);
    added_ = wave_->add("figure18", "outputs_added", 8);
    idle_ = wave_->add("figure18", "idle", 1);
}

void Figure18::run() {
    session_.print(
        "  Dual-side sparse tensor core, Figure 18 (V-B2): 16 outputs a cycle on 16 ports\n\n");
    play_dense();
    session_.print(
        "  b) Sparse mode: an 8x8x1 tile, both vectors 50 % sparse. The outputs scatter.\n");
    std::uint32_t alone = 0, conflicts = 0;
    for (std::uint32_t number = 0; number < kOhmmas; ++number) {
        const std::uint32_t fullest = show(number);
        alone += fullest;
        conflicts += fullest > 1 ? 1 : 0;
    }
    const std::uint64_t together = measure();
    session_.scoreboard.expect("Figure 18, all OHMMAs but few have conflicts", 1,
                               conflicts > kOhmmas / 2 ? 1 : 0);
    session_.scoreboard.expect("Figure 19, the collector saves cycles", 1,
                               together < alone ? 1 : 0);
    session_.scoreboard.expect("no port adds twice in a cycle", 1, together >= kOhmmas ? 1 : 0);
    session_.print(fmt::format(
        "\n  {} of {} OHMMAs conflict     paper: \"the accumulation of these outputs may cause "
        "many\n"
        "                             bank conflicts\"\n\n"
        "  Figure 19: the operand collector adds outputs of several OHMMAs in one cycle\n"
        "    without collector  {:>2} cycles, {:.1f} outputs a cycle\n"
        "    with collector     {:>2} cycles, {:.1f} outputs a cycle\n"
        "                             paper: \"significantly increase memory throughput by "
        "combining\n"
        "                             non-conflict memory accesses from different instructions\"\n"
        "  The paper gives no number for this example.\n",
        conflicts, kOhmmas, alone, kOhmmas * kOutputs / static_cast<double>(alone), together,
        kOhmmas * kOutputs / static_cast<double>(together)));
}

/// Dense outputs of a 4x4 block meet 16 different ports.
void Figure18::play_dense() {
    std::array<std::uint32_t, kPorts> outputs{};
    for (std::uint32_t row = 0; row < 4; ++row) {
        for (std::uint32_t column = 0; column < 4; ++column) ++outputs[port_of(row, column)];
    }
    const auto used = kPorts - std::count(outputs.begin(), outputs.end(), 0U);
    session_.scoreboard.expect_count("Figure 18a, ports of a dense OHMMA", 16,
                                     static_cast<std::uint64_t>(used));
    session_.print(fmt::format(
        "  a) Dense mode: a 4x4 block, {} ports, one output each, 1 cycle\n"
        "                             paper: \"the accumulation buffer uses 16 ports for each\n"
        "                             FEOP output\"\n\n",
        used));
}

std::uint32_t Figure18::show(std::uint32_t number) {
    std::array<std::uint32_t, kPorts> outputs{};
    std::uint32_t total = 0;
    for (const std::uint32_t row : kPlaces[number].rows) {
        for (const std::uint32_t column : kPlaces[number].columns) {
            ++outputs[port_of(row, column)];
            ++total;
        }
    }
    session_.scoreboard.expect_count("Figure 18b, outputs of an OHMMA", 16, total);
    const std::uint32_t fullest = *std::max_element(outputs.begin(), outputs.end());
    session_.print(fmt::format(
        "    OHMMA {}  rows {}  columns {}  {} outputs on {:>2} ports, fullest {}\n", number,
        fmt::join(kPlaces[number].rows, " "), fmt::join(kPlaces[number].columns, " "), total,
        kPorts - std::count(outputs.begin(), outputs.end(), 0U), fullest));
    return fullest;
}

std::uint64_t Figure18::measure() {
    AccumulationBuffer buffer(config());
    std::uint64_t adding = 0;
    std::uint32_t number = 0;
    for (Cycle now = 0; now < 200; ++now) {
        AccumulationBuffer::Inputs in;
        if (number < kOhmmas) in = pins_of(number);
        const std::uint64_t before = buffer.issued();
        const AccumulationBuffer::Outputs& out = buffer.step(in);
        const std::uint64_t added = buffer.issued() - before;
        // Cycles from the first addition to the last, with those that wait for an adder.
        if (buffer.issued() > 0 && before < kOhmmas * kOutputs) ++adding;
        const bool accepted = in.op_valid != 0 && out.op_ready != 0;
        if (wave_ != nullptr) {
            wave_->set(ohmma_, now, number);
            wave_->set(outputs_, now, in.op_valid != 0 ? kOutputs : 0);
            wave_->set(added_, now, added);
            wave_->set(idle_, now, out.idle);
            wave_->set(accepted_, now, accepted ? 1 : 0);
        }
        if (accepted) ++number;
        sc_core::sc_start(session_.clock.span(1));
        if (number == kOhmmas && out.idle != 0) break;
    }
    session_.scoreboard.expect_count("Figure 18, outputs added", kOhmmas * kOutputs,
                                     buffer.issued());
    check_sums(buffer);
    return adding;
}

void Figure18::check_sums(AccumulationBuffer& buffer) {
    std::array<std::array<float, kTile>, kTile> sums{};
    for (std::uint32_t number = 0; number < kOhmmas; ++number) {
        for (const std::uint32_t row : kPlaces[number].rows) {
            for (const std::uint32_t column : kPlaces[number].columns) {
                sums[row][column] += static_cast<float>(number + 1);
            }
        }
    }
    for (std::uint32_t row = 0; row < kTile; ++row) {
        for (std::uint32_t column = 0; column < kTile; ++column) {
            session_.scoreboard.expect("sum", std::size_t{row} * kTile + column,
                                       float_bits(sums[row][column]), buffer.value(row, column));
        }
    }
}

}  // namespace tessera::testbench
