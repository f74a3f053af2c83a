// Microbenchmarks as they are put together: what each measures, and its kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// A property of a GPU and the two kernels that measure it: the long one repeats the measured
/// instruction more often than the short one, so that the difference contains nothing else. Same
/// method as the microbenchmarks of a real Titan V (dependent chains for latencies, streams for
/// bandwidths).
struct Microbenchmark {
    std::string name;  ///< as in configs/reference/titan_v_hardware.yaml, if listed there
    std::string unit;
    std::string method;
    std::string parameter;  ///< the key that affects it most
    std::optional<std::size_t> short_kernel =
        {};  ///< index into kernels(); none: nothing to subtract
    std::size_t long_kernel = 0;
    /// Divisor of the additional cycles of the long kernel (latencies), or dividend over them
    /// (throughputs).
    double work = 0;
    bool is_throughput = false;

    /// Computes the value from the cycles of both kernels (0 for none).
    [[nodiscard]] double value(Cycle short_cycles, Cycle long_cycles) const;
};

/// Position of an instruction: warp (counted over all CTAs), number within it, and a number of the
/// kernel run. The short kernel runs once beforehand to warm L2.
struct MicrobenchmarkPosition {
    std::uint32_t warp, i, run;
};
/// Makes the instruction at a position. What the instruction points at must live as long as this.
using MicrobenchmarkBody = std::function<WarpInstruction(const MicrobenchmarkPosition&)>;

/// CTAs of the kernels of a microbenchmark.
struct MicrobenchmarkShape {
    std::uint32_t ctas = 1, warps_per_cta = 1, shared_memory_bytes = 0;
    std::vector<std::uint32_t> arrivals = {};  ///< KernelInfo::arrivals
    std::uint32_t registers = 64;              ///< a thread
};

/// Collects microbenchmarks and their kernels, in the order in which they run.
class MicrobenchmarkBuilder {
public:
    /// Adds a benchmark whose kernels have `short_length` and `long_length` instructions a warp.
    void measure(const Microbenchmark& benchmark, const MicrobenchmarkShape& shape,
                 std::uint32_t short_length, std::uint32_t long_length,
                 const MicrobenchmarkBody& body);
    /// Adds a benchmark with one warp whose instructions each wait for the preceding one.
    void chain(const char* name, const char* method, const char* parameter,
               const MicrobenchmarkBody& body, std::uint32_t shared_bytes = 0);
    /// Adds a benchmark with kFullWarps warps on an SM and `bytes` per instruction.
    void bandwidth(const char* name, const char* method, const char* parameter, double bytes,
                   const MicrobenchmarkBody& body, std::uint32_t shared_bytes = 0);
    /// Adds the launch of an empty kernel.
    void launch();

    /// Returns what was collected, which is then empty.
    [[nodiscard]] std::vector<Microbenchmark> take_benchmarks() { return std::move(benchmarks_); }
    [[nodiscard]] std::vector<std::unique_ptr<Kernel>> take_kernels() {
        return std::move(kernels_);
    }

private:
    std::vector<Microbenchmark> benchmarks_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
};

}  // namespace tessera
