// How fast is the approximately-timed memory hierarchy on the machine it runs on? Sector reads of
// 80 SMs, each with so many in flight as its L1 takes; time per read, from BEGIN_REQ to BEGIN_RESP.
#include <tlm_utils/simple_initiator_socket.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sc_models/gpu/memory_system_at.h"
#include "sc_models/memory/at/l1_cache_at.h"

using namespace tessera;

namespace {

constexpr std::uint32_t kSms = 80;

enum class Pattern { kL1Hit, kL2Hit, kStream, kLines, kRandom };

/// Reads without end, at most `kWindow` in flight and one a `spacing` cycles.
class Sender : public sc_core::sc_module, private Clocked {
public:
    tlm_utils::simple_initiator_socket<Sender> socket{"socket"};
    static constexpr std::uint32_t kWindow = 64;

    struct Traffic {
        Pattern pattern;
        Cycle spacing;
        std::uint64_t reads;
    };

    Sender(const sc_core::sc_module_name& name, std::uint32_t sm, const Traffic& traffic,
           CycleTicker& ticker, PayloadPool& pool)
        : sc_module(name),
          sm_(sm),
          pattern_(traffic.pattern),
          spacing_(traffic.spacing),
          left_(traffic.reads),
          pool_(pool),
          alarm_(ticker, *this),
          random_(sm) {
        socket.register_nb_transport_bw(this, &Sender::nb_transport_bw);
        alarm_.at(0);
    }

private:
    void evaluate() override {
        const Cycle now = alarm_.now();
        while (left_ > 0 && in_flight_ < kWindow && next_ <= now && link_.open(now)) {
            --left_;
            ++in_flight_;
            next_ = now + spacing_;
            const std::uint32_t bytes = pattern_ == Pattern::kLines ? 128 : 32;
            link_.send(socket, pool_.acquire(tlm::TLM_READ_COMMAND, address(bytes), data_, bytes),
                       alarm_);
        }
        if (left_ > 0 && in_flight_ < kWindow && link_.free_at() != kNever) {
            alarm_.at(std::max(next_, link_.free_at()));
        }
    }
    Address address(std::uint32_t bytes) {
        const std::uint64_t i = count_++;
        switch (pattern_) {
            case Pattern::kL1Hit:
                return i * 32 % 8192;
            case Pattern::kL2Hit:
                return (i * 32 + Address{sm_} * 65536) % (Address{2} << 20U);
            case Pattern::kRandom:
                return random_() % (Address{1} << 32U) & ~Address{31};
            default:
                return (Address{sm_} << 28U) + i * bytes;
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        link_.ended(payload, alarm_.cycle_after(delay));
        alarm_.at(std::max(alarm_.now(), next_));
        if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
        --in_flight_;
        payload.release();
        return tlm::TLM_COMPLETED;
    }

    std::uint32_t sm_;
    Pattern pattern_;
    Cycle spacing_;
    std::uint64_t left_, count_ = 0;
    std::uint32_t in_flight_ = 0;
    Cycle next_ = 0;
    PayloadPool& pool_;
    CycleAlarm alarm_;
    RequestLink link_;
    std::mt19937_64 random_;
    unsigned char data_[128] = {};
};

}  // namespace

/// Arguments: l1_hit | l2_hit | stream | lines | random, cycles between reads, thousands of reads.
int sc_main(int argc, char** argv) {
    init_time_resolution();
    const std::vector<std::string> names = {"l1_hit", "l2_hit", "stream", "lines", "random"};
    const std::string name = argc > 1 ? argv[1] : "stream";
    std::size_t pattern = 0;
    while (pattern < names.size() && names[pattern] != name) ++pattern;
    if (pattern == names.size()) {
        std::fprintf(stderr, "memory_at_bench: unknown pattern '%s'\n", name.c_str());
        return 2;
    }
    const Cycle spacing = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 12;
    const std::uint64_t reads = (argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 2000) * 1000;

    const ClockDomain clock(1200);
    CycleTicker ticker("ticker", clock);
    StatGroup stats("bench");
    PayloadPool pool;
    const NocConfig noc;
    const L2Config l2;
    const DramConfig dram;
    MemorySystemAt memory("memory", {kSms, noc, l2, dram, false, stats, {}}, ticker);
    std::vector<std::unique_ptr<L1CacheAt>> l1;
    std::vector<std::unique_ptr<Sender>> senders;
    for (std::uint32_t sm = 0; sm < kSms; ++sm) {
        l1.push_back(
            std::make_unique<L1CacheAt>(("l1_" + std::to_string(sm)).c_str(),
                                        L1Context{L1Config{}, 32 * 1024, L2Config{}.line_bytes,
                                                  false, stats.instance("l1", sm)},
                                        AtContext{ticker, pool, {}}));
        const Sender::Traffic traffic{static_cast<Pattern>(pattern), spacing, reads / kSms};
        senders.push_back(std::make_unique<Sender>(("sender_" + std::to_string(sm)).c_str(), sm,
                                                   traffic, ticker, pool));
        senders.back()->socket.bind(l1.back()->target);
        l1.back()->initiator.bind(memory.socket(SmId(sm)));
    }
    const std::clock_t begin = std::clock();
    sc_core::sc_start();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::vector<std::string> violations;
    memory.check(violations);
    pool.check("payload pool", violations);
    for (const std::string& line : violations) std::printf("%s\n", line.c_str());
    const auto sectors = static_cast<double>(stats.sum("l1.reads"));
    std::printf(
        "%-8s %4.0f M sectors, %5.1f %% L1 misses, %8llu cycles, %6.3f s of processor: %.2f M "
        "sectors/s, "
        "%.0f ns each\n",
        name.c_str(), sectors / 1e6,
        100.0 * static_cast<double>(stats.sum("l1.read_misses")) / sectors,
        static_cast<unsigned long long>(clock.now()), seconds, sectors / seconds / 1e6,
        seconds * 1e9 / sectors);
    return violations.empty() ? 0 : 1;
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
