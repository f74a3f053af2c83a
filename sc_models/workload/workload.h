// Interface of a workload: kernels, memory regions, operands and verification of the result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/gemm_kernel.h"
#include "sc_models/workload/golden.h"
#include "sc_models/workload/product_epilogue.h"
#include "sc_models/workload/reference.h"
#include "sc_models/workload/requantization.h"

namespace tessera {

/// Writes `bytes` bytes to global memory.
using MemoryWriter = std::function<void(Address, const void* data, std::size_t bytes)>;

/// A named range of global memory.
struct MemoryRegion {
    std::string name;
    Address base = 0;
    std::uint64_t bytes = 0;
};

/// Options of the convolution packet beyond the layer.
struct PacketOptions {
    static constexpr std::uint32_t kAutoShift = 255;

    bool wanted = false;                     ///< the machine has a reader of the packet
    bool zero_rule = false;                  ///< recognise all-zero chunks
    std::uint32_t index_shift = kAutoShift;  ///< kAutoShift: auto_index_shift() of the layer
};

/// One layer or matrix product. The memory that it takes in the simulator does not depend on the
/// layer's size; only initialise() and verify() with values on need room for the operands.
class Workload {
public:
    virtual ~Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool values() const { return values_; }
    [[nodiscard]] const WorkloadConfig& config() const { return config_; }
    /// Kernels in launch order; each starts when its predecessor has finished.
    [[nodiscard]] const std::vector<std::unique_ptr<Kernel>>& kernels() const { return kernels_; }
    /// Index of the kernel that provides the key figures of the run: the last one except for
    /// completions.
    [[nodiscard]] std::size_t main_kernel() const { return main_kernel_; }
    /// Whether the last of kernels() is a matrix product that loads its fragments from global
    /// memory.
    [[nodiscard]] bool has_gemm() const { return gemm_ != nullptr; }
    /// The matrix product of has_gemm(); it must exist.
    [[nodiscard]] const GemmKernel& gemm() const { return *gemm_; }
    /// Result of the last of kernels(), if that is a matrix product.
    [[nodiscard]] const ProductShape& product() const { return *product_; }
    /// Whether verify() and references() omit results of CTAs of the last kernel that did not run.
    [[nodiscard]] bool tells_results() const {
        return product_ && kernels_.back()->tells_results();
    }
    [[nodiscard]] const std::vector<MemoryRegion>& regions() const { return regions_; }
    /// Returns the region called `name`; throws std::logic_error if there is none.
    [[nodiscard]] const MemoryRegion& region(const std::string& name) const;

    /// Writes the memory contents that the first kernel needs, with values off the convolution
    /// packet only. Unwritten memory must read as zero.
    virtual void initialise(const MemoryWriter& write) const = 0;
    /// Returns the operands for checkers, from the generator and not from memory; valid as long as
    /// the workload. Throws std::logic_error if the result is not a product of two matrices.
    [[nodiscard]] virtual std::unique_ptr<Operands> operands() const;
    /// Returns the reference computations of external libraries, in order; valid as long as the
    /// workload. Empty if no library has an equivalent.
    [[nodiscard]] virtual std::vector<Reference> references() const { return {}; }
    /// Compares the result in memory with its definition; by default D with the golden model of
    /// these tensor cores. With values off it reads nothing.
    [[nodiscard]] virtual VerificationReport verify(const MemoryReader& read,
                                                    TensorCoreKind kind) const;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read) const {
        return verify(read, TensorCoreKind::kFedp);
    }

protected:
    /// Regions are contiguous from the configuration's first_address on, 256-byte aligned.
    static constexpr Address kAlignment = 256;

    Workload(std::string name, const WorkloadConfig& config, std::uint64_t seed, bool values);

