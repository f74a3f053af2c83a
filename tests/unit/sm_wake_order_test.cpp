// Do SMs of one machine run in the order that SystemC gives them alone, whatever other machines of
// the program do?
#define SC_INCLUDE_DYNAMIC_PROCESSES  // for sc_spawn

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sc_models/sm/sm_workers.h"
#include "tests/support/in_child.h"

namespace tessera {
namespace {

constexpr std::size_t kClients = 24;
constexpr std::size_t kWakes = 500;

void spawn_method(const std::function<void()>& method, const sc_core::sc_event& event) {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&event);
    sc_core::sc_spawn(method, sc_core::sc_gen_unique_name("client"), &options);
}

/// Implementation of wake-ups: SmWorkers with its order, or SystemC's events alone.
class Wakes {
public:
    virtual ~Wakes() = default;
    virtual void after(std::size_t client, const sc_core::sc_time& delay) = 0;
    std::function<void(std::size_t)> on_wake;
};

class WakesByEvents final : public sc_core::sc_module, public Wakes {
public:
    explicit WakesByEvents(const sc_core::sc_module_name& name) : sc_module(name) {
        for (std::size_t i = 0; i < kClients; ++i) {
            spawn_method([this, i] { on_wake(i); }, events_[i]);
        }
    }
    void after(std::size_t client, const sc_core::sc_time& delay) override {
        events_[client].notify(delay);
    }

private:
    std::array<sc_core::sc_event, kClients> events_;
};

class WakesByOrder final : public sc_core::sc_module, public Wakes {
public:
    explicit WakesByOrder(const sc_core::sc_module_name& name) : sc_module(name) {
        for (std::size_t i = 0; i < kClients; ++i) {
            clients_[i].run = [this, i] { on_wake(i); };
            spawn_method(
                [this, i] {
                    workers_.order().woken(clients_[i].wake);
                    workers_.start(clients_[i]);
                },
                clients_[i].wake.event());
        }
    }
    void after(std::size_t client, const sc_core::sc_time& delay) override {
        workers_.order().notify(clients_[client].wake, delay);
    }

private:
    class Client final : public QuantumRunner {
    public:
        void run_quantum() override { run(); }
        std::function<void()> run;
    };
    SmWorkers workers_{"workers"};
    std::array<Client, kClients> clients_;
};

/// Clients that wake one another at random, mostly at times that several share.
class Play {
public:
    Play(Wakes& wakes, std::uint32_t seed) : wakes_(wakes), rng_(seed) {
        wakes.on_wake = [this](std::size_t client) { wake(client); };
    }
    void start() {
        wakes_done_ = 0;
        begin_ = sc_core::sc_time_stamp();
        for (std::size_t i = 0; i < kClients; ++i) {
            wakes_.after(i, sc_core::sc_time(static_cast<double>(rng_() % 4), sc_core::SC_NS));
        }
    }
    [[nodiscard]] const std::string& log() const { return log_; }

private:
    void wake(std::size_t client) {
        log_ += fmt::format("{}:{} ", (sc_core::sc_time_stamp() - begin_).to_string(), client);
        if (++wakes_done_ > kWakes) return;
        const std::uint64_t orders = 1 + rng_() % 2;
        for (std::uint64_t i = 0; i < orders; ++i) {
            constexpr std::array<double, 7> kDelays = {0, 1, 2, 2, 3, 7, 40};
            const std::size_t other = rng_() % kClients;
            wakes_.after(other, sc_core::sc_time(kDelays.at(rng_() % 7), sc_core::SC_NS));
        }
        wakes_.after(client, sc_core::sc_time(9, sc_core::SC_NS));
    }

    Wakes& wakes_;
    std::mt19937_64 rng_;
    std::string log_;  ///< times since the last start, and clients
    sc_core::sc_time begin_;
    std::size_t wakes_done_ = 0;
};

/// Runs plays until nothing is left to happen, several times.
void run(const std::vector<Play*>& plays) {
    for (int i = 0; i < 8; ++i) {
        for (Play* play : plays) play->start();
        sc_core::sc_start();
    }
}

class WakeOrder : public testing::TestWithParam<std::uint32_t> {
protected:
    static std::string by_events() {
        return test::in_child([] {
            WakesByEvents wakes("events");
            Play play(wakes, GetParam());
            run({&play});
            return play.log();
        });
    }
};

TEST_P(WakeOrder, IsThatOfEventsOfAProgramOfTheirOwn) {
    const std::string expected = by_events();
    ASSERT_GT(expected.size(), kWakes);
    WakesByOrder wakes("sms");
    Play play(wakes, GetParam());
    run({&play});
    EXPECT_TRUE(play.log() == expected);
}

TEST_P(WakeOrder, IsTheSameBesideAMachineThatSleeps) {
    const std::string expected = by_events();
    WakesByOrder wakes("sms"), other("other");
    Play play(wakes, GetParam());
    run({&play});
    EXPECT_TRUE(play.log() == expected);
}

TEST_P(WakeOrder, IsTheSameBesideAnotherMachine) {
    const std::string expected = by_events();
    WakesByOrder wakes("sms"), other("other");
    Play play(wakes, GetParam()), beside(other, GetParam() + 100);
    run({&beside, &play});
    EXPECT_TRUE(play.log() == expected);
    EXPECT_FALSE(beside.log() == expected);
}

/// Events of one program share a queue: beside others they are served in another order.
TEST_P(WakeOrder, OfEventsChangesBesideOthers) {
    const std::string expected = by_events();
    WakesByEvents wakes("events"), other("other");
    Play play(wakes, GetParam()), beside(other, GetParam() + 100);
    run({&beside, &play});
    EXPECT_FALSE(play.log() == expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WakeOrder, testing::Values(1U, 2U, 3U),
                         [](const auto& one) { return std::to_string(one.param); });

}  // namespace
}  // namespace tessera
