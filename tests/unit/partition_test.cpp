// Do partitions on several threads have the result of one thread?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/partition_observers.h"
#include "sc_models/tlm/at/partition_workers.h"
#include "tests/support/in_child.h"

using namespace tessera;

namespace {

class Block : public Clocked {
public:
    explicit Block(const ClockPlace& place) : alarm(place, *this) {}
    void evaluate() override {
        if (on_evaluate) on_evaluate();
    }
    void exchange_boundary() override {
        if (on_exchange) on_exchange();
    }
    CycleAlarm alarm;
    std::function<void()> on_evaluate, on_exchange;
};

/// A block on a partition of its own.
struct Lone {
    explicit Lone(CycleTicker& ticker) : partition(ticker), block({ticker, &partition}) {}
    Partition partition;
    Block block;
};

/// A ticker whose partitions run on `threads` threads.
struct Simulated {
    explicit Simulated(std::uint32_t threads) {
        if (threads > 1) workers = std::make_unique<PartitionWorkers>(threads - 1);
        ticker.set_workers(workers.get());
    }
    ClockDomain clock{1000};
    CycleTicker ticker{"ticker", clock};
    std::unique_ptr<PartitionWorkers> workers;
};

TEST(Partition, RunsAfterBlocksOfNoneAndBeforeAnythingIsExchanged) {
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    std::vector<std::string> log;
    Lone first(ticker), second(ticker);
    Block outside(ticker);
    outside.on_evaluate = [&] { log.push_back("outside"); };
    first.block.on_evaluate = [&] {
        log.push_back("first");
        first.block.alarm.request_exchange();
    };
    first.block.on_exchange = [&] {
        log.push_back("first leaves");
        outside.alarm.at(4);  // the present cycle: another superstep
    };
    second.block.on_evaluate = [&] {
        log.push_back("second");
        if (log.size() < 4) second.block.alarm.at(4);
    };
    second.block.alarm.at(4);
    first.block.alarm.at(4);
    outside.alarm.at(4);
    sc_core::sc_start();
    EXPECT_THAT(log, testing::ElementsAre("outside", "first", "second", "second", "first leaves",
                                          "outside"));
}

TEST(Partition, RunsItsBlocksInTheOrderInWhichTheyJoined) {
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    Partition partition(ticker);
    Block a({ticker, &partition}), b({ticker, &partition});
    std::string log;
    a.on_evaluate = [&] { log += 'a'; };
    b.on_evaluate = [&] {
        log += 'b';
        if (log == "ab") {
            a.alarm.at(ticker.now());
            b.alarm.at(ticker.now() + 3);
        }
    };
    b.alarm.at(9);
    a.alarm.at(12);
    a.alarm.at(9);
    sc_core::sc_start();
    EXPECT_EQ(log, "abab");
    EXPECT_EQ(ticker.now(), 12U);
}

/// The log and final state of many partitions that count, leave, exchange and log in order, on
/// `threads` threads.
std::string work_on(std::uint32_t threads) {
    constexpr std::uint32_t kPartitions = 70;
    constexpr Cycle kCycles = 3000;
    Simulated simulated(threads);
    CycleTicker& ticker = simulated.ticker;
    std::string log;
    std::vector<std::unique_ptr<Lone>> partitions;
    std::vector<std::uint64_t> state(kPartitions, 1);
    std::uint64_t exchanged = 0;
    const Cycle start = ticker.now();
    for (std::uint32_t i = 0; i < kPartitions; ++i) {
        partitions.push_back(std::make_unique<Lone>(ticker));
        Lone& lone = *partitions.back();
        lone.block.on_evaluate = [&, i] {
            state[i] = state[i] * 6364136223846793005U + i;
            const Cycle now = lone.block.alarm.now();
            if (now - start >= kCycles) return;
            lone.block.alarm.at(now + 1 + (state[i] >> 62U));
            if ((state[i] >> 60U) == 0) lone.block.alarm.request_exchange();
            if ((state[i] >> 40U) % 512 == 7) {
                lone.partition.in_order();
                log += std::to_string(i) + ' ';
            }
        };
        lone.block.on_exchange = [&, i] { exchanged = exchanged * 31 + state[i]; };
        lone.block.alarm.at(start + 1);
    }
    sc_core::sc_start();
    std::string text = log + std::to_string(exchanged);
    for (const std::uint64_t each : state) text += ' ' + std::to_string(each);
    return text;
}

TEST(PartitionWorkers, HasTheResultOfOneThread) {
    const std::string alone = test::in_child([] { return work_on(1); });
    EXPECT_GT(alone.size(), 1900U);
    for (const std::uint32_t threads : {2U, 3U, 8U}) {
        EXPECT_EQ(test::in_child([threads] { return work_on(threads); }), alone) << threads;
    }
}

/// The values that partitions run apart read; each sees all writes of the superstep. Uses `threads`
/// threads.
std::string read_on(std::uint32_t threads) {
    constexpr std::uint32_t kEach = 40;
    constexpr Cycle kCycles = 2000;
    Simulated simulated(threads);
    CycleTicker& ticker = simulated.ticker;
    std::vector<std::unique_ptr<Lone>> partitions;
    std::vector<std::uint64_t> written(kEach, 1), read(kEach, 0);
    for (std::uint32_t i = 0; i < 2 * kEach; ++i) {
        if (i == kEach) ticker.run_apart();
        partitions.push_back(std::make_unique<Lone>(ticker));
        CycleAlarm& alarm = partitions.back()->block.alarm;
        partitions.back()->block.on_evaluate = [&, i] {
            const Cycle now = alarm.now();
            if (i < kEach) {
                written[i] = written[i] * 6364136223846793005U + i + now;
            } else {
                for (const std::uint64_t each : written)
                    read[i - kEach] = read[i - kEach] * 7 + each;
            }
            if (now < kCycles) alarm.at(now + 1 + i % 3);
        };
        alarm.at(1);
    }
    sc_core::sc_start();
    std::string text;
    for (const std::uint64_t each : read) text += std::to_string(each) + ' ';
    return text;
}

TEST(PartitionWorkers, RunsOnesApartBehindTheOthers) {
    const std::string alone = test::in_child([] { return read_on(1); });
    for (const std::uint32_t threads : {2U, 3U, 8U}) {
        EXPECT_EQ(test::in_child([threads] { return read_on(threads); }), alone) << threads;
    }
}

/// Records the calls that it receives.
class Recorder : public WaveRecorder, public TimelineRecorder {
public:
    std::string log;
    Signal add(std::string_view /*scope*/, std::string_view name, std::uint32_t width) override {
        note("add", name, width);
        return signals_++;
    }
    void set(Signal signal, Cycle at, std::uint64_t value) override {
        note("set", std::to_string(signal), at, value);
    }
    void pulse(Signal signal, Cycle at, Cycle cycles) override {
        note("pulse", std::to_string(signal), at, cycles);
    }
    Track add_track(std::string_view process, std::string_view thread) override {
        note("track", std::string(process) + '/' + std::string(thread));
        return tracks_++;
    }
    Track add_detail_track(std::string_view process, std::string_view thread) override {
        note("detail", std::string(process) + '/' + std::string(thread), tracks_);
        return tracks_++;
    }
    void span(Track track, std::string_view name, Cycle begin, Cycle end,
              std::string_view args) override {
        note("span", std::string(name) + std::string(args), track, begin, end);
    }

private:
    template <class... Numbers>
    void note(std::string_view what, std::string_view name, Numbers... numbers) {
        log += std::string(what) + ' ' + std::string(name);
        ((log += ' ' + std::to_string(numbers)), ...);
        log += '\n';
    }
    Signal signals_ = 0;
    Track tracks_ = 0;
};

/// The calls that a recorder receives from partitions on `threads` threads.
std::string told_on(std::uint32_t threads) {
    constexpr std::uint32_t kPartitions = 30;
    constexpr Cycle kCycles = 300;
    Simulated simulated(threads);
    CycleTicker& ticker = simulated.ticker;
    Recorder recorder;
    struct Watched : Lone {
        Watched(CycleTicker& of, Recorder& to) : Lone(of), observers(partition, {&to, &to}) {}
        PartitionObservers observers;
    };
    std::vector<std::unique_ptr<Watched>> partitions;
    for (std::uint32_t i = 0; i < kPartitions; ++i) {
        partitions.push_back(std::make_unique<Watched>(ticker, recorder));
        Watched& own = *partitions.back();
        WaveRecorder& wave = *own.observers.get().wave;
        TimelineRecorder& timeline = *own.observers.get().timeline;
        const auto signal = wave.add("scope", "signal" + std::to_string(i), 8);
        const auto track = timeline.add_track("partition", std::to_string(i));
        own.block.on_evaluate = [&, i, signal, track] {
            const Cycle now = own.block.alarm.now();
            wave.set(signal, now, i);
            timeline.span(track, "work", now, now + 2, "{\"partition\":" + std::to_string(i) + "}");
            if (now % 50 == i % 50) {
                timeline.span(timeline.add_detail_track("in flight", std::to_string(i)), "detail",
                              now, now + 1, "");
            }
            wave.pulse(signal, now, 1);
            own.block.alarm.request_exchange();
            if (now < kCycles) own.block.alarm.at(now + 1 + i % 2);
        };
        own.block.on_exchange = [&, signal] { wave.set(signal, own.block.alarm.now(), 99); };
        own.block.alarm.at(1);
    }
    sc_core::sc_start();
    return recorder.log;
}

TEST(PartitionObservers, ReportTheSameOnAnyNumberOfThreads) {
    const std::string alone = test::in_child([] { return told_on(1); });
    EXPECT_THAT(alone,
                testing::HasSubstr("set 3 1 3\npulse 3 1 1\nspan work{\"partition\":3} 3 1 3\n"
                                   "set 4 1 4\n"))
        << "each partition's in turn";
    for (const std::uint32_t threads : {2U, 3U, 8U}) {
        EXPECT_EQ(test::in_child([threads] { return told_on(threads); }), alone) << threads;
    }
}

TEST(PartitionObservers, KeepOnlyObservationsMadeDuringTheRun) {
    const ClockDomain clock(1000);
    CycleTicker ticker("ticker", clock);
    Recorder recorder;
    Lone first(ticker), second(ticker);
    PartitionObservers of_first(first.partition, {&recorder, &recorder});
    PartitionObservers of_second(second.partition, {&recorder, nullptr});
    PartitionObservers of_none(second.partition, {});
    EXPECT_EQ(of_second.get().timeline, nullptr);
    EXPECT_EQ(of_none.get().wave, nullptr);
    WaveRecorder& wave = *of_first.get().wave;
    wave.set(7, 0, 1);
    EXPECT_EQ(recorder.log, "set 7 0 1\n") << "nothing runs";
    first.block.on_evaluate = [&] {
        wave.set(7, 5, 2);
        wave.set(WaveRecorder::kNoSignal, 5, 2);
        EXPECT_EQ(recorder.log, "set 7 0 1\n");
        first.block.alarm.request_exchange();
    };
    first.block.on_exchange = [&] { wave.pulse(7, 6, 1); };
    // Another partition's block calls one of the first: in the order of the calls all the same.
    second.block.on_evaluate = [&] { wave.set(7, 5, 3); };
    first.block.alarm.at(5);
    second.block.alarm.at(5);
    sc_core::sc_start();
    EXPECT_EQ(recorder.log, "set 7 0 1\nset 7 5 2\nset 7 5 3\npulse 7 6 1\n");
}

TEST(PartitionWorkers, ThrowsWhatTheFirstPartitionThrows) {
    Simulated simulated(3);
    CycleTicker& ticker = simulated.ticker;
    std::vector<std::unique_ptr<Lone>> partitions;
    std::atomic<int> ran = 0;
    for (std::uint32_t i = 0; i < 20; ++i) {
        partitions.push_back(std::make_unique<Lone>(ticker));
        partitions.back()->block.on_evaluate = [&, i] {
            ++ran;
            if (i == 5 || i == 12) throw std::runtime_error("partition " + std::to_string(i));
            if (i == 19) partitions[i]->partition.in_order();  // those that throw have run, too
        };
        partitions.back()->block.alarm.at(3);
    }
    try {
        sc_core::sc_start();
        FAIL();
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("partition 5"));
    }
    EXPECT_EQ(ran, 20);
}

}  // namespace
