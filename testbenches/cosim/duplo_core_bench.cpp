// Bench of the RTL detection unit against its model, whose pipe is timed as built.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>

#include "sc_models/common/error.h"
#include "sc_models/common/log2.h"
#include "sc_models/cosim/core_reference.h"
#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/duplo/detection_unit.h"
#include "sc_models/pins/clocked_duplo_core.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/duplo_plan.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/packet_source.h"
#include "testbenches/cosim/second_set.h"

namespace tessera {
namespace {

/// Runs a kernel after another through the model of the detection unit. The units that enter its
/// pipe, and its answers, are what the RTL is driven and compared with. The cycle model, which is
/// driven by the same pins, gives every output in every cycle, those of set-ups included.
class DuploCoreBench : public CosimBench, private CoreDevice {
public:
    explicit DuploCoreBench(const BenchOptions& options)
        : count_(options.count),
          reset_every_(options.reset_every),
          rng_(options.seed),
          noise_(options.seed),
          packets_(rng_),
          build_(build_for<DuploCoreRtl>(options)),
          parameters_(build_.parameters),
          rtl_(options.seed, build_),
          fault_(options.fault),
          error_{options.stuck, options.wrong, parameters_},
          plan_(parameters_),
          signals_(options.wave, {{"kernel", 32},
                                  {"setup_ready_o", 1},
                                  {"clear_ready_o", 1},
                                  {"in_ready_o", 1},
                                  {"out_valid_o", 1}}),
          clocked_(parameters_) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override;
    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] std::string describe_inputs() const override;
    void summarise(std::vector<std::string>& lines) const override;
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

private:
    /// Current activity of the RTL. kUnset: there is no set-up, or it was refused.
    enum class State : std::uint8_t { kUnset, kUnits, kOffer, kSettle };

    static constexpr std::uint32_t kMostWarps = 64, kMostFragments = 8;
    static constexpr std::uint32_t kMostUnits = 32;  ///< of a fragment
    static constexpr std::uint32_t kSubCores = 4;
    static constexpr std::uint32_t kKernelLoads = 400, kShortLoads = 30;
    static constexpr std::uint32_t kDomainBits = 24, kDomainStride = 5;
    static constexpr std::uint32_t kEnoughSharedData = 12;
    static constexpr std::uint32_t kMostLogWays = 3, kMostLogEntries = 11;  ///< of the buffer
    static constexpr std::uint32_t kUnsetCycles = 30;
    static constexpr std::uint32_t kManyImages = 512;
    static constexpr std::uint32_t kResets = 20000;        ///< mean cycles between two
    static constexpr std::uint32_t kSettleResets = 10000;  ///< likewise, during a set-up

    [[nodiscard]] std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(rng_() % below);
    }
    void start_from_reset();
    void start_kernel();
    void choose_packet();
    void choose_address(FragmentLoad& load);
    [[nodiscard]] std::uint32_t coded(std::uint32_t domain);
    [[nodiscard]] static bool is_good(const ConvolutionPacket::Bytes& bytes);
    void choose_setup();
    void choose_inputs();
    void offer_setup();
    void generate();
    void begin_load();
    void offer_too_early();
    void spoil_idle_pins(DuploCoreRtl::Inputs& in);
    static void compare(const DuploCoreRtl::Outputs& expected, const DuploCoreRtl::Outputs& got,
                        Scoreboard& scoreboard);
    void advance_setup(Scoreboard& scoreboard);

    // CoreDevice, as the model calls it.
    void program(Cycle now, const ConvolutionPacket& packet, std::uint32_t shift,
                 std::uint32_t units, std::uint32_t registers) override;
    void pass(const PipeUnit& unit, const PipeAnswer& answer) override;
    void clear() override { ++clears_due_; }
    void finish() override {}

