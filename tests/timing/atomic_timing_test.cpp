// When are FP32 atomic adds over, and are they all carried out, once each, on whatever network?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/in_child.h"
#include "tests/support/timing_cases.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

constexpr Address kAddend = kBase, kSum = kBase + 0x1000, kBefore = kBase + 0x2000;

WarpInstruction atomic(std::uint8_t source, Address address, std::uint16_t bytes,
                       std::uint8_t dst = kNoRegister) {
    WarpInstruction w = access(Opcode::kAtomicGlobal, dst, address, 1, bytes, bytes);
    w.src_a = source;
    return w;
}

TEST(AtomicTiming, WordsTakeTheUnitOneAfterTheOther) {
    const ScriptKernel one({atomic(2, kBase, 32)});
    const ScriptKernel two({atomic(2, kBase, 32), atomic(2, kBase, 32)});
    const auto rate = [](std::uint32_t words) {
        return one_sm([words](Config& c) { c.l2.atomic_words_per_cycle = words; });
    };
    const Cycle n = kLaunch + 6 + 14;
    expect_cycles({{"no bound", one, one_sm(), n},
                   {"8 words in a cycle", one, rate(8), n + 1},
                   {"8 words in 2 cycles", one, rate(7), n + 2},
                   {"a word a cycle", one, rate(1), n + 8},
                   // The second is at L2 a cycle later and waits for the first.
                   {"two", two, rate(1), n + 16},
                   {"two, no bound", two, one_sm(), n + 1}});
}

TEST(AtomicTiming, AWordThatIsFetchedComesBackAsAnL2HitDoes) {
    const ScriptKernel fetch({atomic(2, kBase, 4, 4)});
    const auto at_level = [](Timing timing) {
        return one_sm([timing](Config& c) { c.timing = timing; });
    };
    const Cycle n = kLaunch + kL2Hit + kExit;
    expect_cycles({{"loosely timed", fetch, at_level(Timing::kLooselyTimed), n},
                   {"approximately timed", fetch, at_level(Timing::kApproximatelyTimed), n}});
}

TEST(AtomicTiming, WaitsForTheUnitAreCounted) {
    // Atomics of 8 words, a cycle apart, at a word a cycle. The first has its turn at once, the
    // second 7 after it has come; each one later is the next in turn for 8. At 8 words a cycle
    // nobody waits.
    const auto waits = [](Timing timing, std::size_t count, std::uint32_t words) {
        return in_child([&] {
            const ScriptKernel kernel(Script(count, atomic(2, kBase, 32)));
            ScriptMachine machine(one_sm([&](Config& c) {
                c.timing = timing;
                c.l2.atomic_words_per_cycle = words;
            }));
            machine.run(kernel);
            return std::to_string(machine.sum("memory.l2.atomic_wait_cycles")) + " of " +
                   std::to_string(machine.sum("memory.l2.atomics"));
        });
    };
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        EXPECT_EQ(waits(timing, 1, 1), "0 of 1");
        EXPECT_EQ(waits(timing, 2, 1), "7 of 2");
        EXPECT_EQ(waits(timing, 3, 1), "15 of 3");
        EXPECT_EQ(waits(timing, 4, 1), "23 of 4");
        EXPECT_EQ(waits(timing, 4, 8), "0 of 4");
    }
}

TEST(AtomicTiming, WordsTakeTheUnitApproximatelyTimedToo) {
    const ScriptKernel two({atomic(2, kBase, 32), atomic(2, kBase, 32)});
    const auto rate = [](std::uint32_t words) {
        return one_sm([words](Config& c) {
            c.timing = Timing::kApproximatelyTimed;
            c.l2.atomic_words_per_cycle = words;
        });
    };
    ScriptMachine slow(rate(1)), fast(rate(8));
    const Cycle slow_cycles = slow.run(two).cycles, fast_cycles = fast.run(two).cycles;
    EXPECT_EQ(slow_cycles - fast_cycles, 14U) << "8 + 8 against 1 + 1 cycles";
    EXPECT_EQ(slow.sum("memory.l2.atomics"), 2U);
    EXPECT_EQ(slow.sum("memory.l2.atomic_words"), 16U);
    EXPECT_EQ(slow.sum("memory.l2.atomic_wait_cycles"), 7U);
}

