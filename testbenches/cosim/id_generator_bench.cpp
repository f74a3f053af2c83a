// Bench of the RTL ID generator against its model.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/duplo/id_generator.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/pins/clocked_id_generator.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/id_plan.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/packet_source.h"

namespace tessera {
namespace {

using Rtl = IdGeneratorRtl;

class IdGeneratorBench : public CosimBench {
public:
    explicit IdGeneratorBench(const BenchOptions& options)
        : count_(options.count),
          reset_every_(options.reset_every != 0 ? options.reset_every : kResetEvery),
          rng_(options.seed),
          noise_(options.seed),
          packets_(rng_),
          rtl_(options.seed),
          fault_(options.fault),
          stuck_(options.stuck),
          wrong_(options.wrong),
          signals_(options.wave, {{"packets", 32},
                                  {"element", 48},
                                  {"program_ready_o", 1},
                                  {"busy_o", 1},
                                  {"packet_error_o", 4},
                                  {"in_ready_o", 1},
                                  {"out_valid_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override;
    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] std::string describe_inputs() const override;
    void summarise(std::vector<std::string>& lines) const override;
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

private:
    static constexpr std::uint32_t kBypasses = 9;
    static constexpr std::uint32_t kResetEvery = 1U << 14U;
    static constexpr std::uint64_t kCases = 16;  ///< of addresses
    static constexpr std::uint64_t kNoCase = kCases;

    [[nodiscard]] std::uint64_t pick(std::uint64_t below) { return rng_() % below; }
    void start_from_reset();
    void draw(const Rtl::Outputs& expected);
    void begin_phase();
    void next_fragment();
    void find_ids();
    [[nodiscard]] Address near_the_end(const ConvolutionPacket& p);
    [[nodiscard]] bool at_a_crossing(const ConvolutionPacket& p);
    [[nodiscard]] static std::uint64_t filter_chunks(const ConvolutionPacket& p) {
        return std::max<std::uint64_t>(1,
                                       std::uint64_t{p.filter_height} * p.filter_row_halves() / 16);
    }
    void offer_address();
    void offer_early_address();
    void note_offers(const Rtl::Outputs& expected);
    [[nodiscard]] Rtl::Inputs seen_by_rtl() const;
    void spoil_idle_pins();
    void compare(const Rtl::Outputs& expected, const Rtl::Outputs& got, Scoreboard& scoreboard);

    std::uint64_t count_;
    std::uint32_t reset_every_;
    std::mt19937_64 rng_;
    std::mt19937_64 noise_;  ///< for pins that mean nothing
    PacketSource packets_;
    Rtl rtl_;
    FaultInjector fault_;
    const StuckPin stuck_;
    const std::string wrong_;  ///< BenchOptions::wrong
    IdPlan plan_;
    ModelSignals signals_;
    ClockedIdGenerator model_;
    Rtl::Inputs in_;
    DataId id_;                ///< of the address offered
    bool early_ = false;       ///< it was offered before its packet was taken
    Rtl::Inputs packet_;       ///< the last packet taken
    bool programmed_ = false;  ///< there was a packet since the reset

    std::array<DataId, kFragmentRows> ids_;
    std::uint32_t row_ = kFragmentRows;  ///< next of the fragment
    Address fragment_ = 0;
    std::uint32_t pitch_ = 0;
    // State of the phase; rates in 1/256.
    QuietPhase quiet_phase_{1U << 14U};
    std::uint32_t crossings_ = 0;  ///< bits of a pixel's place to look at
    std::uint64_t left_ = 100;     ///< addresses; the first ones meet a unit without a packet
    std::uint64_t offer_ = 256, take_ = 256;

    std::uint64_t operations_ = 0, good_ = 0, resets_ = 0, zeros_ = 0;
    std::array<std::uint64_t, kBypasses> reasons_{};
    std::array<std::uint64_t, 16> errors_{};
};

void IdGeneratorBench::begin_phase() {
    constexpr std::array<std::uint32_t, 6> kRates = {256, 256, 256, 240, 128, 24};
    in_ = {};
    in_.program_valid = true;
    in_.packet = packets_.next();
    // Packets have the most cases; some phases have many stalls.
    left_ = pick(64) == 0 ? 400 + pick(4800) : 16 + pick(144);
    offer_ = kRates[pick(6)];
    take_ = kRates[pick(6)];
    if (std::min(offer_, take_) < 100) left_ /= 8;
    if (quiet_phase_.next([this](std::uint32_t n) { return pick(n); })) {
        left_ *= 32;
        offer_ = take_ = 256;
    }
    row_ = kFragmentRows;
    crossings_ = 2;
    if (pick(8) == 0) offer_early_address();
}

/// An address beside a packet is taken when the packet has been checked, and gets its id by it.
void IdGeneratorBench::offer_early_address() {
    early_ = in_.in_valid = true;
    in_.address = ConvolutionPacket::decode(in_.packet).base + pick(64) * 32;
    in_.tag = static_cast<std::uint8_t>(rng_());
}

/// Mostly fragments inside the workspace, also neighbouring chunks, other pitches, edges of the
/// workspace and addresses that are nowhere near it.
void IdGeneratorBench::next_fragment() {
    const ConvolutionPacket& p = model_.core().packet();
    const std::uint64_t chunks = model_.on() ? p.n_chunks : 1;
    // Pitches of 2^32 bytes and more are no fragment's.
    const bool fragments = model_.on() && p.row_pitch_chunks < 1u << 27;
    const std::uint32_t row_bytes = fragments ? p.row_pitch_chunks * 32 : 32;
    fragment_ = p.base + pick(chunks) * 32;
    pitch_ = row_bytes;
    const bool crossing = fragments && crossings_ != 0 && at_a_crossing(p);
    switch (crossing ? kNoCase : pick(kCases)) {
        case 0:
            pitch_ = 32;
            break;
        case 1:
            pitch_ = static_cast<std::uint32_t>(pick(1 << 20)) * 32;
            break;
        case 2:
            fragment_ += pick(32);
            pitch_ = static_cast<std::uint32_t>(pick(4096));
            break;
        case 3:  // the first chunks and what lies before
            fragment_ = p.base - pick(20) * 32 + pick(4);
            pitch_ = pick(2) == 0 ? 32 : 16;
            break;
        case 4:  // the last chunks and what lies behind
            fragment_ = p.base + (chunks - 1 - pick(std::min<std::uint64_t>(chunks, 40))) * 32;
            pitch_ = pick(2) == 0 ? 32 : row_bytes;
            break;
        case 5:
            fragment_ = rng_() >> pick(64);
            break;
        case 6:  // the last rows of an image, or of all
        case 8:
            if (!model_.on()) break;
            fragment_ = near_the_end(p);
            break;
        case 7:  // far away by one bit
            fragment_ ^= Address{1} << pick(64);
            break;
        case 9:
        case 10:  // inside a filter, which may be a small part of the pitch
            if (model_.on()) {
                fragment_ = p.base + (pick(chunks / p.row_pitch_chunks) * p.row_pitch_chunks +
                                      pick(filter_chunks(p))) *
                                         32;
            }
            break;
        default:
            break;
    }
    find_ids();
    row_ = 0;
}

/// Ids of the fragment's 16 chunks.
void IdGeneratorBench::find_ids() {
    if (model_.on()) {
        model_.core().generate(fragment_, pitch_, 1, ids_.data());
    } else {
        ids_.fill(model_.identify(fragment_));
    }
}

/// Between inserted zeros where a column's number, or a row's, gets one of its two highest bits:
/// the fragment's 16 chunks reach that pixel with each of their own in turn. False if there are
/// none.
bool IdGeneratorBench::at_a_crossing(const ConvolutionPacket& p) {
    const std::uint32_t width = p.padded_width - 2 * p.pad;
    const std::uint32_t height = p.padded_height - 2 * p.pad;
    std::uint32_t bit = 1;
    while (2 * bit < std::max(width, height)) bit *= 2;
    if (--crossings_ == 0) bit /= 2;
    if (p.up_factor == 1 || bit < kFragmentRows) return false;
    std::uint64_t x = bit + p.pad + 1 - kFragmentRows;
    std::uint64_t y = p.pad + pick((height - 1) / p.up_factor + 1) * p.up_factor;
    if (width < height) {  // behind a row's last pixel is the next row
        x = p.output_width - std::min<std::uint64_t>(p.output_width, kFragmentRows);
        y = bit + p.pad - 1;
    }
    const std::uint64_t row = std::min<std::uint64_t>(y, p.output_height - 1) * p.output_width +
                              std::min<std::uint64_t>(x, p.output_width - 1);
    fragment_ = p.base + row * p.row_pitch_chunks * 32;
    return true;
}

/// In the last rows of an image or of all, at the end of a row of outputs, where the padding below
/// an image begins or a column's number gets another bit; any chunk, or the last ones of a filter
/// row, which may run on into what is behind.
Address IdGeneratorBench::near_the_end(const ConvolutionPacket& p) {
    const std::uint64_t image = std::uint64_t{p.output_height} * p.output_width;
    std::uint64_t row = (1 + pick(p.batch)) * image + pick(4) - pick(16);
    if (pick(4) == 0) {  // of the last image
        row = p.batch * image - 1 - pick(std::min<std::uint64_t>(image, 40));
    } else if (pick(2) == 0) {
        const std::uint64_t line = pick(2) == 0 ? p.output_height : 1 + pick(p.output_height);
        row = pick(p.batch) * image + line * p.output_width - 1;
        row -= std::min<std::uint64_t>(row, pick(2));
    } else if (pick(2) == 0) {
        const std::uint64_t below = p.padded_height - p.pad;
        const std::uint64_t width = p.padded_width - 2 * p.pad;
        const std::uint64_t bit = std::uint64_t{1} << pick(16);
        std::uint64_t x = pick(width);
        std::uint64_t y = pick(below);
        if (pick(2) == 0) y = below + pick(20) - std::min<std::uint64_t>(below, pick(20));
        if (pick(2) == 0 && bit < width) x = bit - std::min<std::uint64_t>(bit, pick(20));
        x += p.pad;
        row = pick(p.batch) * image +
              std::min<std::uint64_t>(y / p.stride, p.output_height - 1) * p.output_width +
              std::min<std::uint64_t>(x / p.stride, p.output_width - 1);
    }
    std::uint64_t chunk = pick(p.row_pitch_chunks);
    if (pick(2) == 0) {
        const std::uint64_t filter_row = pick(2) == 0 ? p.filter_height : 1 + pick(p.filter_height);
        const std::uint64_t end = filter_row * p.filter_row_halves() / 16;
        chunk = end - std::min<std::uint64_t>(end, pick(3));
    }
    return p.base + (row * p.row_pitch_chunks + chunk) * 32;
}

void IdGeneratorBench::offer_address() {
    in_.in_valid = offer_ == 256 || pick(256) < offer_;
    if (!in_.in_valid) {
        in_.address = rng_();  // don't care
        return;
    }
    if (row_ == kFragmentRows) next_fragment();
    in_.address = fragment_ + Address{row_} * pitch_;
    in_.tag = static_cast<std::uint8_t>(rng_());
    id_ = ids_[row_++];
}

/// Notes in the plan what is offered in this cycle.
void IdGeneratorBench::note_offers(const Rtl::Outputs& expected) {
    plan_.hit_if(plan_.stall, expected.out_valid != 0 && !in_.out_ready);
    plan_.hit_if(plan_.packet_waits, in_.program_valid && expected.program_ready == 0);
    if (!in_.in_valid) return;
    plan_.hit_if(plan_.beside_packet, in_.program_valid && expected.program_ready != 0);
    plan_.hit_if(plan_.during_check, expected.busy != 0);
    plan_.hit_if(plan_.off, !programmed_ && !in_.program_valid);
}

/// Returns the inputs with the error of BenchOptions, which the bench has to find.
Rtl::Inputs IdGeneratorBench::seen_by_rtl() const {
    if (stuck_.pin.empty() && wrong_.empty()) return in_;
    Rtl::Inputs seen = in_;
    for (const id_pins::InputPin& pin : id_pins::kFields) pin.stick(seen, stuck_);
    for (const id_pins::InputPin* pin : {&id_pins::kAddress, &id_pins::kTag, &id_pins::kValid}) {
        pin->stick(seen, stuck_);
    }
    if (wrong_ == "id waits") seen.out_ready = true;
    if (wrong_ == "address beside a packet" && in_.in_valid) seen.program_valid = false;
    if (wrong_ == "packet behind addresses" && in_.program_valid &&
        model_.outputs(in_).program_ready == 0) {
        seen.in_valid = true;  // the RTL takes an address that is not there
        seen.program_valid = false;
    }
    if (wrong_ == "address before the first packet" && in_.in_valid && !programmed_) {
        seen.in_valid = false;
    }
    return seen;
}

/// A packet counts in the cycle in which it is taken; before and after, anything is on its pins.
void IdGeneratorBench::spoil_idle_pins() {
    if (in_.program_valid) return;
    for (std::size_t i = 0; i < in_.packet.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t bits = noise_();
        std::memcpy(&in_.packet[i], &bits, sizeof bits);
    }
}

void IdGeneratorBench::start_from_reset() {
    const bool misses = model_.programming()
                            ? wrong_ == "reset during a packet's check"
                            : !model_.idle() && wrong_ == "reset with addresses under way";
    if (!misses) rtl_.reset();
    model_.reset();
    plan_.forget_transactions();
    draw_reset(signals_, packets_.count(), 0, 1, 0, 0, 1, 0);
}

void IdGeneratorBench::draw(const Rtl::Outputs& expected) {
    signals_.draw(clock_cycles(), packets_.count(),
                  expected.element_low | std::uint64_t{expected.element_high} << 32,
                  expected.program_ready, expected.busy, expected.packet_error, expected.in_ready,
                  expected.out_valid);
}

bool IdGeneratorBench::cycle(Cycle /*step*/, Scoreboard& scoreboard) {
    // 1. Inputs. An offered input stays until it is taken.
    const bool more = operations_ < count_;
    in_.out_ready = !more || take_ == 256 || pick(256) < take_;
    if (more && !in_.program_valid && !in_.in_valid && !model_.programming()) {
        if (left_ == 0) {
            begin_phase();
        } else {
            offer_address();
        }
    }
    spoil_idle_pins();

    // 2. Both sides, all outputs.
    const Rtl::Outputs expected = model_.outputs(in_);
    note_offers(expected);
    Rtl::Outputs got = rtl_.step(seen_by_rtl());
    scoreboard.begin_cycle(clock_cycles());
    fault_.apply(got, clock_cycles());
    compare(expected, got, scoreboard);
    draw(expected);

    // 3. The edge.
    count_cycle();
    const bool programming = model_.programming();
    if (early_ && expected.in_ready != 0) id_ = model_.identify(in_.address);
    model_.edge(in_, id_);
    if (in_.in_valid && expected.in_ready != 0) {
        plan_.address(in_);
        in_.in_valid = early_ = false;
        left_ -= left_ != 0 ? 1 : 0;
        scoreboard.note("address {:#x} (chunk {})", in_.address,
                        (in_.address - model_.core().packet().base) / 32);
    }
    if (in_.program_valid && expected.program_ready != 0) {
        in_.program_valid = false;
        packet_ = in_;
        programmed_ = true;
        scoreboard.note("packet {}", packets_.count());
    }
    if (programming && !model_.programming()) {
        const std::uint32_t error = model_.outputs(in_).packet_error;
        ++errors_[error];
        plan_.packet(packet_, error);
        good_ += error == 0 ? 1 : 0;
        if (error != 0) left_ = std::min<std::uint64_t>(left_, 6);
    }
    if (expected.out_valid != 0 && in_.out_ready) {
        ++operations_;
        plan_.result(expected);
        ++reasons_[expected.bypass];
        zeros_ += expected.zero;
    }
    if (more && left_ != 0 && pick(reset_every_) == 0) {
        // A reset, whatever is under way.
        plan_.hit_if(plan_.reset_in_check, model_.programming());
        plan_.hit_if(plan_.reset_with_addresses, !model_.programming() && !model_.idle());
        start_from_reset();
        ++resets_;
        in_ = {};
        early_ = programmed_ = false;
        row_ = kFragmentRows;
        left_ = 40;
    }
    return more || !model_.idle();
}

void IdGeneratorBench::compare(const Rtl::Outputs& expected, const Rtl::Outputs& got,
                               Scoreboard& scoreboard) {
    scoreboard.expect("program_ready_o", expected.program_ready, got.program_ready);
    scoreboard.expect("busy_o", expected.busy, got.busy);
    scoreboard.expect("packet_error_o", expected.packet_error, got.packet_error);
    scoreboard.expect("in_ready_o", expected.in_ready, got.in_ready);
    scoreboard.expect("out_valid_o", expected.out_valid, got.out_valid);
    if (expected.out_valid == 0) return;
    scoreboard.expect("element_o",
                      expected.element_low | std::uint64_t{expected.element_high} << 32,
                      got.element_low | std::uint64_t{got.element_high} << 32);
    scoreboard.expect("batch_o", expected.batch, got.batch);
    scoreboard.expect("bypass_o", expected.bypass, got.bypass);
    scoreboard.expect("zero_o", expected.zero, got.zero);
    scoreboard.expect("tag_o", expected.tag, got.tag);
}

std::string IdGeneratorBench::describe_inputs() const {
    std::string packet;
    for (const std::uint8_t byte : in_.packet) packet += fmt::format("{:02x}", byte);
    return fmt::format(
        "program_valid {:d} packet {}; in_valid {:d} address {:#x} tag {}; out_ready {:d}",
        in_.program_valid, packet, in_.in_valid, in_.address, in_.tag, in_.out_ready);
}

void IdGeneratorBench::summarise(std::vector<std::string>& lines) const {
    lines.push_back(
        fmt::format("{} packets, {} of them good, {} resets", packets_.count(), good_, resets_));
    std::string refused;
    for (std::size_t code = 1; code < errors_.size(); ++code) {
        refused += fmt::format(" {}:{}", code, errors_[code]);
    }
    lines.push_back("refused by field:" + refused);
    std::string reasons;
    for (std::size_t i = 1; i < reasons_.size(); ++i)
        reasons += fmt::format(" {}:{}", i, reasons_[i]);
    lines.push_back(fmt::format("{} ids, {} of all-zero chunks; bypassed by reason:{}", reasons_[0],
                                zeros_, reasons));
}

const RegisteredBench<IdGeneratorBench> kRegistered(
    "id_generator", "address of a workspace chunk to the id of its datum", "addresses",
    "program_ready busy packet_error in_ready out_valid batch bypass zero tag "
    "element_low element_high");

}  // namespace
}  // namespace tessera