    std::uint64_t count_;
    std::uint32_t reset_every_;
    std::mt19937_64 rng_;
    std::mt19937_64 noise_;  ///< for pins that mean nothing
    PacketSource packets_;
    const RtlBuild<DuploCoreRtl>& build_;
    const DuploCoreRtl::Parameters& parameters_;
    /// Warps of a kernel with all units.
    const std::uint32_t most_warps_ = parameters_.max_units() / (kMostFragments * kMostUnits);
    DuploCoreRtl rtl_;
    FaultInjector fault_;
    const DuploError error_;  ///< of BenchOptions
    DuploPlan plan_;
    ModelSignals signals_;
    CoreReference reference_;
    ClockedDuploCore clocked_;
    DuploCoreRtl::Inputs in_;

    // The model, made anew for each kernel.
    DuploConfig config_;
    std::optional<IdPort> ids_;
    std::optional<HistoryPort> history_;
    std::optional<RenamePort> rename_;
    std::optional<DetectionUnit> model_;
    ConvolutionPacket packet_;
    ActiveLoad active_;
    std::uint32_t warps_ = 1, a_fragments_ = 1;
    bool fills_ = false;  ///< all units get a register
    std::uint32_t loads_left_ = 0;
    std::uint32_t unit_ = 0;                      ///< next unit of the load
    std::uint32_t warps_left_ = 0;                ///< to be released at the end of the kernel
    std::uint32_t gaps_ = 0;                      ///< of 256 units come later than they could
    std::uint32_t places_ = 1;                    ///< different addresses
    Address window_ = 0;                          ///< where they begin
    std::map<std::uint32_t, std::size_t> ranks_;  ///< of the kernel's domains, in order of use
    std::uint32_t turns_ = 0, domain_inversion_ = 0;
    std::uint32_t loads_ = 0;  ///< with a bit inverted
    struct Recent {
        Address address = 0;
        std::uint32_t domain = 0;
    };
    std::array<Recent, 32> recent_{};  ///< units that were looked up
    FragmentLoad last_load_;           ///< of the kernel
    bool repeats_ = false;             ///< there is one
    /// The kernel has two sharing domains, which differ in one bit. The next such kernel takes the
    /// next bit if the last one had enough data that one loaded behind the other.
    bool has_two_domains_ = false;
    std::uint32_t shared_data_ = kEnoughSharedData;
    std::array<Address, std::size_t{kMostWarps} * kMostFragments> addresses_{};  ///< of fragments
    Cycle next_ = 0;  ///< the next unit does not enter before
    QuietPhase quiet_phase_{512};

    State state_ = State::kUnits;
    bool setup_due_ = false;
    DuploCoreRtl::Setup setup_;
    std::uint32_t numbers_ = 0;    ///< of units and registers in them, so far
    std::uint32_t others_ = 0;     ///< set-ups of any values that come before it
    DuploCoreRtl::Setup offered_;  ///< setup_, or one of those
    bool offers_early_ = false;    ///< the next one is offered beside units under way
    std::uint32_t clears_due_ = 0;
    std::uint32_t unset_ = 0;  ///< cycles in which no set-up is offered

    std::uint64_t operations_ = 0, kernels_ = 0, resets_ = 0, clears_ = 0, late_ = 0, ends_ = 0,
                  fresh_ = 0, refused_ = 0;
    std::array<std::uint64_t, 4> kinds_{};  ///< by AccessKind
};

void DuploCoreBench::start_from_reset() {
    const bool skips = (error_.is("reset with units under way") && !reference_.empty()) ||
                       (error_.is("reset during a set-up") && state_ == State::kSettle);
    if (!skips) rtl_.reset();
    reference_.reset();
    clocked_.reset();
    state_ = State::kUnits;
    setup_due_ = false;
    clears_due_ = 0;
    unset_ = pick(kUnsetCycles);
    if (unset_ != 0) state_ = State::kUnset;
    model_.reset();
    draw_reset(signals_, kernels_, 1, 1, 0, 0);
    start_kernel();
}

