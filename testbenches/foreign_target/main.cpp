// Simulation with a third-party TLM-2.0 memory in place of L2 and DRAM, below L1 caches or SMs.
#include <fmt/format.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <random>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/memory/lt/l1_cache.h"
#include "sc_models/run/simulation.h"
#include "testbenches/foreign_target/foreign_memory.h"
#include "testbenches/foreign_target/traffic.h"
#include "testbenches/harness/checked_links.h"

using namespace tessera;
using namespace tessera::foreign_target;

namespace {

constexpr std::uint32_t kSms = 2;
constexpr std::uint32_t kRegionBytes = 32 * 1024;  ///< each SM writes one
constexpr std::uint32_t kL1Bytes = 16 * 1024;      ///< holds half of it
constexpr std::uint32_t kReads = 4000;
constexpr std::uint32_t kClockMhz = 1000;

struct Arguments {
    bool approximate = false, whole_sms = false, checked = false, waits = false;
};

sc_core::sc_time latency() {
    return {150, sc_core::SC_NS};
}

void print_served(const vendor::Memory& memory, std::uint64_t checked_calls) {
    std::printf("%-18s %8lu reads, %lu writes\n", "memory served", memory.reads(), memory.writes());
    if (checked_calls == 0) return;
    std::printf("%-18s %8llu calls\n", "protocol checked",
                static_cast<unsigned long long>(checked_calls));
}

/// L1 caches with synthetic traffic above them, and the memory.
class CacheBench {
public:
    explicit CacheBench(const Arguments& arguments)
        : links_(arguments.checked),
          memory_("memory", kSms, kSms * kRegionBytes, latency(), arguments.waits) {
        const L1Config config;
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            const std::string index = std::to_string(sm);
            const L1Context context{config, kL1Bytes, config.line_bytes, true,
                                    stats_.instance("l1", sm)};
            const std::string sender = "sm_" + index, cache = "l1_" + index;
            if (arguments.approximate) {
                senders_.push_back(
                    std::make_unique<ApproximatelyTimed>(sender.c_str(), ticker_, pool_));
                at_.push_back(std::make_unique<L1CacheAt>(cache.c_str(), context,
                                                          AtContext{ticker_, pool_, {}}));
                links_.bind(senders_.back()->socket, at_.back()->target);
                links_.bind(at_.back()->initiator, memory_.sockets[sm]);
            } else {
                senders_.push_back(std::make_unique<LooselyTimed>(sender.c_str()));
                lt_.push_back(
                    std::make_unique<L1Cache>(cache.c_str(), context, clock_, Observers{}));
                links_.bind(senders_.back()->socket, lt_.back()->target);
                links_.bind(lt_.back()->initiator, memory_.sockets[sm]);
            }
        }
    }

    /// Every SM writes its region, then reads at random from all regions. Returns the errors.
    std::vector<std::string> run() {
        std::vector<std::string> wrong;
        std::vector<unsigned char> expected(std::size_t{kSms} * kRegionBytes);
        for (unsigned char& byte : expected) byte = static_cast<unsigned char>(random_());
        std::vector<std::vector<Transfer>> transfers(kSms);
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            for (Address a = sm * kRegionBytes; a < (sm + 1) * kRegionBytes; a += 128) {
                const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(a);
                transfers[sm].push_back({tlm::TLM_WRITE_COMMAND, a, {begin, begin + 128}});
            }
        }
        carry_out(transfers, wrong);
        for (auto& reads : transfers) {
            reads.clear();
            for (std::uint32_t i = 0; i < kReads; ++i) {
                const Address line = random_() % (expected.size() / 128) * 128;
                const std::uint64_t offset = random_() % 128;
                const std::uint64_t bytes = 1 + random_() % (128 - offset);
                reads.push_back(
                    {tlm::TLM_READ_COMMAND, line + offset, std::vector<unsigned char>(bytes)});
            }
        }
        carry_out(transfers, wrong);
        std::size_t mismatches = 0;
        for (const auto& reads : transfers) {
            for (const Transfer& read : reads) {
                const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(read.address);
                mismatches += std::equal(read.data.begin(), read.data.end(), begin) ? 0 : 1;
            }
        }
        if (mismatches > 0) wrong.push_back(fmt::format("{} reads got wrong data", mismatches));
        for (const auto& cache : at_) cache->check(wrong);
        for (const auto& cache : lt_) cache->check(wrong);
        links_.check(wrong);
        pool_.check("payload pool", wrong);
        return wrong;
    }

    void print() const {
        for (const char* counter :
             {"writes", "reads", "read_hits", "read_pending_hits", "read_misses", "evictions"}) {
            std::printf("%-18s %8llu sectors\n", counter,
                        static_cast<unsigned long long>(stats_.sum(std::string("l1.") + counter)));
        }
        double latency_ns = 0;
        std::size_t accesses = 0;
        for (const auto& sender : senders_) {
            latency_ns += sender->total_latency().to_seconds() * 1e9;
            accesses += sender->finished();
        }
        std::printf("%-18s %8.1f cycles an access\n", "latency",
                    latency_ns * kClockMhz / 1000 / static_cast<double>(accesses));
        std::printf("%-18s %8llu cycles\n", "time", static_cast<unsigned long long>(clock_.now()));
        print_served(memory_, links_.calls());
    }

