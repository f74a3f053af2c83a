// Lowered networks in the user's store of results.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/run/run_store.h"
#include "sc_models/store/result_store.h"
#include "sc_models/study/network_study/network_study.h"

namespace tessera {

/// Inputs of the plan of a network, beside the study.
struct NetworkOrigin {
    std::string model;                 ///< the ONNX file
    std::vector<std::string> options;  ///< that change the graph or its inputs
    std::vector<std::string> files;    ///< of inputs
};

/// Finished network of an equal command.
struct StoredNetwork {
    PlannedNetwork planned;
    std::vector<std::string> notes;  ///< printed while it was lowered
    std::vector<StoredRun> results;  ///< of planned.runs
};

/// Entry of one network in the store. Its key is the program, the bytes of the model and of the
/// inputs, the options, and the configurations of the study. The results of its runs are entries of
/// their own (RunStore); tensors of layers are not stored.
class NetworkStore {
public:
    /// Empty if no key can be made: a file cannot be read, or the program has no identity.
    [[nodiscard]] static std::optional<NetworkStore> of(ResultStore store,
                                                        const NetworkStudy& study,
                                                        const NetworkOrigin& origin);

    /// The network with the results of all its runs, in folders below the study's. Empty if one is
    /// not there, or if a file of the model's external data has changed.
    [[nodiscard]] std::optional<StoredNetwork> find() const;
    /// `external`: the model's files of external data, relative to its folder. Throws FileError.
    void keep(const PlannedNetwork& planned, const std::set<std::string>& external,
              const std::vector<std::string>& notes) const;

private:
    NetworkStore(ResultStore store, const NetworkStudy& study, std::string model, std::string key);

    [[nodiscard]] std::optional<StoredRun> result_of(const PlannedRun& run,
                                                     const PlannedNetwork& planned,
                                                     const ConfigCatalog& catalog) const;

    ResultStore store_;
    std::filesystem::path out_;
    std::string name_, model_, key_;
};

/// Writes the files of stored runs below `out`, the folder of the study.
void write_stored_runs(const std::filesystem::path& out, const StoredNetwork& stored);

}  // namespace tessera
