// What a run executes: kernels, where their operands lie, what is in them, and whether it came out
// right.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/workload/kernel.h"
#include "sc_models/workload/workload_config.h"

namespace tessera {

/// Writes `bytes` bytes into global memory.
using MemoryWriter = std::function<void(Address, const void* data, std::size_t bytes)>;
/// Reads `bytes` bytes of global memory; what was never written reads as zero.
using MemoryReader = std::function<void(Address, void* data, std::size_t bytes)>;

/// A named stretch of global memory.
struct MemoryRegion {
    std::string name;
    Address base = 0;
    std::uint64_t bytes = 0;
};

/// Outcome of the comparison of D with the golden model, bit for bit.
struct VerificationReport {
    bool checked = false;  ///< false: the run moved no values
    std::uint64_t outputs = 0;
    std::uint64_t mismatches = 0;
    /// Outputs also computed one product at a time by the scalar path, and how many of them differ.
    std::uint64_t scalar_samples = 0;
    std::uint64_t scalar_mismatches = 0;
    std::string first_mismatch;  ///< "D[row][column]: expected ..., got ..."

    [[nodiscard]] bool passed() const { return mismatches == 0 && scalar_mismatches == 0; }
};

/// One layer or matrix product, made by make_workload(). Nothing here grows with the layer unless
/// values are on.
class Workload {
public:
    virtual ~Workload() = default;
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool values() const { return values_; }
    /// In launch order; each starts when the one before has finished.
    [[nodiscard]] const std::vector<std::unique_ptr<Kernel>>& kernels() const { return kernels_; }
    [[nodiscard]] const std::vector<MemoryRegion>& regions() const { return regions_; }
    /// The region called `name`; throws std::logic_error if there is none.
    [[nodiscard]] const MemoryRegion& region(const std::string& name) const;

    /// Writes what must be in memory before the first kernel starts. With values off that is only
    /// the convolution packet. Memory that is not written must read as zero.
    virtual void initialise(const MemoryWriter& write) const = 0;
    /// Compares D in memory with the golden model; with values off it reads nothing.
    [[nodiscard]] virtual VerificationReport verify(const MemoryReader& read) const = 0;

protected:
    /// Regions lie one behind the other from here on, 256-byte aligned.
    static constexpr Address kFirstAddress = 0x10000000;
    static constexpr Address kAlignment = 256;

    Address allocate(const std::string& region, std::uint64_t bytes);

    std::string name_;
    bool values_ = false;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::vector<MemoryRegion> regions_;
};

/// Regions of a convolution: "input", "filters", "workspace", "c", "d", "packet"; of a matrix
/// product: "a", "b", "c", "d". `seed` decides the values. Throws ConfigError on impossible layers
/// or tilings, and when values are wanted without the C matrix traffic (nothing would be stored).
[[nodiscard]] std::unique_ptr<Workload> make_workload(const WorkloadConfig& config,
                                                      std::uint64_t seed, bool values);

}  // namespace tessera