private:
    void carry_out(std::vector<std::vector<Transfer>>& transfers, std::vector<std::string>& wrong) {
        std::size_t before = 0, after = 0, wanted = 0, errors = 0;
        for (const auto& sender : senders_) before += sender->finished();
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            senders_[sm]->start(transfers[sm]);
            wanted += transfers[sm].size();
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
    testbench::CheckedLinks links_;
    vendor::Memory memory_;
    std::vector<std::unique_ptr<Traffic>> senders_;
    std::vector<std::unique_ptr<L1Cache>> lt_;
    std::vector<std::unique_ptr<L1CacheAt>> at_;
};

/// Complete SMs, and the memory.
class SmBench {
public:
    explicit SmBench(const Arguments& arguments)
        : memory_("memory", kSms, std::size_t{1} << 20U, latency(), arguments.waits),
          simulation_(config(arguments), {}, nullptr, seams()) {}

    std::vector<std::string> run() {
        report_ = simulation_.run();
        std::vector<std::string> wrong = report_.violations;
        if (!report_.complete || !report_.verification.checked || !report_.verification.passed()) {
            wrong.push_back(fmt::format("{} of {} results differ from the golden model",
                                        report_.verification.mismatches,
                                        report_.verification.outputs));
        }
        return wrong;
    }
    void print() const {
        const auto& kernel = report_.kernels.back();
        std::printf("%-18s %8llu\n", "results compared",
                    static_cast<unsigned long long>(report_.verification.outputs));
        std::printf("%-18s %8llu cycles\n", "time",
                    static_cast<unsigned long long>(kernel.result.cycles));
        const auto checked = kernel.statistics.find("protocol_check");
        print_served(memory_, checked == kernel.statistics.end()
                                  ? 0
                                  : checked->at("calls").get<std::uint64_t>());
    }

private:
    /// A convolution with Duplo, whose packet the SMs load as well.
    static Config config(const Arguments& arguments) {
        Config config;
        config.gpu.sms = kSms;
        config.timing = arguments.approximate ? Timing::kApproximatelyTimed : Timing::kLooselyTimed;
        config.protocol_check = arguments.checked;
        config.values = true;
        config.duplo.enabled = true;
        WorkloadConfig& w = config.workload;
        w.first_address = 4096;
        w.kind = WorkloadKind::kConvolution;
        w.layer = {"", 1, 8, 8, 16, 32, 3, 3, 1, 1, false};
        w.tiling.cta_m = 64;
        w.tiling.cta_n = 32;
        w.tiling.warp_m = 32;
        w.tiling.warp_n = 16;
        return config;
    }
    MachineSeams seams() {
        MachineSeams seams;
        seams.memory.place = MemoryPlace::kBelowL1;
        seams.memory.make = [this](std::uint32_t /*links*/) {
            ForeignMemory::Sockets sockets;
            for (auto& socket : memory_.sockets) sockets.push_back(&socket);
            return sockets;
        };
        return seams;
    }

    vendor::Memory memory_;
    Simulation simulation_;
    RunReport report_;
};

template <class Bench>
ExitCode run(const Arguments& arguments) {
    Bench bench(arguments);
    const std::vector<std::string> wrong = bench.run();
    bench.print();
    for (const std::string& line : wrong) std::printf("%s\n", line.c_str());
    std::printf("%s\n", wrong.empty() ? "all data is right" : "FAILED");
    return wrong.empty() ? ExitCode::kGood : ExitCode::kCheckFailed;
}

constexpr const char* kUsage =
    "usage: foreign_target lt|at|sm|sm_at [--wait] [--check]\n"
    "  lt, at    L1 caches of this timing above the foreign memory, with made-up traffic\n"
    "  sm, sm_at whole SMs above it, of this timing, that run a convolution with Duplo\n"
    "  --wait    the memory spends its latency in wait(), instead of adding it to the delay\n"
    "  --check   with a checker of the TLM-2.0 base protocol on every link\n";

ExitCode run(int argc, char** argv) {
    Arguments arguments;
    bool bench = false;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--help") {
            std::fputs(kUsage, stdout);
            return ExitCode::kGood;
        }
        if (argument == "--check") {
            arguments.checked = true;
        } else if (argument == "--wait") {
            arguments.waits = true;
        } else if (argument == "lt" || argument == "at" || argument == "sm" ||
                   argument == "sm_at") {
            arguments.approximate = argument == "at" || argument == "sm_at";
            arguments.whole_sms = argument == "sm" || argument == "sm_at";
            bench = true;
        } else {
            std::fprintf(stderr, "foreign_target: unknown argument '%s'\n%s", argv[i], kUsage);
            return ExitCode::kUserError;
        }
    }
    if (!bench) {
        std::fputs(kUsage, stderr);
        return ExitCode::kUserError;
    }
    init_time_resolution();
    return arguments.whole_sms ? run<SmBench>(arguments) : run<CacheBench>(arguments);
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
