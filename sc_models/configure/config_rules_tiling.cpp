#include <algorithm>
#include <string>
#include <string_view>

#include "sc_models/configure/config_rules.h"

namespace tessera {
namespace {

class TilingRules : private ConfigRules {
public:
    TilingRules(const Config& config, const ConfigSource& source) : ConfigRules(config, source) {}

    void check() const {
        const TilingConfig& t = c_.workload.tiling;
        const auto check_side = [&](std::uint32_t cta, std::uint32_t warp, std::string_view cta_key,
                                    std::string_view warp_key) {
            require(warp % 16 == 0, {warp_key}, "a multiple of 16, the side of a fragment");
            require(cta % warp == 0, {cta_key, warp_key},
                    std::string(cta_key) + " (" + number(cta) + ") to be a multiple of " +
                        std::string(warp_key) + " (" + number(warp) + ")");
        };
        check_side(t.cta_m, t.warp_m, "workload.tiling.cta_m", "workload.tiling.warp_m");
        check_side(t.cta_n, t.warp_n, "workload.tiling.cta_n", "workload.tiling.warp_n");
        require(!c_.values || t.c_traffic, {"values", "workload.tiling.c_traffic"},
                "workload.tiling.c_traffic on with values on: otherwise no output is stored that "
                "could be checked");
        check_registers();
        check_residency();
    }

private:
    /// 32-bit registers of the GEMM per thread; a 16x16 fragment takes 8 in each thread of a warp.
    [[nodiscard]] std::uint64_t registers_per_thread() const {
        const TilingConfig& t = c_.workload.tiling;
        const std::uint64_t rows = t.warp_m / 16;
        const std::uint64_t columns = t.warp_n / 16;
        return 8 * (t.fragment_buffers * (rows + columns) + rows * columns) + t.overhead_registers;
    }
    [[nodiscard]] std::uint32_t warps_per_cta() const {
        const TilingConfig& t = c_.workload.tiling;
        return t.cta_m / t.warp_m * (t.cta_n / t.warp_n);
    }

    void check_registers() const {
        constexpr std::uint32_t kMostRegisters = 255;
        const std::uint64_t registers = registers_per_thread();
        require(registers <= kMostRegisters,
                {"workload.tiling.warp_m", "workload.tiling.warp_n",
                 "workload.tiling.fragment_buffers", "workload.tiling.overhead_registers"},
                "fragments and overhead to take at most " + number(kMostRegisters) +
                    " registers a thread, not " + number(registers));
    }

    /// One CTA must fit an SM. A forced number of CTAs may exceed the registers, but no other
    /// limit.
    void check_residency() const {
        const TilingConfig& t = c_.workload.tiling;
        const SmConfig& sm = c_.sm;
        const std::uint32_t forced = t.ctas_per_sm;
        const std::uint64_t ctas = std::max<std::uint64_t>(forced, 1);
        const std::string who =
            forced == 0 ? "a CTA" : number(forced) + " CTAs (workload.tiling.ctas_per_sm)";
        const std::uint64_t warps = ctas * warps_per_cta();
        require(warps <= sm.max_warps,
                {"workload.tiling.cta_m", "workload.tiling.cta_n", "workload.tiling.warp_m",
                 "workload.tiling.warp_n", "workload.tiling.ctas_per_sm", "sm.max_warps"},
                who + " to fit an SM: needs " + number(warps) + " warps of sm.max_warps (" +
                    number(sm.max_warps) + ")");
        require(ctas <= sm.max_ctas, {"workload.tiling.ctas_per_sm", "sm.max_ctas"},
                who + " to fit an SM of sm.max_ctas (" + number(sm.max_ctas) + ")");
        const std::uint64_t shared = ctas * t.cta_m * t.cta_n * 4;
        require(shared <= std::uint64_t{sm.shared_memory_kib} * 1024,
                {"workload.tiling.cta_m", "workload.tiling.cta_n", "workload.tiling.ctas_per_sm",
                 "sm.shared_memory_kib"},
                who + " to fit an SM: the tile of C needs " + number(shared) +
                    " bytes of sm.shared_memory_kib (" + number(sm.shared_memory_kib) + " KiB)");
        // Registers are allocated to warps in units of 8 per thread.
        const std::uint64_t registers =
            round_up<std::uint64_t>(registers_per_thread(), 8) * warps_per_cta();
        require(forced != 0 || registers <= sm.warp_registers(),
                {"workload.tiling.cta_m", "workload.tiling.cta_n", "workload.tiling.warp_m",
                 "workload.tiling.warp_n", "workload.tiling.fragment_buffers",
                 "workload.tiling.overhead_registers", "sm.register_file_kib"},
                "a CTA to fit an SM: needs " + number(registers) + " warp registers of " +
                    number(sm.warp_registers()) + " (sm.register_file_kib)");
    }
};

}  // namespace

void check_tiling(const Config& config, const ConfigSource& source) {
    TilingRules(config, source).check();
}

}  // namespace tessera
