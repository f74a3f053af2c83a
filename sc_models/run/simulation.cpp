#include "sc_models/run/simulation.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <algorithm>
#include <chrono>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/percent.h"
#include "sc_models/config/engine/config_entries.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/gpu/memory_metrics.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/mechanisms/mechanisms.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/sampled_figures.h"
#include "sc_models/tensor_core/matrix_units.h"

namespace tessera {
namespace {

std::uint64_t peak_memory_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

PacketOptions packet_options(const Config& config) {
    PacketOptions options;
    for (const Mechanism* mechanism : mechanisms()) mechanism->request_packet(config, options);
    return options;
}

std::optional<EnergyTable> energy_table(const std::string& name) {
    if (name == kNoEnergyTable) return std::nullopt;
    return read_energy_table(ConfigCatalog().energy_table(name));
}

}  // namespace

TargetMachine target_machine(const Config& config) {
    TargetMachine machine;
    machine.granularity = {config.l1.line_bytes, config.l1.sector_bytes,
                           config.sm.shared_memory_banks};
    machine.sms = config.gpu.sms;
    machine.warp_registers = config.sm.warp_registers();
    machine.shared_memory_bytes = config.sm.shared_memory_kib * 1024;
    machine.sparse_tensor_cores = config.tensor_core.kind == TensorCoreKind::kOuterProduct;
    machine.sub_cores = config.sm.sub_cores;
    machine.warps = config.sm.max_warps;
    machine.mma_cycles = static_cast<std::uint32_t>(
        machine.sparse_tensor_cores ? OuterProductUnit::kOhmmas
                                    : FedpUnit::product_timing(config.sm).initiation);
    if (config.workload.structured_sparsity != StructuredSparsity::kNone) {
        machine.structured_mma_cycles = static_cast<std::uint32_t>(
            FedpUnit::product_timing(config.sm, FragmentProduct::kStructured).initiation);
    }
    const FragmentProduct product = config.workload.fragment_product();
    if (product != FragmentProduct::kHalf) {
        machine.mma_cycles =
            static_cast<std::uint32_t>(FedpUnit::product_timing(config.sm, product).initiation);
    }
    machine.mma_shapes = config.sm.tensor_rates.available();
    const OperandType operands = config.workload.operand_type();
    const MmaShape of_warpgroup =
        is_for_warpgroups(operands) ? warpgroup_shape_of(operands) : MmaShape::kHgmma16;
    machine.warpgroup_products_per_cycle =
        config.sm.tensor_rates[of_warpgroup].products_per_cycle.unrecorded() * bytes_of(operands) /
        sizeof(HalfBits);
    machine.bulk_copies = config.sm.bulk_copy_latency_cycles > 0;
    machine.multicast = config.workload.multicast;
    machine.l2_bytes_per_cycle =
        static_cast<double>(config.l2.slices) * config.noc.slice_bytes_per_cycle;
    machine.dram_bytes_per_cycle = static_cast<double>(config.dram.channels) *
                                   config.dram.bytes_per_clock * config.dram.clock_mhz *
                                   config.dram.efficiency_percent / 100 / config.gpu.core_clock_mhz;
    machine.launch_cycles = config.gpu.launch_behind();
    return machine;
}

Simulation::Simulation(Config config, const RunObservers& observers, ProgressListener* progress,
                       const MachineSeams& seams)
    : config_(std::move(config)),
      statistics_("gpu"),
      energy_table_(energy_table(config_.gpu.energy_table)),
      workload_(make_workload(config_.workload, config_.seed, config_.values,
                              packet_options(config_), target_machine(config_))),
      gpu_("gpu", config_, statistics_, observers, progress, seams) {
    refuse_sample();
    for (RunListener* listener : observers.listeners) {
        listener->watch(sampled_figures(config_, statistics_));
    }
    for (const auto& kernel : workload_->kernels()) (void)occupancy_of(kernel->info(), config_.sm);
}

/// Throws ConfigError for a sampled run whose values could not be checked.
void Simulation::refuse_sample() const {
    if (!config_.sample.enabled) return;
    if (config_.values && !workload_->tells_results()) {
        throw ConfigError(
            "sample.enabled: got on, expected off with values on and a workload.split_k above 1: "
            "of its last kernel is not known which results a CTA makes");
    }
}

std::uint32_t Simulation::repetitions() const {
    constexpr std::uint64_t kBeyondL2 = 8;
    if (config_.workload.repeat != WorkloadConfig::kAutoRepeat) return config_.workload.repeat;
    std::uint64_t bytes = 0;
    for (const MemoryRegion& region : workload_->regions()) bytes += region.bytes;
    return bytes > kBeyondL2 * config_.l2.capacity_bytes() ? 1 : 2;
}

RunReport Simulation::run() {
    const auto begin = std::chrono::steady_clock::now();
    FaultInjector::begin_run();
    RunReport report;
    report.workload = workload_->name();
    // Refuse kernels that cannot run before the first one starts.
    for (const auto& kernel : workload_->kernels()) {
        static_cast<void>(occupancy_of(kernel->info(), config_.sm));
    }
    workload_->initialise([this](Address address, const void* data, std::size_t bytes) {
        gpu_.write_memory(address, data, bytes);
    });

    report.complete = true;
    MechanismTotals totals;
    // Reads for the report are no uses by an instruction.
    Config for_page = config_;
    stop_recording([&for_page](ConfigVisitor& v) { for_page.bind(v); });
    const std::uint32_t repetitions = this->repetitions();
    Cycle warm_cycles = 0;
    for (std::uint32_t i = 0; i < repetitions && (i == 0 || report.complete); ++i) {
        report.kernels.clear();
        report.energy.reset();
        totals = {};
        run_kernels(report, totals, for_page);
        if (i == 0) continue;
        for (const KernelReport& kernel : report.kernels) warm_cycles += kernel.result.cycles;
    }
    const std::size_t last = report.kernels.size() - 1;
    report.metrics = report.kernels[std::min(workload_->main_kernel(), last)].metrics;
    if (last > 0) {
        report.metrics["cycles_of_all_kernels"] =
            report.kernels.back().metrics.at("cycles_of_all_kernels");
    }
    if (repetitions > 1 && report.complete) {
        report.metrics["warm_cycles"] = static_cast<double>(warm_cycles) / (repetitions - 1);
    }
    report.mechanisms = mechanism_figures(for_page, totals);

    if (report.complete) {
        require_fault_noticed();
        gpu_.check(report.violations);
        report.verification =
            workload_->verify([this](Address address, void* data,
                                     std::size_t bytes) { gpu_.read_memory(address, data, bytes); },
                              config_.tensor_core.kind);
    }
    report.host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.host_peak_memory_bytes = peak_memory_bytes();
    report.host_threads = gpu_.threads();
    return report;
}

/// Checks that a configured fault changed an output and, if a model runs beside the RTL, was
/// detected.
void Simulation::require_fault_noticed() const {
    for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
        const auto block = static_cast<RtlBlock>(i);
        const FaultPlan fault = config_.impl.fault_of(block);
        FaultInjector::require_broken(fault);
        if (config_.impl.of(block) == Implementation::kBoth) {
            FaultInjector::require_unbroken(fault);
        }
    }
}

