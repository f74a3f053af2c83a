#include "sc_models/run/run_cost.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <numeric>
#include <queue>

namespace tessera {
namespace {

constexpr std::uint32_t kSampledCtas = 3, kSampledWarps = 2;

/// Size of a trace's folder in bytes, a measure of its length relative to other traces.
double trace_cost(const std::string& list) {
    double bytes = 0;
    for (const auto& file :
         std::filesystem::directory_iterator(std::filesystem::absolute(list).parent_path())) {
        if (file.is_regular_file()) bytes += static_cast<double>(file.file_size());
    }
    return bytes;
}

double instruction_cost(const WarpInstruction& instruction) {
    if (!is_memory(instruction.opcode())) return 1;
    constexpr double kSectorBytes = 32;
    if (takes_pieces(instruction.opcode())) {
        return 1 + std::max(1.0, instruction.pieces().row_bytes / kSectorBytes);
    }
    const MemoryAccess& memory = instruction.memory();
    if (memory.lanes != nullptr && memory.rows == 0) {
        return 1 + static_cast<double>(memory.lanes->pieces.size());
    }
    return 1 + memory.rows * std::max(1.0, memory.row_bytes / kSectorBytes);
}

double warp_cost(const Kernel& kernel, std::uint32_t cta, std::uint32_t warp) {
    const auto program = kernel.program(CtaId(cta), warp);
    std::array<WarpInstruction, kFillCapacity> batch;
    double cost = 0;
    while (const std::size_t count = program->fill(batch.data(), batch.size())) {
        for (std::size_t i = 0; i < count; ++i) cost += instruction_cost(batch[i]);
        if (batch[count - 1].opcode() == Opcode::kExit) break;
    }
    return cost;
}

/// Index of sample `i` of `samples`, spread evenly over 0..count-1 including both ends.
std::uint32_t spread(std::uint32_t i, std::uint32_t samples, std::uint32_t count) {
    if (samples == 1) return 0;
    return static_cast<std::uint32_t>(std::uint64_t{i} * (count - 1) / (samples - 1));
}

double warps_of(const KernelInfo& info) {
    return static_cast<double>(info.ctas) * info.warps_per_cta;
}

double sampled_cost(const Kernel& kernel) {
    const KernelInfo& info = kernel.info();
    const std::uint32_t ctas = std::min(info.ctas, kSampledCtas);
    const std::uint32_t warps = std::min(info.warps_per_cta, kSampledWarps);
    double cost = 0;
    for (std::uint32_t c = 0; c < ctas; ++c) {
        for (std::uint32_t w = 0; w < warps; ++w) {
            cost +=
                warp_cost(kernel, spread(c, ctas, info.ctas), spread(w, warps, info.warps_per_cta));
        }
    }
    return cost * warps_of(info) / (static_cast<double>(ctas) * warps);
}

}  // namespace

std::vector<double> kernel_costs(const Workload& workload) {
    const bool traced = workload.config().kind == WorkloadKind::kTrace;
    std::vector<double> costs;
    for (const auto& kernel : workload.kernels()) {
        costs.push_back(traced ? warps_of(kernel->info()) : sampled_cost(*kernel));
    }
    return costs;
}

double workload_cost(const Workload& workload) {
    if (workload.config().kind == WorkloadKind::kTrace) {
        return trace_cost(workload.config().trace);
    }
    const std::vector<double> costs = kernel_costs(workload);
    return std::accumulate(costs.begin(), costs.end(), 0.0);
}

void RunTimes::finished(const std::string& kind, const std::string& variant, double cost,
                        double seconds) {
    for (const auto& key : {std::pair(kind, variant), std::pair(kind, std::string()),
                            std::pair(std::string(), std::string())}) {
        rates_[key].cost += cost;
        rates_[key].seconds += seconds;
    }
}

std::optional<double> RunTimes::estimate(const std::string& kind, const std::string& variant,
                                         double cost) const {
    for (const auto& key : {std::pair(kind, variant), std::pair(kind, std::string()),
                            std::pair(std::string(), std::string())}) {
        const auto rate = rates_.find(key);
        if (rate == rates_.end() || rate->second.cost <= 0) continue;
        return cost * rate->second.seconds / rate->second.cost;
    }
    return std::nullopt;
}

double seconds_left(std::vector<double> running, const std::vector<double>& waiting,
                    std::size_t jobs) {
    running.resize(std::max(running.size(), jobs), 0.0);
    std::priority_queue<double, std::vector<double>, std::greater<>> free_at(std::greater<>(),
                                                                             std::move(running));
    double last = 0;
    const auto end = [&last](double at) { last = std::max(last, at); };
    for (const double seconds : waiting) {
        const double begin = free_at.top();
        free_at.pop();
        free_at.push(begin + seconds);
    }
    for (; !free_at.empty(); free_at.pop()) end(free_at.top());
    return last;
}

}  // namespace tessera
