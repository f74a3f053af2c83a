// Single layers of ONNX models as configurations: model.onnx:layer.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/study/experiment.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/network_arguments.h"

namespace tessera {

/// A temporary folder, removed by the destructor.
class TemporaryFolder {
public:
    TemporaryFolder() = default;
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Creates the folder if it does not exist yet. Throws ConfigError.
    [[nodiscard]] const std::filesystem::path& path();

private:
    std::filesystem::path path_;
};

/// If the configurations contain a model's layer, writes it to files below `folder`, or a temporary
/// one if that is empty, and replaces it by these files, with the keys that the layer has in
/// `tessera network`; returns whether there is one. Throws ConfigError for a missing layer, for one
/// that is no convolution or product but has a mechanism with it, and for options of a model
/// without one.
bool resolve_model_layer(ConfigArguments& config, NetworkArguments model,
                         const std::filesystem::path& folder, TemporaryFolder& temporary);

/// The runs of an experiment, including models' layers, which become files below `folder`. Throws
/// ConfigError as plan_runs() does, for layers as above, and for a mechanism that cannot run one.
[[nodiscard]] std::vector<PlannedRun> plan_with_models(const Experiment& experiment,
                                                       const ConfigCatalog& catalog,
                                                       const std::vector<std::string>& sets,
                                                       const NetworkArguments& model,
                                                       const std::filesystem::path& folder,
                                                       bool allow_unused);

}  // namespace tessera
