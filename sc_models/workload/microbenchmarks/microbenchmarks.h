// Small kernels that each measure one property of the machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/workload/workload.h"

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

/// All microbenchmarks; their kernels run one after the other on one machine.
class MicrobenchmarkWorkload : public Workload {
public:
    /// All SMs of `machine` run the benchmarks of L2 and DRAM. Rows of HMMA.884 need a rate for it;
    /// a machine without it has rows of its own shapes, and with HMMA.16816 of Ampere's copies.
    MicrobenchmarkWorkload(const WorkloadConfig& config, std::uint64_t seed,
                           const TargetMachine& machine);

    [[nodiscard]] const std::vector<Microbenchmark>& benchmarks() const { return benchmarks_; }

    void initialise(const MemoryWriter& /*write*/) const override {}

    /// Position of an instruction: warp (counted over all CTAs), number within it, and a number of
    /// the kernel run. The short kernel runs once beforehand to warm L2.
    struct Position {
        std::uint32_t warp, i, run;
    };
    using Body = std::function<WarpInstruction(const Position&)>;

private:
    struct Shape {
        std::uint32_t ctas = 1, warps_per_cta = 1, shared_memory_bytes = 0;
        std::vector<std::uint32_t> arrivals = {};  ///< KernelInfo::arrivals
        std::uint32_t registers = 64;              ///< a thread
    };

    void measure(const Microbenchmark& benchmark, const Shape& shape, std::uint32_t short_length,
                 std::uint32_t long_length, const Body& body);
    /// Adds a benchmark with one warp whose instructions each wait for the preceding one.
    void chain(const char* name, const char* method, const char* parameter, const Body& body,
               std::uint32_t shared_bytes = 0);
    /// Adds a benchmark with kFullWarps warps on an SM and `bytes` per instruction.
    void bandwidth(const char* name, const char* method, const char* parameter, double bytes,
                   const Body& body, std::uint32_t shared_bytes = 0);
    void add_latencies();
    void add_tensor_cores(const TargetMachine& machine);
    void add_bandwidths(std::uint32_t sms);
    void add_launch();
    // Further instructions of kernels and traces.
    void add_arithmetic();
    void add_memory_instructions(std::uint32_t sms);
    void add_synchronisation();
    void add_sparse_products();
    // Instructions of Ampere: microbenchmarks_ampere.cpp.
    void add_shapes(const MmaShapeSet& shapes);
    void add_asynchronous_copies();
    // Instructions of Hopper: microbenchmarks_hopper.cpp.
    void add_warpgroup_products(MmaShape shape, std::uint32_t columns);
    void add_bulk_copies();
    const LaneAccess* keep(LaneAccess access);

    AccessGranularity granularity_;
    std::vector<Microbenchmark> benchmarks_;
    std::vector<std::unique_ptr<const LaneAccess>> accesses_;
    std::unique_ptr<const BitmapMatrix> tiles_;  ///< of the sparse products
    SpwmmaMatrices sparse_;
    BitGather nothing_;  ///< empty, for gathered loads
};

}  // namespace tessera
