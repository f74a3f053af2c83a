// Modules whose second set of parameters no bench runs: each against a reference, in every cycle
// and through resets. A difference at one bit of an output is found.
#include <Vaccumulation_fifo_second.h>
#include <Vfeop_second.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <string>

#include "sc_models/cosim/rtl_model.h"
#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSeed = 7;
constexpr std::uint32_t kCycles = 50'000;
constexpr std::uint32_t kWrongCycle = 1001;
constexpr std::uint32_t kResetEvery = 500;  ///< mean cycles between two resets

/// Random numbers of a stimulus, from the seed.
class Stimulus {
public:
    [[nodiscard]] std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(rng_() % limit);
    }
    [[nodiscard]] std::uint64_t bits() { return rng_(); }

private:
    std::mt19937_64 rng_{kSeed};
};

/// Runs a module until it differs from its reference. `wrong_bit` of the RTL's outputs is inverted
/// in cycle kWrongCycle; -1: none. Returns the first difference, empty if there is none.
template <class Module>
std::string first_difference(int wrong_bit) {
    Module module;
    Stimulus random;
    module.reset();
    for (std::uint32_t cycle = 0; cycle < kCycles; ++cycle) {
        if (random.below(kResetEvery) == 0) module.reset();
        const bool spoils = wrong_bit >= 0 && cycle == kWrongCycle;
        const std::string difference = module.cycle(random, spoils ? wrong_bit : -1);
        if (!difference.empty()) return fmt::format("cycle {}: {}", cycle, difference);
    }
    return "";
}

/// feop.sv with Accumulate = 0: four products, in a register that moves with en_i.
class FeopProducts {
public:
    static constexpr int kOutputBits = 32 * kFeopLanes;

    void reset() {
        rtl_->en_i = 0;
        rtl_.reset();
        products_.fill(0);
    }
    std::string cycle(Stimulus& random, int wrong_bit) {
        const HalfBits a = half(random);
        std::array<HalfBits, kFeopLanes> b{};
        for (HalfBits& lane : b) lane = half(random);
        const bool moves = random.below(4) != 0;
        rtl_->en_i = moves ? 1 : 0;
        rtl_->a_i = a;
        std::memcpy(&rtl_->b_i, b.data(), sizeof b);
        for (std::uint32_t& word : noise_) word = static_cast<std::uint32_t>(random.bits());
        std::memcpy(&rtl_->c_i, noise_.data(), sizeof noise_);  // means nothing
        rtl_.settle();
        Words got{};
        std::memcpy(got.data(), &rtl_->d_o, sizeof got);
        if (wrong_bit >= 0) got[wrong_bit / 32] ^= 1U << wrong_bit % 32;
        const Words expected = products_;
        rtl_.edge();
        if (moves) {
            for (std::uint32_t n = 0; n < kFeopLanes; ++n) products_[n] = fp16_product(a, b[n]);
        }
        for (std::uint32_t n = 0; n < kFeopLanes; ++n) {
            if (expected[n] == got[n]) continue;
            return fmt::format("d_o_{}: expected {:#010x}, got {:#010x}", n, expected[n], got[n]);
        }
        return "";
    }

private:
    using Words = std::array<std::uint32_t, kFeopLanes>;

    /// Any half; often one of a special class.
    static HalfBits half(Stimulus& random) {
        constexpr std::array<HalfBits, 8> kSpecial = {0x0000, 0x8000, 0x0001, 0x03ff,
                                                      0x0400, 0x7bff, 0x7c00, 0x7e00};
        if (random.below(4) == 0) return kSpecial[random.below(kSpecial.size())];
        return static_cast<HalfBits>(random.bits());
    }

    RtlModel<Vfeop_second> rtl_{"feop", kSeed};
    Words products_{}, noise_{};
};

/// accumulation_fifo.sv with other depth, lanes and width. The lowest lanes that want are taken as
/// far as there was room at the beginning of the cycle.
class Fifo {
public:
    static constexpr std::uint32_t kDepth = 16, kLanes = 5, kWidth = 9;
    static constexpr int kOutputBits = kLanes + 1 + kWidth + 5;  ///< take_o, all_o, head_o, count_o

