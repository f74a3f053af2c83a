// Results of a network's layers on a machine and with mechanisms.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/results/estimate.h"
#include "sc_models/study/network_study/network_study.h"

namespace tessera {

/// Version of network.json.
inline constexpr int kNetworkSchemaVersion = 2;

/// Result of a layer on a variant.
struct NetworkLayerTime {
    std::vector<double> by_seed;  ///< cycles of all kernels, each launched behind another
    double sample_width = 0;      ///< half of the 95 % interval, if CTAs were left out
    double launch_cycles = 0;     ///< launch part of these cycles
    std::string kernel;           ///< name of the main kernel
    std::string bound_by;         ///< limit of the layer (layer_limit())
    double l2_bytes = 0;          ///< larger of bytes read and bytes written
    double dram_bytes = 0;
    bool on_lanes = false;  ///< computed by FP32 lanes, not by tensor cores
    bool checked = false;   ///< every value was checked
    bool own = false;       ///< from a run of the variant, not of the machine alone
};

/// Launch cycles included in a layer's time on a variant: those of the variant's own kernels, or
/// those on the machine alone.
enum class Launches { kOwn, kAlone };

/// Results of a study. Precondition: all runs ended well.
///
/// With several seeds, times and speedups are means with half of the 95 % interval over the seeds;
/// speedups are computed per seed. Where CTAs were left out, the sampling error of the time is
/// added as the root of the sum of squares. With Launches::kAlone, a speedup excludes the gain from
/// fewer or shorter launches.
class NetworkResults {
public:
    /// Reads the results. Throws ConfigError if one is missing.
    explicit NetworkResults(const NetworkStudy& study);

    /// Times by layer (layers that ran), then by variant.
    [[nodiscard]] const std::vector<std::vector<NetworkLayerTime>>& times() const { return times_; }
    /// Cycles of a layer on a variant.
    [[nodiscard]] Estimate cycles(std::size_t layer, std::size_t variant) const;
    [[nodiscard]] Estimate total_cycles(std::size_t variant) const;
    /// Total with the faster of machine and variant for each layer.
    [[nodiscard]] Estimate best_cycles(std::size_t variant) const;
    /// Speedup over the machine alone, as a ratio.
    [[nodiscard]] Estimate speedup(std::size_t layer, std::size_t variant,
                                   Launches launches = Launches::kOwn) const;
    [[nodiscard]] Estimate total_speedup(std::size_t variant,
                                         Launches launches = Launches::kOwn) const;
    [[nodiscard]] Estimate best_speedup(std::size_t variant,
                                        Launches launches = Launches::kOwn) const;
    /// Share of launches in the time of all layers, in percent.
    [[nodiscard]] double launch_percent(std::size_t variant) const;

    /// One line per layer, then the totals of each variant.
    [[nodiscard]] std::string table() const;
    [[nodiscard]] std::string csv() const;
    /// All results, and the input of their page (sc_models/report/network_page.h). `command` is the
    /// command line of the study.
    [[nodiscard]] nlohmann::ordered_json json(const std::string& command) const;

private:
    /// A number by seed.
    using OfSeed = std::function<double(std::size_t seed)>;
    /// Derivative of a number with respect to the time of each run: layers that share a run share
    /// its error.
    using Slopes = std::map<std::size_t, double>;

    [[nodiscard]] Estimate over_seeds(const OfSeed& number, const Slopes& slopes) const;
    /// Index of the first run behind a layer's time on a variant.
    [[nodiscard]] std::size_t run_of(std::size_t layer, std::size_t variant) const;
    /// For each layer, the faster of the machine alone (0) and `variant`.
    [[nodiscard]] std::vector<std::size_t> faster_variants(std::size_t variant,
                                                           Launches launches) const;
    /// Time of all layers, each on the variant given for it.
    [[nodiscard]] Estimate sum(const std::vector<std::size_t>& variants) const;
    /// Speedup over the machine alone, as a ratio.
    [[nodiscard]] Estimate ratio(const std::vector<std::size_t>& variants, Launches launches) const;
    [[nodiscard]] double sum_of_seed(const std::vector<std::size_t>& variants, std::size_t seed,
                                     Launches launches) const;
    [[nodiscard]] double cycles_of_seed(std::size_t layer, std::size_t variant, std::size_t seed,
                                        Launches launches) const;
    [[nodiscard]] double mean_cycles(std::size_t layer, std::size_t variant,
                                     Launches launches = Launches::kOwn) const;

    [[nodiscard]] std::string totals() const;
    [[nodiscard]] std::size_t own_layers(std::size_t variant) const;
    [[nodiscard]] std::size_t checked_layers(std::size_t variant) const;
    [[nodiscard]] nlohmann::ordered_json json_of_layer(std::size_t layer) const;
    [[nodiscard]] nlohmann::ordered_json json_of_variant(std::size_t variant) const;
    [[nodiscard]] nlohmann::ordered_json json_of_refused() const;

    const NetworkStudy& study_;
    std::vector<const NetworkLayer*> layers_;
    std::vector<std::vector<NetworkLayerTime>> times_;
    std::map<std::size_t, double> sample_widths_;  ///< by run
};

}  // namespace tessera
