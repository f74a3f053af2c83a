// A foreign TLM-2.0 memory in place of L2 and DRAM, below our L1 caches.
#include <fmt/format.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <random>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/memory/l1_cache.h"
#include "sc_models/memory/l1_cache_at.h"
#include "sc_models/tlm/protocol_checker.h"
#include "testbenches/foreign_target/foreign_memory.h"
#include "testbenches/foreign_target/traffic.h"

using namespace tessera;
using namespace tessera::foreign_target;

namespace {

constexpr std::uint32_t kSms = 2;
constexpr std::uint32_t kRegionBytes = 32 * 1024;  ///< each SM writes one
constexpr std::uint32_t kL1Bytes = 16 * 1024;      ///< holds half of it
constexpr std::uint32_t kReads = 4000;
constexpr std::uint32_t kClockMhz = 1000;

struct Arguments {
    bool approximate = false, checked = false;
};

/// The SMs with their caches, the memory, and checkers between them if asked for.
class Bench {
public:
    explicit Bench(const Arguments& arguments)
        : memory_("memory", kSms, kSms * kRegionBytes, sc_core::sc_time(150, sc_core::SC_NS)) {
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            const std::string index = std::to_string(sm);
            StatGroup& stats = stats_.instance("l1", sm);
            const std::string sender = "sm_" + index, cache = "l1_" + index;
            if (arguments.approximate) {
                senders_.push_back(
                    std::make_unique<ApproximatelyTimed>(sender.c_str(), ticker_, pool_));
                at_.push_back(std::make_unique<L1CacheAt>(cache.c_str(), L1Config{}, kL1Bytes,
                                                          L1Config{}.line_bytes, ticker_, true,
                                                          pool_, stats, Observers{}));
                connect(arguments, senders_.back()->socket, at_.back()->target);
                connect(arguments, at_.back()->initiator, memory_.sockets[sm]);
            } else {
                senders_.push_back(std::make_unique<LooselyTimed>(sender.c_str()));
                lt_.push_back(std::make_unique<L1Cache>(cache.c_str(), L1Config{}, kL1Bytes,
                                                        L1Config{}.line_bytes, clock_, true, stats,
                                                        Observers{}));
                connect(arguments, senders_.back()->socket, lt_.back()->target);
                connect(arguments, lt_.back()->initiator, memory_.sockets[sm]);
            }
        }
    }

    /// Every SM writes its region, then reads at random in all of them. Returns what is wrong.
    std::vector<std::string> run() {
        std::vector<std::string> wrong;
        std::vector<unsigned char> expected(std::size_t{kSms} * kRegionBytes);
        for (unsigned char& byte : expected) byte = static_cast<unsigned char>(random_());
        std::vector<std::vector<Operation>> operations(kSms);
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            for (Address a = sm * kRegionBytes; a < (sm + 1) * kRegionBytes; a += 128) {
                const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(a);
                operations[sm].push_back({tlm::TLM_WRITE_COMMAND, a, {begin, begin + 128}});
            }
        }
        carry_out(operations, wrong);
        for (auto& reads : operations) {
            reads.clear();
            for (std::uint32_t i = 0; i < kReads; ++i) {
                const Address line = random_() % (expected.size() / 128) * 128;
                const std::uint64_t offset = random_() % 128;
                const std::uint64_t bytes = 1 + random_() % (128 - offset);
                reads.push_back(
                    {tlm::TLM_READ_COMMAND, line + offset, std::vector<unsigned char>(bytes)});
            }
        }
        carry_out(operations, wrong);
        std::size_t mismatches = 0;
        for (const auto& reads : operations) {
            for (const Operation& read : reads) {
                const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(read.address);
                mismatches += std::equal(read.data.begin(), read.data.end(), begin) ? 0 : 1;
            }
        }
        if (mismatches > 0) wrong.push_back(fmt::format("{} reads got wrong data", mismatches));
        for (const auto& cache : at_) cache->check(wrong);
        for (const auto& cache : lt_) cache->check(wrong);
        for (const auto& checker : checkers_) checker->check(wrong);
        pool_.check(wrong);
        return wrong;
    }

    void print(const Arguments& arguments) const {
        std::printf("timing       %s\n", arguments.approximate ? "at" : "lt");
        for (const char* counter :
             {"writes", "reads", "read_hits", "read_pending_hits", "read_misses", "evictions"}) {
            std::printf("%-18s %8llu sectors\n", counter,
                        static_cast<unsigned long long>(stats_.sum(std::string("l1.") + counter)));
        }
        std::printf("%-18s %8lu reads, %lu writes\n", "memory served", memory_.reads(),
                    memory_.writes());
        double latency_ns = 0;
        std::size_t accesses = 0;
        for (const auto& sender : senders_) {
            latency_ns += sender->total_latency().to_seconds() * 1e9;
            accesses += sender->finished();
        }
        std::printf("%-18s %8.1f cycles an access\n", "latency",
                    latency_ns * kClockMhz / 1000 / static_cast<double>(accesses));
        std::printf("%-18s %8llu cycles\n", "time", static_cast<unsigned long long>(clock_.now()));
        std::uint64_t calls = 0;
        for (const auto& checker : checkers_) calls += checker->calls();
        if (!checkers_.empty()) {
            std::printf("%-18s %8llu calls\n", "protocol checked",
                        static_cast<unsigned long long>(calls));
        }
    }