void Simulation::run_kernels(RunReport& report, MechanismTotals& totals, const Config& for_page) {
    for (const auto& kernel : workload_->kernels()) {
        statistics_.mark();
        if (const MeshStatistics* mesh = gpu_.mesh_statistics()) {
            link_flits_before_ = mesh->link_flits;
        }
        KernelReport done;
        done.result = gpu_.run(*kernel, extent_of(*kernel));
        // Count the host's own work before sampling scales the statistics.
        report.host_warp_instructions += statistics_.sum("sm.sub_core.instructions");
        report.host_events += statistics_.sum("sm.activations");
        note_sample(*kernel, done.result);
        for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
            done.issue_slots[kind] =
                statistics_.sum(fmt::format("sm.sub_core.{}", kStallReasonText[kind].name));
        }
        done.limits = kernel_limits(for_page, statistics_, done.issue_slots, done.result.cycles);
        totals.add(for_page, statistics_);
        const auto detail =
            config_.statistics.full_detail ? StatGroup::Detail::kFull : StatGroup::Detail::kSummed;
        done.statistics = statistics_.to_json(detail);
        done.statistics_text = statistics_.to_text(detail);
        done.statistics_csv = statistics_.to_csv(detail);
        report.complete = done.result.finished;
        report.kernels.push_back(std::move(done));
        report.kernels.back().metrics = metrics(report.kernels);
        account_energy(for_page, report.kernels.back(), report);
        if (!report.complete) return;
    }
}