/// Every warp adds the same words to the same sums, and to a counter whose value before it keeps.
class AddingKernel : public Kernel {
public:
    static constexpr std::uint32_t kCtas = 24, kWarps = 2;

    AddingKernel() {
        info_.name = "adding";
        info_.ctas = kCtas;
        info_.warps_per_cta = kWarps;
        info_.registers_per_thread = 16;
        info_.sub_core_of_warp = {0, 1};
    }
    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override {
        const Address own = kBefore + Address{cta.value() * kWarps + warp} * 128;
        return std::make_unique<Program>(Script{load(2, kAddend, 96), atomic(2, kSum, 96),
                                                atomic(2, kSum + 256, 4, 4), store(4, own, 4),
                                                alu()});
    }

private:
    class Program : public WarpProgram {
    public:
        explicit Program(Script script) : script_(std::move(script)) {
            script_.back() = WarpInstruction(Opcode::kExit);
        }
        std::size_t fill(WarpInstruction* out, std::size_t /*capacity*/) override {
            if (done_) return 0;
            done_ = true;
            return static_cast<std::size_t>(std::copy(script_.begin(), script_.end(), out) - out);
        }

    private:
        Script script_;
        bool done_ = false;
    };
    KernelInfo info_;
};

/// Runs the kernel and describes every wrong sum and every value seen twice; empty if all is well.
std::string add_everything(const Config& config) {
    ScriptMachine machine(config);
    constexpr std::uint32_t kWords = 24, kAdds = AddingKernel::kCtas * AddingKernel::kWarps;
    std::vector<float> addends(kWords);
    for (std::uint32_t i = 0; i < kWords; ++i) addends[i] = static_cast<float>(i + 1) / 8;
    machine.gpu().write_memory(kAddend, addends.data(), 4 * kWords);
    const AddingKernel kernel;
    machine.run(kernel);
    std::string wrong;
    for (const std::string& line : machine.violations()) wrong += line + "\n";
    std::vector<float> sums(kWords);
    machine.gpu().read_memory(kSum, sums.data(), 4 * kWords);
    for (std::uint32_t i = 0; i < kWords; ++i) {
        if (sums[i] != addends[i] * kAdds) wrong += "word " + std::to_string(i) + " is wrong\n";
    }
    std::set<float> before;
    for (std::uint32_t i = 0; i < kAdds; ++i) {
        float value = -1;
        machine.gpu().read_memory(kBefore + Address{i} * 128, &value, sizeof value);
        if (!before.insert(value).second) wrong += "two adds saw the same value\n";
    }
    if (*before.begin() != 0 || *before.rbegin() != addends[0] * (kAdds - 1)) {
        wrong += "the counter did not go through all values\n";
    }
    if (machine.sum("memory.l2.atomics") != 2 * kAdds) wrong += "atomics are not counted\n";
    if (machine.sum("memory.l2.atomic_words") != kAdds * (kWords + 1)) {
        wrong += "words are not counted\n";
    }
    return wrong;
}

TEST(AtomicTiming, EveryAddIsCarriedOutOnce) {
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        for (const NocKind kind : {NocKind::kCrossbar, NocKind::kMesh}) {
            Config config = one_sm();
            config.timing = timing;
            config.values = true;
            config.gpu.sms = 6;
            config.l2.slices = config.dram.channels = 2;
            config.l2.atomic_words_per_cycle = 4;
            config.noc.kind = kind;
            config.noc.mesh.width = 4;
            config.noc.mesh.height = 2;
            EXPECT_EQ(in_child([&] { return add_everything(config); }), "")
                << (timing == Timing::kLooselyTimed ? "lt" : "at")
                << (kind == NocKind::kMesh ? ", mesh" : ", crossbar");
        }
    }
}

}  // namespace
