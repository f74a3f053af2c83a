// Plan of the runs of a network's layers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/machine_kernels.h"
#include "sc_models/study/network_study/network_layer.h"
#include "sc_models/study/network_study/network_variant.h"

namespace tessera {

/// Plans the runs of layers on each variant. Layers with equal runs share them, and a variant's run
/// of a layer is left out where it would be that of the machine alone.
class LayerPlanner {
public:
    /// `variants`: the machine alone first. Throws ConfigError for configurations that are invalid
    /// for every layer, or whose cycles cannot be compared.
    LayerPlanner(std::vector<NetworkVariant> variants, NetworkPart part);

    [[nodiscard]] const std::vector<NetworkVariant>& variants() const { return variants_; }
    [[nodiscard]] const VariantMachine& machine(std::size_t variant) const {
        return machines_[variant];
    }
    [[nodiscard]] const NetworkPart& part() const { return part_; }
    /// Whether a variant's time or checks depend on tensor values.
    [[nodiscard]] bool wants_values() const;
    /// Fused where the kernels of every variant support that.
    [[nodiscard]] EpilogueStyle epilogue_style() const;

    /// Kernels that every variant has.
    [[nodiscard]] network::MachineKernels machine_kernels() const;

    /// Plans the runs of a layer and appends the new ones to `runs`. `lowered` is null for a layer
    /// that is only a configuration; `files` are the layer's configurations without and with
    /// values. Throws NoKernelError if the first machine cannot run it.
    void plan(NetworkLayer& layer, const LoweredLayer* lowered,
              const std::vector<std::string>& files, std::vector<PlannedRun>& runs);

private:
    /// A run with its configuration.
    struct Planned {
        PlannedRun run;
        Config config;
        std::string key;  ///< equal for equal runs
    };

    [[nodiscard]] bool differs_from_machine(std::size_t variant) const;
    [[nodiscard]] std::optional<Planned> plan_run(const NetworkLayer& layer, std::size_t variant,
                                                  const LoweredLayer* lowered,
                                                  const std::string& file, bool alone,
                                                  std::string& refused) const;
    void check_direct_convolutions() const;
    std::size_t add_runs(Planned planned, std::vector<PlannedRun>& runs);

    std::vector<NetworkVariant> variants_;
    std::vector<VariantMachine> machines_;  ///< of the variants
    NetworkPart part_;
    std::map<std::string, std::size_t> first_runs_;  ///< index of a run, by Planned::key
};

}  // namespace tessera
