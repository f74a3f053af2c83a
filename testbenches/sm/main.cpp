// Testbench of a streaming multiprocessor.
#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/gpu/machine_parts.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/simulation.h"
#include "sc_models/sm/streaming_multiprocessor.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/run_until_idle.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/sm/naive_kernel.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr Cycle kBelow = 200;  ///< latency of the memory below, in cycles
constexpr std::uint32_t kMostElements = 1024;

/// A matrix product. Sizes of fragment kernels are multiples of 16.
struct Product {
    bool library = false;
    std::uint32_t m = 16, n = 16, k = 16;
    std::uint32_t parts = 1;  ///< of k, summed by a second kernel
};
enum : std::size_t { kKernel, kM, kN, kK, kParts };

Description description() {
    Description d;
    d.name = "sm";
    d.module = "streaming multiprocessor: sub-cores, tensor cores, LDST unit, L1, shared memory";
    d.operation = "matrix products";
    d.sections = {"sm", "ldst", "l1", "tensor_core"};
    d.count = 10;
    d.columns = {{"kernel", Column::Kind::kChoice, "", {"fragments", "library"}},
                 {"m", Column::Kind::kNumber, "rows of D, 1 to 1024; fragments: a multiple of 16"},
                 {"n", Column::Kind::kNumber, "columns of D, likewise"},
                 {"k", Column::Kind::kNumber, "length of the sums, likewise"},
                 {"parts",
                  Column::Kind::kNumber,
                  "parts of k that a second kernel adds, 0 and 1: none; library only",
                  {},
                  true}};
    d.errors = {{"lost_write", "the memory below loses every 16th write"},
                {"wrong_data", "a bit of every 64th read is inverted"},
                {"lost_cta", "the dispatcher leaves out the last CTA of each kernel"},
                {"repeated_cta", "the dispatcher launches the first CTA of each kernel twice"}};
    d.view = "sm_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// SM with a memory of fixed latency in place of the crossbar; the testbench dispatches CTAs.
class SmTestbench final : public Testbench, private CtaListener {
public:
    explicit SmTestbench(Session& session)
        : session_(session),
          config_(configure(session.config())),
          ticker_("ticker", session.clock),
          memory_("memory", 1, session.clock, kBelow),
          parts_(config_, statistics_) {
        const Config& c = config_;
        const SmPlan plan{c.sm,     c.ldst, c.l1, c.tlb, c.l2.line_bytes, c.gpu.quantum_cycles,
                          c.values, 1};
        CtaListener& self = *this;
        SmContext context{session.clock, self, parts_, statistics_, session.observers()};
        context.binder = &links_;
        if (session.approximately_timed()) context.ticker = &ticker_;
        sm_ = std::make_unique<StreamingMultiprocessor>("sm0", SmId(0), plan, context);
        links_.bind(sm_->to_memory(), memory_.sockets[0]);
        if (session.plants("lost_write")) memory_.lost_write_every = 16;
        if (session.plants("wrong_data")) memory_.wrong_read_every = 64;
    }

private:
    struct Bins {
        Coverage& coverage;
        Coverage::Bin fragments =
            coverage.add("fragments", "a product of fragments loaded from global memory");
        Coverage::Bin library =
            coverage.add("library", "a product whose operands go through shared memory");
        Coverage::Bin parts =
            coverage.add("parts", "a product whose parts of k a second kernel adds");
        Coverage::Bin ragged = coverage.add("ragged", "a size that is no multiple of 16");
        Coverage::Bin one_fragment = coverage.add("one_fragment", "a product of one fragment");
        Coverage::Bin waves = coverage.add("waves", "more CTAs than the SM holds at once");
        Coverage::Bin transposed = coverage.add("transposed", "a kernel with a transposed operand");
    };

    static Config configure(Config config);
    static Product product_of(const Stimulus& stimulus, const StimulusRow& row);
    void prepare() override { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    [[nodiscard]] Product draw();
    void play(const Product& product);
    void run_kernel(const Kernel& kernel, const Workload& workload);
    void launch_next(Cycle at);
    void on_cta_done(SmId sm, Cycle at) override;
    void check_counts(const Kernel& kernel);
    void check_requests(std::size_t first, const Workload& workload);
    void check_product(const Workload& workload);
    void note_stalls();
    void finish() override;

    Session& session_;
    const Config config_;
    CheckedLinks links_;
    CycleTicker ticker_;
    StatGroup statistics_{"sm"};
    MemoryTarget memory_;
    MachineParts parts_;
    std::unique_ptr<StreamingMultiprocessor> sm_;
    const Bins bins_{session_.coverage};
    std::vector<std::uint64_t> of_bin_;  ///< by counter, over all kernels
    const Kernel* kernel_ = nullptr;
    std::vector<std::uint32_t> order_;  ///< CTAs of the kernel
    std::size_t launched_ = 0;
    std::uint32_t ctas_done_ = 0;
    Cycle end_ = 0, cycles_ = 0;  ///< of all kernels so far
};

Config SmTestbench::configure(Config config) {
    config.values = true;
    config.gpu.sms = 1;
    config.workload.kind = WorkloadKind::kGemm;
    config.workload.activations = config.workload.weights = ValuePattern::kDyadic;
    config.workload.tiling.cta_m = config.workload.tiling.cta_n = 64;
    return config;
}

Product SmTestbench::product_of(const Stimulus& stimulus, const StimulusRow& row) {
    for (const std::size_t size : {kM, kN, kK}) {
        if (row[size] == 0 || row[size] > kMostElements) {
            stimulus.fail(row, size,
                          fmt::format("got {}, expected 1 to {}", row[size], kMostElements));
        }
        if (row[kKernel] == 0 && row[size] % kFragmentRows != 0) {
            stimulus.fail(row, size, "expected a multiple of 16 for a product of fragments");
        }
    }
    const auto steps = ceil_div<std::uint64_t>(row[kK], 32);
    if (row[kParts] > (row[kKernel] == 0 ? 1 : steps)) {
        stimulus.fail(
            row, kParts,
            fmt::format("got {}, expected up to {}", row[kParts], row[kKernel] == 0 ? 1 : steps));
    }
    const auto small = [&row](std::size_t column) {
        return static_cast<std::uint32_t>(row[column]);
    };
    return {row[kKernel] == 1, small(kM), small(kN), small(kK), std::max(1U, small(kParts))};
}

void SmTestbench::play_directed() {
    const std::vector<Product> products = {
        {false, 16, 16, 16}, {false, 64, 64, 64},    {false, 192, 128, 32},  {true, 64, 32, 64},
        {true, 17, 33, 65},  {true, 64, 64, 128, 2}, {true, 320, 320, 32, 1}};
    for (const Product& product : products) play(product);
    session_.directed = products.size();
}

Product SmTestbench::draw() {
    const auto up_to = [this](std::uint64_t most) {
        return static_cast<std::uint32_t>(1 + session_.below(most));
    };
    Product product;
    product.library = session_.below(2) == 0;
    if (product.library) {
        product.m = up_to(150);
        product.n = up_to(150);
        product.k = up_to(150);
        const std::uint32_t steps = ceil_div(product.k, 32U);
        product.parts = ceil_div(steps, ceil_div(steps, up_to(steps)));
    } else {
        product.m = 16 * up_to(8);
        product.n = 16 * up_to(8);
        product.k = 16 * up_to(8);
    }
    return product;
}

void SmTestbench::play(const Product& product) {
    WorkloadConfig c = config_.workload;
    c.gemm.m = product.m;
    c.gemm.n = product.n;
    c.gemm.k = product.k;
    c.kernel = product.library ? ProductKernel::kAuto : ProductKernel::kFragments;
    c.split_k = product.parts;
    if (product.library && session_.below(2) == 0) c.gemm.transpose_a = Transpose::kN;
    const std::unique_ptr<Workload> workload =
        make_workload(c, session_.random(), true, {}, target_machine(config_));
    memory_.image.clear();
    workload->initialise([this](Address address, const void* data, std::size_t bytes) {
        memory_.image.write(address, data, bytes);
    });
    Coverage& coverage = session_.coverage;
    coverage.hit(product.library ? bins_.library : bins_.fragments);
    coverage.hit_if(bins_.parts, workload->kernels().size() > 1);
    coverage.hit_if(bins_.ragged, product.m % 16 != 0 || product.n % 16 != 0);
    coverage.hit_if(bins_.one_fragment, product.m == 16 && product.n == 16 && product.k == 16);
    coverage.hit_if(bins_.transposed, c.gemm.transpose_a == Transpose::kN);
    session_.scoreboard.describe_inputs_by([product] {
        return fmt::format("{} product of {} x {} x {}, k in {} parts",
                           product.library ? "library" : "fragment", product.m, product.n,
                           product.k, product.parts);
    });
    const Cycle before = cycles_;
    for (const auto& kernel : workload->kernels()) run_kernel(*kernel, *workload);
    check_product(*workload);
    session_.latency.add(product.library ? "library product" : "fragment product",
                         cycles_ - before);
    session_.scoreboard.describe_inputs_by(nullptr);
}

void SmTestbench::run_kernel(const Kernel& kernel, const Workload& workload) {
    const KernelInfo& info = kernel.info();
    const std::uint32_t resident = occupancy_of(info, config_.sm).ctas;
    session_.coverage.hit_if(bins_.waves, info.ctas > resident);
    statistics_.mark();
    const std::size_t first = memory_.events.size();
    kernel_ = &kernel;
    order_.clear();
    for (std::uint32_t cta = 0; cta < info.ctas; ++cta) order_.push_back(cta);
    if (session_.plants("lost_cta")) order_.pop_back();
    if (session_.plants("repeated_cta")) order_.push_back(0);
    launched_ = 0;
    ctas_done_ = 0;
    const Cycle start = std::max(session_.clock.now(), end_);
    parts_.start_kernel(info);
    sm_->start_kernel(kernel, resident, start);
    for (std::uint32_t i = 0; i < resident; ++i) launch_next(start);
    sm_->schedule();
    run_until_idle();

    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(session_.clock.now());
    if (ctas_done_ != order_.size()) {
        std::vector<std::string> waiting;
        sm_->describe_waiting(waiting);
        waiting.insert(waiting.begin(), fmt::format("{}: {} of {} CTAs ended", info.name,
                                                    ctas_done_, order_.size()));
        session_.violations(waiting);
        return;
    }
    end_ = std::max(sm_->last_activity(), start);
    cycles_ += end_ - start;
    sm_->account_until(end_);
    check_counts(kernel);
    check_requests(first, workload);
    note_stalls();
    sm_->end_kernel();
}

/// A CTA begins gpu.cta_launch_cycles after its slot is free.
void SmTestbench::launch_next(Cycle at) {
    if (launched_ == order_.size()) return;
    sm_->launch(CtaId(order_[launched_++]), at + config_.gpu.cta_launch_cycles);
}

void SmTestbench::on_cta_done(SmId /*sm*/, Cycle at) {
    ++ctas_done_;
    launch_next(at);
}

/// Instructions that the sub-cores and the LDST unit counted, against those of the programs.
void SmTestbench::check_counts(const Kernel& kernel) {
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
                                         statistics_.sum(name));
    }
}