void DuploCoreBench::start_kernel() {
    ++kernels_;
    config_ = DuploConfig{};
    config_.pipe = PipeTiming::kBuilt;
    config_.lookups_per_cycle = 1;
    config_.latency_cycles = DuploCoreRtl::kLatency;
    config_.wake_cycles = pick(4) == 0 ? pick(200) : 0;
    config_.octet_copies = 1 + pick(2);
    constexpr std::array<Scope, 4> kScopes = {Scope::kLane, Scope::kWarp, Scope::kSubCore,
                                              Scope::kSm};
    config_.scope = kScopes[pick(3) == 0 ? 3 : pick(4)];
    const std::uint32_t log_ways = pick(4);
    config_.lhb_ways = 1U << log_ways;
    config_.lhb_entries = 1U << (log_ways + pick(12 - log_ways));
    config_.lhb_shift_bits = pick(3) == 0 ? DuploConfig::kAutoShift : pick(pick(2) == 0 ? 32 : 8);
    config_.lhb_fold = pick(2) != 0;
    config_.spare_units = pick(3) == 0 ? pick(64) : 0;
    warps_ = 1 + pick(std::min(most_warps_, pick(8) == 0                  ? kMostWarps
                                            : config_.scope == Scope::kSm ? 8U
                                                                          : 16U));
    a_fragments_ = 1 + pick(pick(8) == 0 ? 7 : 3);
    places_ = 1 + pick(config_.scope != Scope::kSm || pick(2) == 0 ? 8 : 2 + pick(600));
    loads_left_ = 1 + pick(pick(2) == 0 ? kShortLoads : kKernelLoads);
    fills_ = false;
    has_two_domains_ = pick(3) != 0;
    if (has_two_domains_) {
        if (shared_data_ >= kEnoughSharedData) ++turns_;
        shared_data_ = 0;
        config_.scope = Scope::kWarp;
        warps_ = 2;
        loads_left_ = 40;
        places_ = 1 + pick(4);
    } else if (pick(5) == 0) {  // all units, all registers
        warps_ = most_warps_;
        a_fragments_ = kMostFragments;
        config_.octet_copies = 2;
        config_.spare_units = parameters_.max_registers() - parameters_.max_units();
        loads_left_ += kKernelLoads;
        fills_ = true;
    }
    fills_ = fills_ || warps_ == kMostWarps;
    gaps_ = pick(3) == 0 ? pick(256) : 0;
    if (quiet_phase_.next([this](std::uint32_t n) { return pick(n); })) {
        gaps_ = 0;
        loads_left_ *= 8;
    }
    choose_packet();
    ranks_.clear();
    repeats_ = false;
    domain_inversion_ = pick(1U << kDomainBits);
    ids_.emplace();
    history_.emplace(config_);
    rename_.emplace();
    model_.emplace(config_, kSubCores, DetectionBlocks{*ids_, *history_, *rename_, this});
    model_->launch(packet_, warps_, a_fragments_, next_);
    warps_left_ = warps_;
    unit_ = 0;
}

/// Whether the ID generator accepts a packet.
bool DuploCoreBench::is_good(const ConvolutionPacket::Bytes& bytes) {
    const ConvolutionPacket packet = ConvolutionPacket::decode(bytes);
    try {
        IdGenerator().program(packet, IdFormula::kCorrected);
    } catch (const ConfigError&) {
        return false;
    }
    return packet.valid && !packet.is_by_place();
}

/// A layer of Table I or an end of a range, later any; every third one any from the start.
void DuploCoreBench::choose_packet() {
    const std::uint32_t least_images = pick(8) == 0 ? kManyImages + 1 : 1;
    for (;;) {
        const bool any = least_images != 1 || pick(3) == 0;
        const ConvolutionPacket::Bytes bytes = any ? packets_.any() : packets_.next();
        packet_ = ConvolutionPacket::decode(bytes);
        if (packet_.batch >= least_images && is_good(bytes)) break;
    }
    window_ = pick(2) == 0 ? 0 : Address{32} * (rng_() % packet_.n_chunks);
}

