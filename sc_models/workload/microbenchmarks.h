// Small kernels that each measure one property of the machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// A property of a GPU and the two kernels it is worked out from: the long one repeats what is
/// measured more often than the short one, so that the difference holds nothing else. As the
/// microbenchmarks of a real Titan V do (dependent chains for latencies, streams for bandwidths).
struct Microbenchmark {
    std::string name;  ///< as in configs/reference/titan_v_hardware.yaml, where that has it
    std::string unit;
    std::string method;
    std::string parameter;  ///< the key that decides most of it
    std::optional<std::size_t> short_kernel =
        {};  ///< index into kernels(); none: nothing to take off
    std::size_t long_kernel = 0;
    /// What the additional cycles of the long kernel have to be divided by (latencies), or what
    /// has to be divided by them (throughputs).
    double work = 0;
    bool is_throughput = false;

    /// From the cycles of both kernels (0 for none).
    [[nodiscard]] double value(Cycle short_cycles, Cycle long_cycles) const;
};

/// All microbenchmarks, kernel after kernel on one machine.
class MicrobenchmarkWorkload : public Workload {
public:
    /// All SMs of `machine` take part in the benchmarks of L2 and DRAM.
    MicrobenchmarkWorkload(const WorkloadConfig& config, std::uint64_t seed,
                           const TargetMachine& machine);

    [[nodiscard]] const std::vector<Microbenchmark>& benchmarks() const { return benchmarks_; }

    void initialise(const MemoryWriter& /*write*/) const override {}

    /// Where an instruction stands: warp (counted over all CTAs), number within it, and a number
    /// for the kernel. The short kernel runs once before, for what it leaves in L2.
    struct Position {
        std::uint32_t warp, i, run;
    };
    using Body = std::function<WarpInstruction(const Position&)>;

private:
    struct Shape {
        std::uint32_t ctas = 1, warps_per_cta = 1, shared_memory_bytes = 0;
    };

    void measure(const Microbenchmark& benchmark, const Shape& shape, std::uint32_t short_length,
                 std::uint32_t long_length, const Body& body);
    /// One warp, in which every instruction waits for the one before.
    void chain(const char* name, const char* method, const char* parameter, const Body& body,
               std::uint32_t shared_bytes = 0);
    /// kFullWarps warps on an SM, `bytes` an instruction.
    void bandwidth(const char* name, const char* method, const char* parameter, double bytes,
                   const Body& body, std::uint32_t shared_bytes = 0);
    void add_latencies();
    void add_tensor_cores(bool outer_product);
    void add_bandwidths(std::uint32_t sms);
    void add_launch();
    // The other instructions of kernels and traces.
    void add_arithmetic();
    void add_memory_instructions(std::uint32_t sms);
    void add_synchronisation();
    void add_sparse_products();
    const LaneAccess* keep(LaneAccess access);

    AccessGranularity granularity_;
    std::vector<Microbenchmark> benchmarks_;
    std::vector<std::unique_ptr<const LaneAccess>> accesses_;
    std::unique_ptr<const BitmapMatrix> tiles_;  ///< of the sparse products
    SpwmmaMatrices sparse_;
    BitGather nothing_;  ///< of gathered loads
};

}  // namespace tessera