    Fifo() { static_assert(sizeof(Vaccumulation_fifo_second::data_i) == sizeof(std::uint64_t)); }
    void reset() {
        rtl_->want_i = 0;
        rtl_->pop_i = 0;
        rtl_.reset();
        entries_.clear();
    }
    std::string cycle(Stimulus& random, int wrong_bit) {
        if (random.below(64) == 0) fills_ = !fills_;
        std::uint32_t want = random.below(1U << kLanes);
        if (!fills_) want &= random.below(1U << kLanes) & random.below(1U << kLanes);
        const std::uint64_t data = random.bits() & ((std::uint64_t{1} << kLanes * kWidth) - 1);
        const bool pops = !entries_.empty() && (!fills_ || random.below(4) == 0);
        rtl_->want_i = static_cast<std::uint8_t>(want);
        rtl_->data_i = data;
        rtl_->pop_i = pops ? 1 : 0;
        rtl_.settle();

        Outputs expected;
        const std::size_t room = kDepth - entries_.size();
        expected.count = static_cast<std::uint32_t>(entries_.size());
        expected.all = static_cast<std::size_t>(__builtin_popcount(want)) <= room ? 1 : 0;
        if (!entries_.empty()) expected.head = entries_.front();
        std::deque<std::uint32_t> taken;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            if ((want >> lane & 1U) == 0 || taken.size() == room) continue;
            expected.take |= 1U << lane;
            taken.push_back(static_cast<std::uint32_t>(data >> lane * kWidth) & kEntry);
        }
        Outputs got = {rtl_->take_o, rtl_->all_o, rtl_->head_o, rtl_->count_o};
        if (entries_.empty()) got.head = 0;  // means nothing
        if (wrong_bit >= 0) spoil(got, static_cast<std::uint32_t>(wrong_bit));
        rtl_.edge();
        if (pops) entries_.pop_front();
        entries_.insert(entries_.end(), taken.begin(), taken.end());
        full_ += expected.count == kDepth ? 1 : 0;
        return difference(expected, got);
    }
    /// Number of cycles with a full FIFO.
    [[nodiscard]] std::uint64_t full_cycles() const { return full_; }

private:
    static constexpr std::uint32_t kEntry = (1U << kWidth) - 1;
    struct Outputs {
        std::uint32_t take = 0, all = 0, head = 0, count = 0;
    };
    static void spoil(Outputs& got, std::uint32_t bit) {
        if (bit < kLanes) {
            got.take ^= 1U << bit;
        } else if (bit == kLanes) {
            got.all ^= 1U;
        } else if (bit <= kLanes + kWidth) {
            got.head ^= 1U << (bit - kLanes - 1);
        } else {
            got.count ^= 1U << (bit - kLanes - 1 - kWidth);
        }
    }
    static std::string difference(const Outputs& expected, const Outputs& got) {
        if (expected.take == got.take && expected.all == got.all && expected.head == got.head &&
            expected.count == got.count) {
            return "";
        }
        return fmt::format(
            "expected take {:#x} all {} head {:#x} count {}, got take {:#x} all {} head {:#x} "
            "count {}",
            expected.take, expected.all, expected.head, expected.count, got.take, got.all, got.head,
            got.count);
    }

    RtlModel<Vaccumulation_fifo_second> rtl_{"accumulation_fifo", kSeed};
    std::deque<std::uint32_t> entries_;
    bool fills_ = true;
    std::uint64_t full_ = 0;
};

template <class Module>
class SecondSetModule : public testing::Test {};
using Modules = testing::Types<FeopProducts, Fifo>;
TYPED_TEST_SUITE(SecondSetModule, Modules);

TYPED_TEST(SecondSetModule, EqualsItsReference) {
    EXPECT_EQ("", first_difference<TypeParam>(-1)) << "seed " << kSeed;
}

TYPED_TEST(SecondSetModule, ShowsEachWrongBit) {
    for (int bit = 0; bit < TypeParam::kOutputBits; ++bit) {
        EXPECT_NE("", first_difference<TypeParam>(bit)) << "bit " << bit;
    }
}

/// The stimulus of the FIFO fills it, and empties it again.
TEST(SecondSetFifo, IsFilledAndEmptied) {
    Fifo fifo;
    Stimulus random;
    fifo.reset();
    for (std::uint32_t cycle = 0; cycle < kCycles; ++cycle) {
        ASSERT_EQ("", fifo.cycle(random, -1));
    }
    EXPECT_GT(fifo.full_cycles(), kCycles / 100);
    EXPECT_LT(fifo.full_cycles(), kCycles / 2);
}

}  // namespace
}  // namespace tessera
