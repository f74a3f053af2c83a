#include "testbenches/sm/kernel_checker.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::testbench {
namespace {

constexpr std::pair<const char*, const char*> kCounterBins[] = {
    {"l1.read_hits", "a sector that the L1 holds"},
    {"l1.read_pending_hits", "a sector on its way to the L1"},
    {"l1.read_misses", "a sector that the L1 lacks"},
    {"l1.writes", "a sector written"},
    {"ldst.shared_wavefronts", "an access to shared memory"},
    {"sub_core.stall_memory", "a cycle that waits for loaded data"},
    {"sub_core.stall_tensor_result", "a cycle that waits for a product"},
    {"sub_core.stall_alu_result", "a cycle that waits for the CUDA cores' result"},
    {"sub_core.stall_barrier", "a cycle in which all warps wait at a barrier"},
    {"sub_core.stall_ldst_busy", "a cycle that waits for the LDST unit"},
    {"sub_core.stall_tensor_busy", "a cycle that waits for the tensor cores"},
    {"sub_core.stall_launch", "a cycle that waits for a CTA's launch"},
    {"sub_core.stall_no_warp", "a cycle without a resident warp"}};

}  // namespace

void KernelChecker::begin() {
    unit_.statistics().mark();
    first_ = unit_.memory().events.size();
}

void KernelChecker::check(const Kernel& kernel, const Workload& workload) {
    check_counts(kernel);
    check_requests(workload);
    count_situations();
}

/// Instructions that the sub-cores and the LDST unit counted, against those of the programs.
void KernelChecker::check_counts(const Kernel& kernel) {
    const KernelCounts counts = count_instructions(kernel, config_);
    const std::pair<const char*, std::uint64_t> expected[] = {
        {"ctas", kernel.info().ctas},
        {"sub_core.instructions", counts.instructions},
        {"sub_core.mmas", counts.products},
        {"sub_core.tensor.operations", counts.products},
        {"sub_core.loads", counts.loads},
        {"sub_core.stores", counts.stores},
        {"ldst.instructions", counts.loads + counts.stores},
        {"ldst.request_bytes", counts.request_bytes}};
    for (const auto& [name, count] : expected) {
        session_.scoreboard.expect_count(std::string("statistic ") + name, count,
                                         unit_.statistics().sum(name));
    }
}

/// Transactions on the socket below, against the L1's statistics; all within the workload's data.
void KernelChecker::check_requests(const Workload& workload) {
    std::uint64_t reads = 0, writes = 0, read_bytes = 0, write_bytes = 0, outside = 0;
    for (std::size_t i = first_; i < unit_.memory().events.size(); ++i) {
        const MemoryEvent& event = unit_.memory().events[i];
        const bool write = event.command == tlm::TLM_WRITE_COMMAND;
        ++(write ? writes : reads);
        (write ? write_bytes : read_bytes) += event.bytes;
        const auto& regions = workload.regions();
        const std::uint32_t sector = config_.l1.sector_bytes;
        outside += std::none_of(regions.begin(), regions.end(), [&](const MemoryRegion& region) {
            return event.address >= region.base &&
                   event.address + event.bytes <=
                       region.base + round_up<std::uint64_t>(region.bytes, sector);
        });
    }
    Scoreboard& board = session_.scoreboard;
    board.expect_count("reads below", reads, unit_.statistics().sum("l1.read_requests_below"));
    board.expect_count("bytes read below", read_bytes,
                       unit_.statistics().sum("l1.read_sectors_below") * config_.l1.sector_bytes);
    board.expect_count("writes below", writes, unit_.statistics().sum("l1.write_requests_below"));
    board.expect_count("bytes written below", write_bytes,
                       unit_.statistics().sum("l1.write_bytes_below"));
    board.expect_count(
        "bytes at the L1", unit_.statistics().sum("ldst.request_bytes"),
        unit_.statistics().sum("l1.bytes_read") + unit_.statistics().sum("l1.bytes_written"));
    board.expect_count("transactions outside the operands", 0, outside);
}

void KernelChecker::check_product(const Workload& workload) {
    const ProductShape& shape = workload.product();
    const std::vector<float> expected = naive_product(workload);
    for (std::uint64_t row = 0; row < shape.m; ++row) {
        const std::uint64_t begin = shape.element ? shape.element(row) : row * shape.pitch;
        std::vector<float> got(shape.n);
        unit_.memory().image.read(shape.d + begin * sizeof(float), got.data(),
                                  shape.n * sizeof(float));
        for (std::uint64_t column = 0; column < shape.n; ++column) {
            const float value = expected[row * shape.n + column];
            if (value == got[column]) {
                session_.scoreboard.passed(1);
                continue;
            }
            std::uint32_t bits[2];
            std::memcpy(&bits[0], &value, sizeof value);
            std::memcpy(&bits[1], &got[column], sizeof value);
            session_.scoreboard.expect(fmt::format("D[{}][{}] as FP32", row, column), bits[0],
                                       bits[1]);
        }
    }
}

void KernelChecker::count_situations() {
    of_bin_.resize(std::size(kCounterBins));
    for (std::size_t i = 0; i < of_bin_.size(); ++i) {
        of_bin_[i] += unit_.statistics().sum(kCounterBins[i].first);
    }
}

void KernelChecker::cover() {
    for (std::size_t i = 0; i < of_bin_.size(); ++i) {
        std::string name = kCounterBins[i].first;
        name = name.substr(name.find('.') + 1);
        session_.coverage.hit(session_.coverage.add(name, kCounterBins[i].second), of_bin_[i]);
    }
}

}  // namespace tessera::testbench