/// With values, every kernel but the last runs in full, because later ones read its results.
KernelExtent Simulation::extent_of(const Kernel& kernel) const {
    const bool whole = config_.values && &kernel != workload_->kernels().back().get();
    return whole ? KernelExtent::kFull : KernelExtent::kMayBeSample;
}

/// Scales counts to the whole kernel and limits value checks to the CTAs that ran.
void Simulation::note_sample(Kernel& kernel, const KernelResult& result) {
    if (!result.sampled()) return;
    statistics_.scale(static_cast<double>(result.ctas) / result.sample->ctas);
    if (!config_.values) return;
    std::vector<bool> ran(result.ctas);
    for (std::uint32_t cta = 0; cta < result.ctas; ++cta) ran[cta] = gpu_.launched(cta);
    kernel.note_run(std::move(ran));
}

void Simulation::account_energy(const Config& config, KernelReport& kernel,
                                RunReport& report) const {
    if (!energy_table_) return;
    const Cycle cycles = kernel.result.cycles;
    kernel.energy = energy_account(energy_counts(config, statistics_, cycles), *energy_table_);
    add_energy_metrics(config, *energy_table_, *kernel.energy, kernel.metrics);
    EnergyCounts all = report.energy ? report.energy->counts : EnergyCounts{};
    all.add(kernel.energy->counts);
    report.energy = energy_account(all, *energy_table_);
    report.above_power_limit = above_power_limit(config.gpu.power_limit_w, *report.energy);
}

nlohmann::ordered_json Simulation::metrics(const std::vector<KernelReport>& kernels) const {
    const KernelReport& last = kernels.back();
    const auto sum = [this](std::string_view path) { return statistics_.sum(path); };
    nlohmann::ordered_json m;
    m["cycles"] = last.result.cycles;
    if (last.result.sampled()) {
        m["sampled_ctas"] = last.result.sample->ctas;
        m["cycles_half_width"] = last.result.sample->skipped.half_width;
    }
    if (kernels.size() > 1) {
        Cycle all = 0;
        for (const KernelReport& kernel : kernels) all += kernel.result.cycles;
        m["cycles_of_all_kernels"] = all;
    }
    m["warp_instructions"] = sum("sm.sub_core.instructions");
    m["mmas"] = sum("sm.sub_core.mmas");
    // Percent of the kernel's cycles, like the shares of peak in kernel_limits.
    const std::uint64_t sub_cores = std::uint64_t{config_.gpu.sms} * config_.sm.sub_cores;
    m["tensor_utilisation_percent"] =
        percent(sum("sm.sub_core.tensor.busy_cycles") + sum("sm.sub_core.hmma_cycles"),
                sub_cores * last.result.cycles);
    m["ldst_stall_cycles"] = sum("sm.ldst.mshr_stall_cycles");

    add_memory_metrics(statistics_, m);
    if (const MeshStatistics* mesh = gpu_.mesh_statistics()) {
        mesh->add_metrics(statistics_, link_flits_before_, last.result.cycles,
                          last.result.simulated_cycles, m);
    }
    gpu_.parts().add_metrics(*workload_, statistics_, last.result.cycles, m);
    if (const LoadFilter* filter = gpu_.load_filter()) filter->add_metrics(statistics_, m);
    return m;
}

}  // namespace tessera
