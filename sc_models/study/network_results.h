// What a network's layers came to on a machine and with mechanisms.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/study/estimate.h"
#include "sc_models/study/network_study.h"

namespace tessera {

/// Version of network.json.
inline constexpr int kNetworkSchemaVersion = 2;

/// What a layer came to on a variant.
struct NetworkLayerTime {
    std::vector<double> by_seed;  ///< cycles of all its kernels, each launched behind another
    double sample_width = 0;      ///< half of the 95 % interval, where CTAs were left out
    double launch_cycles = 0;     ///< of these, launches
    std::string kernel;           ///< the main one
    std::string bound_by;         ///< what limits the layer (layer_limit())
    double l2_bytes = 0;          ///< the larger of what was read and what was written
    double dram_bytes = 0;
    bool on_lanes = false;  ///< computed by FP32 lanes, not by tensor cores
    bool checked = false;   ///< every value was
    bool own = false;       ///< a run of the variant, not of the machine alone
};

/// Whose launches a layer's time on a variant has: the variant's own kernels', or as many cycles as
/// launches take on the machine alone.
enum class Launches { kOwn, kAlone };

/// The results of a study, all of whose runs have ended well.
///
/// Of several seeds all times and speedups are means, with half of the 95 % interval over the
/// seeds; a speedup is taken seed by seed. Where CTAs were left out, what is known of their time
/// is added to that, as the root of the sum of squares. With Launches::kAlone a speedup is what a
/// mechanism gains apart from having fewer or shorter launches.
class NetworkResults {
public:
    /// Reads them. Throws ConfigError where one is missing.
    explicit NetworkResults(const NetworkStudy& study);

    /// By layer (those that ran), then by variant.
    [[nodiscard]] const std::vector<std::vector<NetworkLayerTime>>& times() const { return times_; }
    /// Of a layer on a variant, in cycles.
    [[nodiscard]] Estimate cycles(std::size_t layer, std::size_t variant) const;
    [[nodiscard]] Estimate total_cycles(std::size_t variant) const;
    /// With the faster of the two for each layer.
    [[nodiscard]] Estimate best_cycles(std::size_t variant) const;
    /// How many times as fast as the machine alone.
    [[nodiscard]] Estimate speedup(std::size_t layer, std::size_t variant,
                                   Launches launches = Launches::kOwn) const;
    [[nodiscard]] Estimate total_speedup(std::size_t variant,
                                         Launches launches = Launches::kOwn) const;
    [[nodiscard]] Estimate best_speedup(std::size_t variant,
                                        Launches launches = Launches::kOwn) const;
    /// Share of launches in the time of all layers, in percent.
    [[nodiscard]] double launch_percent(std::size_t variant) const;

    /// A line a layer, then the totals of each variant.
    [[nodiscard]] std::string table() const;
    [[nodiscard]] std::string csv() const;
    /// All of it, and what a page of it needs (sc_models/report/network_page.h). `command` is the
    /// command line that asked for it.
    [[nodiscard]] nlohmann::ordered_json json(const std::string& command) const;

private:
    /// A number by seed.
    using OfSeed = std::function<double(std::size_t seed)>;
    /// How a number moves with the time of each run: layers that share a run share its error.
    using Slopes = std::map<std::size_t, double>;

    [[nodiscard]] Estimate over_seeds(const OfSeed& number, const Slopes& slopes) const;
    /// The first of the runs that a layer's time on a variant is of.
    [[nodiscard]] std::size_t run_of(std::size_t layer, std::size_t variant) const;
    /// Which of the two runs each layer when the faster does.
    [[nodiscard]] std::vector<std::size_t> faster_variants(std::size_t variant,
                                                           Launches launches) const;
    /// Time of all layers, each on the variant named for it.
    [[nodiscard]] Estimate sum(const std::vector<std::size_t>& variants) const;
    /// Times as fast as the machine alone.
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