/// Transactions on the socket below, against the L1's statistics; all within the workload's data.
void SmTestbench::check_requests(std::size_t first, const Workload& workload) {
    std::uint64_t reads = 0, writes = 0, read_bytes = 0, write_bytes = 0, outside = 0;
    for (std::size_t i = first; i < memory_.events.size(); ++i) {
        const MemoryEvent& event = memory_.events[i];
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
    board.expect_count("reads below", reads, statistics_.sum("l1.read_requests_below"));
    board.expect_count("bytes read below", read_bytes,
                       statistics_.sum("l1.read_sectors_below") * config_.l1.sector_bytes);
    board.expect_count("writes below", writes, statistics_.sum("l1.write_requests_below"));
    board.expect_count("bytes written below", write_bytes, statistics_.sum("l1.write_bytes_below"));
    board.expect_count("bytes at the L1", statistics_.sum("ldst.request_bytes"),
                       statistics_.sum("l1.bytes_read") + statistics_.sum("l1.bytes_written"));
    board.expect_count("transactions outside the operands", 0, outside);
}

void SmTestbench::check_product(const Workload& workload) {
    const ProductShape& shape = workload.product();
    const std::vector<float> expected = naive_product(workload);
    for (std::uint64_t row = 0; row < shape.m; ++row) {
        const std::uint64_t begin = shape.element ? shape.element(row) : row * shape.pitch;
        std::vector<float> got(shape.n);
        memory_.image.read(shape.d + begin * sizeof(float), got.data(), shape.n * sizeof(float));
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

void SmTestbench::note_stalls() {
    of_bin_.resize(std::size(kCounterBins));
    for (std::size_t i = 0; i < of_bin_.size(); ++i) {
        of_bin_[i] += statistics_.sum(kCounterBins[i].first);
    }
}

void SmTestbench::play_random() {
    for (std::uint64_t i = 0; i < session_.options().count; ++i) play(draw());
    session_.drawn = session_.options().count;
}

void SmTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) play(product_of(stimulus, row));
    session_.drawn = stimulus.rows().size();
}

void SmTestbench::finish() {
    for (std::size_t i = 0; i < of_bin_.size(); ++i) {
        std::string name = kCounterBins[i].first;
        name = name.substr(name.find('.') + 1);
        session_.coverage.hit(session_.coverage.add(name, kCounterBins[i].second), of_bin_[i]);
    }
    std::vector<std::string> violations;
    sm_->check(cycles_, violations);
    links_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<SmTestbench>(argc, argv, kDescription);
}