/// The set-up that is offered next: the kernel's, or one before it. Those have values that one of
/// the blocks refuses, or numbers of units and registers that differ from a refused one by a bit.
void DuploCoreBench::choose_setup() {
    offered_ = setup_;
    if (others_ == 0) return;
    const auto number = [this](std::uint32_t most) {
        const std::uint32_t bit = 1U << numbers_ / 4 % (log2_of_power(most) + 1);
        if (numbers_ % 4 < 2) return bit;
        return std::array<std::uint32_t, 3>{0, most, most + bit % most}[pick(3)];
    };
    const std::uint32_t which = std::min(pick(6), 3U);
    if (which == 0 || which == 2) offered_.packet = packets_.broken();
    if (which == 1 || which == 2) {
        offered_.log_sets = static_cast<std::uint8_t>(pick(16));
        offered_.log_ways = static_cast<std::uint8_t>(pick(8));
        offered_.shift = static_cast<std::uint8_t>(pick(32));
        offered_.fold = pick(2) != 0;
    }
    if (which < 2) return;
    ++numbers_;
    if (numbers_ % 2 == 0) offered_.units = number(parameters_.max_units());
    if (numbers_ % 2 == 1) offered_.registers = number(parameters_.max_registers());
}

void DuploCoreBench::program(Cycle now, const ConvolutionPacket& packet, std::uint32_t shift,
                             std::uint32_t units, std::uint32_t registers) {
    setup_ = {};
    setup_.packet = packet.encode();
    setup_.kernel_tag = packet.kernel_tag;
    setup_.log_sets = log2_of_power(config_.lhb_entries / config_.lhb_ways);
    setup_.log_ways = log2_of_power(config_.lhb_ways);
    setup_.shift = static_cast<std::uint8_t>(shift);
    setup_.fold = config_.lhb_fold;
    setup_.units = units;
    setup_.registers = registers;
    setup_due_ = true;
    clears_due_ = 0;  // what a set-up does, too
    others_ = pick(6);
    offers_early_ = pick(2) == 0;
    choose_setup();
    static_cast<void>(now);
}

/// A kernel's domains are numbers in the order of their use for the RTL, on 24 bits that turn from
/// kernel to kernel.
std::uint32_t DuploCoreBench::coded(std::uint32_t domain) {
    constexpr std::uint32_t kMask = (1U << kDomainBits) - 1;
    const auto rank =
        static_cast<std::uint32_t>(ranks_.try_emplace(domain, ranks_.size()).first->second);
    const std::uint32_t left = turns_ * kDomainStride % kDomainBits;
    return ((rank << left | rank >> (kDomainBits - left)) & kMask) ^ domain_inversion_;
}

void DuploCoreBench::pass(const PipeUnit& unit, const PipeAnswer& answer) {
    PipeUnit seen = unit;
    Recent& recent = recent_[noise_() % recent_.size()];
    if (unit.op != PipeUnit::Op::kLoad) {  // the pins mean nothing
        seen.address = recent.address;
        seen.domain = recent.domain;
    } else if (pick(4) == 0) {
        recent = {unit.address, unit.domain};
    }
    seen.domain = coded(seen.domain);
    reference_.add(seen, answer);
    next_ = unit.entered + 1;
    if (unit.left > unit.entered + DuploCoreRtl::kIdLatency) ++late_;
    if (unit.op == PipeUnit::Op::kEnd) {
        ++ends_;
        return;
    }
    if (unit.op == PipeUnit::Op::kFresh) ++fresh_;
    ++kinds_[static_cast<std::size_t>(answer.kind)];
}