private:
    template <class Initiator, class Target>
    void connect(const Arguments& arguments, Initiator& initiator, Target& target) {
        if (!arguments.checked) {
            initiator.bind(target);
            return;
        }
        const std::string name = "checker_" + std::to_string(checkers_.size());
        checkers_.push_back(std::make_unique<ProtocolChecker>(name.c_str()));
        initiator.bind(checkers_.back()->target);
        checkers_.back()->initiator.bind(target);
    }
    void carry_out(std::vector<std::vector<Operation>>& operations,
                   std::vector<std::string>& wrong) {
        std::size_t before = 0, after = 0, wanted = 0, errors = 0;
        for (const auto& sender : senders_) before += sender->finished();
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            senders_[sm]->start(operations[sm]);
            wanted += operations[sm].size();
        }
        sc_core::sc_start();
        for (const auto& sender : senders_) {
            after += sender->finished();
            errors += sender->errors();
        }
        if (after - before != wanted) {
            wrong.push_back(fmt::format("{} of {} accesses finished", after - before, wanted));
        }
        if (errors > 0) wrong.push_back(fmt::format("{} accesses were refused", errors));
    }

    ClockDomain clock_{kClockMhz};
    CycleTicker ticker_{"ticker", clock_};
    StatGroup stats_{"bench"};
    PayloadPool pool_;
    std::mt19937_64 random_{1};
    vendor::Memory memory_;
    std::vector<std::unique_ptr<Traffic>> senders_;
    std::vector<std::unique_ptr<L1Cache>> lt_;
    std::vector<std::unique_ptr<L1CacheAt>> at_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

constexpr const char* kUsage =
    "usage: foreign_target lt|at [--check]\n"
    "  lt, at    timing of the L1 caches above the foreign memory\n"
    "  --check   with a checker of the TLM-2.0 base protocol on every link\n";

ExitCode run(int argc, char** argv) {
    Arguments arguments;
    bool timing = false;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--help") {
            std::fputs(kUsage, stdout);
            return ExitCode::kGood;
        }
        if (argument == "--check") {
            arguments.checked = true;
        } else if (argument == "lt" || argument == "at") {
            arguments.approximate = argument == "at";
            timing = true;
        } else {
            std::fprintf(stderr, "foreign_target: unknown argument '%s'\n%s", argv[i], kUsage);
            return ExitCode::kUserError;
        }
    }
    if (!timing) {
        std::fputs(kUsage, stderr);
        return ExitCode::kUserError;
    }
    init_time_resolution();
    Bench bench(arguments);
    const std::vector<std::string> wrong = bench.run();
    bench.print(arguments);
    for (const std::string& line : wrong) std::printf("%s\n", line.c_str());
    std::printf("%s\n", wrong.empty() ? "all data is right" : "FAILED");
    return wrong.empty() ? ExitCode::kGood : ExitCode::kCheckFailed;
}

}  // namespace

int sc_main(int argc, char** argv) {
    try {
        return static_cast<int>(run(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "foreign_target: %s\n", error.what());
        return static_cast<int>(ExitCode::kCheckFailed);
    }
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
