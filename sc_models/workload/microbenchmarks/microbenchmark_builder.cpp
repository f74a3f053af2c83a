#include "sc_models/workload/microbenchmarks/microbenchmark_builder.h"

#include "sc_models/workload/microbenchmarks/microbenchmark_bodies.h"

namespace tessera {

using namespace microbenchmark;

namespace {

/// Asynchronous copies of a warp at once.
constexpr std::uint32_t kCopiesInFlight = 16;
enum RunLength : std::uint32_t { kShort, kLong, kWarmUp };

/// A kernel whose warps execute `length` instructions of a body.
class BodyKernel : public Kernel {
public:
    BodyKernel(KernelInfo info, std::uint32_t length, std::uint32_t run, MicrobenchmarkBody body)
        : info_(std::move(info)), length_(length), run_(run), body_(std::move(body)) {}

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override {
        return std::make_unique<Program>(*this, cta.value() * info_.warps_per_cta + warp);
    }

private:
    class Program : public WarpProgram {
    public:
        Program(const BodyKernel& kernel, std::uint32_t warp) : kernel_(kernel), warp_(warp) {}
        std::size_t fill(WarpInstruction* out, std::size_t capacity) override {
            std::size_t made = 0;
            for (; made < capacity && next_ < kernel_.length_; ++made) {
                out[made] = kernel_.body_({warp_, next_++, kernel_.run_});
            }
            if (made < capacity && !ended_) {
                ended_ = true;
                out[made++] = WarpInstruction(Opcode::kExit);
            }
            return made;
        }

    private:
        const BodyKernel& kernel_;
        std::uint32_t warp_;
        std::uint32_t next_ = 0;
        bool ended_ = false;
    };

    KernelInfo info_;
    std::uint32_t length_;
    std::uint32_t run_;
    MicrobenchmarkBody body_;
};

}  // namespace

double Microbenchmark::value(Cycle short_cycles, Cycle long_cycles) const {
    const auto cycles = static_cast<double>(long_cycles) - static_cast<double>(short_cycles);
    return is_throughput ? work / cycles : cycles / work;
}

void MicrobenchmarkBuilder::measure(const Microbenchmark& benchmark,
                                    const MicrobenchmarkShape& shape, std::uint32_t short_length,
                                    std::uint32_t long_length, const MicrobenchmarkBody& body) {
    KernelInfo info;
    info.ctas = shape.ctas;
    info.warps_per_cta = shape.warps_per_cta;
    info.shared_memory_bytes = shape.shared_memory_bytes;
    info.arrivals = shape.arrivals;
    info.registers_per_thread = shape.registers;
    info.copies_in_flight = kCopiesInFlight;
    for (std::uint32_t warp = 0; warp < shape.warps_per_cta; ++warp) {
        info.sub_core_of_warp.push_back(warp);
    }
    info.name = benchmark.name + ".warm_up";
    kernels_.push_back(std::make_unique<BodyKernel>(info, short_length, kWarmUp, body));
    Microbenchmark measured = benchmark;
    measured.short_kernel = kernels_.size();
    info.name = benchmark.name + ".short";
    kernels_.push_back(std::make_unique<BodyKernel>(info, short_length, kShort, body));
    measured.long_kernel = kernels_.size();
    info.name = benchmark.name + ".long";
    kernels_.push_back(std::make_unique<BodyKernel>(info, long_length, kLong, body));
    measured.work *= long_length - short_length;
    benchmarks_.push_back(std::move(measured));
}

void MicrobenchmarkBuilder::chain(const char* name, const char* method, const char* parameter,
                                  const MicrobenchmarkBody& body, std::uint32_t shared_bytes) {
    measure({name, "cycles", method, parameter, {}, 0, 1.0, false}, {1, 1, shared_bytes}, kFew,
            kMany, body);
}

void MicrobenchmarkBuilder::bandwidth(const char* name, const char* method, const char* parameter,
                                      double bytes, const MicrobenchmarkBody& body,
                                      std::uint32_t shared_bytes) {
    measure({name, "bytes_per_cycle_per_SM", method, parameter, {}, 0, kFullWarps * bytes, true},
            {1, kFullWarps, shared_bytes}, 128, 640, body);
}

void MicrobenchmarkBuilder::launch() {
    const auto nothing = [](const MicrobenchmarkPosition&) { return WarpInstruction{}; };
    KernelInfo info;
    info.name = "kernel_launch_latency";
    info.ctas = info.warps_per_cta = 1;
    info.registers_per_thread = 16;
    info.sub_core_of_warp = {0};
    benchmarks_.push_back({info.name,
                           "cycles",
                           "an empty kernel of one warp",
                           "gpu.kernel_launch_cycles",
                           {},
                           kernels_.size(),
                           1.0,
                           false});
    kernels_.push_back(std::make_unique<BodyKernel>(info, 0, kLong, nothing));
}

}  // namespace tessera