/// A place in the kernel's window, the same one in another image, the place that the fragment had
/// before, any, or one outside.
void DuploCoreBench::choose_address(FragmentLoad& load) {
    load.row_pitch_bytes = pick(8) == 0 ? 32 * (1 + pick(4)) : packet_.row_pitch_chunks * 32;
    const std::uint64_t place = pick(places_);
    load.address = packet_.base + window_ + place * (pick(2) == 0 ? 32 : load.row_pitch_bytes);
    const bool many = packet_.batch > kManyImages && pick(2) == 0;
    const std::uint32_t images = many ? kManyImages : 1U << pick(10);
    if (images < packet_.batch && pick(2) == 0) {
        const std::uint64_t image =
            std::uint64_t{packet_.output_height} * packet_.output_width * packet_.row_pitch_chunks;
        load.address += 32 * image * images;
    }
    if (pick(16) == 0) load.address = packet_.base + rng_() % packet_.n_chunks * 32;
    if (pick(256) == 0) load.address += pick(2) == 0 ? 2 : Address{packet_.n_chunks} * 32;
    if (fills_ && pick(2) == 0) load.address = 32;  // not in it: a new register
    Address& last = addresses_[load.warp * kMostFragments + load.fragment];
    if (last >= packet_.base && last < packet_.end() && pick(4) == 0) load.address = last;
    last = load.address;
}

void DuploCoreBench::begin_load() {
    FragmentLoad load;
    load.warp = pick(warps_);
    load.fragment = pick(a_fragments_);
    if (fills_ && pick(8) != 0) {  // so that all units get a register
        load.warp = loads_left_ % warps_;
        load.fragment = loads_left_ / warps_ % a_fragments_;
    }
    load.sub_core = load.warp % kSubCores;
    choose_address(load);
    if (repeats_ && pick(config_.scope == Scope::kSm ? 4 : 2) ==
                        0) {  // of another warp, and perhaps another domain
        load.address = last_load_.address;
        load.row_pitch_bytes = last_load_.row_pitch_bytes;
        if (has_two_domains_) load.warp = 1 - last_load_.warp;
        load.sub_core = load.warp % kSubCores;
    }
    if (repeats_ && pick(8) == 0) load = last_load_;  // each unit finds its own register
    const bool pairs = has_two_domains_ && repeats_ && load.warp != last_load_.warp &&
                       load.address == last_load_.address;
    last_load_ = load;
    repeats_ = true;
    if (pick(24) == 0) load.address ^= Address{1} << loads_++ % 64;
    model_->begin(next_, load, active_);
    for (std::uint32_t group = 0; group < model_->shape().groups(); ++group) {
        const DataId& id = active_.ids[group];
        plan_.hit_if(plan_.late_image, id.bypass == BypassReason::kNone && id.batch >= 512);
        if (pairs && id.valid() && !id.zero) ++shared_data_;
    }
}

/// Passes units to the model until it is known what the next cycle brings.
void DuploCoreBench::generate() {
    next_ = std::max(next_, reference_.now());  // cycles passed before a set-up or clear
    while (!setup_due_ && clears_due_ == 0 && next_ <= reference_.now() + 1) {
        if (gaps_ != 0 && pick(256) < gaps_) next_ += 1 + pick(pick(8) == 0 ? 60 : 4);
        if (loads_left_ == 0 && unit_ == 0) {
            // The kernel ends: its warps give up their registers.
            if (warps_left_ != 0) {
                model_->release_warp(--warps_left_, next_);
                continue;
            }
            model_->check_drained();
            start_kernel();
            return;
        }
        if (unit_ == 0) {
            if (pick(600) == 0) {
                model_->note_store(packet_.base, 32);
                if (clears_due_ != 0) return;
            }
            if (pick(40) == 0) model_->release_warp(pick(warps_), next_);
            --loads_left_;
            begin_load();
        }
        const std::uint32_t unit = unit_;
        unit_ = unit + 1 == model_->shape().count() ? 0 : unit + 1;
        if (pick(64) == 0) {
            model_->skip(next_, active_, unit);
            continue;
        }
        const UnitOutcome outcome = model_->access(next_, active_, unit);
        if (outcome.kind == AccessKind::kMiss || outcome.kind == AccessKind::kBypass) {
            model_->set_ready(outcome.phys, next_ + 100);
        }
    }
}

/// Units and clears where there is no set-up: no unit is taken.
void DuploCoreBench::offer_too_early() {
    const std::uint64_t bits = noise_();
    in_.in_valid = (bits & 1U) != 0;
    in_.clear_valid = (bits & 2U) != 0;
    in_.address = noise_();
    in_.unit = bits >> 8U & (parameters_.max_units() - 1);
}

