// Machines that a network is run on, without and with mechanisms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/run/kernel_limits.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// A machine for the network's layers: the machine alone (the first of a study), or with a
/// mechanism.
struct NetworkVariant {
    std::string name;
    std::vector<std::string> configs;  ///< the machine first
    std::vector<std::string> sets;     ///< key=value, override the configurations
};

/// Configurations by name, then a layer's file (empty: none), then `sets`.
[[nodiscard]] ConfigSource source_of(const std::vector<std::string>& configs,
                                     const std::vector<std::string>& sets, const std::string& file);
/// The part of a run that a configuration describes.
[[nodiscard]] ConfigPart part_of(const std::string& config);
/// The mechanism that a configuration describes; empty if it describes something else.
[[nodiscard]] std::string mechanism_of(const std::string& config);
/// Configuration of a variant without a layer. Throws ConfigError.
[[nodiscard]] Config config_of(const NetworkVariant& variant);

/// Value of workload.kernel for the kernels of Ampere's libraries.
inline constexpr const char* kAmpereKernels = "multistage";
/// Settings with which libraries run a layer by this workload.kernel: multistage or cudnn.
[[nodiscard]] std::vector<std::string> kernel_settings(const std::string& kernel);

/// A variant's properties common to all its runs.
struct VariantMachine {
    bool wants_values = false, is_sparse = false;
    bool library = false;         ///< uses library kernels instead of fragments
    std::string library_kernel;   ///< workload.kernel where the machine names none, or where
                                  ///< its own cannot run a layer
    bool multiplies = false;      ///< its kernel multiplies matrices, too: cudnn's do not
    bool computes_zeros = false;  ///< multiplies zeros like other numbers
    std::uint32_t sms = 0;
    MachinePeaks peaks;
    double core_clock_mhz = 0;
    bool has_epilogues = false;        ///< its kernels apply what follows a product
    bool multiplies_integers = false;  ///< its kernels multiply INT8 and requantise the sums
    bool multiplies_bf16 = false;      ///< its kernels multiply BF16
    bool has_attention = false;        ///< has a kernel of attention
    /// The user says how often a layer is launched. Otherwise once, whatever a shipped mechanism
    /// says of a product that is timed by itself: caches hold nothing of a layer before it runs.
    bool repeats = false;
    std::vector<std::string> plain;  ///< configurations without mechanisms
    std::vector<std::string> sets;
};
/// Reads the configurations of a variant. Throws ConfigError.
[[nodiscard]] VariantMachine machine_of(const NetworkVariant& variant);

}  // namespace tessera
