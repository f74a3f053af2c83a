// Testbench of a streaming multiprocessor.
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "sc_models/gpu/occupancy.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/simulation.h"
#include "testbenches/harness/run_until_idle.h"
#include "testbenches/harness/sm_above_memory.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/sm/kernel_checker.h"
#include "testbenches/sm/product_stimulus.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr Cycle kBelow = 200;  ///< latency of the memory below, in cycles

Description description() {
    Description d;
    d.name = "sm";
    d.module = "streaming multiprocessor: sub-cores, tensor cores, LDST unit, L1, shared memory";
    d.operation = "matrix products";
    d.sections = {"sm", "ldst", "l1", "tensor_core"};
    d.count = 10;
    d.columns = product_columns();
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
          unit_(session, config_, listener(), kBelow, session.observers()),
          checker_(session, config_, unit_) {
        if (session.plants("lost_write")) unit_.memory().lost_write_every = 16;
        if (session.plants("wrong_data")) unit_.memory().wrong_read_every = 64;
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
    void prepare() override { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void play(const Product& product);
    void run_kernel(const Kernel& kernel, const Workload& workload);
    void launch_next(Cycle at);
    CtaListener& listener() { return *this; }
    void on_cta_done(SmId sm, Cycle at) override;
    void finish() override;

    Session& session_;
    const Config config_;
    SmAboveMemory unit_;
    KernelChecker checker_;
    const Bins bins_{session_.coverage};
    std::vector<std::uint32_t> order_;  ///< CTAs of the kernel
    std::size_t launched_ = 0;
    std::uint32_t ctas_done_ = 0;
};

Config SmTestbench::configure(Config config) {
    config.values = true;
    config.gpu.sms = 1;
    config.workload.kind = WorkloadKind::kGemm;
    config.workload.activations = config.workload.weights = ValuePattern::kDyadic;
    config.workload.tiling.cta_m = config.workload.tiling.cta_n = 64;
    return config;
}

void SmTestbench::play_directed() {
    const std::vector<Product> products = {
        {false, 16, 16, 16}, {false, 64, 64, 64},    {false, 192, 128, 32},  {true, 64, 32, 64},
        {true, 17, 33, 65},  {true, 64, 64, 128, 2}, {true, 320, 320, 32, 1}};
    for (const Product& product : products) play(product);
    session_.directed = products.size();
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
    unit_.memory().image.clear();
    workload->initialise([this](Address address, const void* data, std::size_t bytes) {
        unit_.memory().image.write(address, data, bytes);
    });
    Coverage& coverage = session_.coverage;
    coverage.hit(product.library ? bins_.library : bins_.fragments);
    coverage.hit_if(bins_.parts, workload->kernels().size() > 1);
    coverage.hit_if(bins_.ragged, product.m % 16 != 0 || product.n % 16 != 0);
    coverage.hit_if(bins_.one_fragment, product.m == 16 && product.n == 16 && product.k == 16);
    coverage.hit_if(bins_.transposed, c.gemm.transpose_a == Transpose::kN);
    session_.scoreboard.describe_inputs_by([product] { return product.describe(); });
    const Cycle before = unit_.cycles();
    for (const auto& kernel : workload->kernels()) run_kernel(*kernel, *workload);
    checker_.check_product(*workload);
    session_.latency.add(product.library ? "library product" : "fragment product",
                         unit_.cycles() - before);
    session_.scoreboard.describe_inputs_by(nullptr);
}

void SmTestbench::run_kernel(const Kernel& kernel, const Workload& workload) {
    const KernelInfo& info = kernel.info();
    const std::uint32_t resident = occupancy_of(info, config_.sm).ctas;
    session_.coverage.hit_if(bins_.waves, info.ctas > resident);
    checker_.begin();
    order_.clear();
    for (std::uint32_t cta = 0; cta < info.ctas; ++cta) order_.push_back(cta);
    if (session_.plants("lost_cta")) order_.pop_back();
    if (session_.plants("repeated_cta")) order_.push_back(0);
    launched_ = 0;
    ctas_done_ = 0;
    const Cycle start = unit_.next_start();
    unit_.parts().start_kernel(info);
    unit_.sm().start_kernel(kernel, resident, start);
    for (std::uint32_t i = 0; i < resident; ++i) launch_next(start);
    unit_.sm().schedule();
    run_until_idle();

    session_.scoreboard.begin_cycle(session_.clock.now());
    if (ctas_done_ != order_.size()) {
        std::vector<std::string> waiting;
        unit_.sm().describe_waiting(waiting);
        waiting.insert(waiting.begin(), fmt::format("{}: {} of {} CTAs ended", info.name,
                                                    ctas_done_, order_.size()));
        session_.violations(waiting);
        return;
    }
    unit_.account_since(start);
    checker_.check(kernel, workload);
    unit_.sm().end_kernel();
}

/// A CTA begins gpu.cta_launch_cycles after its slot is free.
void SmTestbench::launch_next(Cycle at) {
    if (launched_ == order_.size()) return;
    unit_.sm().launch(CtaId(order_[launched_++]), at + config_.gpu.cta_launch_cycles);
}

void SmTestbench::on_cta_done(SmId /*sm*/, Cycle at) {
    ++ctas_done_;
    launch_next(at);
}

void SmTestbench::play_random() {
    for (std::uint64_t i = 0; i < session_.options().count; ++i) play(draw_product(session_));
    session_.drawn = session_.options().count;
}

void SmTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) play(product_of(stimulus, row));
    session_.drawn = stimulus.rows().size();
}

void SmTestbench::finish() {
    checker_.cover();
    std::vector<std::string> violations;
    unit_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<SmTestbench>(argc, argv, kDescription);
}