void DuploCoreBench::spoil_idle_pins(DuploCoreRtl::Inputs& in) {
    if (!in.in_valid) {
        const std::uint64_t bits = noise_();
        in.op = static_cast<PipeUnit::Op>(bits % 3);
        in.address = noise_();
        in.unit = bits >> 8U & (parameters_.max_units() - 1);
        in.domain = bits >> 30U & 0xffffffU;
    }
    if (in.setup_valid) return;
    const std::uint64_t bits = noise_();
    for (std::size_t i = 0; i < 8; ++i) in.setup.packet[i] = bits >> 8 * i & 0xffU;
    in.setup.log_sets = bits & 15U;
    in.setup.log_ways = bits >> 4U & 7U;
    in.setup.shift = bits >> 7U & 31U;
    in.setup.units = bits >> 20U & (2 * parameters_.max_units() - 1);
    in.setup.registers = bits >> 36U & (2 * parameters_.max_registers() - 1);
    in.setup.kernel_tag = static_cast<std::uint8_t>(bits >> 51U);
}

/// Units, or a set-up or clear once all of them have been answered, or are in the pipe.
void DuploCoreBench::choose_inputs() {
    in_ = state_ == State::kUnits ? reference_.inputs() : DuploCoreRtl::Inputs{};
    if (state_ == State::kUnset) offer_too_early();
    if (state_ == State::kUnits && !reference_.handshakes().in_ready) {
        in_.in_valid = in_.in_valid || (noise_() & 1U) != 0;  // any unit has to wait
    }
    const bool due = setup_due_ || clears_due_ != 0;
    if (state_ == State::kUnits && due && offers_early_ && reference_.all_entered()) {
        in_.setup_valid = setup_due_;
        in_.clear_valid = !setup_due_;
        if (setup_due_) in_.setup = offered_;
    }
    if (state_ == State::kOffer) offer_setup();
    spoil_idle_pins(in_);
}

/// A set-up or clear, sometimes with a clear or a unit beside it that has to wait.
void DuploCoreBench::offer_setup() {
    const std::uint64_t bits = noise_();
    in_.setup_valid = setup_due_;
    in_.clear_valid = !setup_due_ || (bits & 1U) != 0;
    in_.in_valid = (bits & 2U) != 0;
    in_.address = noise_();
    in_.unit = bits >> 8U & (parameters_.max_units() - 1);
    if (setup_due_) in_.setup = offered_;
}

bool DuploCoreBench::cycle(Cycle /*step*/, Scoreboard& scoreboard) {
    // 1. Inputs.
    const bool more = operations_ < count_;
    if (state_ == State::kUnits) {
        if (more) generate();
        if (reference_.empty() && (setup_due_ || clears_due_ != 0)) state_ = State::kOffer;
    }
    choose_inputs();

    // 2. Both sides.
    const DuploCoreRtl::Outputs expected = clocked_.outputs(in_);
    DuploCoreRtl::Outputs got = rtl_.step(error_.seen_by_rtl(in_, expected, clocked_));
    scoreboard.begin_cycle(clock_cycles());
    fault_.apply(got, clock_cycles());
    plan_.cycle(clocked_, in_, expected);
    static_cast<void>(clocked_.step(in_));
    const bool units = state_ == State::kUnits;
    signals_.draw(clock_cycles(), kernels_, expected.setup_ready, expected.clear_ready,
                  expected.in_ready, expected.out_valid);
    count_cycle();
    compare(expected, got, scoreboard);
    if (units) {
        operations_ += got.out_valid;
        // A set-up or clear that waits lets no unit enter, which the reference does not know.
        const bool waits = in_.setup_valid || in_.clear_valid;
        if (waits) got.in_ready = reference_.handshakes().in_ready ? 1 : 0;
        reference_.check(got, scoreboard);
    } else if (state_ == State::kUnset) {
        if (--unset_ == 0) state_ = State::kUnits;
    } else if (expected.setup_ready != 0) {
        advance_setup(scoreboard);
    }

    // 3. Resets, with units under way.
    const std::uint32_t mean = state_ == State::kSettle ? kSettleResets : kResets;
    const bool reset = pick(reset_every_ == 0 ? mean : reset_every_) == 0;
    if (more && reset) {
        ++resets_;
        plan_.reset(!reference_.empty(), state_ == State::kSettle);
        start_from_reset();
    }
    return more || (units && !reference_.empty());
}