    Address allocate(const std::string& region, std::uint64_t bytes);
    /// Adds a region of another workload.
    void adopt(const MemoryRegion& region) { regions_.push_back(region); }
    void add(std::unique_ptr<Kernel> kernel) {
        main_kernel_ = kernels_.size();
        kernels_.push_back(std::move(kernel));
    }
    /// Adds a kernel that completes the work of the preceding one.
    void add_completion(std::unique_ptr<Kernel> kernel) { kernels_.push_back(std::move(kernel)); }
    void add_gemm(std::unique_ptr<GemmKernel> kernel);
    /// Sets the product that verify() compares; without it nothing is compared.
    void set_product(ProductShape product) { product_ = std::move(product); }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// Allocates "epilogue0", ..., the operands of the configuration's epilogue in memory: D has
    /// `rows` rows of `n` elements, `pitch` apart.
    [[nodiscard]] const PlacedEpilogue& place_epilogue(std::uint64_t rows, std::uint64_t n,
                                                       std::uint64_t pitch);
    /// Writes these operands. Throws std::logic_error if the number of values differs.
    void write_epilogue(const MemoryWriter& write) const {
        write_operands(epilogue_, epilogue_rows_, epilogue_columns_, write);
    }
    /// Returns the epilogue for a checker of D whose row `row` begins at element `element(row)`
    /// (null: row x pitch); null without epilogue.
    [[nodiscard]] std::function<float(float sum, std::uint64_t row, std::uint64_t column)>
    golden_epilogue(std::function<std::uint64_t(std::uint64_t row)> element = nullptr) const;
    /// Allocates "bias" and "factors" of the configuration's requantization: D has rows of `n`
    /// elements, `pitch` apart.
    [[nodiscard]] const PlacedRequantization& place_requantization(std::uint64_t n,
                                                                   std::uint64_t pitch);
    /// Writes them. Throws std::logic_error if the number of columns differs.
    void write_requantization(const MemoryWriter& write) const {
        write_columns(requantization_, requantized_columns_, write);
    }
    /// Gives a checker's description of D the requantization, and the given layer's result, if
    /// there are these. `shape` has its element() already.
    void check_requantized(ProductShape& shape) const;

private:
    std::string name_;
    WorkloadConfig config_;
    std::uint64_t seed_;
    bool values_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::size_t main_kernel_ = 0;
    const GemmKernel* gemm_ = nullptr;
    std::optional<ProductShape> product_;
    std::vector<MemoryRegion> regions_;
    PlacedEpilogue epilogue_;
    std::uint64_t epilogue_rows_ = 0, epilogue_columns_ = 0;
    PlacedRequantization requantization_;
    std::uint64_t requantized_columns_ = 0;
};

/// Properties of the machine that kernels are built for.
struct TargetMachine {
    AccessGranularity granularity;
    std::uint32_t sms = 1;
    std::uint32_t warp_registers = 2048;  ///< per SM, 32 threads wide
    std::uint32_t shared_memory_bytes = 96 * 1024;
    bool sparse_tensor_cores = false;
    std::uint32_t sub_cores = 4;
    std::uint32_t warps = 64;       ///< per SM
    std::uint32_t mma_cycles = 32;  ///< of a sub-core's tensor cores for one 16x16x16 product
    std::uint32_t structured_mma_cycles = 32;      ///< the same for 16x16x32 with a 2:4 operand
    MmaShapeSet mma_shapes = MmaShapeSet().set();  ///< with a rate
    double l2_bytes_per_cycle = 1536, dram_bytes_per_cycle = 544;  ///< total, per core cycle
    /// Multiply-adds a cycle and SM of warpgroups' FP16 products (wgmma); 0: none.
    double warpgroup_products_per_cycle = 0;
    bool bulk_copies = false;  ///< copies boxes of tensors (TMA)
    bool multicast = true;     ///< of the workload (workload.multicast)
    std::uint64_t l2_bytes = 0;
    std::uint32_t launch_cycles = 0;  ///< of a kernel that follows another
};

}  // namespace tessera
