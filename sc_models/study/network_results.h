// What a network's layers came to on a machine and with mechanisms.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/study/network_study.h"

namespace tessera {

/// What a layer came to on a variant.
struct NetworkLayerTime {
    double cycles = 0;      ///< all its kernels, each launched behind another
    double half_width = 0;  ///< of the 95 % interval, where CTAs were left out
    std::string kernel;     ///< the main one
    std::string bound_by;
    bool checked = false;  ///< every value was
    bool own = false;      ///< a run of the variant, not of the machine alone
};

/// The results of a study, all of whose runs have ended well.
class NetworkResults {
public:
    /// Reads them. Throws ConfigError where one is missing.
    explicit NetworkResults(const NetworkStudy& study);

    /// By layer (those that ran), then by variant.
    [[nodiscard]] const std::vector<std::vector<NetworkLayerTime>>& times() const { return times_; }
    [[nodiscard]] double total_cycles(std::size_t variant) const;
    /// With the faster of the two for each layer.
    [[nodiscard]] double best_cycles(std::size_t variant) const;
    /// Half width of the interval of the total.
    [[nodiscard]] double total_half_width(std::size_t variant) const;

    /// A line a layer, then the totals of each variant.
    [[nodiscard]] std::string table() const;
    [[nodiscard]] std::string csv() const;
    [[nodiscard]] nlohmann::ordered_json json() const;

private:
    [[nodiscard]] std::string totals() const;

    const NetworkStudy& study_;
    std::vector<const NetworkLayer*> layers_;
    std::vector<std::vector<NetworkLayerTime>> times_;
};

}  // namespace tessera