/// Compares all outputs with those of the cycle model.
void DuploCoreBench::compare(const DuploCoreRtl::Outputs& expected,
                             const DuploCoreRtl::Outputs& got, Scoreboard& scoreboard) {
    scoreboard.expect("setup_ready", expected.setup_ready, got.setup_ready);
    scoreboard.expect("setup_error", expected.setup_error, got.setup_error);
    scoreboard.expect("clear_ready", expected.clear_ready, got.clear_ready);
    scoreboard.expect("in_ready", expected.in_ready, got.in_ready);
    scoreboard.expect("out_valid", expected.out_valid, got.out_valid);
    if (expected.out_valid == 0) return;
    scoreboard.expect("kind", expected.kind, got.kind);
    scoreboard.expect("bypass", expected.bypass, got.bypass);
    scoreboard.expect("unit", expected.unit, got.unit);
    scoreboard.expect("phys", expected.phys, got.phys);
}

/// The blocks take the set-up or clear that is offered, or have completed it.
void DuploCoreBench::advance_setup(Scoreboard& scoreboard) {
    if (state_ == State::kSettle) {
        state_ = State::kUnits;
        if (setup_due_ && !clocked_.ready()) {  // it was refused
            ++refused_;
            unset_ = pick(kUnsetCycles);
            if (unset_ != 0) state_ = State::kUnset;
        }
        return;
    }
    state_ = State::kSettle;
    if (!setup_due_) {
        scoreboard.note("clear");
        ++clears_;
        clears_due_ = 0;
        return;
    }
    scoreboard.note("set-up: {} units, {} registers", offered_.units, offered_.registers);
    const std::uint32_t log_entries = offered_.log_sets + offered_.log_ways;
    plan_.set_up(offered_, !is_good(offered_.packet),
                 offered_.log_ways > kMostLogWays || log_entries > kMostLogEntries,
                 offered_.units - 1 >= parameters_.max_units() ||
                     offered_.registers - 1 >= parameters_.max_registers());
    clears_due_ = 0;
    if (others_ == 0) {
        setup_due_ = false;
        return;
    }
    --others_;
    choose_setup();
}

std::string DuploCoreBench::describe_inputs() const {
    return fmt::format(
        "setup_valid {:d}, clear_valid {:d}; in_valid {:d} op {} address {:#x} unit {} domain {}",
        in_.setup_valid, in_.clear_valid, in_.in_valid, static_cast<int>(in_.op), in_.address,
        in_.unit, in_.domain);
}

void DuploCoreBench::summarise(std::vector<std::string>& lines) const {
    const auto kind = [this](AccessKind k) { return kinds_[static_cast<std::size_t>(k)]; };
    lines.push_back(
        fmt::format("{} hits, {} misses, {} zeros, {} bypassed ({} of them without a "
                    "look-up), {} units ended; {} left late",
                    kind(AccessKind::kHit), kind(AccessKind::kMiss), kind(AccessKind::kZero),
                    kind(AccessKind::kBypass), fresh_, ends_, late_));
    lines.push_back(fmt::format("{} kernels, {} set-ups refused, {} clears, {} resets", kernels_,
                                refused_, clears_, resets_));
}

const RegisteredBench<DuploCoreBench> kRegistered(
    "duplo_core", "detection unit: which units need no load", "units",
    "setup_ready setup_error clear_ready in_ready out_valid kind bypass unit phys");

}  // namespace
}  // namespace tessera
