// Runs of whole machines, each in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/config.h"

namespace tessera::testbench {

/// Workload and mechanism, in the order of the words of a stimulus file.
enum class MachineKind : std::uint8_t {
    kFragments,      ///< a convolution, lowered, by products of fragments
    kLibrary,        ///< a matrix product as a library computes it
    kDuplo,          ///< the convolution with Duplo
    kDualSide,       ///< a product of sparse matrices on outer-product tensor cores
    kOpportunistic,  ///< a direct convolution with precompute and assign tables
};
inline constexpr std::size_t kMachineKinds = 5;
[[nodiscard]] const std::vector<std::string>& machine_words();

/// A small machine and its workload. The sizes are those of an image (side, channels, filters) or
/// of a product (m, k, n).
struct MachineCase {
    MachineKind kind = MachineKind::kFragments;
    std::uint32_t sms = 2;  ///< without effect on the cluster of kOpportunistic
    std::uint32_t size = 8, inputs = 16, outputs = 32;
    std::uint64_t seed = 1;

    [[nodiscard]] std::string describe() const;
};

/// Returns the configuration of a case, with `sets` on top.
[[nodiscard]] Config machine_config(const MachineCase& machine,
                                    const std::vector<std::string>& sets);

/// Error in the memory below the L2.
enum class MemoryFault : std::uint8_t { kNone, kLostWrites, kWrongReads };

/// Results of a run.
struct MachineResult {
    std::string error;  ///< of a run that did not end
    bool checked = false;
    std::uint64_t outputs = 0, mismatches = 0;
    std::string first_mismatch;
    std::vector<std::string> violations;
    std::uint64_t cycles = 0;  ///< of all kernels
    std::string statistics;    ///< of all kernels, a line each
    std::uint64_t instructions = 0, products = 0, ctas = 0;
    std::uint64_t duplo_hits = 0, skipped = 0, predicted = 0, assigned = 0, dram_reads = 0;
};

/// Runs a machine in a child process. Call before the simulation is elaborated.
[[nodiscard]] MachineResult run_in_child(const Config& config, MemoryFault fault);
/// Runs a machine in this process, which can do so once.
[[nodiscard]] MachineResult run_here(const Config& config, MemoryFault fault,
                                     const Observers& observers);

}  // namespace tessera::testbench
